"""What a trained network remembers of its training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from novacula.learner.trace import FitPath
from novacula.state import State, flag, floats, number, one_of, record, text, whole, wholes
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
class NetworkTrace:
    """What a fit keeps so that its updates can be derived: at most 32 showings, and 25 states of a small network.

    Where there are more rows, it is the first update alone, with the first 20 showings of its batch; of a large
    network, or one whose weights are tied, the first showings only.
    """

    state: ClassVar[State] = {
        "rows": floats("examples", "inputs"),
        "targets": one_of(floats("examples", "outputs"), floats("examples", "priced")),
        "shares": floats("examples", least=0.0),
        "batch": whole(least=1),
        "share": number(above=0.0),
        "updates": whole(),
        "rest": floats("rest"),
        "path": record(FitPath),
        "orders": wholes("epochs", "any"),
        "steps": floats("steps"),
        "by_epoch": flag(),
    }

    rows: Floats  # (m, d), as shown
    targets: Floats  # (m, k), the outputs wanted for them, or (m, k + k·d) with slopes behind them
    shares: Floats  # (m,), with which they count
    batch: int  # showings of a batch, at most
    share: float  # the mean share of all showings
    updates: int  # that were made before the path begins, by earlier pieces
    rest: Floats  # (P,), the sum of share · δ · input over the rest of the first batch; empty where there is none
    path: FitPath  # of the weights, and of what the rule remembers, by epoch, or before and after the first update
    orders: npt.NDArray[np.int64]  # (kept, m), of the showings in each epoch of the path; none where one batch is all
    steps: Floats  # (kept,), the factor of the direction of solver "batch"
    by_epoch: bool  # whether all showings are there, and the path is that of the epochs

    def wanted(self, k: int) -> Floats:
        """The outputs that are wanted (m, k), of which there are k."""
        return self.targets[:, :k]

    def slopes(self, k: int) -> Floats | None:
        """The slopes that were given (m, k, d), if they were."""
        given = self.targets[:, k:]
        return given.reshape(len(given), k, -1) if given.shape[1] else None

    def fits(self, n_parameters: int, k: int) -> bool:
        """Whether its parts are those of a network of so many weights and k outputs; they may come from a file."""
        kept, m = len(self.path.iterations), len(self.rows)
        return (
            self.targets.shape[1] in (k, k + k * self.rows.shape[1])
            and len(self.rest) in (0, n_parameters)
            and (kept == 0 or self.path.states.shape[1] in (n_parameters, 2 * n_parameters, 3 * n_parameters))
            and self.orders.shape in ((0, m), (kept, m))
            and bool((self.orders < m).all())
            and len(self.steps) in (0, kept)
            and (kept > 1 or not self.by_epoch)
        )


@dataclass(frozen=True, eq=False)
class TrainingEnd:
    """The end of a training: the weights that can be chosen, and the way to them."""

    theta: npt.NDArray[Any]
    history: tuple[float, ...]
    held_out: tuple[float, ...]
    start: Start
    trace: Callable[[], NetworkTrace]  # what is kept of the way, made if this is the training that counts

    @property
    def is_finite(self) -> bool:
        """Whether it did not diverge."""
        return bool(np.isfinite(self.start.loss))
