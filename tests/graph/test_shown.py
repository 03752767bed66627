"""What networks show of hidden causes: the first E-step of the candies, the climb beside the truth, parameters."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas

from novacula.bayes import Joint
from novacula.checks import check_work
from novacula.errors import InputTypeError, ParameterError
from novacula.graph import BayesianNetwork, CategoricalFamily, CategoricalHMM, Network, parameter_counts

KINDS = list(itertools.product(["cherry", "lime"], ["red", "green"], ["hole", "no"]))
COUNTS = [273, 93, 104, 90, 79, 100, 94, 167]
CANDIES = pd.DataFrame(KINDS, columns=["Flavor", "Wrapper", "Hole"])
START = {
    "Bag": [0.6, 0.4],
    "Flavor": [[0.6, 0.4], [0.4, 0.6]],
    "Wrapper": [[0.4, 0.6], [0.6, 0.4]],  # green, red
    "Hole": [[0.6, 0.4], [0.4, 0.6]],
}


@pytest.fixture(scope="module")
def candies():
    edges = {"Flavor": ["Bag"], "Wrapper": ["Bag"], "Hole": ["Bag"]}
    model = BayesianNetwork(edges, hidden={"Bag": [1, 2]}, init=START, max_iter=10)
    with pytest.warns(match="stopped after 10"):
        return model.fit(CANDIES, sample_weight=COUNTS)


def _first_step():
    """EM's first step by hand: P(bag 1) of each kind, then shares of expected counts."""
    yes = np.array([[k[0] == "cherry", k[1] == "red", k[2] == "hole"] for k in KINDS])
    one, two = (0.6 * np.where(yes, 0.6, 0.4).prod(axis=1), 0.4 * np.where(yes, 0.4, 0.6).prod(axis=1))
    bag = one / (one + two)
    n = np.array(COUNTS)
    shares = [(n * p) @ yes / (n @ p) for p in (bag, 1 - bag)]
    return bag, [n @ bag / 1000, *shares[0], *shares[1]]


def test_the_first_step_of_the_candies(candies):
    bag, expected = _first_step()
    assert expected == pytest.approx([0.6124, 0.6684, 0.6483, 0.6558, 0.3887, 0.3817, 0.3827], abs=5e-5)
    work = candies.work(iteration=1)
    check_work(candies, iteration=1)
    step = next(step for step in work if step.title == "What each kind of row adds to Bag = 1")
    shares = sorted(row[2] for row in step.table.rows)
    assert shares == pytest.approx(sorted(bag))
    assert step.equations[0].value == pytest.approx(0.22797, abs=5e-6)
    assert "273/1000" in str(step.equations[0])
    assert step.equations[1].value == pytest.approx(0.6124, abs=5e-5)
    text = candies.work(iteration=1, detail="full").to_text()
    for number in ("0.612431", "0.668408", "0.655848", "0.388695", "0.382741"):
        assert number in text
    (tables,) = [step.table for step in work if step.title == "The tables, before and after"]
    assert len(tables.rows) == 14
    found = [min(after for *_, after in tables.rows if abs(after - theta) < 5e-5) for theta in expected]
    assert found == pytest.approx(expected, abs=5e-5)
    assert "the objective after 1 iteration" in text
    assert "after 1 iterations" not in text
    states = candies.trace_.path.states[1]
    assert states[:1] == pytest.approx(expected[:1])
    assert candies.history_[:3] == pytest.approx([-2044.260, -2021.026, -2003.025], abs=5e-4)


def test_the_climb_beside_the_true_model(candies):
    bags = [CategoricalFamily("Bag", (1, 2), (), [0.5, 0.5])]
    for node, states in (("Flavor", ("cherry", "lime")), ("Wrapper", ("red", "green")), ("Hole", ("hole", "no"))):
        bags.append(CategoricalFamily(node, states, ("Bag",), [[0.8, 0.2], [0.3, 0.7]]))
    truth = Network(tuple(bags)).log_likelihood(CANDIES.loc[CANDIES.index.repeat(COUNTS)])
    assert truth == pytest.approx(-1982.214, abs=5e-4)
    axes = Canvas().add_subplot()
    candies.plot_climb({"true model": truth}).draw(axes)
    climb, line = axes.lines
    assert climb.get_ydata() == pytest.approx(candies.history_)
    assert set(line.get_ydata()) == {truth}
    assert climb.get_ydata()[-1] > truth  # the tenth step is likelier than the truth
    with pytest.raises(ParameterError, match="must be a finite number"):
        candies.plot_climb({"true model": "high"})
    with pytest.raises(InputTypeError, match="lines is 'x'; give log-likelihoods by name"):
        candies.plot_climb("x")
    with pytest.raises(ParameterError, match="nothing was climbed"):
        BayesianNetwork.from_network(candies.network_).plot_climb()


def test_the_posterior_of_a_hidden_node_of_a_row(candies):
    work = candies.work(CANDIES.head(1), target="Bag")
    found = [e.value for step in work for e in step.equations if "Bag" in e.left and "| e" in e.left]
    both = {bag: candies.network_.probability({**dict(CANDIES.iloc[0]), "Bag": bag}) for bag in (1, 2)}
    assert found == [pytest.approx(max(both.values()) / sum(both.values()))]
    assert candies.work(CANDIES.head(1), target="Hole").to_text()
    given = BayesianNetwork.from_network(candies.network_)
    assert given.work(CANDIES.head(1)).to_text() == given.work(CANDIES.head(1), target="Bag").to_text()


