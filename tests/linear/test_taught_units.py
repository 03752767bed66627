"""Start weights, rates that fall, thresholds, and what the work of perceptrons and linear units shows of them."""

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

import novacula as nv
from novacula.checks import check_work
from novacula.errors import DataError, ParameterError
from novacula.linear import LinearUnit, LogisticRegression, Perceptron

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND = np.array([0, 0, 0, 1])


def taught(X, t, weights, eta, epochs, schedule, threshold):
    """The rule by hand: weights (w₀, w₁, …) after so many epochs."""
    w = np.array(weights, float)
    for epoch in range(epochs):
        rate = eta / {"constant": 1.0, "decay": np.sqrt(1 + epoch), "robbins_monro": 1 + epoch / 100}[schedule]
        for x, target in zip(np.column_stack([np.ones(len(X)), X]), t, strict=True):
            v = w @ x
            o = (1.0 if v >= 0 else 0.0) if threshold else (1.0 if v > 0 else -1.0)
            w += rate * ((target if threshold else 2 * target - 1) - o) * x
    return w


def weights_of(model):
    return np.append(model.intercept_, model.coef_)


@pytest.mark.parametrize("schedule", ["constant", "decay", "robbins_monro"])
@pytest.mark.parametrize("response", ["step", "threshold"])
def test_perceptrons_begin_where_they_are_told(response, schedule):
    X, t = np.random.default_rng(0).integers(-3, 4, (15, 2)), np.arange(15) % 2
    start = [0.25, -0.5, 1.0]
    model = Perceptron(0.5, schedule=schedule, start_weights=start, response=response, pocket=False, max_iter=6)
    with pytest.warns(ConvergenceWarning, match="not separated"):
        model.fit(X, t)
    np.testing.assert_allclose(weights_of(model), taught(X, t, start, 0.5, 6, schedule, response == "threshold"))
    assert model.trace_.path.states[0].tolist() == [-0.5, 1.0, 0.25]
    for how in ({}, {"iteration": 1}, {"iteration": 5}):
        check_work(model, **how, drawn=False)
    check_work(model, X, drawn=False)


def test_a_value_of_zero_is_one_for_the_threshold_and_minus_one_for_the_sign():
    given = {"start_weights": [0.0, 0.0, 0.0], "max_iter": 1, "pocket": False}
    with pytest.warns(ConvergenceWarning):
        ones = Perceptron(response="threshold", **given).fit(CORNERS, AND)
    assert weights_of(ones).tolist() == [0, 1, 1]  # rows 1, and then 4, are mistaken: 0 is already a 1
    assert ones.history_ == (2,)
    flat = Perceptron(response="threshold", start_weights=[0, 1, 1]).fit(CORNERS, [1, 1, 1, 1 - 1])
    assert flat.predict([[0, 0]]).tolist() == [int(flat.decision_function([[0, 0]])[0] >= 0)]
    assert "o = {1 if v ≥ 0; 0 otherwise}" in str(ones.work())
    assert "o = {1 if v > 0; −1 otherwise}" in str(Perceptron().fit(CORNERS, AND).work())


def test_weights_that_separate_are_left_alone():
    model = Perceptron(0.1, response="threshold", start_weights=[-0.8, 0.5, 0.5]).fit(CORNERS, AND)
    assert weights_of(model).tolist() == [-0.8, 0.5, 0.5]
    assert (model.n_mistakes_, model.converged_) == (0, True)
    assert "The rule, from the weights below" in str(model.work())


def test_random_starts_are_small_and_repeatable(tmp_path):
    one, two = (Perceptron(start_weights="random", random_state=3).fit(CORNERS, AND) for _ in range(2))
    start = one.trace_.path.states[0]
    assert np.array_equal(start, two.trace_.path.states[0])
    assert 0 < np.abs(start).max() <= 0.05
    one.save(tmp_path / "m.nova")
    assert np.array_equal(nv.load(tmp_path / "m.nova").coef_, one.coef_)


