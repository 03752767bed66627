"""What comes with the observations: states that are known, and weights of sequences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.graph.hmm.columns import UNKNOWN, ColumnValues
from novacula.graph.hmm.sequences import Sequences
from novacula.learner import ingest
from novacula.state import is_label
from novacula.table import Chunk, Table
from novacula.table.chunk import Codes, Floats
from novacula.table.encode import require_total_weight
from novacula.words import quoted

STATES = 2
"""States of a model to which nobody said how many."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The states by name, and the number of each step's state, −1 where it is not known; None where none is."""

    states: tuple[Any, ...]
    codes: Codes | None

    @property
    def complete(self) -> bool:
        """Whether every state is known."""
        return self.codes is not None and bool((self.codes >= 0).all())


def read_labels(y: Any, sequences: Sequences, n_states: int | None) -> Labels:
    """States of the steps, in the order of the sequences; without any, states are numbered."""
    values = sequences.label if isinstance(y, str) or y is None else ColumnValues.of(_stacked(y, sequences))
    if values is None:
        return Labels(tuple(range(n_states or STATES)), None)
    if UNKNOWN in values.distinct:
        gone = values.distinct.index(UNKNOWN)
        kept = [label for label in values.distinct if label != UNKNOWN]
        code = np.where(values.code == gone, UNKNOWN, values.code - (values.code > gone))
        values = ColumnValues(tuple(kept), code)
    for label in values.distinct:
        if not is_label(label):
            what = f"{quoted(label)}, of type {type(label).__name__}"
            raise DataError(f"y names the state {what}: states are words, numbers of 64 bits, or true and false")
    states = _all_states(values.distinct, n_states)
    place = np.array([*(states.index(label) for label in values.distinct), UNKNOWN], np.int32)
    codes = np.asarray(sequences.sorted(place[values.code]))
    return Labels(states, codes if (codes >= 0).any() else None)


def _stacked(y: Any, sequences: Sequences) -> Any:
    """The labels of all steps under each other."""
    if sequences.listed:
        lengths = [_length(part) for part in y] if isinstance(y, (list, tuple)) else None
        if lengths != sequences.lengths.tolist():
            raise DataError("y must be a list like X, with a state for each step of each sequence")
        y = [label for part in y for label in np.asarray(part, object).tolist()]
    labels = np.asarray(y) if hasattr(y, "__array__") else np.array([*y], object)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1 or len(labels) != sequences.n_steps:
        raise DataError(f"y has shape {labels.shape}, but X has {sequences.n_steps} steps: give a state for each")
    return labels


def _length(part: Any) -> int | None:
    """How many labels a part of y holds; None if it is no sequence."""
    try:
        return len(part)
    except TypeError:
        return None


def _all_states(labels: tuple[Any, ...], n_states: int | None) -> tuple[Any, ...]:
    """The labels, and names for states that no label names."""
    missing = 0 if n_states is None and labels else (n_states or STATES) - len(labels)
    if missing < 0:
        raise ParameterError(f"y names {len(labels)} states, but n_states is {n_states}: raise it, or leave it None")
    numbers = all(isinstance(label, (int, float)) for label in labels)
    names = (k if numbers else f"state {k}" for k in range(len(labels) + missing))
    new = [name for name in names if name not in labels][:missing]
    return tuple(sorted([*labels, *new])) if numbers else (*labels, *new)


def sequence_weights(sequences: Sequences, sample_weight: Any, chunk: Chunk, where: str) -> Floats:
    """A weight for each sequence (S,); `where` the rows are, in words."""
    if isinstance(sequences.data, Table):
        if sample_weight is not None:
            raise InputTypeError("a Table holds its weights itself: read it with weight='column'")
        weight = _of_rows(chunk.weight, sequences)
    elif sample_weight is None:
        return np.ones(len(sequences))
    elif np.asarray(sample_weight).shape[:1] == (len(sequences),):
        weight = np.asarray(ingest.weights_of(sample_weight, np.empty(len(sequences))))
    else:
        rows = ingest.weights_of(sample_weight, np.empty(sequences.n_steps))
        weight = _of_rows(np.asarray(sequences.sorted(rows)), sequences)
    with np.errstate(over="ignore"):  # a total that overflows is refused
        total = float(weight.sum())
    require_total_weight(total, where)
    return weight


def _of_rows(rows: Floats, sequences: Sequences) -> Floats:
    begin = np.cumsum(sequences.lengths) - sequences.lengths
    low, high = np.minimum.reduceat(rows, begin), np.maximum.reduceat(rows, begin)
    if (low < high).any():
        s = int(np.argmax(low < high))
        raise DataError(
            f"the rows of sequence {s + 1} have weights from {low[s]:g} to {high[s]:g}, but a weight belongs to a "
            "whole sequence: give one per sequence"
        )
    return low
