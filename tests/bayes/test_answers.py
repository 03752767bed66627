"""Hypotheses that are written down, four ways to answer, description lengths, and the pictures of belief."""

import itertools
import math

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from novacula.bayes import BayesOptimalClassifier, GibbsClassifier, Posterior
from novacula.checks import check_work
from novacula.concept import ConjunctiveSpace
from novacula.errors import DataError, InputTypeError, ParameterError

SAYS = {"h1": {"x": "+"}, "h2": {"x": "-"}, "h3": lambda instance: "-"}
BAGS = {f"h{i + 1}": {"lime": p, "cherry": 1 - p} for i, p in enumerate([0, 0.25, 0.5, 0.75, 1])}
SHARES = [0.1, 0.2, 0.4, 0.2, 0.1]


def _three():
    return Posterior(SAYS, prior=[0.4, 0.3, 0.3], classes=["+", "-"])


def _panels(figure):
    canvas = Canvas()
    figure.draw(canvas.add_subplot())
    return canvas.axes


def test_the_vote_differs_from_the_most_probable_hypothesis():
    found = _three().compare(["x"])
    assert found.answers == {"MAP": "+", "ML": "+", "Bayes-optimal": "-"}
    assert found.errors == pytest.approx({"MAP": 0.6, "ML": 0.6, "Bayes-optimal": 0.4, "Gibbs": 0.48})
    assert found.votes.tolist() == pytest.approx([0.4, 0.6])
    check_work(found)
    text = found.work().to_text()
    assert "E_Gibbs ≤ 2 · Eₒₚₜ" in text
    assert "0.48 ≤ 0.8" in text


def test_classifiers_take_hypotheses_that_are_written_down():
    assert BayesOptimalClassifier(_three()).fit().predict(["x"]).tolist() == ["-"]
    assert GibbsClassifier(_three()).fit().vote_shares(["x"]).tolist() == [pytest.approx([0.4, 0.6])]
    check_work(_three(), ["x"])


def test_examples_rule_written_hypotheses_out():
    rules = {"odd": lambda n: n % 2 == 1, "small": lambda n: n < 3, "often": lambda n: {True: 0.75, False: 0.25}}
    after = Posterior(rules, classes=[False, True]).update(([1, 5], [True, True]))
    assert after.probabilities == pytest.approx({"odd": 1 / 1.5625, "small": 0.0, "often": 0.5625 / 1.5625})
    assert not after.compare([2]).is_bounded


def test_expected_errors_are_those_of_every_truth_and_draw():
    rng = np.random.default_rng(3)
    for _ in range(20):
        said = rng.integers(0, 3, 5)
        weights = rng.dirichlet(np.ones(5))
        hypotheses = {f"h{i}": {"x": "abc"[k]} for i, k in enumerate(said)}
        found = Posterior(hypotheses, prior=weights, classes=["a", "b", "c"]).compare(["x"])
        pairs = itertools.product(range(5), repeat=2)  # the truth, and the hypothesis that is drawn
        assert found.errors["Gibbs"] == pytest.approx(
            sum(weights[i] * weights[j] * (said[i] != said[j]) for i, j in pairs)
        )
        least = min(sum(weights[said != k]) for k in range(3))
        assert found.errors["Bayes-optimal"] == pytest.approx(least)
        assert found.errors["Gibbs"] <= 2 * least + 1e-12
        check_work(found, drawn=False)


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (lambda: Posterior({"h": {"x": "?"}}, classes=["+", "-"]).predict(["x"]), DataError, "which is none of"),
        (lambda: Posterior({"h": {"x": "+"}}, classes=["+", "-"]).predict(["y"]), DataError, "says nothing of 'y'"),
        (lambda: Posterior({"h": "+"}, classes=["+", "-"]), InputTypeError, "a mapping or a function"),
        (lambda: Posterior(SAYS, classes="+-"), InputTypeError, "a sequence of labels"),
        (lambda: Posterior(SAYS, classes=["+", "+"]), ParameterError, "stands twice"),
        (lambda: Posterior(SAYS, classes=["+"], density=True), ParameterError, "leave likelihood and density out"),
        (lambda: _three().predict("x"), InputTypeError, "put 'x' in a list"),
        (lambda: _three().compare(["x", "x"]), DataError, "for one instance, and there are 2"),
        (lambda: Posterior(BAGS).compare(["lime"]), ParameterError, "give classes"),
        (lambda: _three().plot("x"), ParameterError, "plot takes no x"),
    ],
)
def test_what_cannot_be_compared_is_said(make, error, sentence):
    with pytest.raises(error, match=sentence):
        make()


