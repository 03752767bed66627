"""Data with their lines, polynomials of a degree, what weights cost, and planes of fewer rows than columns."""

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from scipy.optimize import minimize
from sklearn.linear_model import Lasso as SklearnLasso

from novacula.checks import check_work
from novacula.errors import DataError, ParameterError
from novacula.linear import (
    Lasso,
    LinearRegression,
    Ridge,
    complexity,
    fit_polynomial,
    fit_priced,
    penalty_figure,
    polynomial_figure,
)
from novacula.linear.penalty_figure import CENTRE, HESSIAN, touching_point

X1, Y1 = np.array([[1], [3], [2], [1.5], [4]]), np.array([1, 2.2, 2, 1.9, 3.1])
WIDE = np.array([[1.0, 2, 0, 1], [0, 1, 1, 3], [2, 0, 1, 1]])
pytestmark = pytest.mark.filterwarnings("ignore::novacula.errors.RankWarning")


def waves(n=10):
    x = np.linspace(0, 1, n)
    return x, np.sin(2 * np.pi * x) + np.random.default_rng(0).normal(0, 0.2, n)


def drawn(figure):
    axes = Canvas().add_subplot()
    figure.draw(axes)
    return axes


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(0.5), Lasso(0.1)])
def test_the_data_with_the_line(model):
    model.fit(X1, Y1)
    points, line = drawn(model.figure(X1, Y1)).lines
    np.testing.assert_array_equal(points.get_xydata(), np.column_stack([X1[:, 0], Y1]))
    x, y = line.get_xydata().T
    assert x.min() == 1.0
    assert x.max() == 4.0
    np.testing.assert_allclose(y, model.intercept_ + model.coef_[0] * x)


def test_a_line_needs_one_column_and_its_targets():
    with pytest.raises(ParameterError, match="one column and one target"):
        LinearRegression().fit(WIDE, [1, 2, 3]).figure(WIDE, [1, 2, 3])
    with pytest.raises(DataError, match="5 rows and y 4"):
        LinearRegression().fit(X1, Y1).figure(X1, Y1[:4])


