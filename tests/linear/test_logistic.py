"""Logistic regression: its laws, the conditions of optimality, and scikit-learn and SciPy as oracles."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.optimize
import scipy.sparse
import sklearn.linear_model
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novacula as nv
from novacula.linear import LogisticRegression

from ..shared_checks import checks_of_settings

laws = settings(deadline=None, max_examples=20)
TWO_TO_FOUR = st.integers(2, 4)
SOLVERS = {"l2": ["newton", "lbfgs"], "l1": ["proximal"], "elasticnet": ["proximal"]}
RATIO = 0.3


@st.composite
def problems(draw, classes=TWO_TO_FOUR):
    """Classes that overlap, columns off their zero, whole weights, a price C."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, k = draw(st.integers(60, 120)), draw(st.integers(1, 5)), draw(classes)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    y = (X @ rng.normal(size=(d, k)) + 2.0 * rng.gumbel(size=(n, k))).argmax(axis=1)
    y[: 2 * k] = np.tile(np.arange(k), 2)
    return X, y, rng.integers(1, 4, n).astype(float), 10.0 ** draw(st.floats(-1.5, 1.0))


def margins(w, b, X):
    m = X @ w.T + b
    return np.column_stack([np.zeros(len(X)), m]) if m.shape[1] == 1 else m


def objective(w, b, problem, penalty):
    X, y, weight, C = problem
    l1 = {"l2": 0.0, "l1": 1.0, "elasticnet": RATIO, None: 0.0}[penalty]
    l2 = 0.0 if penalty is None else 1.0 - l1
    loss = -log_softmax(margins(w, b, X), axis=1)[np.arange(len(y)), y]
    return (1.0 if penalty is None else C) * weight @ loss + l1 * np.abs(w).sum() + 0.5 * l2 * (w**2).sum()


def fitted(problem, penalty="l2", **options):
    X, y, weight, C = problem
    return LogisticRegression(C, penalty, l1_ratio=RATIO, **options).fit(X, y, weight)


# --- the optimum --------------------------------------------------------------------------------------------


