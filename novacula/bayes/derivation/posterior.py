"""The work and the picture of a posterior: Bayes' theorem with the numbers put in, observation by observation."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.bayes.hypotheses import LabelledRows
from novacula.bayes.probabilities import logarithm
from novacula.learner.figure import COLOURS, Figure, curve_figure, few_digits
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.table.chunk import Floats
from novacula.table.names import printable

if TYPE_CHECKING:
    from novacula.bayes.posterior import Posterior

_ENDS = 10  # observations shown at either end of the table
_TERMS = 12  # hypotheses written out
_ROWS = 3  # rows whose prediction is derived
_NAME = 40  # characters of a name
_TINY = 600.0  # a likelihood e^−600 or less is shown as a share of the largest


def derive_posterior(posterior: Posterior) -> Work:
    """The prior, the posterior after each observation, and Bayes' theorem for the hypotheses that matter most."""
    shown = _most_probable(posterior)
    figure = posterior_figure(posterior) if posterior.observed else None
    formula = "P(h|D) = P(D|h) · P(h) / Σ P(D|h') · P(h')"
    steps = [Step("Hypotheses", formula, table=_course(posterior, shown), figure=figure), *bayes_steps(posterior)]
    left_out = len(posterior.names) - len(shown)
    notes = [f"{left_out} less probable hypotheses are not written out."] if left_out else []
    return Work("Posterior of the hypotheses", steps, notes)


def _most_probable(posterior: Posterior) -> list[int]:
    """The hypotheses to write out, in their order."""
    return sorted(np.argsort(-posterior.log_weights, kind="stable")[:_TERMS].tolist())


def _course(posterior: Posterior, shown: list[int]) -> WorkTable:
    logs, counts = course(posterior)
    data: list[Any] = [x for seen in posterior.observed for x in seen.data]
    n = len(data)
    places = range(n + 1) if n <= 2 * _ENDS else [*range(_ENDS), *range(n + 1 - _ENDS, n + 1)]
    rows = [
        (few_digits(counts[i]), "prior" if i == 0 else called(data[i - 1]), *np.exp(logs[i, shown]).tolist())
        for i in places
    ]
    caption = f"{n + 1 - len(rows)} rows in the middle are left out." if len(rows) <= n else ""
    return WorkTable(
        ("seen", "observation", *(f"P({called(posterior.names[k])}|D)" for k in shown)), tuple(rows), caption
    )


def course(posterior: Posterior) -> tuple[Floats, Floats]:
    """ln P(h | D) after each observation, from the prior on (n + 1, H), and how many were seen by then (n + 1,)."""
    blocks = [
        seen.weight[:, None] * np.where(seen.weight[:, None] > 0, seen.log_likelihood, 0.0)
        for seen in posterior.observed
    ]
    joint = np.cumsum(np.vstack([logarithm(posterior.prior)[None], *blocks]), axis=0)
    peak = joint.max(axis=1, keepdims=True)
    counts = np.concatenate([[0.0], *(seen.weight for seen in posterior.observed)])
    return joint - peak - np.log(np.exp(joint - peak).sum(axis=1, keepdims=True)), np.cumsum(counts)


def bayes_steps(posterior: Posterior, of: tuple[str, ...] = ("weights",)) -> Iterator[Step]:
    """P(D), then P(D|h)·P(h) / P(D); where likelihoods are too small to hold, as shares of the largest.

    `of` is where whoever shows the work keeps P(h | D).
    """
    shown = _most_probable(posterior)
    peak = float(posterior.log_likelihood[posterior.prior > 0].max())
    scale = peak if abs(peak) > _TINY else 0.0
    likelihood = np.exp(np.minimum(posterior.log_likelihood - scale, _TINY))  # of what is impossible it may be huge
    joint = posterior.prior * likelihood
    names = [called(name) for name in posterior.names]
    rows = [(names[k], float(posterior.prior[k]), float(likelihood[k]), float(joint[k])) for k in shown]
    values, terms = {f"j{k}": float(joint[k]) for k in shown}, [f"j{k}" for k in shown]
    if len(shown) < len(names):
        values["rest"], terms = float(joint.sum() - joint[shown].sum()), [*terms, "rest"]
    note = f"Likelihoods are divided by e^{scale:.6g}, which cancels." if scale else ""
    table = WorkTable(("hypothesis", "P(h)", "P(D|h)", "P(D|h) · P(h)"), tuple(rows))
    evidence = float(joint.sum())
    yield Step("Evidence", "P(D) = Σ P(D|h) · P(h)", " + ".join(terms), values, evidence, table=table, note=note)
    for k in shown:
        yield Step(
            f"Posterior of {names[k]}",
            formula=f"P({names[k]}|D) = P(D|{names[k]}) · P({names[k]}) / P(D)",
            expression="l * p / z",
            values={"l": float(likelihood[k]), "p": float(posterior.prior[k]), "z": evidence},
            result=float(posterior.weights[k]),
            of=(*of, k),
        )


