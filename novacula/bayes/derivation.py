"""The work of a naive Bayes model: where its estimates come from, and the product for a row written out."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.bayes.distributions.base import ClassFactor, Smoothing
from novacula.learner.figure import bar_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.table import Table
from novacula.table.chunk import Chunk

if TYPE_CHECKING:
    from novacula.bayes.naive_bayes import NaiveBayes

_ROWS = 5  # predictions derived
_CLASSES = 12  # classes written out
_FACTORS = 12  # factors written out in one product
_WRITTEN = 600  # logarithms beyond this are of products too small, or too large, to be held


def derive_model(model: NaiveBayes, smoothing: Smoothing) -> Work:
    """Priors, then the estimates of each group of columns."""
    classes = [str(label) for label in model.classes_]
    steps = _prior_steps(model, classes)
    _, *statistics = model.statistic_.parts
    for place, (part, statistic) in enumerate(zip(model.parts_, statistics, strict=True)):
        steps += part.steps(statistic, classes, smoothing, ("parts_", place))
    notes = [f"m = {smoothing.m}; missing values are in no count."]
    shown = sum(len(part.group.names) for part in model.parts_)
    if shown > 6:
        notes.append(f"Not every estimate of the {shown} columns is written out; parts_ holds them all.")
    return Work("Naive Bayes: the estimates", steps, notes)


def _prior_steps(model: NaiveBayes, classes: list[str]) -> list[Step]:
    total = float(model.class_count_.sum())
    if model.class_prior is not None:
        rows = tuple((c, float(p)) for c, p in zip(classes, model.class_prior_, strict=True))
        return [Step("Priors of the classes, as given", table=WorkTable(("class", "P(t)"), rows))]
    return [
        Step(
            f"Prior of {label}",
            formula="P(t) = n_t / n",
            expression="n_t / n",
            values={"n_t": float(model.class_count_[k]), "n": total},
            result=float(model.class_prior_[k]),
            of=("class_prior_", k),
        )
        for k, label in islice(enumerate(classes), _CLASSES)
    ]


def derive_predictions(model: NaiveBayes, table: Table, smoothing: Smoothing) -> Work:
    """For each of the first rows the product of each class, and the posterior."""
    classes = [str(label) for label in model.classes_]
    steps: list[Step] = []
    n = 0
    for chunk in table.chunks():
        for i in range(len(chunk)):
            if n < _ROWS:
                steps += _row_steps(model, chunk.rows(i, i + 1), smoothing, classes, n)
            n += 1
    notes = [f"The first {_ROWS} of {n} rows are derived."] if n > _ROWS else []
    return Work("Naive Bayes: the predictions", steps, [*notes, "Missing values are left out of the product."])


def _row_steps(model: NaiveBayes, chunk: Chunk, smoothing: Smoothing, classes: list[str], row: int) -> list[Step]:
    joint = _joint_logs(model, chunk)
    steps = []
    for k in range(min(len(classes), _CLASSES)):
        factors = _factors(model, chunk, smoothing, k)
        of: tuple[str | int, ...] = ("predict_joint_log_proba", row, k)
        steps.append(_product(f"Row {row + 1}, class {classes[k]}", model, factors, k, classes[k], joint[k], of))
    return [*steps, *_posterior(joint, classes, row, model)]


def _joint_logs(model: NaiveBayes, chunk: Chunk) -> Any:
    from novacula.bayes.naive_bayes import joint_scores

    with np.errstate(divide="ignore"):
        return joint_scores(chunk, np.log(model.class_prior_), model.parts_)[0]


def _factors(model: NaiveBayes, chunk: Chunk, smoothing: Smoothing, k: int) -> list[ClassFactor]:
    _, *statistics = model.statistic_.parts
    return [
        factor
        for g, (part, statistic) in enumerate(zip(model.parts_, statistics, strict=True))
        for factor in part.factors(chunk, statistic, smoothing, k, f"_{g}_")
    ]


def _product(
    title: str,
    model: NaiveBayes,
    factors: list[ClassFactor],
    k: int,
    label: str,
    joint: float,
    of: tuple[str | int, ...],
) -> Step:
    """P(t) · Π P(x|t), taken as a logarithm where it would be too long to read or too small to hold."""
    prior = float(model.class_prior_[k])
    table = WorkTable(
        ("factor", f"P(· | {label})"),
        ((f"prior of {label}", prior), *((f.label, f.value) for f in factors[: 2 * _FACTORS])),
        f"The first {2 * _FACTORS} of {len(factors)} factors." if len(factors) > 2 * _FACTORS else "",
    )
    formula = f"P({label}) · Π P(x | {label})"
    if len(factors) <= _FACTORS and abs(joint) < _WRITTEN:
        share, counts = _prior_share(model, k)
        expression = " * ".join([share, *(f"({factor.expression})" for factor in factors)])
        values = counts | {name: v for factor in factors for name, v in factor.values.items()}
        return Step(title, formula, expression, values, result=math.exp(joint), table=table)
    if math.isinf(joint):
        return Step(title, formula, table=table, note="A factor is 0, and with it the product.")
    # A value that is too small or too large to be held has a logarithm nevertheless, which is in the rest.
    shown = [factor for factor in factors if 0.0 < factor.value < math.inf][:_FACTORS]
    rest = joint - math.log(prior) - sum(math.log(factor.value) for factor in shown)
    values = {"prior": prior, "rest": rest, **{f"f{i}": factor.value for i, factor in enumerate(shown)}}
    expression = " + ".join(["log(prior)", *(f"log(f{i})" for i in range(len(shown))), "rest"])
    labels = {"rest": f"the logarithms of the other {len(factors) - len(shown)} factors"}
    return Step(title, f"ln {formula}", expression, values, joint, of, labels, table)


def _prior_share(model: NaiveBayes, k: int) -> tuple[str, dict[str, float]]:
    if model.class_prior is not None:
        return "prior", {"prior": float(model.class_prior_[k])}
    return "n_t / n", {"n_t": float(model.class_count_[k]), "n": float(model.class_count_.sum())}


def _posterior(joint: Any, classes: list[str], row: int, model: NaiveBayes) -> list[Step]:
    """The share of each class in the sum of the products; products are scaled by the largest when they are tiny."""
    with np.errstate(divide="ignore"):
        logs = joint if np.isfinite(joint.max()) else np.log(model.class_prior_)
        scale = 0.0 if abs(logs.max()) < _WRITTEN else float(logs.max())
        shares = np.exp(logs - scale)
    order = np.argsort(-shares, kind="stable")[:_CLASSES]
    rest = float(shares.sum() - shares[order].sum())
    names = {f"j{k}": float(shares[k]) for k in order}
    below = " + ".join([*names, *(["rest"] if rest > 0 else [])])
    figure = bar_figure(
        [classes[k] for k in order],
        [float(shares[k] / shares.sum()) for k in order],
        title=f"Row {row + 1}: probability of each class",
        xlabel="P(t | x)",
    )
    best = int(order[0])
    return [
        Step(
            f"Row {row + 1}, posterior of {classes[best]}",
            formula="P(t|x) = P(t) · Π P(x|t) / Σ",
            expression=f"j{best} / ({below})",
            values=names | ({"rest": rest} if rest > 0 else {}),
            result=float(shares[best] / shares.sum()),
            of=("predict_proba", row, best),
            figure=figure,
        )
    ]
