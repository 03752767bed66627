"""The work of a naive Bayes model: where its estimates come from, and the product for a row written out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from novacula.bayes.distributions.base import ClassFactor, PartFacts, Smoothing
from novacula.bayes.distributions.categorical import CategoricalPart
from novacula.bayes.distributions.numeric import WRITTEN
from novacula.learner.derivation import SHOWN, cut_table, only_first, only_first_rows
from novacula.learner.figure import bar_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word
from novacula.table.chunk import Chunk, Floats

if TYPE_CHECKING:
    from novacula.bayes.naive_bayes import NaiveBayes

FACTORS = 200
"""Factors whose equations are written out where everything is asked for."""


def derive_model(model: NaiveBayes, options: WorkOptions) -> Work:
    """Priors, then the estimates of each group of columns."""
    parts = zip(model.parts_, facts_of_parts(model, options), strict=True)
    steps = [prior_step(model, options), *(step for part, facts in parts for step in part.steps(facts))]
    steps += _parameters_step(model)
    notes = ["A missing value is in no count."]
    shown = sum(len(part.group.names) for part in model.parts_)
    if shown > 6 and not options.is_full:
        notes.append(f"Not every estimate of the {shown} columns is written out; parts_ holds them all.")
    return Work("Naive Bayes: the estimates", steps, [*notes, *_only_first_classes(model, options)])


def _parameters_step(model: NaiveBayes) -> list[Step]:
    """How many numbers the model has, and how many it would have if columns were not taken to be independent."""
    parts = [part for part in model.parts_ if isinstance(part, CategoricalPart)]
    widths = {
        name: len(values)
        for part in parts
        for name, values in zip(part.group.names, part.group.categories, strict=True)
    }
    if len(parts) != len(model.parts_) or not all(widths.values()) or sum(map(math.log, widths.values())) > WRITTEN:
        return []
    is_boolean = len(model.classes_) == 2 and set(widths.values()) == {2}
    values = {"K": len(model.classes_), "c[j]": widths, **({"d": len(widths)} if is_boolean else {})}
    fewer = ("K - 1 + K * sum(c[j] - 1 for j in _)", *(["2 * d + 1"] if is_boolean else []))
    more = ("K * (product(c[j] for j in _) - 1)", *(["2 * (2 ** d - 1)"] if is_boolean else []))
    meanings = {"K": "classes", "c[j]": "values of a column"} | ({"d": "columns"} if is_boolean else {})
    return [
        Step(
            "Numbers to learn",
            (
                Equation("q_naive", fewer, values, ("n_parameters_",), meanings),
                Equation("q_all", more, values, where={"q_all": "without the assumption, one for each combination"}),
            ),
        )
    ]


def facts_of_parts(model: NaiveBayes, options: WorkOptions) -> list[PartFacts]:
    """What each part is derived from."""
    _, *statistics = model.statistic_.parts
    bags = sum(group.kind == "text" for group in model.groups_)
    smoothing = Smoothing(model.m, model.prior_estimate, model.var_smoothing)  # type: ignore[arg-type]
    classes = [str(label) for label in model.classes_]
    return [
        PartFacts(statistic, smoothing, classes, model.class_count_, ("parts_", g), options.is_full, bags > 1)
        for g, statistic in enumerate(statistics)
    ]


def _n_classes(model: NaiveBayes, options: WorkOptions) -> int:
    return len(model.classes_) if options.is_full else min(len(model.classes_), SHOWN)


def _only_first_classes(model: NaiveBayes, options: WorkOptions) -> list[str]:
    return only_first(_n_classes(model, options), len(model.classes_), "class")


def prior_step(model: NaiveBayes, options: WorkOptions) -> Step:
    """The probability of each class before a row is seen."""
    classes, total = [str(label) for label in model.classes_], float(model.class_count_.sum())
    if model.class_prior is not None:
        rows = list(zip(classes, model.class_prior_.tolist(), strict=True))
        return Step("Priors of the classes, as given", table=cut_table(("class", "⟦P(t)⟧"), rows, len(rows)))
    equations = [
        Equation(
            f"P({word(label)})",
            f"n[{word(label)}] / n",
            {f"n[{word(label)}]": model.class_count_[k], "n": total},
            of=("class_prior_", k),
            where={f"n[{word(label)}]": f"rows of class {label}"} | ({"n": "all rows"} if k == 0 else {}),
        )
        for k, label in enumerate(classes[: _n_classes(model, options)])
    ]
    return Step("Priors of the classes", tuple(equations))


# --- answers ---------------------------------------------------------------------------------------------------------


def derive_answers(model: NaiveBayes, chunk: Chunk, joint: Floats, is_cut: bool, options: WorkOptions) -> Work:
    """For each row the product of each class, the posterior and the answer; `joint` are ln P(t, x) (n, K)."""
    steps = [step for i in range(len(chunk)) for step in _row_steps(model, chunk.rows(i, i + 1), joint[i], options, i)]
    notes = [*only_first_rows(len(chunk), is_cut), "Missing values are left out of the product."]
    notes += _only_first_classes(model, options)
    if model.m != 0 and any(part.name in ("categorical", "multinomial", "bernoulli") for part in model.parts_):
        notes.append("⟦m⟧ is the weight of the prior estimate ⟦p⟧ of a probability.")
    if any(part.name in ("gaussian", "kernel") for part in model.parts_):
        notes.append("Of a number, ⟦P⟧ is a density.")
    return Work("Naive Bayes: the predictions", steps, notes)


def _row_steps(model: NaiveBayes, row: Chunk, joint: Floats, options: WorkOptions, i: int) -> list[Step]:
    labels = [str(label) for label in model.classes_]
    every = facts_of_parts(model, options)
    steps, columns = [], []
    for k in range(_n_classes(model, options)):
        parts = zip(model.parts_, every, strict=True)
        factors = [factor for part, facts in parts for factor in part.factors(row, facts, k)]
        columns.append(factors)
        steps.append(_product_step(model, factors, k, float(joint[k]), options, i))
    return [*_factor_table(columns, labels, options, i), *steps, _posterior_step(model, joint, labels, i)]


def _factor_table(columns: list[list[ClassFactor]], labels: list[str], options: WorkOptions, i: int) -> list[Step]:
    """The factors of all classes side by side, where they are not all put into the products."""
    factors = columns[0]
    if not factors or _are_put_in(factors, options) or len(_written(factors, options, i)) == len(factors):
        return []
    header = ("factor", *(f"⟦P⟧ in {label}" for label in labels[: len(columns)]))
    rows = [(each[0].label, *(math.exp(min(f.log, WRITTEN)) for f in each)) for each in zip(*columns, strict=True)]
    most = len(rows) if options.is_full else 2 * SHOWN
    return [Step(f"Row {i + 1}: the factors", table=cut_table(header, rows, len(rows), most=most))]


def _are_put_in(factors: list[ClassFactor], options: WorkOptions) -> bool:
    """Whether the counts of all factors are written in the product itself."""
    return len(factors) <= options.terms and all(factor.is_share for factor in factors)


def _product_step(
    model: NaiveBayes, factors: list[ClassFactor], k: int, joint: float, options: WorkOptions, i: int
) -> Step:
    """P(t) · Π P(x|t), as a sum of logarithms where it is too small or too large to hold."""
    label = str(model.classes_[k])
    class_, title = word(label), f"Row {i + 1}, class {label}"
    prior, of = float(model.class_prior_[k]), ("predict_joint_log_proba", i, k)
    each = f"P(x[j] | {class_})"
    written = _written(factors, options, i)
    if not factors:
        return Step(title, Equation(f"log(P({class_}, x))", f"log(P({class_}))", {f"P({class_})": prior}, of))
    if any(WRITTEN < abs(log) < math.inf for log in (joint, *(factor.log for factor in factors))):
        values = {f"P({class_})": prior, f"log({each})": [factor.log for factor in factors]}
        total = f"log(P({class_})) + sum(log({each}) for j in _)"
        return Step(title, (*written, Equation(f"log(P({class_}, x))", total, values, of)))
    values = {f"P({class_}, x)": math.exp(joint), f"P({class_})": prior, each: [math.exp(f.log) for f in factors]}
    right = [f"P({class_}) * product({each} for j in _)"]
    if _are_put_in(factors, options):
        share, counts = _prior_share(model, k)
        shares = [factor.equation() for factor in factors if factor.equation is not None]
        right.append(" * ".join([share, *(equation.right[0] for equation in shares)]))
        values |= counts | {name: value for equation in shares for name, value in (equation.values or {}).items()}
    return Step(title, (*written, Equation(f"P({class_}, x)", tuple(right), values)))


def _written(factors: list[ClassFactor], options: WorkOptions, i: int) -> list[Equation]:
    """The equations of the factors: of the first row if they are few, of every row if everything is asked for."""
    is_short = i == 0 and len(factors) <= options.terms
    if _are_put_in(factors, options) or not (is_short or options.is_full):
        return []
    return [factor.equation() for factor in factors[:FACTORS] if factor.equation is not None]


def _prior_share(model: NaiveBayes, k: int) -> tuple[str, dict[str, float]]:
    class_ = word(model.classes_[k])
    if model.class_prior is not None:
        return f"P({class_})", {}
    return f"n[{class_}] / n", {f"n[{class_}]": float(model.class_count_[k]), "n": float(model.class_count_.sum())}


def _posterior_step(model: NaiveBayes, joint: Floats, labels: list[str], i: int) -> Step:
    """The share of the most probable class in the sum of the products, and the answer."""
    is_lost = not np.isfinite(joint.max())
    with np.errstate(divide="ignore"):
        logs = np.log(model.class_prior_) if is_lost else joint
    relative = np.exp(logs - logs.max())
    shares = dict(zip(labels, (relative / relative.sum()).tolist(), strict=True))
    best = int(np.argmax(logs))
    class_, of = word(labels[best]), ("predict_proba", i, best)
    if is_lost:
        values = {f"P({class_})": model.class_prior_[best]}
        posterior = Equation(f"P({class_} | x)", f"P({class_})", values, of)
    elif abs(logs[best]) < WRITTEN:
        products = dict(zip(labels, np.exp(joint).tolist(), strict=True))
        values = {f"P({class_}, x)": products[labels[best]], "P(t, x)": products}
        posterior = Equation(f"P({class_} | x)", f"P({class_}, x) / sum(P(t, x) for t in _)", values, of)
    else:
        values = {f"log(P({class_}, x))": joint[best], "log(P(t, x))": dict(zip(labels, joint.tolist(), strict=True))}
        right = f"1 / sum(exp(log(P(t, x)) - log(P({class_}, x))) for t in _)"
        posterior = Equation(f"P({class_} | x)", right, values, of)
    rule = "argmax(P(t | x) for t in _)"
    answer = Equation(f"t̂[{i + 1}]", rule, {"P(t | x)": shares}, of=("predict", i), therefore=True)
    largest = sorted(shares, key=lambda label: -shares[label])[:SHOWN]
    figure = bar_figure(
        largest,
        [shares[label] for label in largest],
        title=f"Row {i + 1}: probability of each class",
        xlabel="P(t | x)",
    )
    note = "No class explains the row, so the priors are the answer." if is_lost else ""
    return Step(f"Row {i + 1}: the answer", (posterior, answer), figure=figure, note=note)
