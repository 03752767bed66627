"""Some eigenvectors compared with all of them."""

import numpy as np
import pytest

from novacula.projection import PCA
from novacula.projection.eigen import SMALL, eigenvalues


def symmetric(rng, values):
    """A matrix with these eigenvalues."""
    basis, _ = np.linalg.qr(rng.normal(size=(len(values), len(values))))
    return (basis * values) @ basis.T


@pytest.mark.parametrize("n", [1, 2, SMALL, SMALL + 1, SMALL + 90])
@pytest.mark.parametrize("kind", ["apart", "ties", "nothing left"])
def test_equal_all_of_them(n, kind):
    rng = np.random.default_rng(n)
    values = {
        "apart": np.geomspace(1e-6, 1e3, n),
        "ties": np.repeat([1.0, 2.0], [n - n // 2, n // 2]),
        "nothing left": np.maximum(np.arange(n) - n // 2, 0.0),
    }[kind]
    matrix = symmetric(rng, values)
    matrix = (matrix + matrix.T) / 2.0
    size = max(float(np.abs(values).max()), 1e-300)
    found, vectors = eigenvalues(matrix)
    np.testing.assert_allclose(found, np.sort(values)[::-1], atol=1e-13 * size * n)
    for k in {0, 1, n // 3, n}:
        first = vectors(k)
        assert first.shape == (n, k)
        np.testing.assert_allclose(first.T @ first, np.eye(k), atol=1e-12)
        np.testing.assert_allclose(matrix @ first, first * found[:k], atol=1e-12 * size)


def test_many_rows_that_are_all_equal_have_no_direction_of_their_own():
    model = PCA(2).fit(np.full((SMALL + 10, SMALL + 20), 0.1))
    np.testing.assert_array_equal(model.explained_variance_, 0.0)
    np.testing.assert_array_equal(model.components_, np.eye(2, SMALL + 20))
