"""Histogram against pandas and NumPy."""

import numpy as np
import pandas as pd
import pytest

from novacula.errors import ParameterError
from novacula.statistics import Histogram
from novacula.statistics.histogram import bin_codes


@pytest.mark.parametrize("n", [0, 1, 255, 256, 700])
def test_bins_are_those_of_a_search(rng, n):
    """Of any number of edges, on them, beyond them, and at infinity."""
    sizes = [0, 1, 2, 3, 7, 8, 9, 254, 255, 256]
    edges = [np.sort(rng.choice(np.arange(-400, 400), size, replace=False)) / 4.0 for size in sizes]
    x = rng.integers(-420, 420, (n, len(sizes))) / 4.0
    x[rng.random(x.shape) < 0.05] = np.nan
    x[rng.random(x.shape) < 0.05] = -np.inf
    x[rng.random(x.shape) < 0.05] = np.inf
    codes = bin_codes(np.asfortranarray(x), edges)
    assert codes.dtype == np.int32
    for j, column in enumerate(edges):
        wanted = np.where(np.isnan(x[:, j]), -1, np.searchsorted(column, x[:, j], side="left"))
        np.testing.assert_array_equal(codes[:, j], wanted)


def test_equals_pandas_cut(chunk_of, rng):
    n, edges = 500, (np.array([-1.0, 0.0, 0.5]), np.array([2.0]))
    x = np.column_stack([np.round(rng.normal(size=n), 1), rng.integers(0, 5, n)])  # many values lie on an edge
    x[rng.random(x.shape) < 0.1] = np.nan
    code, weight = rng.integers(0, 3, n).astype(np.int32), rng.integers(0, 4, n)
    seen = Histogram.observe(chunk_of(x, weight=weight, target=code), 3, edges)
    for j, inner in enumerate(edges):
        bins = pd.cut(x[:, j], [-np.inf, *inner, np.inf], labels=False)
        for k in range(3):
            wanted = [weight[(code == k) & (bins == b)].sum() for b in range(len(inner) + 1)]
            assert seen.column(j)[k].tolist() == wanted
            assert seen.missing[k, j] == weight[(code == k) & np.isnan(x[:, j])].sum()


def test_a_value_on_an_edge_is_below_it_and_infinities_are_outermost(chunk_of):
    x = np.array([[-np.inf], [0.0], [np.nextafter(0.0, 1.0)], [np.inf]])
    assert Histogram.observe(chunk_of(x), 1, (np.array([0.0]),)).counts.tolist() == [[2.0, 2.0]]


def test_edges_are_needed_for_each_column(chunk_of):
    with pytest.raises(ParameterError, match="for 0 of 1 numeric columns"):
        Histogram.observe(chunk_of([[1.0]]), 1, ())