def test_parameters_with_and_without_the_hidden_cause():
    graph = {"HeartDisease": ["Smoking", "Diet", "Exercise"]}
    graph |= {f"Symptom{i}": ["HeartDisease"] for i in (1, 2, 3)}
    heart = parameter_counts(graph, 3)
    assert heart.total == 78
    assert heart.by_node == {"Smoking": 2, "Diet": 2, "Exercise": 2, "HeartDisease": 54} | {
        f"Symptom{i}": 6 for i in (1, 2, 3)
    }
    without = heart.without("HeartDisease")
    assert without.total == 708
    assert [without.by_node[f"Symptom{i}"] for i in (1, 2, 3)] == [54, 162, 486]
    check_work(heart)
    check_work(without)
    assert heart.work()[0].figure is not None
    mixed = parameter_counts([("a", "b")], {"a": 2, "b": 4})
    tables = (
        CategoricalFamily("a", (0, 1), (), [0.5, 0.5]),
        CategoricalFamily("b", (0, 1, 2, 3), ("a",), np.ones((2, 4)) / 4),
    )
    assert mixed.total == Network(tables).n_parameters == 7


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: parameter_counts([("a", "b")], 0), "'a' has 0 states"),
        (lambda: parameter_counts([("a", "b")], {"a": 2}), "'b' has None states"),
        (lambda: parameter_counts([("a", "b")], {"a": 2, "b": 2, "c": 2}), "'c', which is no node"),
        (lambda: parameter_counts([("a", "b")]).without("c"), "there is no node 'c'"),
    ],
)
def test_counts_that_cannot_be_told_are_refused(make, sentence):
    with pytest.raises(ParameterError, match=sentence):
        make()


def test_swapped_arguments_of_a_joint_are_named():
    with pytest.raises(InputTypeError, match="the probabilities come first"):
        Joint(["x", "y"], {("a", 0): 0.5, ("a", 1): 0.5})


def test_expected_transitions_are_those_of_all_paths():
    with pytest.warns(match="stopped after 1"):
        model = CategoricalHMM(2, max_iter=1, random_state=0).fit(np.array([0, 1, 1, 0, 1]))
    before = model.trace_.path.states[0]
    start, A, b = before[:2], before[2:6].reshape(2, 2), before[6:].reshape(2, -1)
    x = [0, 1, 1, 0, 1]
    paths = list(itertools.product((0, 1), repeat=5))
    weights = []
    for z in paths:
        p = start[z[0]] * b[z[0], x[0]]
        for t in range(1, 5):
            p *= A[z[t - 1], z[t]] * b[z[t], x[t]]
        weights.append(p)
    weights = np.array(weights) / sum(weights)
    xi = sum(w for w, z in zip(weights, paths, strict=True) if z[:2] == (0, 0))
    moves = sum(w * sum(z[t : t + 2] == (0, 1) for t in range(4)) for w, z in zip(weights, paths, strict=True))
    equations = {e.left: e.value for step in model.work(iteration=1) for e in step.equations}
    assert next(v for left, v in equations.items() if left.startswith("ξ")) == pytest.approx(xi)
    assert any(v == pytest.approx(moves) for v in equations.values() if isinstance(v, float))


def test_a_start_by_state_does_not_depend_on_the_order_of_states(candies):
    """θ = 0.6 of cherry, red and hole in bag 1, and 0.4 in bag 2, as it stands in the book."""
    pairs = {"Flavor": ("cherry", "lime"), "Wrapper": ("red", "green"), "Hole": ("hole", "no")}
    theta = {"Bag": {1: 0.6, 2: 0.4}} | {
        node: {1: {yes: 0.6, no: 0.4}, 2: {yes: 0.4, no: 0.6}} for node, (yes, no) in pairs.items()
    }
    edges = {node: ["Bag"] for node in pairs}

    def fitted(init):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = BayesianNetwork(edges, hidden={"Bag": [1, 2]}, init=init, max_iter=10)
            return model.fit(CANDIES, sample_weight=COUNTS)

    assert fitted(theta).history_.tolist() == candies.history_.tolist()
    for strange, words in (
        ({"Bag": {1: 0.6, 3: 0.4}}, "init of 'Bag' has 1, 3 where the states of 'Bag' should be: 1, 2"),
        ({"Flavor": {1: [0.6, 0.4], 2: [0.4, 0.6]}}, r"has \[0.6, 0.4\] where the states of 'Flavor' should be"),
    ):
        with pytest.raises(ParameterError, match=words):
            fitted(strange)


def test_a_state_that_is_none_is_named_with_its_row(candies):
    strange = pd.DataFrame({"Flavor": ["lime", None, "cherry", "mint", "mint"]})
    with pytest.raises(ParameterError, match="row 4 does not fit: node 'Flavor' has no state 'mint'"):
        candies.network_.log_likelihood(strange)
