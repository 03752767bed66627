"""What a logistic fit says of itself: published tables, separation, dependent columns, the work, and bad input."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning

from novacula.checks import check_equations
from novacula.errors import ParameterError, RankWarning
from novacula.linear import LogisticRegression

laws = settings(deadline=None, max_examples=20)

HOURS = np.array(
    [[0.5, 0.75, 1, 1.25, 1.5, 1.75, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4, 4.25, 4.5, 4.75, 5, 5.5]]
).T
PASSED = np.array([0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1])

# L. Spector and M. Mazzeo, Probit analysis and economic education, J. Economic Education 11, 1980: GPA, TUCE, PSI.
SPECTOR = np.fromstring(
    """2.66 20 0 0 2.89 22 0 0 3.28 24 0 0 2.92 12 0 0 4.00 21 0 1 2.86 17 0 0 2.76 17 0 0 2.87 21 0 0 3.03 25 0 0
    3.92 29 0 1 2.63 20 0 0 3.32 23 0 0 3.57 23 0 0 3.26 25 0 1 3.53 26 0 0 2.74 19 0 0 2.75 25 0 0 2.83 19 0 0
    3.12 23 1 0 3.16 25 1 1 2.06 22 1 0 3.62 28 1 1 2.89 14 1 0 3.51 26 1 0 3.54 24 1 1 2.83 27 1 1 3.39 17 1 1
    2.67 24 1 0 3.65 21 1 1 4.00 23 1 1 3.10 21 1 0 2.39 19 1 1""",
    sep=" ",
).reshape(-1, 4)


# --- standard errors ----------------------------------------------------------------------------------------


def test_the_hours_of_study():
    summary = LogisticRegression(penalty=None).fit(HOURS, PASSED).summary()
    np.testing.assert_allclose(summary[0].coef, [-4.0777, 1.5046], atol=1e-4)
    np.testing.assert_allclose(summary[0].std_error, [1.7610, 0.6287], atol=1e-4)
    np.testing.assert_allclose(summary[0].p, [0.0206, 0.0167], atol=1e-4)
    assert summary.facts["log_likelihood"] == pytest.approx(-8.02988, abs=1e-5)


def test_spector_and_mazzeo():
    """Greene, Econometric Analysis, table of the logit estimates; the likelihoods to more digits elsewhere."""
    model = LogisticRegression(penalty=None).fit(SPECTOR[:, :3], SPECTOR[:, 3].astype(int))
    summary = model.summary()
    np.testing.assert_allclose(summary[0].coef, [-13.0213, 2.8261, 0.0952, 2.3787], atol=1e-4)
    np.testing.assert_allclose(summary[0].std_error, [4.931, 1.263, 0.142, 1.065], atol=1e-3)
    np.testing.assert_allclose(summary[0].z, [-2.641, 2.238, 0.672, 2.234], atol=1e-3)
    np.testing.assert_allclose(summary[0].p, [0.008, 0.025, 0.501, 0.025], atol=1e-3)
    np.testing.assert_allclose(summary[0].low, [-22.687, 0.351, -0.182, 0.292], atol=1e-3)
    facts = summary.facts
    assert facts["log_likelihood"] == pytest.approx(-12.890, abs=1e-3)
    assert facts["null_log_likelihood"] == pytest.approx(-20.592, abs=1e-3)
    assert facts["mcfadden_r2"] == pytest.approx(0.3740, abs=1e-4)
    assert facts["chi2_p"] == pytest.approx(0.001502, abs=1e-6)
    assert facts["aic"] == pytest.approx(2 * 4 + 2 * 12.8896, abs=1e-3)
    assert facts["bic"] == pytest.approx(4 * np.log(32) + 2 * 12.8896, abs=1e-3)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
@pytest.mark.parametrize("classes", [2, 3])
def test_standard_errors_are_those_of_a_numerical_hessian(classes, solver, intercept):
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(150, 2)) + 1.0
    y = (X @ rng.normal(size=(2, classes)) + 2 * rng.gumbel(size=(150, classes))).argmax(axis=1)
    weight = rng.integers(1, 4, 150).astype(float)
    summary = LogisticRegression(penalty=None, solver=solver, fit_intercept=intercept).fit(X, y, weight).summary()
    Z = np.column_stack([np.ones(150), X])[:, 0 if intercept else 1 :]

    def likelihood(theta):
        m = np.column_stack([np.zeros(150), Z @ theta.reshape(classes - 1, -1).T])
        return weight @ log_softmax(m, axis=1)[np.arange(150), y]

    best = np.concatenate([one.coef for one in summary.classes])
    step, q = 1e-4, len(best)
    hessian = np.empty((q, q))
    for i, j in np.ndindex(q, q):
        a, b = step * np.eye(q)[i], step * np.eye(q)[j]
        hessian[i, j] = (
            likelihood(best + a + b) - likelihood(best + a - b) - likelihood(best - a + b) + likelihood(best - a - b)
        ) / (4 * step**2)
    errors = np.sqrt(np.diagonal(np.linalg.inv(-hessian)))
    np.testing.assert_allclose(np.concatenate([one.std_error for one in summary.classes]), errors, rtol=1e-4)
    assert summary.facts["log_likelihood"] == pytest.approx(likelihood(best), rel=1e-9)
    null = likelihood(np.zeros(q)) if not intercept else weight @ np.log((np.bincount(y, weight) / weight.sum())[y])
    assert summary.facts["null_deviance"] == pytest.approx(-2 * null, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"penalty": "l2"}, "bias"),
        ({"penalty": "l1"}, "bias"),
        ({"loss": "squared", "penalty": None}, "not a likelihood"),
        ({"penalty": None, "class_weight": "balanced"}, "Weights of classes"),
    ],
)
def test_a_reason_replaces_standard_errors(options, words):
    summary = LogisticRegression(**options).fit(HOURS, PASSED).summary()
    assert words in summary.note
    assert words in str(summary)
    assert words in summary._repr_html_()
    assert np.isnan(summary[0].std_error).all()
    assert summary.to_dict()["classes"][0]["coefficients"][0]["std_error"] is None
    assert "std. error" not in str(summary)
    assert "aic" not in summary.facts


def test_summaries_render_hostile_names():
    frame = pd.DataFrame({"<script>": HOURS[:, 0], "$\\bad$": HOURS[::-1, 0] ** 2})
    model = LogisticRegression(penalty=None).fit(frame, np.where(PASSED, "[/red]", "=cmd"))
    summary = model.summary(0.9)
    assert "<script>" not in summary._repr_html_()
    assert "90% low" in str(summary)
    assert summary.figure().png().startswith(b"\x89PNG")
    with pytest.raises(ParameterError, match="between 0 and 1"):
        model.summary(95)


# --- separation and dependent columns -----------------------------------------------------------------------

LINE = np.array([[0.0], [1.0], [2.0], [3.0], [3.0], [4.0], [5.0], [6.0]])


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
@pytest.mark.parametrize(
    ("y", "kind"),
    [
        ([0, 0, 0, 0, 0, 1, 1, 1], "complete"),
        ([0, 0, 0, 0, 1, 1, 1, 1], "quasi-complete"),
        ([0, 0, 0, 1, 1, 2, 2, 2], "complete"),
        ([0, 0, 0, 0, 1, 1, 2, 1], "quasi-complete"),
    ],
)
def test_separation_is_reported(y, kind, solver):
    with pytest.warns(ConvergenceWarning, match=rf"\({kind} separation\).*use penalty='l2'"):
        model = LogisticRegression(penalty=None, solver=solver).fit(LINE, np.array(y))
    assert model.separated_ == kind
    assert not model.converged_
    assert np.isfinite(model.coef_).all()
    assert "separated" in model.summary().note
    check_equations(model)


@laws
@given(st.integers(0, 2**32 - 1), st.sampled_from(["newton", "lbfgs"]))
def test_separation_is_that_of_a_linear_programme(seed, solver):
    from scipy.optimize import linprog

    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 25)), int(rng.integers(1, 4))
    X = rng.integers(-2, 3, (n, d)).astype(float)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    Z = np.column_stack([X, np.ones(n)]) * (2 * y - 1)[:, None]
    # A direction along which no row loses and the gains, each of at most one, sum to more than nothing.
    found = linprog(-Z.sum(axis=0), A_ub=np.vstack([-Z, Z]), b_ub=np.repeat([0.0, 1.0], n), bounds=(None, None))
    separated = -found.fun > 1e-7
    complete = linprog(np.zeros(d + 1), A_ub=-Z, b_ub=-np.ones(n), bounds=(None, None)).status == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(penalty=None, solver=solver).fit(X, y)
    assert (model.separated_ is not None) == separated
    if separated and model.separated_ == "complete":
        assert complete
    assert model.converged_ != separated


def test_rare_errors_are_not_separation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    y = (X[:, 0] > 0).astype(int)
    y[np.argmax(X[:, 0] > 0.5)] = 0
    model = LogisticRegression(penalty=None).fit(X, y)
    assert model.converged_
    assert model.separated_ is None


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
@pytest.mark.parametrize("classes", [2, 3])
def test_dependent_columns_fit_as_well(solver, classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = (X @ rng.normal(size=(2, classes)) + 2 * rng.gumbel(size=(100, classes))).argmax(axis=1)
    alone = LogisticRegression(penalty=None).fit(X, y)
    for more in (X.sum(axis=1), np.full(100, 7e8)):
        wide = np.column_stack([X, more])
        with pytest.warns(RankWarning, match="span 3 of 4 directions"):
            model = LogisticRegression(penalty=None, solver=solver).fit(wide, y)
        assert model.rank_ == 3
        assert model.log_likelihood_ == pytest.approx(alone.log_likelihood_, rel=1e-9)
        np.testing.assert_allclose(model.predict_proba(wide), alone.predict_proba(X), atol=1e-6)
        assert "one choice of many" in model.summary().note


def test_constant_columns_get_no_weight():
    X = np.column_stack([HOURS, np.full(20, 3.0)])
    plain, more = LogisticRegression().fit(HOURS, PASSED), LogisticRegression().fit(X, PASSED)
    np.testing.assert_allclose(more.coef_, [[plain.coef_[0, 0], 0.0]], atol=1e-12)


# --- the work -----------------------------------------------------------------------------------------------


@laws
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 9),
    st.integers(2, 12),
    st.sampled_from(["l2", "l1", "elasticnet"]),
    st.booleans(),
    st.booleans(),
)
def test_works_hold_on_random_cases(seed, d, classes, penalty, intercept, drawn):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d)
    y = rng.integers(0, classes, 80)
    y[:classes] = np.arange(classes)
    model = LogisticRegression(penalty=penalty, fit_intercept=intercept).fit(X, y, rng.uniform(0.5, 2.0, 80))
    check_equations(model)
    check_equations(model, X[:4] * 1.1)


def test_the_work_solves_newtons_first_step():
    model = LogisticRegression(penalty=None).fit(HOURS, PASSED)
    centred = HOURS[:, 0] - HOURS.mean()
    slope = centred @ (PASSED - 0.5) / (centred @ centred / 4)
    [step] = [step for step in model.work() if step.title.startswith("⟦δ[1]⟧")]
    assert step.equations[0].value == pytest.approx(slope, rel=1e-12)
    assert "odds(x + 1) / odds(x) = exp(w₁)" in str(model.work())
    titles = [step.figure.title for step in model.work() if step.figure is not None]
    assert any(title.startswith("A step, the probability of 1, and") for title in titles)
    far = model.work([[-1e4], [1e4]])
    assert [step.equations[0].value for step in far if "probability" in step.title] == [0.0, 1.0]


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"C": 0.0}, "'C' parameter"),
        ({"C": -1.0}, "'C' parameter"),
        ({"penalty": "l3"}, "'penalty' parameter"),
        ({"l1_ratio": 1.5}, "'l1_ratio' parameter"),
        ({"solver": "saga"}, "'solver' parameter"),
        ({"tol": 0.0}, "'tol' parameter"),
        ({"penalty": "l1", "solver": "newton"}, "penalty='l1' needs solver 'proximal'"),
        ({"solver": "proximal"}, "penalty='l2' needs solver 'newton'"),
        ({"loss": "squared", "penalty": "l1"}, "loss='squared' goes with penalty 'l2' or None"),
        ({"loss": "squared", "solver": "newton"}, "loss='squared' goes with"),
        ({"class_weight": {2: 1.0}}, "class_weight names 2"),
    ],
)
def test_parameters_that_make_no_sense(parameters, words):
    with pytest.raises(ValueError, match=words):
        LogisticRegression(**parameters).fit(HOURS, PASSED)


@pytest.mark.parametrize(
    ("X", "y", "weight", "words"),
    [
        (HOURS, np.zeros(20, int), None, "one class only"),
        (HOURS, PASSED, np.zeros(20), "sum to zero"),
        (HOURS, PASSED, PASSED.astype(float), "one class only"),
        (np.where(HOURS == 5.5, np.inf, HOURS), PASSED, None, "infinite"),
        (np.where(HOURS == 5.5, np.nan, HOURS), PASSED, None, "NaN"),
        (HOURS * 1e200, PASSED, None, "squares overflow"),
        (scipy.sparse.csr_matrix(np.where(HOURS == 5.5, np.inf, HOURS)), PASSED, None, "infinite"),
    ],
)
def test_data_that_cannot_be_used(X, y, weight, words):
    with pytest.raises(ValueError, match=words):
        LogisticRegression().fit(X, y, weight)


def test_squared_errors_tell_two_classes_apart():
    with pytest.raises(ParameterError, match="there are 3: use loss='cross_entropy'"):
        LogisticRegression(loss="squared").fit(HOURS, np.arange(20) % 3)


def test_a_fit_that_is_cut_short_says_so():
    with pytest.warns(ConvergenceWarning, match="as many as max_iter allows"):
        model = LogisticRegression(max_iter=1).fit(HOURS, PASSED)
    assert not model.converged_
    assert model.n_iter_ == 1
    assert len(model.history_) == 2


def test_rows_without_weight_have_no_effect():
    X = np.vstack([HOURS, [[1e300]], [[np.nan]]])
    y, weight = np.append(PASSED, [0, 1]), np.append(np.ones(20), [0.0, 0.0])
    np.testing.assert_array_equal(
        LogisticRegression().fit(X, y, weight).coef_, LogisticRegression().fit(HOURS, PASSED).coef_
    )
