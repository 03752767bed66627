"""How large a hypothesis should be: errors by cross-validation for each size, from the simplest on.

The training error falls with the size, and the validation error falls and rises again. Sizes are tried until the
training error has converged; the best size, or the simplest that is as good within one standard error, is fitted to
all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import ParameterError
from novacula.evaluate.cross_validation import fold_errors, folds_of
from novacula.evaluate.derivation.errors import derive_choice
from novacula.evaluate.error_curve import ErrorCurve, mark_choice, size_words, spread
from novacula.evaluate.folds import Folds
from novacula.evaluate.loss import Floats, LossLike
from novacula.evaluate.one_standard_error import Rule, choose
from novacula.evaluate.rows import SupervisedRows, is_classifier, loss_for, rows_for
from novacula.learner.card import Extent
from novacula.learner.figure import few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.table import Table
from novacula.words import quoted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 100
"""Sizes that are tried of those that may have no end."""
STILL = 5
"""Steps in a row without any change after which sizes without end are not tried any more."""
PATIENCE = 2
"""Steps in a row that must change the training error little before it has converged."""
LITTLE = 0.01
"""What little is: this share of how much the training error has fallen since the first size."""


@dataclass(frozen=True, eq=False)
class SizeCurve(ErrorCurve):
    """Errors for m sizes and k folds, the size that the rule prefers, and the learner of that size fitted to all."""

    best: int
    best_learner: Any
    rule: Rule
    stopped: str = ""  # why sizes were left out, if some were
    reason: str = ""  # why the folds are not those requested, if they are not

    @property
    def best_size(self) -> Any:
        """The size that was chosen."""
        return self.sizes[self.best]

    def sentence(self) -> str:
        """The choice and its reason."""
        best = choose(self.validation_mean, self.standard_error, "min")
        words = f"{self.size_name} = {size_words(self.best_size)} is chosen, with a validation error of "
        words += few_digits(self.validation_mean[self.best])
        if self.rule == "one_se" and best != self.best:
            words += (
                f": the simplest within one standard error ({few_digits(self.standard_error[best])}) of the best, "
                f"{size_words(self.sizes[best])} with {few_digits(self.validation_mean[best])}"
            )
        return ". ".join(filter(None, [words, self.stopped, self.reason]))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_choice(self, options)

    def table(self) -> WorkTable:
        """Errors by size, for those that were tried, and in the caption the choice."""
        plain = super().table()
        return WorkTable(plain.header, plain.rows, f"{plain.caption}. {self.sentence()}")

    def _mark(self, axes: Axes, places: Floats, drawn: list[int]) -> None:
        if self.best in drawn:
            mark_choice(axes, places[drawn.index(self.best)], self.validation_mean[self.best], self.best_size)

    def _in_words(self) -> str:
        return f"{super()._in_words()} {self.sentence()}."


def select_size(
    learner: Any,
    size_param: str | None,
    sizes: Iterable[Any] | None,
    X: Any,
    y: Any = None,
    *,
    folds: int | Iterable[Any] = 10,
    rule: Rule = "min",
    loss: LossLike | None = None,
    until_converged: bool = True,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> SizeCurve:
    """Choose the value of a parameter by k-fold cross-validation.

    `sizes` go from the simplest to the richest. Where `size_param` is None it is the one that the learner's card names,
    and where `sizes` is None they are the card's. `folds` is a number, or what `cross_validate` takes.
    With `until_converged` no further size is tried once the training error has fallen and two sizes in a row have
    changed it by at most a hundredth of that fall. So `sizes` may have no end, as `itertools.count(1)`: then at most
    100 of them are tried, and none after the first that the learner refuses.

    >>> import numpy as np
    >>> from novacula.neighbors import KNeighborsRegressor
    >>> x = np.linspace(0, 6, 60)
    >>> noise = np.random.default_rng(0).normal(0, 0.2, 60)
    >>> curve = select_size(KNeighborsRegressor(), None, [40, 20, 10, 5, 2, 1], x[:, None], np.sin(x) + noise)
    >>> curve.best_size, curve.best_learner.n_neighbors
    (2, 2)
    """
    rows, which = rows_for(learner, X, y, sample_weight), loss_for(learner, loss)
    parts = folds_of(learner, rows, folds, random_state)
    size_name, given = sizes_of(learner, size_param, sizes, extent_of(rows, parts, is_classifier(learner)))
    if not isinstance(given, tuple) and not until_converged:
        raise ParameterError("sizes have no length, so they may have no end: list them, or leave until_converged on")

    def errors_of(size: Any) -> Any:
        sized = resized(learner, size_name, size)
        return [np.ravel(fold_errors(sized, rows, pair, [which])) for pair in parts]

    values, errors, stopped = tried_sizes(errors_of, given, until_converged)
    validation = errors[:, :, 1]
    best = choose(validation.mean(axis=1), spread(validation), rule)
    fitted = rows.fit(resized(learner, size_name, values[best]))
    return SizeCurve(
        size_name, values, errors[:, :, 0], validation, which.name, best, fitted, rule, stopped, parts.reason
    )


def tried_sizes(
    errors_of: Callable[[Any], Any], sizes: Iterable[Any], until_converged: bool
) -> tuple[tuple[Any, ...], Floats, str]:
    """The sizes, their errors by fold in training and validation (m, k, 2), and why some were not tried: NaN."""
    known = sizes if isinstance(sizes, tuple) else None
    tried, errors, stopped = list[Any](), list[Any](), ""
    for size in islice(sizes, MOST if known is None else None):
        try:
            errors.append(errors_of(size))
        except ValueError as refusal:  # as all our errors are
            if known is not None or not tried:
                raise
            stopped = f"{size_words(size)} was refused, so no richer size was tried: {refusal}"
            break
        tried.append(size)
        left = MOST if known is None else len(known) - len(tried)
        training = np.array(errors)[:, :, 0].mean(axis=1)
        is_still = known is None and len(tried) > STILL and np.ptp(training[-STILL - 1 :]) == 0.0
        if until_converged and left and (has_converged(training) or is_still):
            rest = "a richer size was not" if left == 1 else f"{left} richer sizes were not"
            rest = "no richer size was" if known is None else rest
            stopped = f"The training error has converged at {size_words(size)}, so {rest} tried"
            break
    else:
        if known is None and len(tried) == MOST:
            stopped = f"The training error has not converged after {MOST} sizes, as many as are tried"
    if not tried:
        raise ParameterError("there are no sizes to try: give some, from the simplest to the richest")
    if known is None:
        return tuple(tried), np.array(errors), stopped
    missing = np.full((len(known) - len(tried), *np.shape(errors)[1:]), np.nan)
    return known, np.concatenate([errors, missing]), stopped


def sizes_of(
    learner: Any, size_param: str | None, sizes: Iterable[Any] | None, extent: Extent
) -> tuple[str, Iterable[Any]]:
    """The parameter and its values, from the card of the learner, or of a pipeline's last step, where not stated.

    Values that have a length are a tuple; others may have no end.
    """
    last, prefix = learner, ""
    while hasattr(last, "steps"):
        name, last = last.steps[-1]
        prefix += f"{name}__"
    card = getattr(last, "card", None)
    own = "" if card is None or card.size is None else f"{prefix}{card.size}"
    chosen = size_param or own
    if not chosen:
        raise ParameterError(f"{type(last).__name__} names no size of its own: say which parameter is the size")
    if chosen not in learner.get_params():
        raise ParameterError(f"{type(learner).__name__} has no parameter {quoted(chosen)}, so it cannot be its size")
    if sizes is None and chosen == own and card is not None:
        sizes = card.sizes(extent) if callable(card.sizes) else card.sizes
    if sizes is not None and not hasattr(sizes, "__len__"):
        return chosen, sizes
    values = () if sizes is None else tuple(sizes)
    if not values:
        raise ParameterError(f"there are no sizes to try for {chosen}: give some, from the simplest to the richest")
    return chosen, values


def extent_of(rows: SupervisedRows, parts: Folds, classes: bool) -> Extent:
    """What the sizes of a card depend on, in the smallest fold."""
    n, X = min(len(train) for train, _ in parts), rows.X
    if isinstance(X, Table):
        width = sum(len(c.categories) if c.kind == "categorical" else c.width for c in X.layout.features)
    else:
        width = X.shape[1] if np.ndim(X) == 2 else 1
    if classes:
        return Extent(n, width, len(np.unique(rows.y)))
    return Extent(n, width, target_spread=float(np.std(rows.y)))


def resized(learner: Any, size_param: str, size: Any) -> Any:
    """The learner with another size."""
    from sklearn.base import clone

    return clone(learner).set_params(**{size_param: size})


def has_converged(errors: Floats) -> bool:
    """Whether a training error has fallen and then stayed where it was.

    >>> has_converged(np.array([9.0, 5.0, 1.0, 1.0, 0.99])), has_converged(np.array([9.0, 9.0, 9.0, 9.0]))
    (True, False)
    """
    if len(errors) <= PATIENCE or not np.isfinite(errors).all():
        return False
    fall = errors[0] - errors[-1]
    return bool(fall > 0 and np.abs(np.diff(errors[-PATIENCE - 1 :])).max() <= LITTLE * fall)
