"""Labels of rows in memory: words, whole numbers, or true and false, all of one kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from novacula.errors import DataError
from novacula.learner.in_our_words import in_our_words
from novacula.learner.plain_arrays import checked_labels
from novacula.table.chunk import Codes
from novacula.table.distinct import close_from, distinct
from novacula.table.encode import refused_target
from novacula.words import quoted

TARGET = "y"
KINDS: dict[str, tuple[type, ...]] = {
    "words": (str,),
    "true and false": (bool, np.bool_),
    "numbers": (int, float, np.integer, np.floating),
}
"""What labels can be; a value belongs to the first kind that has its type."""


@in_our_words()
def labels_of(y: Any, X: Any, classes: Any = None) -> tuple[Any, Codes]:
    """The classes in order and the code of each row's class; with `classes` no other may occur."""
    if isinstance(y, (list, tuple)):
        _require_one_kind(y)  # before NumPy makes words of everything
    y = _one_kind(checked_labels(y, X))
    low = close_from(y)
    if low is None:
        check_classification_targets(y)
    labels, codes = distinct(y, low)
    if classes is None:
        return labels, codes
    return _among(named_classes(classes), labels, codes)


@in_our_words()
def named_classes(classes: Any) -> Any:
    """The classes that were named on the first call, in order."""
    if isinstance(classes, (list, tuple)):
        _require_one_kind(classes, lambda place: f"class {place + 1} of classes")
    return np.unique(_one_kind(np.asarray(classes)))


def class_array(labels: Sequence[Any]) -> Any:
    """Labels as an array; NumPy drops null characters at the end of words, so that two could become one."""
    for label in labels:
        if isinstance(label, str) and label.endswith("\0"):
            raise DataError(f"the label {quoted(label)} ends in a null character, which NumPy drops: rename it")
    return np.array(labels)


def _among(classes: Any, labels: Any, codes: Codes) -> tuple[Any, Codes]:
    """The codes of labels among the classes that were named."""
    if (classes.dtype.kind in "UO") != (labels.dtype.kind in "UO"):
        raise DataError(f"y contains the class {labels[0]!r}, but classes are such as {classes[0]!r}: use one kind")
    place = np.searchsorted(classes, labels)
    new = (place == len(classes)) | (classes[np.minimum(place, len(classes) - 1)] != labels)
    if new.any():
        raise DataError(f"y contains the class {labels[new][0]!r}, which was not named in classes on the first call")
    return classes, place.astype(np.int32)[codes]


def _one_kind(y: Any) -> Any:
    """Labels (n,) that are words, numbers, or true and false; what is missing, infinite or else is refused."""
    if y.dtype.kind == "O":
        _require_one_kind(y)
        if len(y) and isinstance(y[0], str):
            return y
        y = np.array(y.tolist())
    if y.dtype.kind == "f":
        for what, wrong in (("missing", np.isnan(y)), ("infinite", np.isinf(y))):
            if wrong.any():
                place = int(np.argmax(wrong))
                raise refused_target(what, TARGET, _row(place), float(y[place]))
    if y.dtype.kind in "OcmMV":
        raise DataError(f"y holds labels such as {quoted(y[0])}: make them words or whole numbers")
    return y


def _row(place: int) -> str:
    return f"row {place + 1} of X"


def _require_one_kind(labels: Iterable[Any], place_name: Callable[[int], str] = _row) -> None:
    """Refuse labels that are missing, of no kind of label, or of two kinds, with their row."""
    if set(map(type, labels)) in ({str}, {int}, {bool}):
        return
    first: str | None = None
    for place, label in enumerate(labels):
        if is_missing_label(label):
            raise refused_target("missing", TARGET, place_name(place))
        kind = next((kind for kind, types in KINDS.items() if isinstance(label, types)), None)
        if kind is None and isinstance(label, (list, tuple, np.ndarray)):
            return  # rows of one or more columns, whose shape is judged with the others
        if kind is None:
            what = f"the label {quoted(label)}, of type {type(label).__name__}"
            raise DataError(f"{place_name(place)} has {what}: labels are words, whole numbers, or true and false")
        first = first or kind
        if kind != first:
            also = f"but {place_name(place)} has {quoted(label)}"
            raise DataError(f"labels of mixed types: the first are {first}, {also}; make all of them words or numbers")


def is_missing_label(label: Any) -> bool:
    """Whether a label stands for none: None, NaN, or what pandas has for them."""
    return (
        label is None
        or type(label).__name__ in ("NAType", "NaTType")
        or (isinstance(label, (float, np.floating)) and bool(np.isnan(label)))
    )
