"""A fitted model shows itself at once: whoever looks at it, a notebook or `dir`, reads each of its attributes.

So none may raise, and none may go over the rows: what has to be computed is a method.
"""

from __future__ import annotations

import sys
import tracemalloc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from novacula.checks.samples import sample
from novacula.checks.verdict import require
from novacula.compiling import CompiledKernel
from novacula.learner.base import Learner

ROWS = 60
REPEATED = 4
"""How often the larger of two fits has each row of the smaller: the model is the same, and its rows are more."""
FREE_CALLS, FREE_BYTES = 40, 40_000
"""What any attribute may take."""
ADVICE = "a notebook reads every attribute, so make it a method"


@dataclass
class ReadingEffort:
    """What it takes to read an attribute: calls of functions, those among them of kernels, and bytes at one time."""

    calls: int = 0
    kernels: int = 0
    bytes: int = 0

    def count(self, frame: Any, event: str, argument: Any) -> None:
        """Count a call, for `sys.setprofile`."""
        self.calls += event in ("call", "c_call")
        self.kernels += event == "call" and frame.f_code is CompiledKernel.__call__.__code__


@contextmanager
def measured(effort: ReadingEffort) -> Iterator[None]:
    """Count what is done inside."""
    earlier = sys.getprofile()
    tracemalloc.start()
    sys.setprofile(effort.count)
    try:
        yield
    finally:
        sys.setprofile(earlier)
        effort.bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


def check_display(learner: Learner) -> None:
    """No attribute of a fitted model may raise when it is read, nor cost more where there are more rows."""
    data = sample(learner.card, n=ROWS)
    repeated = data.take(np.tile(np.arange(ROWS), REPEATED))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a learner may well doubt rows that come four times
        few = clone(learner).fit(data.X, data.target)
        many: Any = clone(learner).fit(repeated.X, repeated.target)
    before = efforts(few)
    for name, effort in efforts(many).items():
        fewer = before.get(name, ReadingEffort())
        require(not effort.kernels, f"reading {name} runs a compiled loop: {ADVICE}")
        grows = effort.calls > max(FREE_CALLS, 2 * fewer.calls)
        require(not grows, f"reading {name} calls {effort.calls} functions, the more the more rows there are: {ADVICE}")
        grows = effort.bytes > max(FREE_BYTES, 2 * REPEATED * fewer.bytes)
        require(not grows, f"reading {name} takes {effort.bytes:,} bytes, as the square of the rows: {ADVICE}")
    require("<div" in many._repr_html_(), "the model does not show itself in a notebook")


def efforts(model: Any) -> dict[str, ReadingEffort]:
    """What it takes to read each attribute of a model, once modules have been imported."""
    found = {}
    for name in object.__dir__(model):
        try:
            getattr(model, name)
        except AttributeError:  # there is none
            continue
        except Exception as error:
            raise AssertionError(f"reading {name} raises a {type(error).__name__}, {error}: {ADVICE}") from error
        found[name] = ReadingEffort()
        with measured(found[name]):
            getattr(model, name)
    return found
