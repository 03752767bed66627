"""QuantileSketch against NumPy's quantiles, brute force over levels, and its own stated error."""

import struct

import numpy as np
import pytest

from novacula.errors import ParameterError
from novacula.statistics import QuantileSketch
from novacula.statistics.quantiles import bit_length, ordered_keys

SHARES = np.linspace(0.0, 1.0, 41)


def key_of(x):
    """The order-preserving key by arithmetic on Python integers."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", x + 0.0))
    return bits + 2**63 if bits < 2**63 else 2**64 - 1 - bits


def test_keys_are_in_the_order_of_the_numbers():
    x = np.array([-np.inf, -1e308, -1.5, -5e-324, 0.0, 5e-324, 1.0, np.nextafter(1.0, 2.0), 1e308, np.inf])
    keys = ordered_keys(x)
    assert keys.tolist() == [key_of(v) for v in x]
    assert np.all(keys[1:] > keys[:-1])


def test_bit_length_is_that_of_python():
    numbers = [0, 1, 2, 3, 2**52 - 1, 2**53 + 1, 2**60 - 1, 2**63 - 1, 2**63, 2**64 - 1]
    assert bit_length(np.array(numbers, np.uint64)).tolist() == [number.bit_length() for number in numbers]


def test_few_distinct_values_are_exact(chunk_of, rng):
    x, weight = rng.integers(-50, 50, 3000) / 7, rng.integers(1, 4, 3000)
    sketch = QuantileSketch.observe(chunk_of(x[:, None], weight=weight), capacity=128)
    wanted = np.quantile(x, SHARES, method="inverted_cdf", weights=weight)
    np.testing.assert_array_equal(sketch.quantile(SHARES)[:, 0, 0], wanted)
    assert sketch.rank_error.tolist() == [[0.0]]
    values, counts = (
        np.unique(x, return_counts=False),
        np.bincount(np.unique(x, return_inverse=True)[1], weight),
    )
    np.testing.assert_array_equal(sketch.points(0, 0), [values, counts])


@pytest.mark.parametrize("capacity", [2, 3, 16, 100])
@pytest.mark.parametrize("spread", ["normal", "lognormal", "far"])
def test_the_level_is_the_smallest_that_holds(chunk_of, rng, capacity, spread):
    x = {"normal": rng.normal, "lognormal": rng.lognormal, "far": lambda size: rng.normal(1e8, 1, size)}[spread](
        size=500
    )
    cell = QuantileSketch.observe(chunk_of(x[:, None]), capacity=capacity).cell(0, 0)
    occupied = [{key_of(v) >> level for v in x} for level in range(65)]
    level = next(i for i in range(65) if len(occupied[i]) <= capacity)
    assert cell.level == level
    assert cell.bucket.tolist() == sorted(occupied[level])
    for bucket, weight, low, high in zip(*cell[1:], strict=True):
        members = [v for v in x if key_of(v) >> level == bucket]
        assert (weight, low, high) == (len(members), min(members), max(members))


@pytest.mark.parametrize("capacity", [8, 64, 512])
def test_ranks_are_within_the_stated_error(chunk_of, rng, capacity):
    x, weight = rng.standard_t(2, size=4000), rng.uniform(0, 2, 4000)
    sketch = QuantileSketch.observe(chunk_of(x[:, None], weight=weight), capacity=capacity)
    found = sketch.quantile(SHARES)[:, 0, 0]
    at_or_below = np.array([weight[x <= v].sum() for v in found]) / weight.sum()
    below = np.array([weight[x < v].sum() for v in found]) / weight.sum()
    error = sketch.rank_error.item()
    assert 0.0 < error < 1.0
    assert np.all(below - error <= SHARES + 1e-12)
    assert np.all(at_or_below + error + 1e-12 >= SHARES)
    assert np.all(np.diff(found) >= 0.0)
    assert (found[0], found[-1]) == (x.min(), x.max())


def test_the_default_capacity_is_close_on_many_rows(chunk_of, rng):
    sketch = QuantileSketch.observe(chunk_of(rng.normal(size=(200_000, 1))))
    assert sketch.rank_error.item() < 2e-3
    assert len(sketch.bucket) <= 8192


def test_classes_and_columns_stand_apart(chunk_of, rng):
    x, code = rng.normal(size=(60, 3)), rng.integers(0, 2, 60).astype(np.int32)
    x[::7, 1] = np.nan
    sketch = QuantileSketch.observe(chunk_of(x, target=code), 2, columns=(2, 1))
    for k in range(2):
        for place, j in enumerate((2, 1)):
            values = x[code == k, j]
            wanted = np.quantile(values[~np.isnan(values)], 0.3, method="inverted_cdf")
            assert sketch.quantile(0.3)[k, place] == wanted


def test_zeros_of_both_signs_are_one_value_and_infinities_are_values(chunk_of):
    x = np.array([[-0.0], [0.0], [np.inf], [-np.inf], [np.nan]])
    sketch = QuantileSketch.observe(chunk_of(x))
    values, weights = sketch.points(0, 0)
    assert (values.tolist(), weights.tolist()) == ([-np.inf, 0.0, np.inf], [1.0, 2.0, 1.0])
    assert sketch.quantile(np.array([0.0, 0.5, 1.0]))[:, 0, 0].tolist() == [-np.inf, 0.0, np.inf]
    crowded = QuantileSketch.observe(chunk_of([[-np.inf], [-1.0], [0.0], [1.0], [np.inf]]), capacity=2)
    assert not np.isnan(crowded.quantile(SHARES)).any()


def test_a_column_without_values(chunk_of):
    sketch = QuantileSketch.observe(chunk_of([[np.nan]]))
    assert np.isnan(sketch.quantile(0.5)).all()
    assert sketch.rank_error.tolist() == [[0.0]]
    assert [edges.tolist() for edges in sketch.edges(4)] == [[]]


def test_edges_share_the_weight(chunk_of, rng):
    x = rng.exponential(size=(5000, 1))
    (edges,) = QuantileSketch.observe(chunk_of(x)).edges(10)
    counts = np.bincount(np.searchsorted(edges, x[:, 0]), minlength=10)
    assert len(edges) == 9
    assert counts.tolist() == [500] * 10


def test_edges_part_all_values_where_there_are_few(chunk_of):
    nearest = np.nextafter(3.0, 4.0)
    x = np.array([1.0, 2.0, 3.0, nearest, np.inf, -np.inf])
    (edges,) = QuantileSketch.observe(chunk_of(x[:, None])).edges(8)
    assert np.searchsorted(edges, np.sort(x)).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.all(np.diff(edges) > 0.0)


def test_a_heavy_value_takes_several_bins(chunk_of):
    x = np.concatenate([np.zeros(90), np.arange(1.0, 11.0)])
    (edges,) = QuantileSketch.observe(chunk_of(x[:, None])).edges(4)
    assert edges.tolist() == [0.5]


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan])
def test_shares_outside_of_the_unit_interval_are_refused(chunk_of, share):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        QuantileSketch.observe(chunk_of([[1.0]])).quantile(share)


@pytest.mark.parametrize(
    "build", [lambda c: QuantileSketch.zero(1, 1, 1), lambda c: QuantileSketch.observe(c, capacity=1)]
)
def test_a_capacity_below_two_is_refused(chunk_of, build):
    with pytest.raises(ParameterError, match="capacity"):
        build(chunk_of([[1.0]]))
