"""Logistic regression by gradient descent, and the sigmoid unit: steps by hand, the optimum of others, pictures."""

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from scipy import special
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

import novacula as nv
from novacula.checks import check_work
from novacula.errors import DataError, ParameterError
from novacula.linear import LogisticRegression, sigmoid_unit

HOURS = np.array([0.5, 0.75, 1, 1.25, 1.5, 1.75, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4, 4.25, 4.5, 4.75, 5, 5.5])
PASSED = np.array([0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1])
ROWS = HOURS[:, None]
RATES = {"constant": lambda k: 1.0, "decay": lambda k: 1 / np.sqrt(1 + k), "robbins_monro": lambda k: 1 / (1 + k / 100)}


def climbed(X, t, w, eta, steps, schedule, loss):
    """Weights (w₀, w₁, …) after so many steps, and before each."""
    x, w = np.column_stack([np.ones(len(X)), X]), np.array(w, float)
    path = [w]
    for k in range(steps):
        h = special.expit(x @ w)
        pull = (t - h) * (h * (1 - h) if loss == "squared" else 1.0)
        w = w + eta * RATES[schedule](k) * x.T @ pull
        path.append(w)
    return np.array(path)


@pytest.mark.parametrize("loss", ["cross_entropy", "squared"])
@pytest.mark.parametrize("schedule", list(RATES))
def test_logistic_steps_are_those_by_hand(loss, schedule, tmp_path):
    model = LogisticRegression(
        penalty=None, solver="gradient_descent", eta0=0.05, schedule=schedule, loss=loss, max_iter=30
    )
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        model.fit(ROWS, PASSED)
    path = climbed(ROWS, PASSED, [0, 0], 0.05, 30, schedule, loss)
    np.testing.assert_allclose([model.intercept_[0], model.coef_[0, 0]], path[-1])
    right = [(((HOURS * w + b) > 0) == PASSED).mean() for b, w in path]
    np.testing.assert_allclose(model.accuracies_, right)
    drawn = schedule == "constant"  # the rates change numbers in the pictures, and nothing else
    check_work(model, drawn=drawn)
    check_work(model, ROWS, drawn=drawn)
    for iteration in (1, 2, 30):
        check_work(model, iteration=iteration, drawn=drawn)
    model.save(tmp_path / "m.nova")
    assert np.array_equal(nv.load(tmp_path / "m.nova").accuracies_, model.accuracies_)


def test_the_first_step_of_the_likelihood_has_these_numbers():
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        model = LogisticRegression(penalty=None, solver="gradient_descent", eta0=0.02, max_iter=200).fit(ROWS, PASSED)
    text = str(model.work(iteration=1))
    assert "= −10.125" in text  # half of the hours of those who passed less half of the others'
    assert "= 0 − 0.02 × (−10.125) = 0.2025" in text
    assert "After it 0.5 of the rows are right, and 0.5 before" in text
    for form in (model.work().to_latex(), model.work().to_html(), model.work().to_markdown()):
        assert "The step against the gradient" in form


@pytest.mark.parametrize("penalty", [None, "l2"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_safe_rate_leads_down_to_the_same_place(penalty, classes):
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 2))
    y = np.clip(np.round(X @ [1.0, -0.5] + random.normal(size=60) + 1), 0, classes - 1)
    slow = LogisticRegression(penalty=penalty, solver="gradient_descent", max_iter=4000, tol=1e-9).fit(X, y)
    exact = LogisticRegression(penalty=penalty).fit(X, y)
    assert np.all(np.diff(slow.history_) <= 1e-12 * slow.history_[0])
    np.testing.assert_allclose(slow.predict_proba(X), exact.predict_proba(X), atol=1e-5)
    check_work(slow, drawn=False)
    check_work(slow, iteration=2, drawn=False)


def test_gradient_descent_is_refused_where_it_does_not_serve():
    with pytest.raises(ParameterError, match="needs solver 'proximal'"):
        LogisticRegression(penalty="l1", solver="gradient_descent").fit(ROWS, PASSED)


@pytest.mark.parametrize("loss", ["cross_entropy", "squared"])
def test_a_rate_that_is_too_large_is_named_and_the_rate_that_is_advised_leads_down(loss):
    with pytest.warns(ConvergenceWarning, match=r"eta0=3 is too large, since steps led up") as told:
        LogisticRegression(penalty=None, solver="gradient_descent", eta0=3, loss=loss, max_iter=29).fit(ROWS, PASSED)
    assert [("max_iter" in str(w.message)) for w in told] == [False]
    safe = float(str(told[0].message).split("at most ")[1].split()[0])
    with pytest.warns(ConvergenceWarning, match="eta0=300 is too large"):
        sigmoid_unit(ROWS, PASSED, loss=loss, eta0=300, max_iter=29)
    good = sigmoid_unit(ROWS, PASSED, loss=loss, eta0=safe, max_iter=29)
    assert ((np.diff(good.history) * (1 if loss == "squared" else -1)) <= 0).all()


