"""Losses against scikit-learn's metrics and by hand, cost matrices against enumeration, bad input."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks import check_work
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.evaluate import CostMatrix, Loss, cross_validate, decide, empirical_loss, loss
from novacula.evaluate.loss import LOSSES, METRIC_NAMES, metric_name

laws = settings(deadline=None)


def random_shares(seed, n=50, k=3):
    rng = np.random.default_rng(seed)
    return rng.integers(0, k, n), rng.dirichlet(np.ones(k), n)


@pytest.mark.parametrize("seed", range(3))
def test_each_loss_is_the_metric_of_the_reference_library(seed):
    rng = np.random.default_rng(seed)
    y, said = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    assert loss("zero_one")(y, said).mean() == pytest.approx(metrics.zero_one_loss(y, said), rel=1e-12)
    f, h = rng.normal(size=(2, 60))
    assert loss("absolute")(f, h).mean() == pytest.approx(metrics.mean_absolute_error(f, h), rel=1e-12)
    assert loss("squared")(f, h).mean() == pytest.approx(metrics.mean_squared_error(f, h), rel=1e-12)
    for k in (2, 3):
        y, shares = random_shares(seed, k=k)
        assert loss("log")(y, shares, range(k)).mean() == pytest.approx(metrics.log_loss(y, shares), rel=1e-12)
        score = metrics.brier_score_loss(y, shares if k > 2 else shares[:, 1])
        assert loss("brier")(y, shares, range(k)).mean() == pytest.approx(score, rel=1e-12)
        decision = rng.normal(size=(50, k) if k > 2 else 50)
        assert loss("hinge")(y, decision, range(k)).mean() == pytest.approx(metrics.hinge_loss(y, decision), rel=1e-12)


def test_several_targets_count_in_their_mean():
    y, said = np.arange(8.0).reshape(4, 2), np.ones((4, 2))
    assert loss("squared")(y, said).mean() == pytest.approx(metrics.mean_squared_error(y, said))
    assert loss("squared")(y, said).shape == (4,)


def test_what_was_called_impossible_costs_infinity_and_certainty_nothing():
    assert loss("log")(["a", "b"], [[1, 0], [1, 0]], ["a", "b"]).tolist() == [0.0, np.inf]
    assert loss("log")(["c"], [[0.5, 0.5]], ["a", "b"]).tolist() == [np.inf], "a class that the model never saw"
    assert loss("brier")(["c"], [[0.5, 0.5]], ["a", "b"]).tolist() == [0.25]


def test_every_loss_has_a_name_for_people():
    assert set(METRIC_NAMES) == set(LOSSES)
    assert metric_name("zero_one") == metric_name(loss("zero_one")) == "error rate"
    assert metric_name(CostMatrix([0, 1], 1 - np.eye(2))) == "mean cost"


def test_other_names_and_lookups():
    assert loss("L2") is loss("l2") is loss("squared")
    assert loss("0/1") is loss("zero_one")
    own = Loss("own", "numbers", lambda y, said, _: np.abs(said - y) ** 3)
    assert loss(own) is own
    assert own([1.0], [3.0]).tolist() == [8.0]
    assert [loss(name).needs for name in ("zero_one", "squared", "log", "hinge")] == [
        "labels", "numbers", "probabilities", "decision",
    ]  # fmt: skip
    with pytest.raises(ParameterError, match="no loss 'sqared', only zero_one, absolute, squared"):
        loss("sqared")
    with pytest.raises(InputTypeError, match="3 is not a loss"):
        loss(3)


@pytest.mark.parametrize(
    ("name", "y", "said", "classes", "words"),
    [
        ("zero_one", [1, 2], [1], None, "1 predictions were given for 2 rows"),
        ("squared", [], [], None, "no rows"),
        ("squared", ["a"], [1.0], None, "the targets must be an array of numbers, not of type"),
        ("squared", [1.0, 2.0], [1.0, np.nan], None, "row 2 is NaN"),
        ("log", ["a", "b"], [[0.5, 0.5]] * 2, ["a", "b", "c"], "do not fit 3 classes"),
        ("log", ["a", "b"], [[0.5, 0.5], [0.9, 0.9]], ["a", "b"], "probabilities of row 2"),
        ("brier", ["a", "b"], [0.5, 0.5], ["a", "b"], "do not fit 2 classes"),
        ("hinge", ["a", "c"], [0.5, 0.5], ["a", "b"], "row 2 is of a class that the model does not know"),
        ("zero_one", [[1], [2]], [[1], [2]], None, "give one per row"),
    ],
)
def test_bad_input_is_named(name, y, said, classes, words):
    with pytest.raises(DataError, match=words):
        loss(name)(y, said, classes)


@pytest.mark.parametrize("name", ["zero_one", "absolute", "squared", "log", "hinge", "brier"])
def test_losses_travel_to_other_processes(name):
    assert pickle.loads(pickle.dumps(loss(name))) == loss(name)


def test_words_and_numbers_are_different_labels():
    assert loss("zero_one")(["1", "2"], [1, 2]).tolist() == [1.0, 1.0]


# --- costs --------------------------------------------------------------------------------------------------


def test_a_cost_matrix_looks_costs_up():
    cost = CostMatrix(["ham", "spam"], [[0, 10], [1, 0]])
    y, said = np.array(["ham", "ham", "spam", "spam"]), np.array(["ham", "spam", "ham", "spam"])
    assert cost(y, said).tolist() == [0, 10, 1, 0]
    zero_one = CostMatrix([0, 1, 2], 1 - np.eye(3))
    y, said = np.random.default_rng(0).integers(0, 3, (2, 40))
    assert (zero_one(y, said) == loss("zero_one")(y, said)).all()


@laws
@given(arrays(np.float64, (6, 3), elements=st.floats(0.01, 1)), arrays(np.float64, (3, 4), elements=st.floats(-9, 9)))
def test_decisions_have_the_least_expected_cost_of_all_actions(raw, costs):
    shares = raw / raw.sum(axis=1, keepdims=True)
    table = CostMatrix(["x", "y", "z"], costs, actions=["p", "q", "r", "s"])
    for row, action in zip(shares, decide(shares, table), strict=True):
        expected = {a: sum(row[t] * costs[t, j] for t in range(3)) for j, a in enumerate("pqrs")}
        assert expected[str(action)] <= min(expected.values()) + 1e-12


def test_columns_of_probabilities_are_found_by_their_names_and_ties_go_to_the_first():
    cost = CostMatrix(["no", "yes"], [[0, 1], [5, 0]])
    assert decide([[0.3, 0.7]], cost, classes=["yes", "no"]).tolist() == ["yes"]
    assert decide([[0.3, 0.7]], [[0, 1], [1, 0]], classes=["yes", "no"]).tolist() == ["no"]
    assert decide([[0.5, 0.5]], CostMatrix(["no", "yes"], [[0, 1], [1, 0]])).tolist() == ["no"]


def test_what_is_lost_against_the_right_action_is_its_utility_less_that_of_the_one_taken():
    table = CostMatrix.of_utility(["rain", "sun"], [[70, 0], [20, 100]], actions=["umbrella", "none"])
    assert decide([[0.3, 0.7], [0.7, 0.3]], table).tolist() == ["none", "umbrella"]
    assert table(["rain", "sun", "sun"], ["umbrella", "none", "umbrella"]).tolist() == [0, 0, 80]
    utilities = np.random.default_rng(0).normal(size=(3, 3))
    regret = CostMatrix.of_utility(["a", "b", "c"], utilities)
    assert np.diagonal(regret.costs).tolist() == [0, 0, 0]
    shares = np.random.default_rng(1).dirichlet(np.ones(3), 50)
    best = [max(range(3), key=lambda j: sum(p[t] * utilities[t, j] for t in range(3))) for p in shares]
    assert decide(shares, regret).tolist() == [["a", "b", "c"][j] for j in best], "expected utility is largest"
    with pytest.raises(ParameterError, match="do not fit 2 classes"):
        CostMatrix.of_utility(["a", "b"], [[1, 2, 3], [4, 5, 6]])


def test_any_function_of_truth_and_prediction_is_a_loss():
    def late_costs_more(y, said):
        return 3.0 * (y - said) if said < y else said - y

    X, y = np.arange(8.0)[:, None], np.array([0, 1, 2, 3, 4, 5, 6, 20.0])
    model = LinearRegression().fit(X, y)
    by_hand = np.mean([late_costs_more(a, b) for a, b in zip(y, model.predict(X), strict=True)])
    assert empirical_loss(model, X, y, late_costs_more) == pytest.approx(by_hand)
    found = cross_validate(LinearRegression(), X, y, folds=4, loss=late_costs_more)
    assert list(found.validation) == ["late costs more"]
    with pytest.raises(DataError, match="one number for each row"):
        loss(lambda y, said: [y, said])([1, 2], [1, 2])


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: CostMatrix(["a", "b"], [[0, 1]]), ParameterError, "do not fit 2 classes and 2 actions"),
        (lambda: CostMatrix(["a", "b"], [[0, np.inf], [1, 0]]), ParameterError, "NaN or infinite"),
        (lambda: CostMatrix(["a", "a"], [[0, 1], [1, 0]]), ParameterError, "class of the costs is named twice"),
        (
            lambda: CostMatrix(["a"], [[0]])(["b"], ["a"]),
            DataError,
            "row 1 has 'b', which is not one of the classes of the costs",
        ),
        (lambda: decide([0.5, 0.5], CostMatrix(["a", "b"], [[0, 1], [1, 0]])), DataError, "do not fit 2 classes"),
    ],
)
def test_bad_costs_are_named(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


# --- of models ----------------------------------------------------------------------------------------------


def test_empirical_loss_of_our_learner_on_a_table_and_of_others_on_arrays():
    table = nv.datasets.load("play_tennis")
    model = NaiveBayes().fit(table)
    frame = table.to_pandas()
    features, y = frame[["Outlook", "Temperature", "Humidity", "Wind"]], frame["PlayTennis"].astype(str)
    share = model.predict_proba(features)
    assert empirical_loss(model, table, loss="log") == pytest.approx(metrics.log_loss(y, share), rel=1e-12)
    assert empirical_loss(model, features, y, "zero_one") == pytest.approx(1 - model.score(features, y))
    rng = np.random.default_rng(0)
    X, target = rng.normal(size=(40, 2)), rng.normal(size=40)
    line, weight = LinearRegression().fit(X, target), rng.uniform(0, 2, 40)
    said = metrics.mean_squared_error(target, line.predict(X), sample_weight=weight)
    assert empirical_loss(line, X, target, sample_weight=weight) == pytest.approx(said, rel=1e-12)


def test_a_table_brings_its_weights():
    frame = nv.datasets.load("play_tennis").to_pandas()[["Outlook", "PlayTennis"]]
    frame["times"] = np.arange(14) % 3 + 1.0
    table = nv.read(frame, target="PlayTennis", weight="times")
    model = NaiveBayes().fit(table)
    wrong = model.predict(table) != frame["PlayTennis"].to_numpy()
    assert empirical_loss(model, table) == pytest.approx(frame["times"][wrong].sum() / frame["times"].sum())


def test_a_model_that_lacks_what_the_loss_needs_is_named():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(ParameterError, match="LinearSVC has no predict_proba, which the log loss needs"):
        empirical_loss(LinearSVC().fit(X, y), X, y, "log")
    with pytest.raises(DataError, match="the target y is None"):
        empirical_loss(LinearSVC().fit(X, y), X)


def test_the_work_of_costs_derives_each_from_utilities():
    costs = CostMatrix.of_utility(["ham", "spam"], [[10, -90], [-1, 0]])
    check_work(costs)
    found = [e for step in costs.work() for e in step.equations]
    assert [e.value for e in found] == [0, 100, 1, 0]
    assert "= 10 − (−90) = 100" in costs.work().to_text()
    assert "<table" in costs._repr_html_()
    taken = CostMatrix.of_utility(["rain", "sun"], [[70, 0], [20, 100]], actions=["umbrella", "none"])
    check_work(taken)
    odd = CostMatrix.of_utility(["a", "b"], [[0, 100], [0, 1]])
    check_work(odd)
    assert odd.costs.tolist() == [[0, -100], [1, 0]]
    assert list(odd.work().notes) == ["A loss below 0 says that an answer is worth more than the one called right."]
    plain = CostMatrix(["no", "yes"], [[0, 1], [5, 0]])
    assert plain.work()[0].table.rows == (("no", 0.0, 1.0), ("yes", 5.0, 0.0))


def test_what_is_no_learner_is_refused():
    with pytest.raises(InputTypeError, match=r"^3 is not a learner: give an object with fit and predict$"):
        cross_validate(3, [[1.0], [2.0]], [0, 1])