def test_it_is_said_that_the_first_of_equals_answers():
    """Before any data all likelihoods are 1, so that maximum likelihood has no answer of its own."""
    tie = "3 of 3 hypotheses share the first place and do not agree: the first answers."
    notes = {step.title: step.note for step in _three().compare(["x"]).work()}
    assert notes["ML answers +"] == tie
    assert notes["MAP answers +"] == ""
    seen = Posterior(SAYS, classes=["+", "-"]).update((["x"], ["-"])).compare(["x"])
    assert all(tie[8:] not in step.note for step in seen.work())


# --- likelihoods and bits


def test_likelihoods_are_products_of_factors():
    coins = Posterior({"H1": {0: 0.2, 1: 0.8}, "H2": {0: 0.6, 1: 0.4}}).update([0, 0, 1, 0, 1])
    assert "= 0.2 × 0.2 × 0.8 × 0.2 × 0.8 = 0.00512" in coins.work().to_text()
    assert coins.probabilities == pytest.approx({"H1": 0.129032, "H2": 0.870968}, abs=1e-6)
    limes = Posterior(BAGS, SHARES).update(["lime"] * 10)
    check_work(limes)
    text = limes.work().to_text()
    assert "0.5¹⁰ = 0.000976562" in text
    assert "= h5" in text
    mixed = Posterior(BAGS, SHARES).update(["lime", "cherry"] * 6)
    check_work(mixed, drawn=False)
    assert "0.25⁶ × 0.75⁶" in mixed.work().to_text()


def test_the_shortest_description_is_the_most_probable_hypothesis():
    after = Posterior(BAGS, SHARES).update(["lime"] * 3)
    bits = after.description_lengths
    assert bits["h5"] == pytest.approx(-math.log2(0.1))
    assert bits["h4"] == pytest.approx(-math.log2(0.2) - 3 * math.log2(0.75))
    assert bits["h1"] == math.inf
    assert min(bits, key=bits.get) == after.map()
    assert "h_MDL" in after.work().to_text()
    long = Posterior(BAGS, SHARES).update(["lime", "cherry"] * 2000)
    check_work(long, drawn=False)
    assert min(long.description_lengths, key=long.description_lengths.get) == long.map() == "h3"


# --- pictures


def test_the_prediction_is_drawn_beside_the_posteriors():
    left, right = _panels(Posterior(BAGS, SHARES).update(["lime"] * 10).plot("lime"))
    assert len(left.lines) == 5
    line = right.lines[0].get_ydata()
    assert line[[0, 1, 2, 3, 10]] == pytest.approx([0.5, 0.65, 0.730769, 0.796053, 0.973031], abs=1e-6)


def test_belief_update_by_update():
    space = ConjunctiveSpace({"Sky": ["Sunny", "Rainy"], "Wind": ["Strong", "Weak"]})
    first = Posterior(space).update(([("Sunny", "Weak")], [True]))
    both = first.update(([("Rainy", "Weak")], [False]))
    panels = _panels(both.plot_stages())
    heights = [np.array([bar.get_height() for bar in panel.patches]) for panel in panels]
    assert [panel.get_title() for panel in panels] == ["P(h)", "P(h | D₁)", "P(h | D₁, D₂)"]
    assert [int((h > 0).sum()) for h in heights] == [10, 4, 2]
    assert all(h.sum() == pytest.approx(1) for h in heights)
    assert both.description_lengths[space.conjunction("Sunny", "?")] == pytest.approx(math.log2(10))
    check_work(both)
    bags = Posterior(BAGS, SHARES)
    for _ in range(6):
        bags = bags.update(["lime"])
    assert [panel.get_title() for panel in _panels(bags.plot_stages())][1:] == [
        "P(h | D₁, …, D₄)",
        "P(h | D₁, …, D₅)",
        "P(h | D₁, …, D₆)",
    ]


def test_a_space_too_large_to_draw_is_said():
    with pytest.raises(ParameterError, match="no more than 1000 can be drawn"):
        Posterior(ConjunctiveSpace({f"x{i}": [0, 1] for i in range(60)})).plot_stages()
