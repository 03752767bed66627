"""The work of linear models: what it says, and that its arithmetic is that of the model."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.checks import check_equations, check_work
from novacula.errors import RankWarning
from novacula.graph import LinearGaussian
from novacula.linear import LinearRegression, Ridge
from novacula.linear.derivation import eliminated

quiet = pytest.mark.filterwarnings("ignore::novacula.errors.RankWarning")
LEARNERS = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    Ridge(0.5),
    Ridge(0.5, fit_intercept=False),
    Ridge("loo"),
]


def test_a_line_is_the_formula_of_the_textbook(five):
    text = str(LinearRegression().fit(*five).work())
    assert "w₁ = (Σᵢ xᵢ · yᵢ − n · x̄ · ȳ) / (Σᵢ xᵢ² − n · x̄²)" in text
    assert "= (26.85 − 5 × 2.3 × 2.04) / (32.25 − 5 × 2.3²) = 0.584483" in text
    assert "= 2.04 − 0.584483 × 2.3 = 0.69569" in text


def test_a_line_through_the_origin(five):
    text = str(LinearRegression(fit_intercept=False).fit(*five).work())
    assert "w₁ = (Σᵢ xᵢ · yᵢ) / (Σᵢ xᵢ²)" in text
    assert "= 26.85/32.25 = 0.832558" in text


def test_a_penalty_is_in_the_denominator(five):
    assert "/ (32.25 − 5 × 2.3² + 2) = " in str(Ridge(2.0).fit(*five).work())


def test_a_prediction_is_written_out(five):
    model = LinearRegression().fit(*five)
    assert "= 0.69569 + 0.584483 × 3 = 2.44914" in str(model.work([[3.0]]))


def test_three_columns_are_eliminated_and_put_back():
    frame = pd.DataFrame({"a": [1.0, 0, 0, 1, 2], "b": [0.0, 1, 0, 1, 1], "c": [0.0, 0, 1, 1, 5]})
    work = LinearRegression().fit(frame, [1.0, 2.0, 2.0, 3.0, 5.0]).work()
    titles = [step.title for step in work]
    assert titles[1:7] == [
        "The normal equations: half the gradient is zero",
        "Their numbers",
        "Each column eliminated from the equations below it",
        "⟦w[3]⟧, the coefficient of c",
        "⟦w[2]⟧, the coefficient of b",
        "⟦w[1]⟧, the coefficient of a",
    ]
    upper = np.array([row[1:] for row in work[3].table.rows], dtype=float)
    np.testing.assert_array_equal(np.tril(upper[:, :3], -1), 0.0)
    gradient = next(step for step in work if step.title.startswith("Half the gradient"))
    assert max(abs(row[3]) for row in gradient.table.rows) < 1e-10


def test_elimination_is_that_of_lu():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(4, 4))
    matrix, right = root @ root.T + np.eye(4), rng.normal(size=4)
    upper = eliminated(np.column_stack([matrix, right]))
    np.testing.assert_allclose(np.linalg.solve(upper[:, :4], upper[:, 4]), np.linalg.solve(matrix, right))
    lower = np.linalg.cholesky(matrix)
    np.testing.assert_allclose(upper[:, :4], np.diag(lower)[:, None] * lower.T)


@quiet
@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 14),
    st.integers(1, 9),
    st.integers(0, 3),
    st.sampled_from([0.0, 1e3, 1e8]),
    st.sampled_from(LEARNERS),
    st.booleans(),
)
def test_arithmetic_is_that_of_the_model(seed, n, d, k, offset, learner, drawn):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3, d) + offset
    if d > 2:
        X[:, 2] = X[:, 0]
    y = rng.normal(size=(n, k)) if k else rng.normal(size=n)
    model = learner.fit(X, y)
    check_equations(model)
    check_equations(model, X)


@quiet
@pytest.mark.parametrize(
    ("seed", "n", "d", "k", "offset", "learner"),
    [
        (1, 4, 4, 2, 1e8, Ridge("loo")),  # deviations of 1e-2 about 1e8 have ten digits less than the sums show
        (246, None, None, None, None, Ridge(1e-6)),  # equal columns, held apart by a small penalty only
        (291, None, None, None, None, Ridge(1e-6)),
        (292, None, None, None, None, Ridge("loo")),
    ],
)
def test_equations_without_the_digits_are_not_held_to_the_model(seed, n, d, k, offset, learner):
    rng = np.random.default_rng(seed)
    if n is None:
        n, d, k = int(rng.integers(2, 15)), int(rng.integers(1, 10)), int(rng.integers(0, 4))
        offset = rng.choice([0.0, 1e3, 1e8])
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3, d) + offset
    X[:, 2:3] = X[:, :1] if d > 2 else X[:, 2:3]
    model = learner.fit(X, rng.normal(size=(n, k)) if k else rng.normal(size=n))
    check_equations(model)
    assert any("Rounding" in step.note for step in model.work())


@quiet
def test_ordinary_equations_are_held_to_the_model():
    """All of them: to leave one untied is for rounding alone."""
    rng = np.random.default_rng(0)
    for d, n_equations in ((3, 3), (9, 4)):
        model = LinearRegression().fit(rng.normal(size=(50, d)) + 5.0, rng.normal(size=50))
        held = [equation.of for equation in model.work().equations if equation.of[:1] == ("coef_",)]
        assert len(held) == n_equations


@quiet
def test_ill_conditioned_models_can_be_derived(wiggle, longley):
    for X, y in (wiggle, longley):
        for learner in LEARNERS:
            check_equations(learner.fit(X, y))
            check_equations(learner, X)


def test_an_exact_fit_can_be_derived():
    X = np.arange(12.0)[:, None]
    check_work(LinearRegression().fit(X, 2 * X[:, 0] + 1))
    check_work(LinearRegression().fit(X, np.full(12, 0.1)))
    check_work(LinearRegression(fit_intercept=False).fit(X, np.full(12, 0.1)))


def test_long_works_are_cut_and_say_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 40)), rng.normal(size=(90, 3))
    model = LinearRegression().fit(X, y)
    work, predictions = model.work(), model.work(X)
    assert "Only the first 2 of 3 targets are derived." in work.notes
    assert "Only the first 3 rows are derived." in predictions.notes
    assert len(str(work)) < 20_000
    assert "The 20 largest of 40." in str(work)
    check_work(model)
    check_work(model, X)


def test_rows_of_a_table_can_be_derived():
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0, 5.0], "y": [1.0, 3.0, 2.0, 4.0]})
    model = LinearRegression().fit(nv.read(frame, target="y"))
    check_work(model, nv.read(frame))
    assert "The plane for y" in str(model.work(nv.read(frame)))


def test_the_choice_of_a_penalty_is_shown(five):
    model = Ridge("loo", alphas=[0.1, 1.0]).fit(*five)
    step = model.work()[1]
    assert step.title == "⟦α⟧ = ⟦0.1⟧ has the least leave-one-out error"
    assert step.equations[-1].value == pytest.approx(model.loo_error_.min())
    assert "widen alphas" in step.note
    assert step.figure is not None


def test_a_long_grid_shows_its_best_part(five):
    x, y = five
    model = Ridge("loo", alphas=[0.0, *np.logspace(-3, 3, 50)]).fit(x, y)
    check_work(model)
    assert "The 20 least of 51." in str(model.work())
    check_work(Ridge("loo", alphas=[0.0]).fit(x, y))


def test_targets_whose_penalties_need_different_solvers(wiggle):
    X, y = wiggle
    model = Ridge([1e-9, 1e30]).fit(X[:, :5], np.column_stack([y, y]))
    assert model.solver_ == "qr"
    check_work(model)


@pytest.mark.parametrize("learner", [LinearRegression(), LinearGaussian()])
@pytest.mark.parametrize("case", ["constant", "tiny", "one row"])
def test_columns_that_do_not_vary_bring_no_foreign_warning(learner, case):
    X = np.random.default_rng(0).random((24, 2))
    rows = {"constant": np.ones((24, 2)), "tiny": X * 1e-300, "one row": X}[case]
    weight = np.r_[np.zeros(23), 1.0] if case == "one row" else None
    with pytest.warns(RankWarning):
        model = learner.fit(rows, 3.0 * X[:, 0], sample_weight=weight)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "ŷ" in str(model.work())
        assert np.isfinite(model.left_out(rows, 3.0 * X[:, 0]).predictions).all()