def axes_of(figure):
    canvas = Canvas()
    figure.draw(canvas.add_subplot())
    return canvas.axes


def test_rows_step_and_curve_are_drawn_side_by_side():
    model = LogisticRegression(penalty=None).fit(ROWS, PASSED)
    figure = next(step.figure for step in model.work() if step.title == "The plane of 1")
    left, right = axes_of(figure)
    for panel in (left, right):
        zeros, ones, curve = panel.lines
        assert zeros.get_xdata().tolist() == HOURS[PASSED == 0].tolist()
        assert ones.get_xdata().tolist() == HOURS[PASSED == 1].tolist()
        x, h = curve.get_data()
        expected = special.expit(1.5046454 * x - 4.0777134)
        np.testing.assert_allclose(h, (expected > 0.5) if panel is left else expected, atol=1e-5)
    two = LogisticRegression().fit(np.column_stack([HOURS, HOURS % 1]), PASSED)
    figure = next(step.figure for step in two.work() if step.title == "The plane of 1")
    [axes] = axes_of(figure)
    assert sum(len(line.get_xdata()) for line in axes.lines) == 20
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["0", "1"]
    check_work(two)


# --- the sigmoid unit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["cross_entropy", "squared"])
@pytest.mark.parametrize("schedule", list(RATES))
def test_sigmoid_steps_are_those_by_hand(loss, schedule):
    X, t = np.random.default_rng(0).normal(size=(9, 2)), np.linspace(0, 1, 9)
    unit = sigmoid_unit(X, t, loss=loss, eta0=0.3, schedule=schedule, start_weights=[0.1, -0.2, 0.3], max_iter=40)
    path = climbed(X, t, [0.1, -0.2, 0.3], 0.3, 40, schedule, loss)
    np.testing.assert_allclose(np.append(unit.intercept, unit.coef), path[-1])
    h = special.expit(np.column_stack([np.ones(9), X]) @ path.T).T
    value = 0.5 * ((t - h) ** 2).sum(axis=1)
    if loss == "cross_entropy":
        value = (special.xlogy(t, h) + special.xlogy(1 - t, 1 - h)).sum(axis=1)
    np.testing.assert_allclose(unit.history, value)
    drawn = schedule == "constant"
    for how in ({}, {"iteration": 1}, {"iteration": 40}, {"detail": "full"}, {"notation": "mitchell"}):
        check_work(unit, drawn=drawn, **how)
    check_work(unit, X, drawn=drawn)


def test_it_climbs_to_the_top_of_the_likelihood():
    t = 0.1 + 0.8 * PASSED
    unit = sigmoid_unit(ROWS, t, eta0=0.02, max_iter=20_000)

    def surprise(w):
        h = special.expit(w[0] + w[1] * HOURS)
        return -(special.xlogy(t, h) + special.xlogy(1 - t, 1 - h)).sum()

    best = minimize(surprise, [0, 0], tol=1e-12)
    assert unit.converged
    np.testing.assert_allclose([unit.intercept, unit.coef[0]], best.x, rtol=1e-4)
    assert np.all(np.diff(unit.history) >= -1e-12)
    assert "The log-likelihood rises" in unit.work().to_html()
    assert "= 0.02 × ((" in str(unit.work(iteration=1))


def test_many_rows_and_no_bias_are_shown_too():
    random = np.random.default_rng(1)
    X, t = random.normal(size=(700, 5)), random.random(700)
    for loss in ("squared", "cross_entropy"):
        unit = sigmoid_unit(X, t, loss=loss, eta0=1e-3, fit_intercept=False, start_weights="random", random_state=0)
        check_work(unit, iteration=2, drawn=False)
        assert unit.intercept == 0


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([[1.0], [2.0]], [0.5, 1.5]), DataError, "t holds 1.5; targets of a sigmoid unit are from 0 to 1"),
        (([[1.0], [2.0]], [0.5]), DataError, "2 rows and t has 1"),
        (([["a"], ["b"]], [0, 1]), DataError, "X must be an array of numbers"),
        (([[1.0], [np.nan]], [0, 1]), DataError, "missing"),
        (([1.0, 2.0], [0, 1]), DataError, "dimensions"),
    ],
)
def test_bad_rows_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        sigmoid_unit(*arguments)


def test_bad_parameters_are_refused():
    for wrong in ({"loss": "hinge"}, {"schedule": "never"}, {"eta0": -1.0}, {"names": ["a", "b"]}):
        with pytest.raises(ParameterError):
            sigmoid_unit(ROWS, PASSED, **wrong)
    unit = sigmoid_unit(ROWS, PASSED, eta0=0.01, max_iter=3)
    with pytest.raises(ParameterError, match="3 iterations"):
        unit.work(iteration=4)
    with pytest.raises(DataError, match="2 columns"):
        unit.predict([[1.0, 2.0]])
