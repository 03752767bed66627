"""Rows made again from their scores, and directions from the products of few rows."""

import numpy as np
import pytest

import novacula as nv
from novacula.checks import check_work
from novacula.projection import PCA

WIDE = np.array([[1.0, 2, 0, 1], [0, 1, 1, 3], [2, 0, 1, 1]])


@pytest.mark.parametrize("whiten", [False, True])
def test_a_row_is_made_again_and_what_is_lost_is_measured(whiten):
    X = np.random.default_rng(0).normal(size=(30, 4))
    model = PCA(2, whiten=whiten).fit(X)
    check_work(model, X[:2])
    values = {e.left: e.value for e in model.work(X[:2]).equations}
    centre = X.mean(axis=0)
    axes = np.linalg.svd(X - centre)[2][:2]
    again = centre + (X[0] - centre) @ axes.T @ axes
    np.testing.assert_allclose([values[f"x̂_1[{j}]"] for j in range(1, 5)], again)
    assert values["norm(x_1 - x̂_1)**2"] == pytest.approx(((X[0] - again) ** 2).sum())
    assert values["norm(x_2 - x̂_2)**2"] == pytest.approx(model.reconstruction_error(X[1:2]))


def test_many_columns_are_cut_unless_everything_is_asked_for():
    X = np.random.default_rng(0).normal(size=(30, 9))
    model = PCA(2).fit(X)
    assert "6 of 9 columns are written out." in model.work(X[:1]).to_text()
    check_work(model, X[:1], detail="full")
    assert sum(e.left.startswith("x̂_1") for e in model.work(X[:1], detail="full").equations) == 9


def test_a_row_that_misses_values_is_not_made_again():
    X = np.random.default_rng(0).normal(size=(30, 4))
    X[0, 0] = np.nan
    model = PCA(2).fit(X)
    check_work(model, X[:2])
    assert [e.left for e in model.work(X[:2]).equations if e.left.startswith("norm")] == ["norm(x_2 - x̂_2)**2"]


@pytest.mark.parametrize("method", ["dual", "svd"])
def test_the_dual_trick_on_three_rows_of_four_columns(method, tmp_path):
    model = PCA(2, method=method).fit(WIDE)
    check_work(model)
    equations = [e for e in model.work().equations if e.is_evaluated]
    values = {e.left: e.value for e in equations}
    rows = WIDE - WIDE.mean(axis=0)
    np.testing.assert_allclose(values["D"], rows @ rows.T, atol=1e-12)
    for i in (1, 2):
        lengths, vectors = np.linalg.eigh(rows @ rows.T)
        direction = rows.T @ vectors[:, -i] / np.sqrt(lengths[-i])
        np.testing.assert_allclose(np.abs(values[f"v_{i}"]), np.abs(direction))
        np.testing.assert_allclose(np.cov(WIDE.T) @ values[f"v_{i}"], lengths[-i] / 2 * values[f"v_{i}"])
    factors = next(e for e in equations if e.left == "X").values
    np.testing.assert_allclose(factors["U"] @ factors["S"] @ factors["Q"].T, rows.T, atol=1e-12)
    np.testing.assert_allclose(factors["Q"].T @ factors["Q"], np.eye(2), atol=1e-12)
    model.save(tmp_path / "model.nova")
    assert str(nv.load(tmp_path / "model.nova").work()) == str(model.work())


@pytest.mark.parametrize("X", [np.ones((3, 4)), np.eye(4)[:3], np.random.default_rng(0).normal(size=(9, 20))])
def test_without_variance_or_with_equal_lengths_or_many_rows_there_is_no_dual_trick(X):
    model = PCA(1).fit(X)
    assert not [e for e in model.work().equations if e.left == "D"]


def test_rounding_is_not_shown_beside_the_numbers_it_comes_from():
    rows = np.array([[0.1, 0.6, 0.5, 0.3], [0.1, 0.1, 0.7, 0.8], [0.1, 0.4, 0.5, 0.0]])
    model = PCA(2).fit(rows)
    text = str(model.work())
    assert "The dual trick" in text
    assert not [line for line in text.splitlines() if "⁻¹⁶" in line or "⁻¹⁷" in line]
    check_work(model)
