"""Rows go down a tree in blocks; each ends where it ends alone, by a walk with exact fractions."""

from dataclasses import replace

import numpy as np
import pytest

from novacula.table import Chunk
from novacula.tree._kernels import BLOCK
from novacula.tree.export import NamedClassTree
from novacula.tree.routing import Router

from .random_trees import random_attributes, random_tree
from .walker import arrays, probabilities, random_rows


@pytest.mark.parametrize("fractional", [True, False])
@pytest.mark.parametrize("missing", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("n", [0, 1, BLOCK, 2 * BLOCK + 3])
def test_rows_of_a_block_do_not_disturb_each_other(n, missing, fractional):
    rng = np.random.default_rng([n, int(10 * missing)])
    attributes = tuple(replace(a, kind="nominal") if a.kind == "cut" else a for a in random_attributes(rng, 6))
    tree = random_tree(rng, attributes, 3, 30)
    named = NamedClassTree(tree, attributes, ("x", "y", "z"), fractional=fractional)
    rows = random_rows(rng, named, n, missing)
    numbers, codes = arrays(named, rows)
    routes = Router(tree, attributes, (), fractional).route(Chunk(numbers, codes, np.ones(n)))
    expected = [[float(p) for p in probabilities(named, row)] for row in rows]
    np.testing.assert_allclose(routes.mixed(tree.distributions(), n), np.reshape(expected, (n, 3)), atol=1e-12)
    np.testing.assert_allclose(np.bincount(routes.row, routes.share, n), np.ones(n), atol=1e-12)
    assert (np.diff(routes.row) >= 0).all()
