"""Maximum likelihood in four steps, each estimate against a search that knows nothing of derivatives."""

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from scipy.optimize import minimize
from scipy.stats import norm

from novacula.bayes import bernoulli_ml, cross_entropy_ml, gaussian_ml, line_ml
from novacula.checks import check_work
from novacula.errors import DataError, InputTypeError
from novacula.linear import LogisticRegression

CANDIES = {("cherry", "red"): 273 + 93, ("cherry", "green"): 194, ("lime", "red"): 179, ("lime", "green"): 261}
STEPS = ["The likelihood", "Its logarithm"]


def test_a_share_is_its_count_over_all():
    estimate = bernoulli_ml(["cherry"] * 3 + ["lime"])
    assert estimate.theta == 0.75
    assert "= 3 / (3 + 1) = 0.75" in estimate.work().to_text()
    grid = np.linspace(0.001, 0.999, 999)
    assert grid[np.argmax(3 * np.log(grid) + np.log(1 - grid))] == pytest.approx(0.75)
    check_work(estimate)
    check_work(bernoulli_ml({"cherry": 4, "lime": 0}))


def test_flavour_and_wrapper():
    estimate = bernoulli_ml(CANDIES)
    assert (estimate.theta, *estimate.thetas) == pytest.approx((0.56, 366 / 560, 179 / 440))

    def surprise(θ):
        logs = {c: np.log(θ[0] if c[0] == "cherry" else 1 - θ[0]) for c in CANDIES}
        for c in CANDIES:
            share = θ[1] if c[0] == "cherry" else θ[2]
            logs[c] += np.log(share if c[1] == "red" else 1 - share)
        return -sum(n * logs[c] for c, n in CANDIES.items())

    found = minimize(surprise, [0.5] * 3, bounds=[(0.01, 0.99)] * 3, tol=1e-12)
    assert found.x == pytest.approx([estimate.theta, *estimate.thetas], abs=1e-4)
    assert -found.fun == pytest.approx(estimate.log_likelihood)
    check_work(estimate)
    assert [step.title for step in estimate.work()][:2] == STEPS


def test_a_line_of_maximum_likelihood_is_that_of_least_squares():
    rng = np.random.default_rng(1)
    x = rng.normal(size=30)
    y = 2.0 * x - 1.0 + 0.3 * rng.normal(size=30)
    line = line_ml(x, y)
    assert line.thetas == pytest.approx(np.polyfit(x, y, 1))
    found = minimize(lambda θ: -norm.logpdf(y, θ[0] * x + θ[1], np.exp(θ[2])).sum(), [0.0, 0.0, 0.0], tol=1e-10)
    assert [line.slope, line.intercept, np.log(line.sigma)] == pytest.approx(found.x, abs=1e-4)
    assert line.log_likelihood == pytest.approx(-found.fun)
    check_work(line)
    assert "argmaxₕ ln(P(D | h)) = argminₕ Σⱼ (yⱼ − h(xⱼ))²" in line.work().to_text()
    canvas = Canvas()
    axes = canvas.add_subplot()
    line.work()[-1].figure.draw(axes)
    points, drawn = axes.lines
    assert np.array_equal(points.get_ydata(), y)
    assert drawn.get_ydata() == pytest.approx(np.polyval(line.thetas, drawn.get_xdata()))
    check_work(line_ml(np.arange(1000.0), np.sin(np.arange(1000.0))), drawn=False)


def test_the_likeliest_probabilities_have_the_least_cross_entropy():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 1))
    t = (X[:, 0] + rng.logistic(size=40) > 0).astype(int)
    fitted = LogisticRegression(C=1e6).fit(X, t).predict_proba(X)[:, 1]
    found = cross_entropy_ml({"fitted": fitted, "flat": np.full(40, t.mean())}, t)
    by_hand = np.prod(np.where(t == 1, fitted, 1 - fitted))
    assert found.best == "fitted"
    assert found.log_likelihoods["fitted"] == pytest.approx(np.log(by_hand))
    check_work(found)
    equations = [e for step in found.work() for e in step.equations if e.left == "P(D | h_1)"]
    assert equations[0].value == pytest.approx(by_hand)
    check_work(cross_entropy_ml(rng.random(2000), rng.random(2000)))


def test_a_gaussian_goes_the_same_way():
    assert [step.title for step in gaussian_ml([1.0, 2.0, 4.0]).work()][:2] == STEPS


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (lambda: bernoulli_ml([]), DataError, "no data"),
        (lambda: bernoulli_ml("cherry"), InputTypeError, "a sequence of observations"),
        (lambda: bernoulli_ml([1, 2, 3]), DataError, "there are 3 values"),
        (lambda: bernoulli_ml([(1, 2), 3]), DataError, "all of one kind"),
        (lambda: bernoulli_ml({"a": 1, "b": 2}, weight=[1, 2]), InputTypeError, "takes no weight"),
        (lambda: bernoulli_ml({("a", 0): 0, ("a", 1): 0, ("b", 0): 1, ("b", 1): 1}), DataError, "never seen"),
        (lambda: line_ml([1, 1], [0, 1]), DataError, "has no slope"),
        (lambda: line_ml([1, 2, 3], [0, 1]), DataError, "give as many"),
        (lambda: line_ml([1, 2, 3], [1, 2, 3]), DataError, "lie on a line"),
        (lambda: cross_entropy_ml([0.5, 1.0], [0, 1]), DataError, "above 0 and below 1"),
        (lambda: cross_entropy_ml([0.5], [0, 1]), DataError, "for 2 targets"),
        (lambda: cross_entropy_ml([0.5], [2]), DataError, "from 0 to 1"),
    ],
)
def test_data_that_have_no_estimate_are_refused(make, error, sentence):
    with pytest.raises(error, match=sentence):
        make()
