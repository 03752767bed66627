"""What can go wrong, as types: each error is one sentence that says what, where and what to do."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class DataError(ValueError):
    """The data cannot be used as they are: the message names file, column and row where they are known."""


class EncodingError(DataError):
    """A byte is not of the encoding that a file was taken to be in."""

    def __init__(self, sentence: str, path: str) -> None:
        super().__init__(sentence)
        self.path = path

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (str(self), self.path)


def overflow(column: str) -> DataError:
    """The error of a column that is finite, but too large to be squared."""
    return DataError(f"column {column!r} holds numbers whose squares overflow: scale it")


class SchemaError(ValueError):
    """Columns, kinds or roles do not fit what was asked for."""


class ParameterError(ValueError):
    """A parameter has a value that makes no sense."""


class InputTypeError(TypeError):
    """An argument is of a type that is not taken."""


class ModelFileError(ValueError):
    """A model file is damaged, hostile, or of a version that is not known."""


class ExportError(ValueError):
    """A model cannot be written in a format: the message says why, and which formats can hold it."""


class ClusterError(ValueError):
    """A partition could not be worked on by the cluster: the message names it."""


class WriteError(OSError):
    """A file could not be written, since there is no room for it: what was there before is as it was."""


class MissingFolderError(FileNotFoundError):
    """A file could not be written, since there is no folder of that name."""


class CheckpointError(ValueError):
    """A folder of checkpoints cannot be used for this fit."""


class CheckpointWarning(UserWarning):
    """A fit goes on, but not all that it does can be kept, or was kept, in its checkpoint."""


class KernelCacheWarning(UserWarning):
    """Compiled kernels cannot be kept for the next process."""


class DataWarning(UserWarning):
    """The data were used, but something about them should be known."""


class UnseenCategoryWarning(DataWarning):
    """A column holds categories that were not there at fit; they are treated as missing."""


class ScaleWarning(DataWarning):
    """Columns of wildly different sizes, where a learner measures distances or lengths across all of them."""


class RankWarning(UserWarning):
    """A linear system is under-determined or too ill-conditioned for all digits to be trusted."""


_said: ContextVar[set[str] | None] = ContextVar("said", default=None)


@contextmanager
def warned_once(said: set[str]) -> Iterator[None]:
    """Say nothing that was said before: for parts that look at the same rows, and would each say the same of them."""
    token = _said.set(said)
    try:
        yield
    finally:
        _said.reset(token)


def warn_user(sentence: str, category: type[Warning]) -> None:
    """Warn at the line that called the library, however deep inside it something was noticed."""
    if (said := _said.get()) is not None:
        if sentence in said:
            return
        said.add(sentence)
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(sentence, category, stacklevel=depth)
