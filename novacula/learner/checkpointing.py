"""Checkpoints of long fits: `with checkpoint(folder):` a fit that is killed goes on where it was, to the same digits.

A fit keeps what each of its passes over the rows came to. Started again, it is given these results in their order and
makes the steps between them once more, which takes little time, since they are functions of statistics and not of rows.
So every learner has checkpoints as it is, whatever it remembers between passes. Random numbers come from its seed, or
from one that is drawn for the fit and kept with the checkpoint.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from novacula.arguments import nonnegative_number
from novacula.errors import DataError, InputTypeError, ParameterError, SchemaError
from novacula.table.recording import recording


@dataclass
class CheckpointFolder:
    """Where the fits of a block keep their checkpoints: each in a folder named by its place among them."""

    path: Path
    every: float
    n_fits: int = 0

    def next_fit(self) -> Path:
        """The folder of the fit that begins now."""
        self.n_fits += 1
        return self.path / f"fit-{self.n_fits}"


_folder: ContextVar[CheckpointFolder | None] = ContextVar("novacula_checkpoint_folder", default=None)


@contextmanager
def checkpoint(folder: str | os.PathLike[str], *, every: float = 1.0) -> Iterator[None]:
    """Within the block fits keep checkpoints in a folder, and go on from those that they find there.

    Parameters
    ----------
    folder : is made if it is not there; a fit that has finished leaves nothing in it
    every : seconds between two writes, at least; what a kill can cost is this, and the pass that was under way

    Fits are numbered in the order in which they begin; fits within a fit are part of it. A checkpoint belongs to one
    learner with its parameters, one table and one version of the library: for any other fit it is refused. Threads and
    processes that are started within the block keep none.

    Examples
    --------
    >>> import tempfile
    >>> import novacula as nv
    >>> with tempfile.TemporaryDirectory() as folder, nv.checkpoint(folder):
    ...     model = nv.mixture.GaussianMixture(3, random_state=0).fit(nv.datasets.load("iris"))
    >>> model.converged_
    True
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise InputTypeError(f"a folder of checkpoints is named by a path, not by a {type(folder).__name__}")
    opened = CheckpointFolder(Path(folder), nonnegative_number(every, "every"))
    before = _folder.set(opened)
    try:
        yield
    finally:
        _folder.reset(before)
        with suppress(OSError):  # other things are in it
            opened.path.rmdir()


@contextmanager
def without_checkpoints() -> Iterator[None]:
    """A block whose fits keep none."""
    before = _folder.set(None)
    try:
        yield
    finally:
        _folder.reset(before)


@contextmanager
def kept_up(learner: Any, table: Any, more: Any) -> Iterator[None]:
    """A fit, from its table and what else it was given: in a block with checkpoints, one that can go on."""
    folder = _folder.get()
    if folder is None:
        yield
        return
    from novacula.learner.fit_journal import FitJournal

    journal = FitJournal(folder.next_fit(), learner, table, more, folder.every)
    try:
        with without_checkpoints(), seeded(learner, journal.seed), recording(journal):
            yield
    except (DataError, SchemaError, ParameterError):  # it would end in the same way again
        journal.remove()
        raise
    except BaseException:
        journal.flush()
        raise
    journal.remove()


@contextmanager
def seeded(learner: Any, seed: int) -> Iterator[None]:
    """Have a learner, and those inside it, draw by a seed where random_state=None would draw other numbers."""
    parameters = learner.get_params(deep=True)
    unseeded = [name for name in parameters if name.rpartition("__")[2] == "random_state" and parameters[name] is None]
    learner.set_params(**dict.fromkeys(unseeded, seed))
    try:
        yield
    finally:
        learner.set_params(**dict.fromkeys(unseeded))
