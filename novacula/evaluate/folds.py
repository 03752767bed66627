"""Folds: each row is held out once, and the classes keep their shares in every fold.

The splitters are scikit-learn's. This adds what they leave to the caller: classes of fewer rows than folds, fewer folds
where no class has as many rows, leave-one-out where k is the number of rows, and a sentence that says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.arguments import whole_number
from novacula.errors import DataError, ParameterError
from novacula.evaluate.derivation.rows import derive_folds
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.words import quoted

Places: TypeAlias = npt.NDArray[np.intp]

MANY_CLASSES = 20
"""Distinct whole numbers up to which a target may be classes, in small tables."""


@dataclass(frozen=True, eq=False)
class Folds(ShowsWork):
    """Rows to train on and rows to hold out, fold by fold; scikit-learn takes it as `cv`."""

    pairs: tuple[tuple[Places, Places], ...]
    reason: str = ""  # why the folds are not those requested, if they are not
    classes: Any = field(default=None, repr=False)  # of each row, where folds are stratified by them

    @property
    def held_out(self) -> tuple[int, ...]:
        """How many rows each fold holds out."""
        return tuple(len(rows) for _, rows in self.pairs)

    @property
    def n_rows(self) -> int:
        """How many rows there are: those that the first fold trains on and those that it holds out."""
        return sum(map(len, self.pairs[0]))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_folds(self, options)

    def __iter__(self) -> Iterator[tuple[Places, Places]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)


def folds(y: Any, folds: int = 10, stratified: bool | None = None, random_state: Any = 0, groups: Any = None) -> Folds:
    """Cut rows into folds at random.

    `y` is the target, or the number of rows. Folds are stratified where the target is classes, unless `stratified`
    says otherwise. Rows of one group stay together. With as many folds as rows each row is left out once.

    >>> parts = folds(["no", "yes", "yes", "no", "yes", "no", "yes"], folds=4)
    >>> len(parts), parts.reason
    (4, "folds without a row of the class 'no', which has 3 rows")
    >>> [held_out.tolist() for _, held_out in folds(4, folds=4)]
    [[0], [1], [2], [3]]
    """
    target = np.arange(whole_number(y, "y", 1)) if np.ndim(y) == 0 else np.asarray(y)
    n, k = len(target), whole_number(folds, "folds", 2)
    if k > n:
        raise ParameterError(f"folds is {k}, but there are {n} rows: ask for at most as many folds as rows")
    if stratified is None:
        stratified = is_classes(target)
    if groups is not None:
        return _grouped(target, k, stratified, random_state, np.asarray(groups))
    if k == n:
        return Folds(tuple((np.delete(np.arange(n), i), np.array([i])) for i in range(n)))
    if not stratified:
        return _plain_folds(target, k, random_state)
    return _stratified_folds(target, k, random_state)


def _plain_folds(target: npt.NDArray[Any], k: int, random_state: Any) -> Folds:
    from sklearn.model_selection import KFold

    return Folds(tuple(KFold(k, shuffle=True, random_state=random_state).split(target)))


def _stratified_folds(target: npt.NDArray[Any], k: int, random_state: Any) -> Folds:
    """Folds in which classes keep their shares; a class of fewer rows than folds is in as many as it has rows."""
    from sklearn.model_selection import StratifiedKFold

    classes, codes, count = np.unique(target, return_inverse=True, return_counts=True)
    fewest, most, name = int(count.min()), int(count.max()), classes.tolist()[count.argmin()]
    reason, rows = "", "one row" if fewest == 1 else f"{fewest} rows"
    if most < k:
        reason = f"{most} folds instead of {k}, since no class has more rows"
        k = max(most, 2)
    elif fewest < k:
        reason = f"folds without a row of the class {quoted(name)}, which has {rows}"
    if most == 1:  # every row is of a class of its own
        return _plain_folds(target, k, random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # which says the same of the smallest class
        pairs = tuple(StratifiedKFold(k, shuffle=True, random_state=random_state).split(codes, codes))
    return Folds(pairs, reason, target)


def _grouped(target: npt.NDArray[Any], k: int, stratified: bool, random_state: Any, groups: Any) -> Folds:
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    if groups.shape != (len(target),):
        raise DataError(f"groups of shape {groups.shape} were given for {len(target)} rows: name the group of each row")
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        raise DataError("all rows are of one group, so none can be held out: name at least two groups")
    reason = f"{n_groups} folds instead of {k}, since there are {n_groups} groups" if n_groups < k else ""
    k = min(k, n_groups)
    splitter = (
        StratifiedGroupKFold(k, shuffle=True, random_state=random_state)
        if stratified and np.unique(target, return_counts=True)[1].max() >= k
        else GroupKFold(k, shuffle=True, random_state=random_state)
    )
    return Folds(tuple(splitter.split(target, target, groups)), reason)


def is_classes(y: Any) -> bool:
    """Whether a target looks like classes: words, or few distinct whole numbers, most of which come again.

    >>> is_classes(["a", "b"]), is_classes([0, 1, 1, 0]), is_classes([3, 5, 8, 13]), is_classes([0.5, 1.5, 0.5, 1.5])
    (True, True, False, False)
    """
    target = np.asarray(y)
    if target.ndim != 1:
        return False
    if target.dtype.kind not in "iuf":
        return True
    if target.dtype.kind == "f" and not (target == np.round(target)).all():
        return False
    distinct = len(np.unique(target))
    return distinct <= max(MANY_CLASSES, len(target) ** 0.5) and 2 * distinct <= len(target)
