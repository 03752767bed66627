"""What scikit-learn, NumPy and Arrow refuse, said by our own errors: a caller has one family of them to catch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from novacula.errors import DataError, InputTypeError


@contextmanager
def in_our_words() -> Iterator[None]:
    """Around checks of what was passed, which other libraries make: their sentence stays, its type becomes ours."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        if type(error).__module__ == DataError.__module__:
            raise
        sentence = " ".join(str(error).split())
        if isinstance(error, TypeError):
            raise InputTypeError(sentence) from error
        raise DataError(sentence) from error
