"""What a workload is: data of stated sizes, contenders that do the same work, and a test that they did.

    Race     contenders at each of its sizes; the first contender is ours
    Growth   one contender at several sizes: how time and memory grow
    Probe    single figures, each with its goal
    Survey   the same measurement of many subjects, such as all learners

To add a workload, put a file with a subclass into `workloads/`. The process that starts all others imports
it and must stay small, so libraries are imported inside of functions.
"""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

Size: TypeAlias = Mapping[str, int]
Data: TypeAlias = dict[str, Any]

SHORT: Mapping[str, Sequence[str]] = {
    "growth": ("growth_curves", "growth_of_memory"),
    "kde": ("kernel_density",),
    "knn": ("k_neighbors",),
}
"""Short words for files of workloads."""


def as_it_is(data: Data) -> Data:
    """Nothing to make ready: the data are what a contender is given."""
    return data


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to do the work: `run` is timed and its answer compared; `ready`, untimed, makes what it takes.

    A `bound` does a part of the work that nobody can leave out, such as reading: it has no answer to compare.
    `goal` is the ratio of a rival's time to ours that we want, and `because` says, where it is missed, what takes
    the time by a profile and what was tried.
    """

    name: str
    package: str  # what must be installed
    run: Callable[[Any], Any]
    ready: Callable[[Data], Any] = as_it_is
    bound: bool = False
    goal: float | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether an answer is as good as ours, and in a few words how they compare."""

    close: bool
    words: str


@dataclass(frozen=True, slots=True)
class Limit:
    """What no program can avoid: bytes to be read, and floating-point operations."""

    bytes: float
    flops: float = 0.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One number, natural sign: lower is better, and at most `goal` is wanted where there is one."""

    name: str
    value: float
    unit: str
    goal: float | None = None

    @property
    def met(self) -> bool:
        """Whether the goal is reached."""
        return self.goal is None or self.value <= self.goal


class Workload(ABC):
    """Something to measure, by name."""

    name: ClassVar[str]
    title: ClassVar[str]

    @property
    def file(self) -> str:
        """The name of its file, by which it can be selected too."""
        return type(self).__module__.rpartition(".")[2]


class Race(Workload):
    """Contenders that give the same answer to the same data."""

    full: ClassVar[Sequence[Size]]
    quick: ClassVar[Sequence[Size]]

    @abstractmethod
    def data(self, size: Size, folder: Path) -> Data:
        """Make seeded data: arrays, sparse matrices and plain values, such as paths of files."""

    @abstractmethod
    def contenders(self) -> Sequence[Contender]:
        """Ours first."""

    @abstractmethod
    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """Compare two answers; a time counts only if they are equally good."""

    @abstractmethod
    def limit(self, data: Data) -> Limit:
        """What the machine has to do at the very least."""


class Growth(Race):
    """One contender, ours, at several sizes: `along` is the part of the size that grows."""

    along: ClassVar[str] = "rows"
    memory_exponent: ClassVar[float | None] = None
    """The largest exponent that peak memory may have, where it is promised."""

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """There is nobody to compare with."""
        return Agreement(True, "")


class Probe(Workload):
    """Figures without rivals."""

    @abstractmethod
    def figures(self, rounds: int) -> list[Figure]:
        """Measure each figure this many times and give the medians."""


class Survey(Workload):
    """One measurement of many subjects, each in a process of its own."""

    kind: ClassVar[str]
    """The part of the results that it fills."""

    @abstractmethod
    def subjects(self, quick: bool) -> Sequence[str]:
        """What is measured, by name; some of it will do for a quick run."""

    @abstractmethod
    def measure(self, subject: str, quick: bool) -> dict[str, Any]:
        """What was measured of a subject, as JSON can hold it."""

    @abstractmethod
    def line(self, measured: dict[str, Any]) -> str:
        """That in one line, for whoever watches."""


def same_numbers(ours: Mapping[str, Any], theirs: Mapping[str, Any], rtol: float) -> Agreement:
    """Compare arrays by name; the gap of each is relative to its largest entry."""
    import numpy as np

    gaps = []
    for name, mine in ours.items():
        other = np.asarray(theirs[name])
        if np.shape(mine) != other.shape:
            return Agreement(False, f"{name} has shape {other.shape} instead of {np.shape(mine)}")
        gaps.append(np.abs(mine - other).max() / np.abs(other).max())
    gap = np.max(gaps)  # NaN, where there is one, and then nothing agrees
    return Agreement(bool(gap <= rtol), f"equal to {gap:.0e}")


def same_labels(ours: Any, theirs: Any, share: float = 0.99999) -> Agreement:
    """Compare predicted classes; rounding may turn a row on the border."""
    equal = float((ours == theirs).mean())
    return Agreement(equal >= share, "the same classes" if equal == 1.0 else f"{equal:.5%} the same classes")


def find_workloads() -> list[Workload]:
    """Every workload of the folder, in the order of files and of classes in them."""
    from benchmarks import workloads

    modules = sorted(module.name for module in pkgutil.iter_modules(workloads.__path__))
    every = []
    for module in (import_module(f"benchmarks.workloads.{name}") for name in modules):
        classes = [value for value in vars(module).values() if isinstance(value, type)]
        every += [
            c() for c in classes if issubclass(c, Workload) and c.__module__ == module.__name__ and "name" in vars(c)
        ]
    return every


def select(workloads: Iterable[Workload], only: Sequence[str]) -> list[Workload]:
    """The workloads with these names, files or short words; all, where none is named."""
    every = list(workloads)
    known = {word for workload in every for word in (workload.name, workload.file)} | SHORT.keys()
    unknown = [word for word in only if word not in known]
    if unknown:
        raise ValueError(f"there is no workload {unknown[0]!r}; there are {', '.join(sorted(known))}")
    wanted = {full for word in only for full in SHORT.get(word, [word])}
    return [w for w in every if not only or w.name in wanted or w.file in wanted]


def named(name: str) -> Workload:
    """The workload of this name."""
    return next(workload for workload in find_workloads() if workload.name == name)


def describe(size: Size) -> str:
    """A size in words, round numbers short: 2M rows, 30 columns."""
    return ", ".join(f"{short(value)} {name}" for name, value in size.items())


def short(value: int) -> str:
    """A number in few letters where it is round: 2M, 2.7M, 50k."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= unit and value % (unit // 10) == 0:
            return f"{value / unit:g}{letter}"
    return f"{value:,}"
