"""What a trained network remembers of its training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from novacula.state import State, flag, floats, number, text, whole
from novacula.table.chunk import Floats


@dataclass(frozen=True, eq=False)
class TrainingCurve:
    """The objective by epoch, and the loss of rows that were held out, which is empty where there were none.

    With `sgd` and `adam` the loss of an epoch is that of each batch before its step. The other solvers begin with
    the objective of the start.
    """

    state: ClassVar[State] = {
        "train": floats("epochs"),
        "validation": floats("epochs_with_rows_held_out", finite=False),  # rows that are not learned may be far off
    }

    train: Floats
    validation: Floats


@dataclass(frozen=True)
class Start:
    """How one of the random starts ended; a loss that is infinite says that it diverged."""

    state: ClassVar[State] = {
        "loss": number(finite=False),
        "n_iter": whole(),
        "converged": flag(),
        "sentence": text(),
    }

    loss: float
    n_iter: int
    converged: bool
    sentence: str


@dataclass(frozen=True, eq=False)
class FirstShowings:
    """The first rows that the network was taught, as shown (m, d), and the outputs wanted for them (m, k)."""

    state: ClassVar[State] = {"rows": floats("examples", "inputs"), "targets": floats("examples", "outputs")}

    rows: Floats
    targets: Floats


@dataclass(frozen=True, eq=False)
class TrainingEnd:
    """The end of a training: the weights that can be chosen, and the way to them."""

    theta: npt.NDArray[Any]
    history: tuple[float, ...]
    held_out: tuple[float, ...]
    start: Start

    @property
    def is_finite(self) -> bool:
        """Whether it did not diverge."""
        return bool(np.isfinite(self.start.loss))
