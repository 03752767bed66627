"""No derivation is circular: a trace that is a little wrong is found out, for every learner that keeps one."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone

from novacula.checks.samples import sample
from novacula.checks.trace import perturbed, unproved_fields
from novacula.checks.work import check_equations, check_work
from novacula.learner.registry import learners
from novacula.learner.showing import ShowsWork
from novacula.learner.trace import FitPath
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.state import declared

TRACED = [name for name, kind in learners().items() if "trace_" in declared(kind)]


@pytest.mark.parametrize("name", TRACED)
def test_every_kept_number_is_proved(name):
    learner = learners()[name]()
    data = sample(learner.card)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit of the sample need not come to an end
        model = clone(learner).fit(data.X, data.target)
    rows = data.take(np.arange(3)).X
    check_equations(model)
    check_equations(model, rows)
    assert unproved_fields(model, rows) == []


# --- the helper itself --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MeanTrace:
    only_drawn: ClassVar[tuple[str, ...]] = ("outline",)

    total: float
    outline: np.ndarray
    rows: np.ndarray
    path: FitPath
    words: tuple[str, ...] = ("a", "b")


class Mean(ShowsWork):
    """The mean of a few numbers, found by steps of a half of what is missing."""

    def __init__(self, numbers):
        numbers = np.asarray(numbers, float)
        states = np.zeros(4)
        for i in range(3):
            states[i + 1] = states[i] + 0.5 * (numbers.mean() - states[i])
        self.mean_, self.n_ = numbers.mean(), len(numbers)
        path = FitPath(np.arange(4), states[:, None])
        self.trace_ = MeanTrace(float(numbers.sum()), numbers, numbers, path)

    def _derive(self, options):
        values = {"S": self.trace_.total, "n": self.n_}
        rows = Equation("S", "sum(y[i] for i in _)", {"S": self.trace_.total, "y": self.trace_.rows})
        return Work("Mean", [Step("Sum", rows), Step("Mean", Equation("ȳ", "S / n", values, of=("mean_",)))])

    def _derive_answers(self, X, options):
        return self._derive(options)

    def _derive_iteration(self, iteration, options):
        before, _ = self.trace_.path.step(iteration)
        values = {"m": float(before), "ȳ": self.mean_}
        of = ("trace_", "path", "states", iteration, 0)
        return Work("Step", [Step("s", Equation("m", "m + 0.5 * (ȳ - m)", values, of=of, sign="←"))])


class CircularMean(Mean):
    """Its sum is the mean times n, so that any total would do."""

    def _derive(self, options):
        values = {"S": self.mean_ * self.n_, "n": self.n_}
        return Work("Mean", [Step("Mean", Equation("ȳ", "S / n", values, of=("mean_",)))])

    def _derive_iteration(self, iteration, options):
        state = float(self.trace_.path.at(iteration))
        of = ("trace_", "path", "states", iteration, 0)
        return Work("Step", [Step("s", Equation("m", "s / 1", {"s": state}, of=of))])


class Direct(CircularMean):
    """Without iterations."""

    _derive_iteration = ShowsWork._derive_iteration


def test_an_honest_trace_is_proved():
    model = Mean([1.0, 2.0, 4.5])
    check_work(model)
    check_work(model, iteration=1)
    assert unproved_fields(model, [[0]]) == []
    assert model.trace_.total == 7.5  # the model is as it was


def test_a_circular_sum_is_reported():
    model = CircularMean([1.0, 2.0, 4.5])
    check_work(model)
    check_work(model, iteration=1)
    assert unproved_fields(model, [[0]]) == ["trace_.total", "trace_.rows", "trace_.path.states"]
    assert unproved_fields(Direct([1.0, 2.0])) == [
        "trace_.total", "trace_.rows", "trace_.path.iterations", "trace_.path.states",
    ]  # fmt: skip


def test_each_numeric_field_is_changed_by_itself():
    trace = Mean([1.0, 2.0]).trace_
    changed = dict(perturbed(trace))
    assert list(changed) == ["trace_.total", "trace_.rows", "trace_.path.iterations", "trace_.path.states"]
    assert changed["trace_.total"].total == pytest.approx(3.0 * 1.001 + 1e-3)
    np.testing.assert_allclose(changed["trace_.rows"].rows, trace.rows * 1.001 + 1e-3)
    assert changed["trace_.rows"].total == trace.total
    assert changed["trace_.path.iterations"].path.iterations.tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(changed["trace_.path.iterations"].path.states, trace.path.states)


@dataclass(frozen=True)
class NestedTrace:
    parts: tuple[MeanTrace, ...]
    pair: tuple[float, float] = (1.0, 2.0)
    count: int = 3
    flag: bool = True
    nothing: None = None
    ragged: tuple = ((1.0,), (1.0, 2.0))
    named: Mapping[str, np.ndarray] = field(default_factory=lambda: {"x": np.ones(2), "y": np.ones(1)})


def test_nested_traces_tuples_and_counts_are_changed():
    trace = NestedTrace((Mean([1.0, 2.0]).trace_, Mean([3.0]).trace_))
    changed = dict(perturbed(trace))
    assert [part.total for part in changed["trace_.parts[].total"].parts] == pytest.approx([3.004, 3.004])
    assert changed["trace_.ragged[]"].ragged == (pytest.approx((1.002,)), pytest.approx((1.002, 2.003)))
    assert changed["trace_.named[]"].named["y"].tolist() == pytest.approx([1.002])
    assert changed["trace_.pair"].pair == pytest.approx((1.002, 2.003))
    assert changed["trace_.count"].count == 4
    assert not {"trace_.flag", "trace_.nothing", "trace_.parts[].outline", "trace_.parts[].words"} & set(changed)