# --- predictions -----------------------------------------------------------------------------------------------------


def derive_prediction(posterior: Posterior, x: Any) -> Work:
    """Σ P(x|h) · P(h|D), written out for a datum, or for each class of the first rows."""
    if isinstance(posterior.voice, LabelledRows):
        return derive_votes(posterior, posterior.voice, np.stack(list(posterior.voice.probabilities(x))), "predict")
    each = np.array([posterior.voice.predict(x, row) for row in np.eye(len(posterior.names))])
    best = posterior.map()
    alone = Step(f"{called(best)} alone", table=WorkTable(("P(x|h)",), ((float(posterior.predictive_map(x)),),)))
    return Work(f"Prediction of {called(x)}", [_mixture(posterior, each, f"P({called(x)}|D)", ("predict",)), alone])


def derive_votes(posterior: Posterior, voice: LabelledRows, each: Floats, method: str) -> Work:
    """Σ P(h|D) · what each hypothesis says of rows and classes (H, n, K): what `method` gives."""
    steps = [
        _mixture(posterior, each[:, i, k], f"Row {i + 1}, class {called(label)}", (method, i, k))
        for i in range(min(each.shape[1], _ROWS))
        for k, label in islice(enumerate(voice.classes.tolist()), _TERMS)
    ]
    notes = [f"The first {_ROWS} of {each.shape[1]} rows are derived."] if each.shape[1] > _ROWS else []
    return Work("Predictions by all hypotheses", steps, notes)


def _mixture(posterior: Posterior, each: Floats, title: str, of: tuple[str | int, ...]) -> Step:
    shown = _most_probable(posterior)
    weights = posterior.weights
    values = {f"w{k}": float(weights[k]) for k in shown} | {f"x{k}": float(each[k]) for k in shown}
    terms = [f"w{k} * x{k}" for k in shown]
    if len(shown) < len(weights):
        left = np.setdiff1d(np.arange(len(weights)), shown)
        values["rest"], terms = float(weights[left] @ each[left]), [*terms, "rest"]
    rows = tuple((called(posterior.names[k]), float(weights[k]), float(each[k])) for k in shown)
    return Step(
        title,
        formula="P(x|D) = Σ P(h|D) · P(x|h)",
        expression=" + ".join(terms),
        values=values,
        result=float(weights @ each),
        of=of,
        table=WorkTable(("hypothesis", "P(h|D)", "P(x|h)"), rows),
    )


# --- the picture -----------------------------------------------------------------------------------------------------


def posterior_figure(posterior: Posterior) -> Figure:
    """P(h | D) against the number of observations, of the hypotheses that were ever most likely to be right."""
    logs, counts = course(posterior)
    order = np.argsort(-np.exp(logs).max(axis=0), kind="stable")[: len(COLOURS)]
    curves = {called(posterior.names[k]): np.exp(logs[:, k]) for k in sorted(order.tolist())}
    rest = len(posterior.names) - len(order)
    more = f" ({rest} less probable ones are not drawn)" if rest else ""
    return curve_figure(
        counts,
        curves,
        title=f"What is believed of the hypotheses{more}",
        xlabel="observations",
        ylabel="P(h | D)",
    )


def called(name: Hashable) -> str:
    """A name or datum as a derivation writes it."""
    if isinstance(name, (int, float, np.integer, np.floating)) and not isinstance(name, (bool, np.bool_)):
        return few_digits(float(name))
    return printable(str(name), _NAME)