@laws
@given(problems(), st.booleans(), st.sampled_from(["newton", "lbfgs"]))
def test_agrees_with_scikit_learn(problem, intercept, solver):
    X, y, weight, C = problem
    ours = fitted(problem, fit_intercept=intercept, solver=solver)
    theirs = sklearn.linear_model.LogisticRegression(C=C, fit_intercept=intercept, tol=1e-10, max_iter=10_000)
    theirs.fit(X, y, weight)
    assert ours.coef_.shape == theirs.coef_.shape
    found, known = (
        objective(ours.coef_, ours.intercept_, problem, "l2"),
        objective(theirs.coef_, theirs.intercept_, problem, "l2"),
    )
    assert found == pytest.approx(known, rel=1e-8)
    assert ours.history_[-1] == pytest.approx(found, rel=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


@laws
@given(problems(), st.booleans(), st.sampled_from(["l1", "elasticnet"]))
def test_weights_that_are_zero_meet_the_conditions(problem, intercept, penalty):
    X, y, weight, C = problem
    model = fitted(problem, penalty, fit_intercept=intercept)
    residual = weight[:, None] * (np.eye(y.max() + 1)[y] - model.predict_proba(X))
    residual = residual[:, 1:] if len(model.classes_) == 2 else residual
    l1 = 1.0 if penalty == "l1" else RATIO
    pull = C * residual.T @ X - (1.0 - l1) * model.coef_
    active = model.coef_ != 0.0
    size = 1e-8 * C * weight.sum()
    np.testing.assert_allclose(pull[active], l1 * np.sign(model.coef_[active]), atol=size)
    assert (np.abs(pull[~active]) <= l1 + size).all()
    if intercept:
        np.testing.assert_allclose(residual.sum(axis=0), 0.0, atol=1e-8 * weight.sum())


def test_the_l1_optimum_is_scikit_learns():
    rng = np.random.default_rng(0)
    X = StandardScaler().fit_transform(rng.normal(size=(200, 6)))
    y = (X[:, 0] - X[:, 1] + rng.logistic(size=200) > 0).astype(int)
    theirs = sklearn.linear_model.LogisticRegression(C=0.1, l1_ratio=1.0, solver="saga", tol=1e-12, max_iter=50_000)
    theirs.fit(X, y)
    ours = LogisticRegression(0.1, "l1").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert (ours.coef_ == 0.0).sum() == (theirs.coef_ == 0.0).sum() > 0


@laws
@given(problems(classes=st.just(2)), st.sampled_from(["l2", None]), st.sampled_from(["cross_entropy", "squared"]))
def test_scipy_finds_nothing_better(problem, penalty, loss):
    X, y, weight, C = problem
    model = fitted(problem, penalty, loss=loss)

    def value(theta):
        m = X @ theta[:-1] + theta[-1]
        miss = 0.5 * (y - 1.0 / (1.0 + np.exp(-m))) ** 2 if loss == "squared" else np.logaddexp(0, np.where(y, -m, m))
        held = 0.5 * theta[:-1] @ theta[:-1]
        return weight @ miss if penalty is None else C * weight @ miss + held

    start = np.append(model.coef_[0], model.intercept_)
    # Squares without a penalty can be least at infinity, on a plateau that no float separates from its surroundings.
    assume(penalty == "l2" or loss == "cross_entropy" or np.abs(X @ start[:-1] + start[-1]).max() < 30.0)
    assert value(start) == pytest.approx(model.history_[-1], rel=1e-10)
    assert value(start) <= scipy.optimize.minimize(value, start, tol=1e-12).fun * (1 + 1e-9)
    for move in np.eye(len(start)) * 1e-4:
        assert value(start + move) > value(start) < value(start - move)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@laws
@given(problems(), st.integers(0, 2**32 - 1))
def test_cross_entropy_is_maximum_likelihood(problem, seed):
    model = fitted(problem, None)
    if model.separated_:
        return
    rng = np.random.default_rng(seed)
    best = objective(model.coef_, model.intercept_, problem, None)
    assert model.log_likelihood_ == pytest.approx(-best, rel=1e-10)
    for _ in range(10):
        w = model.coef_ + rng.normal(size=model.coef_.shape) * 0.1
        assert objective(w, model.intercept_ + 0.1 * rng.normal(), problem, None) >= best


def test_newton_is_quadratic_near_the_optimum():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = (X @ [1.0, -2.0, 0.5] + rng.logistic(size=400) > 0).astype(int)
    history = np.array(LogisticRegression(solver="newton").fit(X, y).history_)
    gap = history[:-1] - history[-1]
    gap = gap[gap > 1e-9 * history[-1]]
    digits = -np.log10(gap / gap[0])
    assert len(history) <= 8
    assert digits[-1] > 1.7 * digits[-2] > 0  # the number of right digits all but doubles


# --- laws ---------------------------------------------------------------------------------------------------

PENALTIES = st.sampled_from(["l2", "l1", "elasticnet"])


@laws
@given(problems(), PENALTIES)
def test_weights_are_repetitions(problem, penalty):
    X, y, weight, C = problem
    repeat = np.repeat(np.arange(len(X)), weight.astype(int))
    one, other = fitted(problem, penalty), fitted((X[repeat], y[repeat], np.ones(len(repeat)), C), penalty)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-7, atol=1e-8)


@laws
@given(problems(), PENALTIES, st.floats(-100, 100))
def test_a_shift_of_a_column_changes_the_intercept_only(problem, penalty, shift):
    X, y, weight, C = problem
    one, other = fitted(problem, penalty), fitted((X + shift, y, weight, C), penalty)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X + shift), atol=1e-7)


@laws
@given(problems())
def test_other_names_of_classes_permute_the_planes(problem):
    X, y, weight, C = problem
    order = np.random.default_rng(0).permutation(y.max() + 1)
    one, other = fitted(problem), fitted((X, order[y], weight, C))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X)[:, order], atol=1e-8)
    if len(order) > 2:
        np.testing.assert_allclose(one.coef_, other.coef_[order], atol=1e-8)


@laws
@given(problems(), PENALTIES)
def test_probabilities_average_to_the_frequencies(problem, penalty):
    X, y, weight, _ = problem
    model = fitted(problem, penalty)
    mean = np.average(model.predict_proba(X), axis=0, weights=weight)
    np.testing.assert_allclose(mean, np.bincount(y, weight) / weight.sum(), atol=1e-8)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-12)


