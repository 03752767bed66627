"""The linear unit: the delta rule against the exact solution, scikit-learn, and the bound on its rate."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import scipy.sparse
import sklearn.linear_model
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator

import novacula as nv
from novacula.checks import check_equations
from novacula.errors import DataError, ParameterError
from novacula.linear import LinearRegression, LinearUnit
from novacula.linear.online import passes

from ..shared_checks import checks_of_settings

laws = settings(deadline=None, max_examples=20)
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
seeds = st.integers(0, 2**32 - 1)


def design(X, intercept):
    return np.column_stack([X, np.ones(len(X))]) if intercept else X


def weights_of(model):
    return np.append(model.coef_, model.intercept_) if model.fit_intercept else model.coef_


@st.composite
def problems(draw):
    """Well-conditioned rows with whole weights, and whether there is a bias."""
    rng = np.random.default_rng(draw(seeds))
    n, d, intercept = draw(st.integers(12, 40)), draw(st.integers(1, 4)), draw(st.booleans())
    X, weight = rng.normal(size=(n, d)) + 0.3, rng.integers(1, 4, n).astype(float)
    values = np.linalg.eigvalsh(design(X, intercept).T @ (weight[:, None] * design(X, intercept)))
    assume(values[-1] < 100 * values[0])
    return X, X @ rng.normal(size=d) + rng.normal(size=n), weight, intercept, float(values[-1])


# --- the exact solution -------------------------------------------------------------------------------------


@laws
@given(problems(), st.sampled_from(["auto", 0.3, 1.0, 1.5]))
def test_batch_ends_at_the_exact_solution(problem, share):
    X, t, weight, intercept, largest = problem
    eta = share if share == "auto" else share / largest
    model = LinearUnit(eta0=eta, fit_intercept=intercept, max_iter=100_000).fit(X, t, weight)
    root = np.sqrt(weight)[:, None]
    by_lapack = np.linalg.lstsq(root * design(X, intercept), root[:, 0] * t, rcond=None)[0]
    np.testing.assert_allclose(weights_of(model), by_lapack, rtol=1e-8, atol=1e-9)
    exact = LinearUnit("exact", fit_intercept=intercept).fit(X, t, weight)
    np.testing.assert_allclose(weights_of(exact), by_lapack, rtol=1e-9, atol=1e-11)
    assert model.largest_rate_ == pytest.approx(2 / largest)
    assert exact.history_[-1] == pytest.approx(model.history_[-1])


@laws
@given(problems())
def test_batch_never_goes_uphill_and_says_the_error(problem):
    X, t, weight, intercept, largest = problem
    model = LinearUnit(eta0=1.9 / largest, fit_intercept=intercept, max_iter=100_000).fit(X, t, weight)
    history = np.array(model.history_)
    assert history[0] == pytest.approx(0.5 * weight @ t**2)
    assert (np.diff(history) <= 1e-12 * history[0]).all()
    assert history[-1] == pytest.approx(0.5 * weight @ (t - model.predict(X)) ** 2)
    w, steps = np.zeros(design(X, intercept).shape[1]), design(X, intercept)
    for _ in range(3):
        w = w + 1.9 / largest * steps.T @ (weight * (t - steps @ w))
    assert history[3] == pytest.approx(0.5 * weight @ (t - steps @ w) ** 2)


def where_passes_end(rows, t, weight, eta):
    """The weights that a pass over the rows in order leaves as they are: w ← Aw + b with w = Aw + b."""
    A, b = np.eye(rows.shape[1]), np.zeros(rows.shape[1])
    for x, target, times in zip(rows, t, weight.astype(int), strict=True):
        for _ in range(times):
            A, b = A - eta * np.outer(x, x @ A), b + eta * (target - x @ b) * x
    return np.linalg.solve(np.eye(len(b)) - A, b)


@quiet
@settings(laws, max_examples=15)
@given(problems())
def test_sgd_comes_near_the_exact_solution_as_the_rate_falls(problem):
    X, t, weight, intercept, _ = problem
    rows = design(X, intercept)
    exact = weights_of(LinearUnit("exact", fit_intercept=intercept).fit(X, t, weight))
    longest = (rows**2).sum(axis=1).max()
    for share in (0.3, 0.03):
        model = LinearUnit("sgd", eta0=share / longest, fit_intercept=intercept, max_iter=20_000, tol=1e-8)
        model.fit(X, t, weight)
        assert model.converged_
        there = where_passes_end(rows, t, weight, share / longest)
        np.testing.assert_allclose(weights_of(model), there, rtol=1e-3, atol=1e-4)
    gaps = [np.abs(where_passes_end(rows, t, weight, share / longest) - exact).max() for share in (1e-4, 1e-6)]
    assert gaps[1] <= max(0.02 * gaps[0], 1e-6)


@quiet
def test_a_falling_rate_comes_nearer_than_a_constant_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    t = X @ [1.0, -2.0] + rng.normal(size=60)
    exact = LinearRegression().fit(X, t).coef_
    gap = {
        schedule: np.abs(LinearUnit("sgd", schedule=schedule, max_iter=3000).fit(X, t).coef_ - exact).max()
        for schedule in ("constant", "decay", "robbins_monro")
    }
    assert gap["robbins_monro"] < 0.1 * gap["constant"]
    assert gap["decay"] < 0.1 * gap["constant"]


@quiet
@laws
@given(problems(), st.integers(1, 5))
def test_sgd_agrees_with_scikit_learn(problem, epochs):
    X, t, _, intercept, _ = problem
    theirs = sklearn.linear_model.SGDRegressor(
        penalty=None,
        learning_rate="constant",
        eta0=0.01,
        shuffle=False,
        tol=None,
        max_iter=epochs,
        fit_intercept=intercept,
    ).fit(X, t)
    ours = LinearUnit("sgd", eta0=0.01, max_iter=epochs, fit_intercept=intercept).fit(X, t)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10, atol=1e-12)
    assert len(ours.history_) == ours.n_iter_ == epochs


def test_an_epoch_of_sgd_counts_errors_as_rows_are_shown():
    model = LinearUnit("sgd", eta0=0.5, fit_intercept=False, max_iter=1, tol=10.0).fit([[1.0], [1.0]], [1.0, 1.0])
    assert model.history_ == (0.5 * (1.0 + 0.25),)
    assert model.coef_.tolist() == [0.75]


def test_several_targets_are_several_units():
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(40, 3)), rng.normal(size=(40, 2))
    for solver in ("batch", "sgd", "exact"):
        both = LinearUnit(solver).fit(X, t)
        for k in range(2):
            alone = LinearUnit(solver).fit(X, t[:, k])
            np.testing.assert_allclose(both.coef_[k], alone.coef_, rtol=1e-7, atol=1e-9)
            assert both.intercept_[k] == pytest.approx(alone.intercept_)
        check_equations(both)
        check_equations(both, X)


# --- the rate -----------------------------------------------------------------------------------------------


def test_the_largest_stable_rate_is_named(five):
    x, t = five
    largest = 2 / np.linalg.eigvalsh(design(x, True).T @ design(x, True))[-1]
    with pytest.raises(ParameterError, match=f"the largest stable rate is {largest:.6g}, 2/λ_max of XᵀX"):
        LinearUnit(eta0=1.01 * largest).fit(x, t)
    assert LinearUnit(eta0=0.99 * largest).fit(x, t).converged_
    with pytest.raises(ParameterError, match=r"2/λ_max"):
        LinearUnit(eta0=1e9, schedule="decay").fit(x, t)


@laws
@given(problems())
def test_beyond_the_bound_the_steps_do_grow(problem):
    X, t, weight, intercept, largest = problem
    steps, w = design(X, intercept), np.zeros(design(X, intercept).shape[1])
    sizes = []
    for _ in range(400):
        w = w + 2.2 / largest * steps.T @ (weight * (t - steps @ w))
        sizes.append(np.abs(w).max())
    assert sizes[-1] > 1e6 * sizes[0]
    with pytest.raises(ParameterError, match="would grow without end"):
        LinearUnit(eta0=2.2 / largest, fit_intercept=intercept).fit(X, t, weight)


def test_sgd_that_diverges_names_its_bound():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    bound = 2 / ((X**2).sum(axis=1).max() + 1)
    with pytest.raises(ParameterError, match=f"the largest stable rate is {bound:.6g}, 2/max ‖x‖²"):
        LinearUnit("sgd", eta0=10 * bound).fit(X, X[:, 0])


# --- classes ------------------------------------------------------------------------------------------------


def test_the_parameter_says_what_it_is():
    assert is_regressor(LinearUnit())
    assert not is_classifier(LinearUnit())
    assert is_classifier(LinearUnit(threshold=True))
    assert not is_regressor(LinearUnit(threshold=True))
    assert not hasattr(LinearUnit(), "decision_function")


@pytest.mark.parametrize("solver", ["batch", "sgd", "exact"])
def test_with_a_threshold_it_learns_two_classes(solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(X @ [1.0, 2.0] + 0.3 * rng.normal(size=80) > 0.2, "yes", "no")
    model = LinearUnit(solver, threshold=True).fit(X, y)
    assert model.classes_.tolist() == ["no", "yes"]
    numbers = LinearUnit(solver).fit(X, np.where(y == "yes", 1.0, -1.0))
    np.testing.assert_allclose(model.coef_, numbers.coef_, rtol=1e-8)
    np.testing.assert_allclose(model.decision_function(X), numbers.predict(X), rtol=1e-7, atol=1e-9)
    assert model.predict(X).tolist() == np.where(numbers.predict(X) > 0, "yes", "no").tolist()
    assert model.score(X, y) == (model.predict(X) == y).mean() > 0.85
    assert cross_val_score(model, X, y).mean() > 0.8
    table = nv.read(pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}), target="y")
    np.testing.assert_allclose(clone(model).fit(table).coef_, model.coef_, rtol=1e-12)
    check_equations(model)
    check_equations(model, X)
    assert "∴ class = {yes if o > 0; no otherwise}" in str(model.work(X))


def test_more_than_two_classes_are_refused():
    with pytest.raises(
        DataError, match=r"Only binary classification is supported by LinearUnit with a threshold.* 3 classes"
    ):
        LinearUnit(threshold=True).fit([[1.0], [2.0], [3.0]], [0, 1, 2])
    with pytest.raises(DataError, match="one class only"):
        LinearUnit(threshold=True).fit([[1.0], [2.0], [3.0]], [1, 1, 1])


@quiet
@pytest.mark.filterwarnings("ignore::novacula.errors.RankWarning", "ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("solver", [pytest.param("batch", marks=pytest.mark.slow), "sgd", "exact"])
def test_the_threshold_passes_scikit_learns_checks(solver):
    check_estimator(LinearUnit(solver, threshold=True), on_skip=None)


# --- one model at every scale -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "check",
    checks_of_settings(
        LinearUnit(),
        LinearUnit("sgd"),
        LinearUnit("exact"),
        LinearUnit(fit_intercept=False),
        leave_out=("scikit_learn",),
    ),
)
def test_shared_checks(check):
    check()


@quiet
@pytest.mark.parametrize("solver", ["batch", "sgd"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_files_are_memory(tmp_path, monkeypatch, solver, shuffle):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    t, weight = X @ [1.0, 2.0, 3.0] + rng.normal(size=300), rng.random(300).round(3)
    table = pa.table({f"x{j}": X[:, j] for j in range(3)} | {"w": weight, "t": t})
    pa.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=40)
    pa.csv.write_csv(table, tmp_path / "a.csv")
    learner = LinearUnit(solver, shuffle=shuffle, random_state=0, max_iter=200)
    memory = clone(learner).fit(X, t, weight)
    monkeypatch.setattr(passes, "HELD", 0)
    for name in ("a.parquet", "a.csv"):
        stream = clone(learner).fit(nv.read(tmp_path / name, target="t", weight="w"))
        if solver == "sgd":
            np.testing.assert_array_equal(stream.coef_, memory.coef_)
        np.testing.assert_allclose(stream.coef_, memory.coef_, rtol=1e-9)
    rows = scipy.sparse.csr_matrix(X)
    np.testing.assert_allclose(clone(learner).fit(rows, t, weight).coef_, memory.coef_, rtol=1e-9)


def test_batch_does_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(100, 3)), rng.normal(size=100)
    order = rng.permutation(100)
    one, other = LinearUnit().fit(X, t), LinearUnit().fit(X[order], t[order])
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9)


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"eta0": 0.0}, "'eta0' parameter"),
        ({"eta0": "fast"}, "'eta0' parameter"),
        ({"solver": "newton"}, "'solver' parameter"),
        ({"schedule": "cosine"}, "'schedule' parameter"),
        ({"tol": -1.0}, "'tol' parameter"),
    ],
)
def test_bad_parameters_are_refused(parameters, words, five):
    with pytest.raises(ValueError, match=words):
        LinearUnit(**parameters).fit(*five)


@pytest.mark.parametrize("solver", ["batch", "sgd", "exact"])
def test_bad_rows_are_refused(solver, five):
    x, t = five
    with pytest.raises(ValueError, match="zero"):
        LinearUnit(solver).fit(x, t, np.zeros(5))
    weightless = pd.DataFrame({"x": x[:, 0], "t": t, "w": np.zeros(5)})
    with pytest.raises(DataError, match="sum to zero: no row counts"):
        LinearUnit(solver).fit(nv.read(weightless, target="t", weight="w"))
    for value in (np.nan, np.inf):
        frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1.0, value, 2.0], "t": [1.0, 2.0, 3.0]})
        with pytest.raises(DataError, match=r"column 'b' is (missing|infinite)"):
            LinearUnit(solver).fit(nv.read(frame, target="t"))
        with pytest.raises(ValueError, match=r"NaN|infinite"):
            LinearUnit(solver).fit(frame[["a", "b"]], frame["t"])


def test_too_few_steps_are_warned_of(five):
    x, t = five
    with pytest.warns(ConvergenceWarning, match="LinearUnit: It stopped after 5 iterations"):
        batch = LinearUnit(max_iter=5).fit(x, t)
    with pytest.warns(ConvergenceWarning, match="in epoch 5, the last that max_iter allows, the weights still moved"):
        sgd = LinearUnit("sgd", max_iter=5).fit(x, t)
    assert (batch.n_iter_, sgd.n_iter_, len(batch.history_), len(sgd.history_)) == (5, 5, 6, 5)
    assert not batch.converged_
    assert "not yet zero" in str(batch.work())


@pytest.mark.parametrize("solver", ["batch", "sgd"])
def test_columns_of_zeros_teach_nothing(solver):
    model = LinearUnit(solver, fit_intercept=False).fit(np.zeros((3, 2)), [1.0, 2.0, 3.0])
    assert model.coef_.tolist() == [0.0, 0.0]
    assert model.converged_
    check_equations(model)


# --- work ---------------------------------------------------------------------------------------------------


def test_the_first_step_is_written_out(five):
    text = str(LinearUnit().fit(*five).work())
    assert "= 2/36.4545 = 0.0548629" in text
    assert "= 2 / (0.795512 + 36.4545) = 0.0536913" in text
    assert "= 11.53" in text
    assert "= 0.0536913 × (1 × 1 + 2.2 × 3 + 2 × 2 + 1.9 × 1.5 + 3.1 × 4) = 1.44161" in text
    second = str(LinearUnit().fit(*five).work(iteration=2))
    assert "w₁ ← w₁ + Δw₁\n     = 1.44161 + (−1.39" in second


def test_the_first_rows_of_sgd_are_written_out(five):
    text = str(LinearUnit("sgd", eta0=0.1).fit(*five).work())
    assert "= 0.1 + 0.1 × (2.2 − 0.4) × 3 = 0.64" in text


@quiet
@pytest.mark.filterwarnings("ignore::novacula.errors.RankWarning")
@laws
@given(
    seeds,
    st.integers(2, 20),
    st.integers(1, 9),
    st.sampled_from(["batch", "sgd", "exact"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 1e3]),
    st.booleans(),
)
def test_arithmetic_is_that_of_the_model(seed, n, d, solver, threshold, intercept, offset, drawn):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(n, d)) + offset, rng.choice([0.0, 0.5, 1.0, 2.0], n)
    t = rng.normal(size=n)
    weight[:2], t[:2] = 1.0, [-1.0, 1.0]
    y = (t > 0).astype(int) if threshold else t
    model = LinearUnit(solver, threshold=threshold, fit_intercept=intercept, max_iter=50).fit(X, y, weight)
    check_equations(model)
    check_equations(model, X)


@pytest.mark.parametrize("size", [1e200, 1.5e308])
def test_an_epoch_whose_error_overflows_is_refused(size):
    with pytest.raises(DataError, match=f"the target reaches {size:.3g} in size; divide it".replace("+", r"\+")):
        LinearUnit("sgd").fit([[0.0], [1.0]], [-size, size])