def test_several_planes_and_pieces_begin_where_they_are_told():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 2])
    start = np.array([[1.0, -2.0], [0.0, 0.0], [-3.0, 2.0]])
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(start_weights=start, max_iter=1, pocket=False).fit(X, y)
    found = [taught(X, y == k, start[k], 1.0, 1, "constant", False) for k in range(3)]
    np.testing.assert_array_equal(np.column_stack([model.intercept_, model.coef_]), found)
    pieces = Perceptron(schedule="decay", start_weights=[1, 1, 1])
    for _ in range(3):
        pieces.partial_fit(CORNERS, AND, classes=[0, 1])
    np.testing.assert_allclose(weights_of(pieces), taught(CORNERS, AND, [1, 1, 1], 1.0, 3, "decay", False))
    check_work(pieces)


@pytest.mark.parametrize(
    ("start", "words"),
    [([1, 2], r"shape \(2,\); they must have shape \(3,\)"), ([1, np.nan, 2], "missing"), (["a", 1, 2], "numbers")],
)
@pytest.mark.parametrize("learner", [Perceptron(), LinearUnit(), LinearUnit("sgd")])
def test_starts_that_do_not_fit_are_refused(learner, start, words):
    with pytest.raises(ParameterError, match=words):
        learner.set_params(start_weights=start).fit(CORNERS, AND)


def test_rounding_of_weights_is_not_shown_and_rounding_that_decides_is_told():
    model = Perceptron(0.1, start_weights=[-0.3, 0.5, -0.5], response="threshold").fit(CORNERS, AND)
    assert "⁻¹⁷" not in str(model.work())  # w₂ of −0.5 and five steps of 0.1 is −2.8e-17
    hangs = Perceptron(0.2, start_weights=[-0.3, 0.5, -0.5]).fit(CORNERS, AND)
    text = " ".join(str(hangs.work(iteration=3)).split())
    assert "v is zero but for rounding, which decides here on which side it is" in text
    tiny = Perceptron(1e-17).fit(CORNERS, AND)
    assert "4×10⁻¹⁷" in str(tiny.work())


# --- the line and its margin ----------------------------------------------------------------------------------


def test_line_normal_and_bound_of_and():
    work = Perceptron().fit(CORNERS, AND).work()
    by_name = {e.left: e for e in work.equations}
    assert (by_name["slope"].value, by_name["height"].value) == (-2, 2)  # 4 x₁ + 2 x₂ − 4 = 0
    np.testing.assert_allclose(by_name["n"].value, np.array([2, 1]) / np.sqrt(5))
    assert by_name["R"].value == pytest.approx(np.sqrt(3))
    assert by_name["γ"].value == pytest.approx(1 / np.sqrt(17))
    assert (by_name["M"].value, by_name["γ_u"].value) == (pytest.approx(51), 0)
    for form in (work.to_text(), work.to_markdown(), work.to_latex(), work.to_html()):
        assert "How many mistakes there can be" in form


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"start_weights": [-0.3, 0.5, -0.5]}, ["this fit begins at other weights, where"]),
        ({"schedule": "decay"}, ["one rate; the rate of this fit falls, where"]),
    ],
)
def test_radius_and_margin_are_shown_where_the_theorem_does_not_bound_the_mistakes(settings, words):
    model = Perceptron(0.1, **settings).fit(CORNERS, AND)
    found = {e.left: e.value for e in model.work().equations}
    assert (found["R"] ** 2, found["γ"] ** -2, found["B"]) == pytest.approx((3, 17, 51))
    [step] = [step for step in model.work() if step.title.startswith("How many")]
    assert all(word in step.note for word in words)
    check_work(model, drawn=False)


def test_radius_and_margin_that_are_left_out_are_said_to_be():
    x = np.linspace(-1, 1, 24)[:, None]
    [step] = [step for step in Perceptron().fit(x, x[:, 0] > 0).work() if step.title.startswith("How many")]
    assert "they need all rows, and a model keeps the first 20" in step.note
    [step] = [s for s in Perceptron().fit(CORNERS, [0, 1, 2, 2]).work() if s.title.startswith("How many")]
    assert "they are written for two classes" in step.note