@pytest.mark.parametrize("degree", [1, 3, 9])
def test_polynomials_against_numpy(degree):
    x, y = waves()
    fit = fit_polynomial(x, y, degree)
    expected = np.polynomial.Polynomial.fit(x, y, degree)
    np.testing.assert_allclose([fit.intercept_, *fit.coef_], expected.convert().coef, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(fit.predict([0.05, 0.5]), expected(np.array([0.05, 0.5])), rtol=1e-7)
    assert fit.degree == degree
    check_work(fit)


def test_a_polynomial_of_degree_nine_meets_ten_points_and_misses_others():
    x, y = waves()
    fresh = np.linspace(0.02, 0.98, 200)
    errors = {d: np.mean((fit_polynomial(x, y, d).predict(fresh) - np.sin(2 * np.pi * fresh)) ** 2) for d in (1, 3, 9)}
    assert fit_polynomial(x, y, 9).sigma_ < 1e-6 < fit_polynomial(x, y, 3).sigma_
    assert errors[3] < errors[1]


def test_columns_of_a_polynomial_are_named_as_powers():
    page = fit_polynomial(*waves(), 3).work().to_text()
    assert "the coefficient of x³" in page
    assert "A polynomial of degree 3" in page


def test_a_picture_of_no_degree_is_refused():
    with pytest.raises(ParameterError, match="degrees are none"):
        polynomial_figure([1, 2, 3], [1, 2, 3], degrees=())


def test_degrees_on_one_picture():
    x, y = waves()
    axes = drawn(polynomial_figure(x, y, (1, 3, 9)))
    points, *lines = axes.lines
    np.testing.assert_array_equal(points.get_xydata(), np.column_stack([x, y]))
    assert [line.get_label() for line in lines] == ["degree 1", "degree 3", "degree 9"]
    for degree, line in zip((1, 3, 9), lines, strict=True):
        at, value = line.get_xydata().T
        np.testing.assert_allclose(value, np.polynomial.Polynomial.fit(x, y, degree)(at), atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (([0, 1, 2], [0, 1, 2], 0), ParameterError, "degree is 0"),
        (([0, 1, 2], [0, 1, 2], 2.5), ParameterError, r"degree is 2\.5"),
        (([0, 1, 2], [0, 1], 1), DataError, "3 numbers and y 2"),
        (([0, 1, 1], [0, 1, 2], 2), DataError, "2 different numbers"),
        (([0, np.nan], [0, 1], 1), DataError, "finite"),
        ((["a", "b"], [0, 1], 1), DataError, "x must be an array of numbers"),
    ],
)
def test_what_has_no_polynomial(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        fit_polynomial(*arguments)


@pytest.mark.parametrize("q", [0.3, 1.0, 1.7, 2.0, 6.0])
def test_any_exponent_against_a_search(q):
    touched = touching_point(q)
    assert complexity(touched, q) == pytest.approx(1.0)
    points = np.random.default_rng(0).uniform(-1, 1, (20_000, 2))
    inside = points[(np.abs(points) ** q).sum(axis=1) <= 1]
    gap, best = inside - CENTRE, touched - CENTRE
    assert best @ HESSIAN @ best <= np.einsum("ij,jk,ik->i", gap, HESSIAN, gap).min() + 1e-6


@pytest.mark.parametrize("q", [1.0, 1.05, 1.5, 3.0, 6.0])
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_a_fit_with_any_exponent_against_a_search(q, alpha):
    x, y = waves()
    X = x[:, None] ** np.arange(1, 6)
    fit = fit_priced(X, y, q, alpha)

    def cost(v):
        return ((y - v[0] - X @ v[1:]) ** 2).sum() + alpha * (np.abs(v[1:]) ** q).sum()

    found = np.append(fit.intercept, fit.coef)
    best = min(minimize(cost, start, method="Powell").fun for start in (found, 1.1 * found, np.zeros(6)))
    assert cost(found) <= best * (1 + 1e-9)
    assert fit.objective == pytest.approx(cost(found))
    check_work(fit)
    check_work(fit, X)


def test_exponents_of_one_and_two_are_lasso_and_ridge():
    X = np.random.default_rng(1).normal(size=(30, 4))
    y = X @ [2, 0, 0, -1] + 0.1 * np.sin(np.arange(30))
    np.testing.assert_allclose(fit_priced(X, y, 2, 3.0).coef, Ridge(3.0).fit(X, y).coef_)
    sparse = fit_priced(X, y, 1, 20.0)
    np.testing.assert_allclose(sparse.coef, SklearnLasso(20.0 / 60, tol=1e-12).fit(X, y).coef_, atol=1e-8)
    assert sorted(np.flatnonzero(sparse.coef == 0.0)) == [1, 2]
    with pytest.raises(ParameterError, match="below 1 the objective is not convex"):
        fit_priced(X, y, 0.5, 1.0)
    with pytest.raises(DataError, match="30 rows and y has 29"):
        fit_priced(X, y[1:], 2, 1.0)


def test_what_weights_cost_is_written_out():
    cost = complexity([3.0, -4.0], 1.5)
    assert cost == pytest.approx(3**1.5 + 8)
    assert str(cost.work()).splitlines()[5].endswith("= 13.1962")
    assert "not convex" in str(complexity([4.0], 0.5).work())
    check_work(cost)


def test_the_picture_of_any_exponents():
    axes = drawn(penalty_figure((0.3, 1.5)))
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["q = 0.3", "q = 1.5"]
    marked = [line.get_xydata()[0] for line in axes.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(marked, [touching_point(0.3), touching_point(1.5)])
    with pytest.raises(ParameterError, match="q is -1"):
        complexity([1.0], -1)
    with pytest.raises(ParameterError, match="0 exponents"):
        penalty_figure(())


@pytest.mark.parametrize(
    ("model", "q"),
    [(Ridge(3.0), 2), (Lasso(0.2), 1), (Ridge(2.0, penalty_factor=[1, 3]), 2)],
    ids=["L2", "L1", "prices"],
)
def test_the_limit_that_belongs_to_a_price(model, q):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    y = X @ [2.0, -1.0] + rng.normal(size=40)
    model.fit(X, y)
    check_work(model)
    limit = next(e for e in model.work().equations if e.left == "c")
    factor = model.column_factors()
    centred, target = X - X.mean(axis=0), y - y.mean()

    def room(w):
        return limit.value - factor @ np.abs(w) ** q

    best = minimize(
        lambda w: ((target - centred @ w) ** 2).sum(), [0.1, -0.1], constraints={"type": "ineq", "fun": room}, tol=1e-12
    )
    np.testing.assert_allclose(best.x, model.coef_, atol=2e-4)


def test_few_rows_and_many_columns_are_written_out():
    model = LinearRegression(fit_intercept=False).fit(WIDE, [1, 2, 3])
    found = {e.left: e.value for e in model.work().equations if e.is_evaluated}
    np.testing.assert_array_equal(found["G"], WIDE @ WIDE.T)
    np.testing.assert_allclose(found["H"] @ found["G"], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(found["w"], np.linalg.pinv(WIDE) @ [1, 2, 3])
    assert "[6 5 3; 5 11 4; 3 4 6]" in model.work().to_text()


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(0.5), Ridge(0.5, fit_intercept=False)])
def test_rows_about_their_means_are_written_out_too(model, tmp_path):
    import novacula as nv

    model.fit(WIDE, [[1, 0], [2, 1], [3, 5]], sample_weight=[1, 2, 3])
    check_work(model)
    assert [e.of for e in model.work().equations if e.left == "w" and e.of] == [("coef_", 0), ("coef_", 1)]
    model.save(tmp_path / "model.nova")
    assert str(nv.load(tmp_path / "model.nova").work()) == str(model.work())


def test_many_rows_or_equal_ones_are_left_to_letters():
    rng = np.random.default_rng(0)
    for X in (rng.normal(size=(9, 12)), np.ones((3, 4)), np.vstack([WIDE[0], WIDE[0], WIDE[1]])):
        model = LinearRegression(fit_intercept=False).fit(X, np.arange(float(len(X))))
        check_work(model)
        assert not [e for e in model.work().equations if e.left == "G"]
        why = "written for up to 6 rows and 96 numbers" if len(X) == 9 else "rounded numbers would not give w"
        assert why in " ".join(model.work().to_text().split())
