"""What can be attacked: a target makes hostile inputs as files, and tries what the library does with such a file."""

from __future__ import annotations

import re
import traceback
from abc import ABC, abstractmethod
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

TARGETS = ("models", "tables", "arrays")
"""The modules of targets; each has a class `Target`."""


class FuzzTarget(ABC):
    """A way into the library. An input is a file, so that one that hurt can be kept and tried again."""

    def __init__(self, prepared: Path | None = None) -> None:
        self.prepared = prepared  # the folder that `prepare` has filled

    @staticmethod  # noqa: B027  (most targets need nothing)
    def prepare(folder: Path) -> None:
        """Write what attempts need, in a process whose kernels do not check their bounds."""

    @abstractmethod
    def ready(self) -> None:
        """Have compiled and loaded what attempts need, before time and memory are counted."""

    @abstractmethod
    def write(self, random: np.random.Generator, folder: Path) -> Path:
        """Write one hostile input into an empty folder, by the given random numbers and nothing else."""

    @abstractmethod
    def attempt(self, path: Path) -> str:
        """Try an input, and say in a word or two how it ended; raise if the library misbehaved.

        The library's own errors are to be caught here, where that is a good end. Everything that gets out is a find:
        `Misbehaviour` with a sentence, or any other exception.
        """


class Misbehaviour(Exception):  # noqa: N818  (it is the library's, not the harness's)
    """The library took an input and did what it must not: the sentence says what."""


def target_class(name: str) -> type[FuzzTarget]:
    """The class of a module's target."""
    if name not in TARGETS:
        raise SystemExit(f"there is no target {name!r}: the targets are {', '.join(TARGETS)}")
    kind: type[FuzzTarget] = import_module(f"fuzz.{name}").Target
    return kind


SCIKIT_LEARNS = re.compile(r"The feature names should match|X has \d+ features?, but")
"""How sentences begin that scikit-learn's protocol asks its estimators for, in these words and by its own checks."""


def is_ours(error: BaseException) -> bool:
    """Whether an exception is one of the library's own, or of scikit-learn's protocol: a sentence for its users."""
    from sklearn.exceptions import NotFittedError

    ours = type(error).__module__ == "novacula.errors" or isinstance(error, NotFittedError)
    return ours or (isinstance(error, ValueError) and SCIKIT_LEARNS.match(str(error)) is not None)


def describe(error: BaseException) -> str:
    """An exception with the line of the library that raised it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "novacula" in frame.filename]
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {str(error)[:200]}{place}"


def pick(random: np.random.Generator, options: Any) -> Any:
    """One of several, as they are: NumPy's `choice` would make an array of them."""
    return options[int(random.integers(len(options)))]


def kept_inputs(name: str) -> list[Path]:
    """The inputs of a target that hurt once."""
    return sorted((Path(__file__).parent / "finds" / name).glob("*"))