@pytest.mark.parametrize("seed", range(4))
def test_the_widest_margin_is_the_widest(seed):
    random = np.random.default_rng(seed)
    X, w = random.normal(size=(12, 3)), random.normal(size=4)
    t = np.where(np.column_stack([np.ones(12), X]) @ w > 0, 1, -1)
    if len(set(t)) < 2:
        return
    model = Perceptron().fit(X, t)
    margin = next(e.value for e in model.work().equations if e.left == "γ")
    rows = t[:, None] * np.column_stack([np.ones(12), X])
    best = minimize(lambda u: u @ u, 5 * w, constraints={"type": "ineq", "fun": lambda u: rows @ u - 1})
    assert margin == pytest.approx(1 / np.linalg.norm(best.x), rel=1e-4)
    check_work(model, drawn=False)


def axes_of(figure):
    axes = Canvas().add_subplot()
    figure.draw(axes)
    return axes


@pytest.mark.parametrize("learner", [Perceptron(), LinearUnit(threshold=True)])
def test_the_picture_has_rows_line_and_normal(learner):
    model = learner.fit(CORNERS, AND)
    figure = next(step.figure for step in model.work() if step.title == "Where the classes meet")
    axes = axes_of(figure)
    points = sorted(map(tuple, np.vstack([line.get_xydata() for line in axes.lines[:2]]).tolist()))
    assert points == sorted(map(tuple, CORNERS.tolist()))
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    for x, y in (axes.lines[2].get_xy1(), axes.lines[2].get_xy2()):
        assert w @ [x, y] + b == pytest.approx(0, abs=1e-9)
    arrow = axes.texts[0]
    along = np.subtract(arrow.xy, arrow.get_position())
    assert along @ [-w[1], w[0]] == pytest.approx(0, abs=1e-9)
    assert along @ w > 0


@pytest.mark.parametrize(
    "learner", [Perceptron(), LinearUnit(threshold=True, solver="sgd", eta0=1e-5, max_iter=2), LogisticRegression()]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_of_every_class_are_drawn_of_a_table_that_is_sorted(learner):
    x = np.column_stack([np.arange(60.0), np.arange(60) % 7])
    y = np.repeat(["low", "high"], 30)
    model = learner.fit(x, y)
    first = [s.figure for s in model.work() if s.figure is not None and "none of them of 'high'" in s.figure.alt]
    assert first, "the first 20 rows are all low, which the picture says"
    axes = axes_of(model.figure(x, y))
    drawn = {line.get_label(): len(line.get_xdata()) for line in axes.lines}
    assert drawn == {"low": 30, "high": 30}
    with pytest.raises(DataError, match="'middle', which is none of the classes"):
        model.figure(x, ["middle"] * 60)
    with pytest.raises(ParameterError, match="over two columns, and this model has 3"):
        learner.fit(np.column_stack([x, x[:, 0]]), y).figure(np.column_stack([x, x[:, 0]]), y)


def test_three_classes_of_two_columns_are_drawn_with_their_regions():
    iris = nv.datasets.load("iris")
    x, y = iris.to_chunk().dense()[:, 2:], np.repeat(["setosa", "versicolor", "virginica"], 50)
    model = LogisticRegression().fit(x, y)
    [figure] = [step.figure for step in model.work() if step.title == "Where the classes meet"]
    axes = axes_of(figure)
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), x[:20])
    low, high = axes.get_xlim()
    assert low < x[:, 0].min() < x[:, 0].max() < high
    assert sum(len(line.get_xdata()) for line in axes_of(model.figure(x, y)).lines) == 150
    whole = Perceptron(max_iter=5)
    with pytest.warns(ConvergenceWarning, match="not separated"):
        whole.fit(iris.drop([column.name for column in iris.layout.features[:2]]))
    assert "150 of 150 rows" in whole.figure(iris).alt


