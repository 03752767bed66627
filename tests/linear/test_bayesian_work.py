"""The work of Bayesian linear regression: what it says, and that its arithmetic is that of the model."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.checks import check_equations, check_work
from novacula.errors import DataError
from novacula.linear.bayesian import BayesianLinearRegression
from novacula.linear.bayesian.figure import density

quiet = pytest.mark.filterwarnings(
    "ignore::novacula.errors.RankWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
LEARNERS = [
    BayesianLinearRegression(),
    BayesianLinearRegression(1e-6, noise_variance=1e-3, prior_mean=0.5),
    BayesianLinearRegression(2.0, intercept_precision=0.7),
    BayesianLinearRegression(0.1, fit_intercept=False),
    BayesianLinearRegression(0.5, "inverse_gamma"),
    BayesianLinearRegression(0.5, "inverse_gamma", intercept_precision=2.0, prior_mean=1.0, shape=0.3),
    BayesianLinearRegression(noise="evidence"),
    BayesianLinearRegression(noise="evidence", fit_intercept=False),
    BayesianLinearRegression(3.0, "evidence", intercept_precision=1.0, prior_mean=-1.0),
]


def test_precisions_add_up_in_numbers(five):
    work = BayesianLinearRegression(2.0, noise_variance=0.5).fit(*five).work()
    text = str(work)
    assert "Λⱼₗ = Λ⁽⁰⁾ⱼₗ + Sⱼₗ/σ²" in text
    assert "= 2 + 32.25/0.5 = 66.5" in text
    assert "= 0 + 5/0.5 = 10" in text
    # Sums about the means are 5.8 and 3.39, and the prior is worth 2 · 0.5 = 1.
    assert "= 3.39/6.8 = 0.498529" in text
    assert "b = ȳ − Σⱼ wⱼ · x̄ⱼ" in text
    assert any("only differences between models with the same flat parts mean something" in step.note for step in work)


def test_the_evidence_is_shown_term_by_term(five):
    model = BayesianLinearRegression(2.0, noise_variance=0.5, intercept_precision=1.0).fit(*five)
    step = next(step for step in model.work() if step.title == "The log evidence")
    assert sum(value for _, value in step.table.rows) == pytest.approx(model.log_evidence_)
    assert "density of ⟦y⟧" in step.note
    assert step.equations[0].of == ("log_evidence_",)


def test_unknown_noise_is_derived(five):
    model = BayesianLinearRegression(0.5, "inverse_gamma", shape=2.0, scale=0.1).fit(*five)
    text = str(model.work())
    assert "a = a₀ + N/2" in text
    assert "= 5 − 1 = 4" in text
    assert "= 2 + 4/2 = 4" in text
    assert {equation.of for equation in model.work().equations} >= {
        ("shape_",),
        ("scale_",),
        ("noise_variance_",),
        ("log_evidence_",),
    }


def test_chosen_precisions_satisfy_mackays_equations():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    model = BayesianLinearRegression(noise="evidence").fit(X, X @ [1.0, 2.0, 0.0] + rng.normal(size=40))
    held = [equation.of for equation in model.work().equations]
    assert ("alpha_",) in held
    assert ("noise_variance_",) in held
    assert any(step.figure is not None and "evidence" in step.figure.title for step in model.work())


def test_predictions_and_their_ends_are_written_out(five):
    model = BayesianLinearRegression(2.0, noise_variance=0.5).fit(*five)
    work = model.work([[3.0]])
    assert [equation.of for equation in work.equations] == [
        ("predict", 0),
        (),
        (),
        ("predict_interval", 0, 0),
        ("predict_interval", 0, 1),
    ]
    assert "= 0.893382 + 0.498529 × 3 = 2.38897" in str(work)
    assert "quantile of the normal" in work.notes[-1]
    t = BayesianLinearRegression(2.0, "inverse_gamma").fit(*five).work([[3.0]])
    assert "Student's t with ⟦6.0⟧ degrees of freedom" in t.notes[-1]


@quiet
@settings(deadline=None, max_examples=12)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 14),
    st.integers(1, 9),
    st.sampled_from([0.0, 1e3, 1e8]),
    st.sampled_from(LEARNERS),
)
def test_arithmetic_is_that_of_the_model(seed, n, d, offset, learner):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3, d) + offset
    if d > 2:
        X[:, 2] = X[:, 0]
    try:
        model = learner.fit(X, rng.normal(size=n))
    except DataError:  # a small prior is nothing against columns of 1e8 that are the same
        return
    check_equations(model)
    check_equations(model, X[:3])


@quiet
def test_ill_conditioned_models_can_be_derived(wiggle, longley):
    for X, y in (wiggle, longley):
        scaled = (X - X.mean(axis=0)) / X.std(axis=0)
        for learner in LEARNERS[::2]:
            check_equations(learner.fit(scaled, y))
        check_equations(learner, scaled[:3])


@quiet
def test_an_exact_fit_can_be_derived():
    X = np.arange(12.0)[:, None]
    for learner in LEARNERS[::3]:
        check_equations(learner.fit(X, 2 * X[:, 0] + 1))


def test_ordinary_equations_are_held_to_the_model():
    """All of them: to leave one untied is for rounding alone."""
    rng = np.random.default_rng(0)
    for d, n_equations in ((3, 3), (9, 4)):
        model = BayesianLinearRegression(0.3).fit(rng.normal(size=(50, d)) + 5.0, rng.normal(size=50))
        held = [equation.of for equation in model.work().equations if equation.of[:1] == ("coef_",)]
        assert len(held) == n_equations


def test_long_works_are_cut_and_say_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 40))
    model = BayesianLinearRegression(noise="evidence").fit(X, X[:, 0] + rng.normal(size=90))
    check_work(model)
    check_work(model, X)
    assert "The first 6 of 41." in str(model.work())
    assert "Only the first 3 rows are derived." in model.work(X).notes
    assert len(str(model.work())) < 20_000


def test_one_column_is_drawn_under_any_name():
    frame = pd.DataFrame({"$\\bad$ <script>": [1.0, 2.0, 4.0, 5.0]})
    for noise in ("known", "inverse_gamma", "evidence"):
        model = BayesianLinearRegression(noise=noise).fit(frame, [1.0, 2.5, 3.7, 5.2])
        figures = [step.figure for step in model.work() if step.figure is not None]
        assert len(figures) == (3 if noise == "evidence" else 2)
        for figure in figures:
            assert figure.png().startswith(b"\x89PNG")
            assert "<script" not in figure.svg()
    assert model.schema_.column_names() == ["$\\bad$ <script>"]


def test_densities_are_those_of_scipy():
    from scipy import stats

    x = np.linspace(-3.0, 5.0, 9)
    np.testing.assert_allclose(density(x, 1.0, 4.0, np.inf), stats.norm(1.0, 2.0).pdf(x))
    np.testing.assert_allclose(density(x, 1.0, 4.0, 3.0), stats.t(3.0, 1.0, 2.0).pdf(x))
