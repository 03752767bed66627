"""check_work lets an honest derivation pass and catches each way in which one can drift."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from novacula.checks.work import check_work, html_fault
from novacula.learner.figure import Figure
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation

PRIOR = Step("Prior of No", Equation("P('No')", "n_no / n", {"n_no": 5, "n": 14}, of=("class_prior_", 0)))


def tied(title, right, of, values=None, left="y"):
    return Step(title, Equation(left, right, values or {}, of=of))


@dataclass
class Learner:
    """Stands for a fitted learner: some attributes, a method, and the steps that it shows."""

    steps: list[Step]
    class_prior_: Any = field(default_factory=lambda: np.array([5 / 14, 9 / 14]))
    intercept_: float = 0.0
    tables_: dict = field(default_factory=lambda: {"Outlook": {"Sunny": np.array([[0.6, 2 / 9]])}})
    calls: int = 0

    def work(self, X=None):
        return Work("Toy", self.steps if X is None else [*self.steps, Step("of X", note=f"{len(X)} rows")])

    def predict_proba(self, X):
        self.calls += 1
        return np.full((len(X), 2), 0.5)

    def predict(self, X):
        return np.array(["yes"] * len(X))


def test_an_honest_work_passes():
    nested = tied("Sunny", "3/5", ("tables_", "Outlook", "Sunny", 0, 0))
    check_work(Learner([PRIOR, nested, Step("words only", note="fine")]))


def test_predictions_are_computed_once():
    half = tied("Posterior", "1/2", ("predict_proba", 0, 1))
    other = tied("Posterior", "1/2", ("predict_proba", 2, 0))
    learner = Learner([half, other])
    check_work(learner, X=[[0]] * 3)
    assert learner.calls == 1


def test_attributes_of_attributes_are_found():
    learner = Learner([tied("Rows", "2", ("class_prior_", "size"))])
    check_work(learner)


@pytest.mark.parametrize("drift", [1e-3, 1e-8, math.inf])
def test_a_model_that_moved_on_is_caught(drift):
    learner = Learner([PRIOR])
    learner.class_prior_ = learner.class_prior_ + drift
    with pytest.raises(AssertionError, match=r"step 0 of the work of Learner, 'Prior of No', has .* class_prior_.0 of"):
        check_work(learner)


@pytest.mark.parametrize("scale", [1, 1e-30, 1e30])
def test_arithmetic_that_does_not_come_to_its_result_is_caught(scale):
    values = {"c": 2 * scale * (1 + 1e-8), "a": 2, "b": scale}
    wrong = Step("Wrong", Equation("c", "a * b", values))
    with pytest.raises(AssertionError, match=r"'Wrong', has an equation of c that says .* come to"):
        check_work(Learner([PRIOR, wrong]))


def test_arithmetic_that_has_no_value_is_caught():
    with pytest.raises(AssertionError, match=r"'Nowhere', .* has no value: .*division by zero"):
        check_work(Learner([PRIOR, Step("Nowhere", Equation("y", "1 / n", {"n": 0}))]))


def test_false_chains_and_inequalities_are_caught():
    chain = Step("Chain", Equation("y", ("a + b", "a - b"), {"a": 1, "b": 2}))
    with pytest.raises(AssertionError, match="says a \\+ b = a - b"):
        check_work(Learner([PRIOR, chain]))
    bound = Step("Bound", Equation("a", "b", {"a": 3, "b": 2}, sign="≤"))
    with pytest.raises(AssertionError, match=r"says that 3\.0 ≤ 2\.0"):
        check_work(Learner([PRIOR, bound]))


def test_a_wrong_conclusion_is_caught():
    of = ("predict", 0)
    right = Equation("class", "argmax(p[c] for c in _)", {"p": {"no": 0.2, "yes": 0.8}}, of=of, therefore=True)
    wrong = Equation("class", "argmin(p[c] for c in _)", {"p": {"no": 0.2, "yes": 0.8}}, of=of, therefore=True)
    check_work(Learner([Step("So", right)]), X=[[0]])
    with pytest.raises(AssertionError, match=r"'no', but predict.0 of the model is 'yes'"):
        check_work(Learner([Step("So", wrong)]), X=[[0]])


def test_arrays_are_compared():
    check_work(Learner([tied("All", "w / 14", ("class_prior_",), {"w": [5, 9]}, "p")]))
    with pytest.raises(AssertionError, match="class_prior_ of the model is"):
        check_work(Learner([tied("All", "w / 14", ("class_prior_",), {"w": [5, 8]}, "p")]))


def test_a_name_with_two_meanings_is_caught():
    steps = [
        Step("one", Equation("y", "a", {"a": 1}, where={"a": "apples"})),
        Step("two", Equation("y", "a", {"a": 1}, where={"a": "pears"})),
    ]
    with pytest.raises(AssertionError, match="'two', calls a 'pears', which was 'apples' before"):
        check_work(Learner([PRIOR, *steps]))


def test_noise_where_terms_cancel_is_no_drift():
    values = {"y": 3e5, "slope": 0.1, "x": 3e6}
    step = tied("Intercept", "y - slope * x", ("intercept_",), values, "b")
    check_work(Learner([step], intercept_=5.8e-11))
    with pytest.raises(AssertionError, match="intercept_ of the model is"):
        check_work(Learner([step], intercept_=1e-5))


def test_infinite_results_are_compared():
    step = tied("Log of nothing", "log(p)", ("intercept_",), {"p": 0})
    check_work(Learner([step], intercept_=-math.inf))
    with pytest.raises(AssertionError, match="intercept_ of the model is 0"):
        check_work(Learner([step]))


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (("coef_", 0), "no attribute 'coef_'"),
        (("class_prior_", 7), "out of bounds"),
        (("tables_",), "gives no number"),
        (("tables_", "Wind"), "'Wind'"),
        (("predict", 0), "could not convert"),
    ],
)
def test_a_tie_to_nothing_is_caught(of, message):
    step = tied("Lost", "1/2", of)
    with pytest.raises(AssertionError, match=rf"'Lost', is tied to .*{message}"):
        check_work(Learner([step]), X=[[0]])


def test_a_method_needs_rows():
    step = tied("Posterior", "1/2", ("predict_proba", 0, 1))
    with pytest.raises(AssertionError, match="no X to call it on"):
        check_work(Learner([step]))


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([], "holds arithmetic"),
        ([Step("words", Equation("P(c)", "n_c / n"))], "holds arithmetic"),
        ([Step("free", Equation("y", "1 + 1", {}))], "tied to the model"),
    ],
)
def test_a_work_without_arithmetic_or_ties_is_caught(steps, message):
    with pytest.raises(AssertionError, match=message):
        check_work(Learner(steps))


def test_what_is_no_work_is_caught():
    learner = Learner([])
    learner.work = lambda: "a string"
    with pytest.raises(AssertionError, match="gives str, not a Work"):
        check_work(learner)


def test_latex_with_other_characters_is_caught(monkeypatch):
    monkeypatch.setattr(Work, "to_latex", lambda self: "σ")
    with pytest.raises(AssertionError, match="other characters than printable ASCII"):
        check_work(Learner([PRIOR]))


class Hostile(Figure):
    def svg(self):
        return self.alt


@pytest.mark.parametrize(
    ("svg", "message"), [("<svg><g></svg>", "</svg> is where </g> should be"), ("<SCRIPT></SCRIPT>", "a script")]
)
def test_bad_html_is_caught(svg, message):
    step = Step("Picture", figure=Hostile(lambda axes: None, alt=svg))
    with pytest.raises(AssertionError, match=message):
        check_work(Learner([PRIOR, step]))


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<p>a<br>b<img src='x'/></p>", None),
        ("<svg><path d=''/></svg>", None),
        ("<p><b></p></b>", "</p> is where </b> should be"),
        ("</p>", "</p> is where nothing should be"),
        ("<p>", "<p> is never closed"),
    ],
)
def test_html_fault(page, fault):
    assert html_fault(page) == fault