@laws
@given(problems(), st.sampled_from(["l2", "l1"]))
def test_class_weights_are_weights_of_rows(problem, penalty):
    X, y, weight, C = problem
    factor = np.arange(1.0, y.max() + 2)
    given_ = fitted(problem, penalty, class_weight=dict(enumerate(factor.tolist())))
    np.testing.assert_allclose(given_.coef_, fitted((X, y, weight * factor[y], C), penalty).coef_, rtol=1e-7, atol=1e-8)
    balanced = fitted((X, y, weight, C), penalty, class_weight="balanced")
    by_hand = weight.sum() / (len(factor) * np.bincount(y, weight))
    same = fitted((X, y, weight * by_hand[y], C), penalty)
    np.testing.assert_allclose(balanced.coef_, same.coef_, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(("penalty", "solver"), [(p, s) for p, solvers in SOLVERS.items() for s in solvers])
@pytest.mark.parametrize("classes", [2, 3])
def test_sparse_rows_are_dense_rows(penalty, solver, classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 8)) * (rng.random((150, 8)) < 0.4)
    y = (X @ rng.normal(size=(8, classes)) + rng.gumbel(size=(150, classes))).argmax(axis=1)
    dense = LogisticRegression(penalty=penalty, solver=solver).fit(X, y)
    sparse = LogisticRegression(penalty=penalty, solver=solver).fit(scipy.sparse.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(sparse.predict_proba(scipy.sparse.csr_array(X)), dense.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_many_sparse_columns(penalty):
    rng = np.random.default_rng(1)
    X = scipy.sparse.random(300, 2000, 0.01, format="csr", random_state=0)
    y = np.where(0.2 * rng.random(300) < X[:, :40].toarray().sum(axis=1), 1, 0)
    model = LogisticRegression(10.0, penalty).fit(X, y)
    pull = 10.0 * X.T @ (y - model.predict_proba(X)[:, 1])
    assert model.solver_ == {"l2": "lbfgs", "l1": "proximal"}[penalty]
    if penalty == "l2":
        np.testing.assert_allclose(model.coef_[0], pull, atol=1e-7)
    else:
        assert np.abs(pull).max() <= 1.0 + 1e-7
        assert 0 < (model.coef_ != 0.0).sum() < 200


# --- one model at every scale -------------------------------------------------------------------------------

CHECKED = [  # the defaults are checked with those of all learners
    LogisticRegression(penalty=None),
    LogisticRegression(0.5, "l1"),
    LogisticRegression(solver="lbfgs", class_weight="balanced"),
    LogisticRegression(penalty="elasticnet", fit_intercept=False),
]


@pytest.mark.parametrize("check", checks_of_settings(*CHECKED, leave_out=("scikit_learn",)))
def test_shared_checks(check):
    check()


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(("penalty", "solver"), [(p, s) for p, solvers in SOLVERS.items() for s in solvers])
def test_stream_is_memory(tmp_path, penalty, solver, classes):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 4)) + np.array([0, 10, -1e3, 0])
    y = ((X - X.mean(axis=0)) @ rng.normal(size=(4, classes)) + rng.gumbel(size=(900, classes))).argmax(axis=1)
    table = pa.table({f"x{j}": X[:, j] for j in range(4)} | {"y": y})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=100)
    memory = LogisticRegression(penalty=penalty, solver=solver).fit(X, y)
    stream = LogisticRegression(penalty=penalty, solver=solver).fit(nv.read(tmp_path / "rows.parquet", target="y"))
    np.testing.assert_allclose(stream.coef_, memory.coef_, rtol=1e-9, atol=1e-9 * np.abs(memory.coef_).max())
    np.testing.assert_allclose(stream.intercept_, memory.intercept_, rtol=1e-9)


def test_offsets_and_units_cost_no_digits():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(300, 3)) * 2**20) / 2**20
    y = (X @ [1.0, -1.0, 0.5] + rng.logistic(size=300) > 0).astype(int)
    plain = LogisticRegression(penalty=None).fit(X, y)
    far = LogisticRegression(penalty=None).fit(X + 1e8, y)
    units = np.array([1e-6, 1.0, 1e6])
    scaled = LogisticRegression(penalty=None).fit(X * units, y)
    np.testing.assert_allclose(far.coef_, plain.coef_, rtol=1e-9)
    np.testing.assert_allclose(scaled.coef_ * units, plain.coef_, rtol=1e-9)


def test_works_in_searches_and_pipelines():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, "yes", "no")
    pipe = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(pipe, {"logisticregression__C": [1e-6, 1.0]}).fit(X, y)
    assert search.best_params_["logisticregression__C"] == 1.0


def test_a_saved_model_comes_back(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    model = LogisticRegression(penalty=None).fit(X, y)
    model.save(tmp_path / "m.nova")
    loaded = nv.load(tmp_path / "m.nova")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert str(loaded.summary()) == str(model.summary())
    assert str(loaded.work()) == str(model.work())
