"""Support vector regression: the contract, scikit-learn as an oracle, the tube by hand, bad input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn import svm
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import novacula as nv
from novacula.errors import DataError, SchemaError
from novacula.kernel import SVR, Gaussian, Linear, Multiquadric, Precomputed
from novacula.learner.files import load, save

from ..shared_checks import checks_of_settings

laws = settings(deadline=None, max_examples=25)


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


# --- the contract -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", checks_of_settings(SVR(kernel=Linear(), loss="squared_hinge", epsilon=0.0)))
def test_check(check):
    check()


@laws
@given(st.integers(0, 2**32 - 1))
def test_neither_order_nor_repetition_of_rows_matters(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, (40, 2)) / 2.0, rng.integers(0, 4, 40) / 2.0
    weight = rng.integers(1, 4, 40)
    order = rng.permutation(np.repeat(np.arange(40), weight))
    one, other = SVR().fit(X, y, weight), SVR().fit(X[order], y[order])
    assert one.predict(X) == pytest.approx(other.predict(X), abs=1e-12)


def test_a_file_holds_the_model(tmp_path, diabetes):
    model = SVR(kernel=Gaussian(0.1) + 1.0).fit(*diabetes)
    save(model, tmp_path / "m.nova", registry={"svr": SVR})
    loaded = load(tmp_path / "m.nova", registry={"svr": SVR})
    assert np.array_equal(loaded.predict(diabetes[0]), model.predict(diabetes[0]))


# --- oracles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", [{}, {"C": 100.0}, {"kernel": "linear"}, {"C": 50.0, "epsilon": 20.0}])
def test_agrees_with_scikit_learn(parameters, diabetes):
    X, y = diabetes
    mine, other = SVR(**parameters).fit(X, y), svm.SVR(**parameters).fit(X, y)
    assert mine.predict(X) == pytest.approx(other.predict(X), abs=0.01)
    assert mine.intercept_ == pytest.approx(other.intercept_, abs=0.01)
    assert mine.n_support_ == pytest.approx(other.n_support_, abs=1)
    assert mine.dual_coef_.shape == (1, mine.n_support_[0])
    beta, kernel = other.dual_coef_[0], mine.kernel_
    expected = y[other.support_] @ beta - mine.epsilon * np.abs(beta).sum()
    expected -= 0.5 * beta @ kernel(X[other.support_]) @ beta
    assert mine.dual_objective_ == pytest.approx([expected], rel=1e-4)
    if parameters.get("kernel") == "linear":
        assert mine.coef_ == pytest.approx(other.coef_, abs=0.02)


def test_weights_are_scikit_learns(diabetes):
    X, y = diabetes
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    mine = SVR(10.0, Gaussian(0.1), 5.0).fit(X, y, weight)
    assert mine.predict(X) == pytest.approx(
        svm.SVR(C=10.0, gamma=0.1, epsilon=5.0).fit(X, y, weight).predict(X), abs=0.01
    )


@laws
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 100.0), st.floats(0.0, 1.0))
def test_squared_losses_are_least(seed, C, epsilon):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(15, 2)), rng.normal(size=15)
    model = SVR(C, "linear", epsilon, loss="squared_hinge", tol=1e-8).fit(X, y)

    def primal(plane):
        slack = np.maximum(0.0, np.abs(y - X @ plane[:2] - plane[2]) - epsilon)
        return 0.5 * plane[:2] @ plane[:2] + C * (slack**2).sum()

    found = primal(np.append(model.coef_[0], model.intercept_))
    assert found == pytest.approx(model.dual_objective_[0], rel=1e-4, abs=1e-6)
    assert found <= minimize(primal, np.zeros(3)).fun * (1 + 1e-6) + 1e-9


def test_a_line_by_hand():
    model = SVR(10.0, "linear", 0.5).fit(np.arange(5.0)[:, None], np.arange(5.0))
    assert model.coef_ == pytest.approx(np.array([[0.75]]))  # the flattest line that stays within ½ of 0 and of 4
    assert model.intercept_ == pytest.approx([0.5])
    assert model.support_.tolist() == [0, 4]
    assert model.dual_coef_ == pytest.approx(np.array([[-0.1875, 0.1875]]))
    assert model.multipliers_table().rows[0] == (0, -1, pytest.approx(0.1875), "free")
    assert model.margin_ == pytest.approx([1.0 / 0.75])
    assert model.converged_


def test_a_wide_tube_has_no_support_vectors():
    model = SVR(epsilon=10.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    assert model.support_.tolist() == []
    assert model.predict([[5.0]]) == pytest.approx([1.0])
    assert model.margin_.tolist() == [np.inf]


def test_both_solvers_solve_one_problem(diabetes):
    one, other = (SVR(5.0, "linear", 1.0, solver=s, tol=1e-5, random_state=0).fit(*diabetes) for s in ("smo", "linear"))
    assert one.dual_objective_ == pytest.approx(other.dual_objective_, rel=1e-6)
    assert one.predict(diabetes[0]) == pytest.approx(other.predict(diabetes[0]), abs=0.02)


def test_sparse_rows_and_given_matrices(diabetes):
    X, y = diabetes
    plain = SVR(10.0, Gaussian(0.1), tol=1e-4).fit(X, y)
    sparse = SVR(10.0, Gaussian(0.1), tol=1e-4).fit(csr_matrix(X), y)
    matrix = SVR(10.0, Precomputed(), tol=1e-4).fit(Gaussian(0.1)(X), y)
    assert sparse.predict(csr_matrix(X)) == pytest.approx(plain.predict(X), abs=0.01)
    assert matrix.predict(Gaussian(0.1)(X)) == pytest.approx(plain.predict(X), abs=0.01)


# --- refusals -----------------------------------------------------------------------------------------------


def test_bad_input_is_refused(diabetes):
    X, y = diabetes
    with pytest.raises(SchemaError, match="one target, and there are 2"):
        SVR().fit(X, np.c_[y, y])
    with pytest.raises(ValueError, match="'C' parameter"):
        SVR(C=np.inf).fit(X, y)
    with pytest.raises(DataError, match="smallest eigenvalue"):
        SVR(kernel=Multiquadric()).fit(X, y)
    with pytest.raises(DataError, match="sum to zero"):
        SVR().fit(nv.read(pd.DataFrame({"a": [1.0, 2.0], "t": [1.0, 2.0], "w": [0.0, 0.0]}), target="t", weight="w"))


def test_warnings(diabetes):
    X, y = diabetes
    with pytest.warns(ConvergenceWarning, match="SVR .*It stopped after 3 iterations, as many as max_iter allows"):
        assert SVR(max_iter=3).fit(X, y).n_iter_ == 3
    with pytest.warns(DataConversionWarning):
        model = SVR().fit(X, y[:, None])
    assert np.array_equal(model.predict(X), SVR().fit(X, y).predict(X))


def test_targets_that_round_to_more_than_tol_end():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 1)) * [-2.0, 1.0, 1.0]
    y = 1e140 * rng.integers(0, 2, 30)
    with pytest.warns(ConvergenceWarning, match="the KKT conditions are violated"):
        assert SVR(loss="squared_hinge").fit(X, y, 1e20 * rng.random(30)).n_iter_ <= 50_000
