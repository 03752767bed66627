"""Kernels beside their features: the picture from two columns to three features, and Mercer's series on data."""

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from novacula.checks import check_work
from novacula.errors import DataError, DataWarning, ParameterError
from novacula.kernel import Gaussian, Linear, Multiquadric, Polynomial, Precomputed

SQUARE = Polynomial(degree=2, coef0=0)


def test_the_square_of_a_product_beside_the_product_of_features():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 1.0])
    assert SQUARE([x], [y]).item() == pytest.approx((x @ y) ** 2) == 25.0
    phi = [np.array([a * a, b * b, np.sqrt(2) * a * b]) for a, b in (x, y)]
    assert phi[0] @ phi[1] == pytest.approx(25.0)
    page = SQUARE.work([x, y]).to_text()
    assert "(1 × 3 + 2 × 1)² = 25" in page
    assert "1 × 9 + 4 × 1 + 2.82843 × 4.24264 = 25" in page
    check_work(SQUARE, [x, y])


def test_the_picture_from_two_dimensions_to_three():
    X = np.random.default_rng(0).uniform(-1, 1, (40, 2))
    y = np.where((X**2).sum(axis=1) < 0.4, "in", "out")
    figure, canvas = SQUARE.figure(X, y), Canvas()
    figure.draw(canvas.add_subplot())
    plane, space = canvas.axes
    assert [line.get_label() for line in plane.lines] == ["in", "out"]
    for kind, flat, lifted in zip(("in", "out"), plane.lines, space.lines, strict=True):
        own = X[y == kind]
        np.testing.assert_array_equal(flat.get_xydata(), own)
        expected = own[:, 0] ** 2, own[:, 1] ** 2, np.sqrt(2) * own[:, 0] * own[:, 1]
        np.testing.assert_allclose(lifted.get_data_3d(), expected)
    assert "x₁² " not in figure.alt
    assert "x₁², x₂², √2·x₁x₂" in figure.alt
    assert any(step.figure and "two" in step.figure.title for step in SQUARE.work(X))


def test_what_cannot_be_lifted():
    with pytest.raises(ParameterError, match="two columns and three features"):
        Linear().figure([[1.0, 2.0], [2.0, 3.0]])
    with pytest.raises(DataError, match="2 rows and y 1"):
        SQUARE.figure([[1.0, 2.0], [2.0, 3.0]], ["a"])
    with pytest.raises(ParameterError):
        Gaussian(gamma=1.0).figure([[1.0, 2.0], [2.0, 3.0]])


@pytest.mark.filterwarnings(r"ignore:Multiquadric\(.*\) has an eigenvalue of -:novacula.errors.DataWarning")
@pytest.mark.parametrize("kernel", [Gaussian(gamma=0.5), SQUARE, Linear() + 1, Multiquadric()])
def test_mercers_series_is_the_kernel(kernel):
    X = np.random.default_rng(1).normal(size=(12, 2))
    values, psi = kernel.mercer(X)
    assert (np.diff(values) <= 0).all()
    np.testing.assert_allclose((psi * values) @ psi.T, kernel(X), atol=1e-12)
    np.testing.assert_allclose(psi.T @ psi / 12, np.eye(len(values)), atol=1e-10)
    expected = np.sort(np.linalg.eigvalsh(kernel(X) / 12))[::-1]
    np.testing.assert_allclose(values, expected[np.abs(expected) > 1e-13], atol=1e-12)
    check_work(kernel, X)


def test_a_kernel_that_is_not_positive_is_told():
    K = Multiquadric()([[0.0], [1.0]])  # 1 and √2: eigenvalues of K/2 are (1 ± √2)/2
    assert K[0, 1] > K[0, 0]
    with pytest.warns(DataWarning, match=r"Multiquadric\(.*\) has an eigenvalue of -0.2071 .* not positive"):
        values = Multiquadric().mercer([[0.0], [1.0]]).eigenvalues
    np.testing.assert_allclose(values, [(1 + np.sqrt(2)) / 2, (1 - np.sqrt(2)) / 2])


def test_the_legend_covers_no_rows():
    canvas = Canvas(layout="constrained")
    X = np.random.default_rng(0).normal(size=(20, 2))
    SQUARE.figure(X, np.where(X[:, 0] > 0, "right", "left")).draw(canvas.add_subplot())
    assert [text.get_text() for text in canvas.legends[0].get_texts()] == ["left", "right"]
    assert all(axes.get_legend() is None for axes in canvas.axes)


def test_a_kernel_of_three_features_has_three_functions():
    assert SQUARE.mercer(np.random.default_rng(0).normal(size=(30, 2))).functions.shape == (30, 3)


def test_what_is_not_symmetric_has_no_series():
    with pytest.raises(DataError, match="no Mercer series"):
        Precomputed().mercer([[1.0, 2.0], [0.0, 1.0]])


def test_a_linear_kernel_by_hand():
    values, psi = Linear().mercer([[1.0], [-2.0]])  # K/2 = ½(1, −2)(1, −2)ᵀ, so λ = 5/2
    assert values.round(12).tolist() == [2.5]
    np.testing.assert_allclose(psi[:, 0], np.array([-1.0, 2.0]) * np.sqrt(2 / 5))
