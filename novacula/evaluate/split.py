"""Put rows aside: a part to learn from, one to choose by, and one for the test at the end."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.evaluate.derivation.rows import derive_split
from novacula.evaluate.folds import Places, is_classes
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.words import quoted


class Part(NamedTuple):
    """Some of the rows with their targets."""

    X: Any
    y: Any


class ThreeParts(NamedTuple):
    """Three parts that have no row in common; None is a part without rows."""

    train: Any
    validation: Any
    test: Any


class Split(ShowsWork, ThreeParts):
    """Three parts that have no row in common, and which rows they hold; None is a part without rows."""

    rows: tuple[Places, Places, Places]
    wanted: tuple[float, float, float]
    classes: Any

    def __new__(cls, parts: Sequence[Any], rows: Any, wanted: tuple[float, float, float], classes: Any = None) -> Self:
        """The parts, the numbers of their rows, the shares that were asked for, and the class of each row, or None."""
        split = super().__new__(cls, *parts)
        split.rows, split.wanted, split.classes = tuple(rows), wanted, classes
        return split

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.rows, self.wanted, self.classes

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The rows of each part."""
        train, validation, test = (len(part) for part in self.rows)
        return train, validation, test

    @property
    def shares(self) -> tuple[float, float, float]:
        """The share of all rows that each part has."""
        train, validation, test = (size / sum(self.sizes) for size in self.sizes)
        return train, validation, test

    def _derive(self, options: WorkOptions) -> Work:
        return derive_split(self)


def split(
    X: Any,
    y: Any = None,
    *,
    test: float = 0.2,
    validation: float = 0.1,
    stratify: bool = True,
    groups: Any = None,
    random_state: Any = 0,
) -> Split:
    """Cut rows at random into train, validation and test, as shares of all rows.

    The parts of a `Table` are tables; of X alone, rows of X; of X and y, pairs of both. Where the target is classes
    they keep their shares in every part, unless `stratify` is false. `groups` names the group of each row: rows of one
    group stay together, then shares are met as nearly as whole groups allow, and nothing is stratified.

    >>> import novacula as nv
    >>> train, validation, test = split(nv.datasets.load("play_tennis"), test=0.3, validation=0.2)
    >>> len(train), len(validation), len(test)
    (7, 3, 4)
    """
    from sklearn.utils import _safe_indexing
    from sklearn.utils.validation import _num_samples

    from novacula.learner.ingest import as_table, target_values

    table = as_table(X, y, None)
    if table is not None:
        table = table.in_memory()
        target = target_values(table) if table.layout.target else None
    else:
        target = None if y is None else np.asarray(y)
    n = len(table) if table is not None else _num_samples(X)
    if target is not None and len(target) != n:
        raise DataError(f"y has {len(target)} rows and X has {n}: give a target for each row")
    strata = target if stratify and target is not None and is_classes(target) else n

    def part(places: Places) -> Any:
        if not len(places):
            return None
        if table is not None:
            return table.take(places)
        return _safe_indexing(X, places) if y is None else Part(_safe_indexing(X, places), _safe_indexing(y, places))

    rows = split_rows(strata, test=test, validation=validation, groups=groups, random_state=random_state)
    wanted = (1.0 - validation - test, float(validation), float(test))
    return Split([part(places) for places in rows], rows, wanted, None if np.ndim(strata) == 0 else strata)


def split_rows(
    y: Any, *, test: float = 0.2, validation: float = 0.1, groups: Any = None, random_state: Any = 0
) -> tuple[Places, Places, Places]:
    """Give the numbers of the rows to train on, to validate and to test with, rising in each.

    `y` is the classes that keep their shares, or the number of rows. Each class keeps a row to train on.
    """
    classes = np.zeros(y, np.intp) if np.ndim(y) == 0 else np.asarray(y)
    n, rng = len(classes), np.random.default_rng(random_state)
    shares = _share(validation, "validation"), _share(test, "test")
    if sum(shares) >= 1.0:
        raise ParameterError(
            f"test={test} and validation={validation} leave nothing to train on: their sum must be below 1"
        )
    if groups is not None:
        part = _whole_groups(np.asarray(groups), n, shares, rng)
    else:
        part = _stratified(classes, shares, rng)
    for k, (name, share) in enumerate(zip(("train", "validation", "test"), (1.0, *shares), strict=True)):
        if share > 0 and not (part == k).any():
            raise DataError(f"{n} rows are too few for a {name} part of {share:g}: give more rows, or a larger share")
    train_rows, validation_rows, test_rows = (np.flatnonzero(part == k) for k in range(3))
    return train_rows, validation_rows, test_rows


def _share(value: Any, name: str) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < 1:
        raise ParameterError(f"{name} is {quoted(value)}; it must be a share of the rows, at least 0 and below 1")
    return float(value)


def _stratified(classes: Any, shares: tuple[float, float], rng: np.random.Generator) -> Places:
    """The part of each row: 0 train, 1 validation, 2 test. Each class gives its share to a part, as nearly as whole
    rows allow, and the remainders go where they are largest.
    """
    names, codes, count = np.unique(classes, return_inverse=True, return_counts=True)
    if len(names) > 1 and count.min() == 1:
        row = int(np.flatnonzero(codes == count.argmin())[0])
        raise DataError(
            f"the class {quoted(names.tolist()[count.argmin()])} has one row only, row {row + 1}, which cannot be in "
            "every part: leave it out, or set stratify=False"
        )
    part = np.zeros(len(codes), np.intp)
    left = count.copy()
    for k in (2, 1):  # the test set first, as if the validation part were not there
        wanted = round(shares[k - 1] * len(codes))
        taken = _apportioned(count * shares[k - 1], wanted, left - 1, rng)
        for c, n in enumerate(taken):
            part[rng.choice(np.flatnonzero((codes == c) & (part == 0)), n, replace=False)] = k
        left -= taken
    return part


def _apportioned(quota: Any, total: int, room: Any, rng: np.random.Generator) -> Places:
    """Whole numbers that sum to a total, as near to their quotas as that allows, and none above its room."""
    taken = np.minimum(np.floor(quota).astype(np.intp), room)
    tie = rng.permutation(len(quota))
    for c in np.lexsort((tie, taken - quota)):
        if taken.sum() < total and taken[c] < room[c]:
            taken[c] += 1
    return taken


def _whole_groups(groups: Any, n: int, shares: tuple[float, float], rng: np.random.Generator) -> Places:
    """The part of each row, the same for all rows of a group."""
    if groups.shape != (n,):
        raise DataError(f"groups of shape {groups.shape} were given for {n} rows: name the group of each row")
    codes, count = np.unique(groups, return_inverse=True, return_counts=True)[1:]
    if len(count) < 1 + sum(share > 0 for share in shares):
        raise DataError(f"{len(count)} groups cannot fill every part: name more groups, or ask for fewer parts")
    of_group = np.zeros(len(count), np.intp)
    waiting = list(rng.permutation(len(count)))
    for k in (2, 1):
        size, wanted = 0, shares[k - 1] * n
        for group in list(waiting):
            if wanted > 0 and (size == 0 or size + count[group] / 2 <= wanted) and len(waiting) > k:
                of_group[group] = k
                size += count[group]
                waiting.remove(group)
    return of_group[codes]
