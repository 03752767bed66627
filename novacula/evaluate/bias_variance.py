"""Why a learner errs: it cannot express the truth (bias), it depends on its examples (variance), or there is noise.

A learner is fitted to many training sets, and predicts the same points. For squared loss, with f the truth and h̄ the
mean of the predictions h,

    E(y − h)² = (y − f)² + (f − h̄)² + E(h − h̄)²          noise + bias² + variance

for labels y = f ± ε; both signs are counted, so that the cross term vanishes and the sum is exact. For
zero-one loss (Domingos 2000) the main prediction h̄ is the most frequent one, bias is [h̄ ≠ f], variance P(h ≠ h̄),
noise [y ≠ f], and

    P(h ≠ y) = c₁·noise + bias + c₂·variance,     c₁ = P(h = f) − P(h = y),     c₂ = 1 if h̄ = f, else −P(h = f | h ≠ h̄)

so that variance helps where a learner is biased.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.arguments import whole_number
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.evaluate.derivation.parts import derive_bias_variance
from novacula.evaluate.loss import Floats, differ, metric_name
from novacula.evaluate.printing import TabularResult
from novacula.evaluate.rows import rows_for
from novacula.learner.figure import Figure, bar_figure, few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import capitalised, quoted

Flags: TypeAlias = npt.NDArray[np.bool_]
Sampler: TypeAlias = Callable[[np.random.Generator], tuple[Any, ...]]
Parts: TypeAlias = tuple[Floats, Floats, Floats, Floats, Floats, Floats]
SplitLoss: TypeAlias = Literal["squared", "zero_one"]

UNKNOWN = "noise cannot be separated from bias without the truth, so it is counted in bias²"


FIRST = 20
"""Points that are kept with their predictions."""


@dataclass(frozen=True, eq=False)
class SplitPoint:
    """One point: its label, its truth where that is known, and what models that have not seen it predict."""

    label: float
    truth: float | None
    predictions: Floats


@dataclass(frozen=True, eq=False)
class BiasVariance(TabularResult):
    """The parts of the error at p points; error = noise_effect·noise + bias² + variance_effect·variance at each."""

    loss: str
    n_sets: int
    bias_squared_at: Floats  # (p,); for zero-one loss the bias, 0 or 1, which is its own square
    variance_at: Floats  # (p,)
    noise_at: Floats  # (p,)
    error_at: Floats  # (p,), measured
    noise_effect: Floats  # (p,), c₁; 1 for squared loss
    variance_effect: Floats  # (p,), c₂; 1 for squared loss
    note: str = ""
    points: tuple[SplitPoint, ...] = ()  # the first ones with their predictions, for squared loss

    @property
    def bias_squared(self) -> float:
        """The mean of bias² over the points."""
        return float(self.bias_squared_at.mean())

    @property
    def variance(self) -> float:
        """What variance adds to the mean error; negative where it helps more than it harms."""
        return float((self.variance_effect * self.variance_at).mean())

    @property
    def noise(self) -> float:
        """What noise adds to the mean error."""
        return float((self.noise_effect * self.noise_at).mean())

    @property
    def error(self) -> float:
        """The mean error over points and training sets."""
        return float(self.error_at.mean())

    @property
    def knows_noise(self) -> bool:
        """Whether the truth was known, so that noise is told from bias."""
        return UNKNOWN not in self.note

    def _parts(self) -> dict[str, float]:
        """The parts that are known, and their sum."""
        if not self.knows_noise:
            return {"bias² and noise": self.bias_squared, "variance": self.variance, "error": self.error}
        return {"bias²": self.bias_squared, "variance": self.variance, "noise": self.noise, "error": self.error}

    def _derive(self, options: WorkOptions) -> Work:
        return derive_bias_variance(self, options)

    def table(self) -> WorkTable:
        """The parts and their sum."""
        words = f"{metric_name(self.loss)} at {len(self.error_at)} points over {self.n_sets} training sets"
        parts, note = self._parts(), self.note and f"; {self.note}"
        return WorkTable(tuple(parts), (tuple(parts.values()),), f"{capitalised(words)}, lower is better{note}")

    def plot(self) -> Figure:
        """The parts as bars, and their sum."""
        parts, note = self._parts(), self.note and f"; {self.note}"
        values = ", ".join(f"{name} {few_digits(value)}" for name, value in parts.items())
        return bar_figure(
            tuple(parts),
            list(parts.values()),
            title="Why it errs",
            xlabel=f"{metric_name(self.loss)} (lower is better)",
            alt=f"Parts of the {metric_name(self.loss)}: {values}{note}.",
        )


def bias_variance(
    learner: Any,
    sampler_or_X: Sampler | Any,
    y: Any = None,
    *,
    n_sets: int = 50,
    loss: SplitLoss = "squared",
    truth: Callable[[Any], Any] | None = None,
    points: tuple[Any, ...] | None = None,
    random_state: Any = 0,
) -> BiasVariance:
    """Split a learner's error into bias, variance and noise.

    A sampler is called with a random generator and gives a training set (X, y), or (X, y, f) with the true values f of
    its rows. Predictions are compared at `points`, a tuple of the same form, or else at those of one more draw. From
    rows X, y, training sets are drawn with replacement, and a row is predicted by the sets that it is not in. `truth`
    gives f of rows X where nothing else does. Without it noise cannot be separated from bias, and the result says so.

    >>> import numpy as np
    >>> from novacula.linear import LinearRegression
    >>> def parabola(rng):
    ...     x = rng.uniform(-1, 1, (30, 1))
    ...     f = x[:, 0] ** 2
    ...     return x, f + rng.normal(0, 0.1, 30), f
    >>> parts = bias_variance(LinearRegression(), parabola)
    >>> print(f"{parts.bias_squared:.3f} + {parts.variance:.3f} + {parts.noise:.3f} = {parts.error:.3f}")
    0.131 + 0.010 + 0.010 = 0.150
    """
    if loss not in ("squared", "zero_one"):
        raise ParameterError(f"loss is {quoted(loss)}; it must be 'squared' or 'zero_one'")
    rng, sets = np.random.default_rng(random_state), whole_number(n_sets, "n_sets", 2)
    if callable(sampler_or_X):
        rows, f, predictions, out_of_sample = _drawn(learner, sampler_or_X, y, sets, rng, points)
    else:
        rows, f, predictions, out_of_sample = _resampled(learner, sampler_or_X, y, sets, rng, points)
    if f is None and truth is not None:
        f = truth(rows.X)
    there = out_of_sample.any(axis=0)
    labels, best = np.asarray(rows.y)[there], None if f is None else np.asarray(f)[there]
    parts = (_squared if loss == "squared" else _zero_one)(predictions[:, there], out_of_sample[:, there], labels, best)
    left_out = f"{int((~there).sum())} rows were in every training set and are left out" if not there.all() else ""
    note = "; ".join(filter(None, ["" if f is not None else UNKNOWN, left_out]))
    kept = _first_points(predictions[:, there], out_of_sample[:, there], labels, best) if loss == "squared" else ()
    return BiasVariance(loss, sets, *parts, note=note, points=kept)


def _first_points(predictions: Floats, out_of_sample: Flags, y: Any, f: Any) -> tuple[SplitPoint, ...]:
    return tuple(
        SplitPoint(float(y[i]), None if f is None else float(f[i]), predictions[out_of_sample[:, i], i].astype(float))
        for i in range(min(FIRST, len(y)))
    )


def _drawn(learner: Any, sampler: Sampler, y: Any, sets: int, rng: np.random.Generator, points: Any) -> Any:
    """Points, their truth, predictions (sets, p), and which of them are out of sample: all."""
    if y is not None:
        raise InputTypeError("a sampler gives its own y: leave y out")
    X, target, *rest = sampler(rng) if points is None else points
    rows, predictions = rows_for(learner, X, target), []
    for _ in range(sets):
        X, target = sampler(rng)[:2]
        predictions.append(rows_for(learner, X, target).fit(learner).predict(rows.X))
    return rows, rest[0] if rest else None, np.array(predictions), np.ones((sets, len(rows)), bool)


def _resampled(learner: Any, X: Any, y: Any, sets: int, rng: np.random.Generator, points: Any) -> Any:
    """The rows, no truth, predictions (sets, n), and which of them are for rows that the set did not hold."""
    if points is not None:
        raise InputTypeError("with rows X, predictions are for the rows that a training set lacks: leave points out")
    rows = rows_for(learner, X, y)
    n, predictions = len(rows), []
    out_of_sample = np.ones((sets, n), bool)
    for s in range(sets):
        drawn = rng.integers(0, n, n)
        out_of_sample[s, drawn] = False
        predictions.append(rows.take(np.sort(drawn)).fit(learner).predict(rows.X))
    if not out_of_sample.any():
        raise DataError(f"{n} rows are in every training set, so none can be predicted: give more rows")
    return rows, None, np.array(predictions), out_of_sample


def _squared(predictions: Floats, out_of_sample: Flags, y: Any, f: Any) -> Parts:
    """bias², variance, noise and error at each point, and how noise and variance count."""
    for values, whose in ((predictions, "the learner predicts"), (np.asarray(y), "y holds")):
        if values.dtype.kind not in "biuf":
            raise ParameterError(f"the squared loss is one of numbers, and {whose} labels: say loss='zero_one'")
    h, labels = predictions.astype(np.float64), np.asarray(y, np.float64)
    if h.ndim != 2:
        raise DataError("the learner predicts several targets at once: give it one")
    middle = _mean(h, out_of_sample)
    variance = _mean((h - middle) ** 2, out_of_sample)
    one = np.ones_like(middle)
    if f is None:
        return (labels - middle) ** 2, variance, 0.0 * one, _mean((labels - h) ** 2, out_of_sample), one, one
    best = np.asarray(f, np.float64)
    mirrored = 2.0 * best - labels
    error = (_mean((labels - h) ** 2, out_of_sample) + _mean((mirrored - h) ** 2, out_of_sample)) / 2
    return (best - middle) ** 2, variance, (labels - best) ** 2, error, one, one


def _zero_one(predictions: Any, out_of_sample: Flags, y: Any, f: Any) -> Parts:
    """bias, variance, noise and error at each point, and how noise and variance count."""
    best = y if f is None else np.asarray(f)
    classes = np.unique(predictions)
    votes = np.array([_mean((predictions == label).astype(np.float64), out_of_sample) for label in classes])
    main = classes[votes.argmax(axis=0)]
    bias, noise = (differ(values, best).astype(np.float64) for values in (main, np.asarray(y)))
    variance, right = 1.0 - votes.max(axis=0), _mean(~differ(predictions, best[None, :]), out_of_sample)
    hit = _mean(~differ(predictions, np.asarray(y)[None, :]), out_of_sample)
    helps = -np.divide(right, variance, out=np.zeros_like(variance), where=variance > 0.0)
    return bias, variance, noise, 1.0 - hit, right - hit, np.where(bias > 0.0, helps, 1.0)


def _mean(values: Any, out_of_sample: Flags) -> Floats:
    """The mean over the training sets that count, at each point."""
    return np.asarray((values * out_of_sample).sum(axis=0) / out_of_sample.sum(axis=0))