# --- every example of a step of all rows ----------------------------------------------------------------------


def test_a_step_of_all_rows_shows_what_each_asks_for():
    x, t = np.array([[1], [3], [2], [1.5], [4]]), np.array([1, 2.2, 2, 1.9, 3.1])
    model = LinearUnit(eta0=0.01, start_weights=[0.1, 0.2]).fit(x, t)
    table = model.work(iteration=1)[0].table
    ones = np.column_stack([x, np.ones(5)])
    gaps = t - ones @ [0.2, 0.1]
    changes = 0.01 * gaps[:, None] * ones
    np.testing.assert_allclose([row[5:] for row in table.rows[:5]], changes)
    np.testing.assert_allclose([row[3:5] for row in table.rows[:5]], np.column_stack([t - gaps, gaps]))
    np.testing.assert_allclose(table.rows[5][5:], changes.sum(axis=0))
    assert table.header[2:] == ("⟦t⟧", "⟦o⟧", "⟦t - o⟧", "⟦Δw[1]⟧", "⟦Δw[2]⟧")
    np.testing.assert_allclose(model.trace_.path.states[1], np.add(changes.sum(axis=0), (0.2, 0.1)))
    check_work(model)
    check_work(model, iteration=7)


@pytest.mark.parametrize("n", [6, 40])
@pytest.mark.parametrize("intercept", [True, False])
def test_examples_with_weights_add_up_to_the_step(n, intercept):
    random = np.random.default_rng(n)
    X, t, s = random.normal(size=(n, 2)), random.normal(size=n), random.integers(0, 3, n) + 0.5
    model = LinearUnit(eta0=0.001, schedule="decay", fit_intercept=intercept, max_iter=30, start_weights="random")
    with pytest.warns(ConvergenceWarning):
        model.set_params(random_state=1).fit(X, t, sample_weight=s)
    for iteration in (1, 2, 30):
        check_work(model, iteration=iteration)
    q = 2 + intercept
    rows = np.column_stack([X, np.ones(n)])[:, :q]
    before, after = model.trace_.path.step(2, (q,))
    np.testing.assert_allclose(after - before, 0.001 / np.sqrt(2) * rows.T @ (s * (t - rows @ before)))
    assert np.abs(model.trace_.path.states[0]).max() <= 0.05


def test_sgd_begins_where_it_is_told():
    x, t = np.array([[1.0], [2.0]]), np.array([1.0, 3.0])
    with pytest.warns(ConvergenceWarning):
        model = LinearUnit("sgd", eta0=0.1, max_iter=1, start_weights=[1.0, -1.0]).fit(x, t)
    w = np.array([1.0, -1.0])
    for a, target in ((1.0, 1.0), (2.0, 3.0)):
        w += 0.1 * (target - w @ [1.0, a]) * np.array([1.0, a])
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), w)
    check_work(model)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("response", ["step", "threshold"])
@pytest.mark.parametrize("schedule", ["constant", "decay"])
def test_what_the_other_rows_did_is_what_the_first_rows_leave(response, schedule):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = Perceptron(0.1, response=response, schedule=schedule, pocket=False, max_iter=30).fit(X, y)
    trace = model.trace_
    kept = trace.path.iterations.tolist()
    assert kept == [*range(20), *range(26, 31)]
    for i, number in enumerate(kept):
        if number - 1 not in kept:
            assert not trace.others[i].any()  # the start, and what comes after a gap
            continue
        rate = 0.1 / {"constant": 1.0, "decay": np.sqrt(number)}[schedule]
        before = np.roll(trace.path.states[i - 1], 1)  # the bias first
        after = taught(X[:20], y[:20], before, rate, 1, "constant", response == "threshold")
        assert trace.others[i] == pytest.approx(trace.path.states[i] - np.roll(after, -1), abs=1e-12)
