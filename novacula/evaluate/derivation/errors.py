"""Errors of folds, of sizes and of rows left out, each with its mean and the standard error of that."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.evaluate.loss import Floats, metric_name
from novacula.learner.derivation import SHOWN, cut_table, distinct_names, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word
from novacula.words import counted, shortened

if TYPE_CHECKING:
    from novacula.evaluate.cross_validation import CrossValidation
    from novacula.evaluate.error_curve import ErrorCurve
    from novacula.evaluate.learning_curves import LearningCurves
    from novacula.evaluate.leave_one_out import LeaveOneOut
    from novacula.evaluate.select_size import SizeCurve

FOLDS = {"e": "errors of the folds", "k": "folds"}


def mean_equations(errors: Floats, at: str, of_mean: tuple[Any, ...], of_error: tuple[Any, ...]) -> Iterator[Equation]:
    """The mean of errors, and its standard error; `at` stands below their letters, as "[2]"."""
    mean, k = float(errors.mean()), len(errors)
    values = {f"e{at}[i]": errors, "k": k}
    where = {f"e{at}[i]": "errors of the folds", "k": "folds"}
    yield Equation(f"ē{at}", f"sum(e{at}[i] for i in _) / k", values, of_mean, where)
    if k > 1 and np.isfinite(errors).all():
        right = f"sqrt(sum((e{at}[i] - ē{at}) ** 2 for i in _) / (k * (k - 1)))"
        known = {f"s{at}": "standard error of the mean, as if folds were independent"}
        yield Equation(f"s{at}", right, {**values, f"ē{at}": mean}, of_error, known)


def derive_cross_validation(result: CrossValidation) -> Work:
    """The errors of the folds with their mean, for each loss."""
    steps = []
    for name, errors in result.validation.items():
        at = "" if len(result.validation) == 1 else f"[{word(metric_name(name))}]"
        equations = mean_equations(errors, at, ("means", name), ("standard_errors", name))
        known = {"rows of the fit": result.train[name].tolist()} if name in result.train else {}
        rows = zip(range(1, len(errors) + 1), *known.values(), errors.tolist(), strict=True)
        table = cut_table(("fold", *known, "rows not seen"), rows, len(errors))
        steps.append(Step(f"The {metric_name(name)} of rows that were not seen", tuple(equations), table))
        if not known:
            continue
        own = Equation(
            f"ē_train{at}",
            f"sum(e_train{at}[i] for i in _) / k",
            {f"e_train{at}[i]": result.train[name], "k": len(errors)},
            of=("train_means", name),
        )
        steps.append(Step(f"The {metric_name(name)} of the rows of the fit", own))
    return Work("Cross-validation", steps, [result.reason] if result.reason else [])


def derive_error_curve(result: ErrorCurve, options: WorkOptions) -> Work:
    """The errors of the folds with their mean, size by size."""
    steps, notes = curve_steps(result, options)
    return Work(f"Errors over {shortened(result.size_name)}", steps, notes)


def derive_error_curves(result: LearningCurves, options: WorkOptions) -> Work:
    """The mean errors of each learner after the fewest and the most examples, and who errs least there."""
    steps = []
    sizes = result.sizes
    places = range(len(sizes)) if options.is_full else sorted({0, len(sizes) - 1})
    names = dict(zip(result.curves, distinct_names(result.curves), strict=True))
    for i in places:
        equations: list[Equation] = []
        for name, curve in result.curves.items():
            at = f"[{word(f'{names[name]}, {sizes[i]}')}]"
            equations += mean_equations(
                curve.validation[i], at, ("curves", name, "validation_mean", i), ("curves", name, "standard_error", i)
            )
        means = {names[name]: curve.validation_mean[i] for name, curve in result.curves.items()}
        if result.best[i] is not None:
            least = {f"ē_{sizes[i]}[h]": means}
            equations.append(Equation(f"h[{sizes[i]}]", f"argmin(ē_{sizes[i]}[h] for h in _)", least, therefore=True))
        steps.append(Step(f"After {counted(sizes[i], 'example')}", tuple(equations)))
    steps.append(Step("The errors of all", table=result.table(), figure=result.plot()))
    return Work("Learning curves", steps, [f"{result.sentence()}."])


def curve_steps(result: ErrorCurve, options: WorkOptions) -> tuple[list[Step], list[str]]:
    """The mean error of each size, the picture, and what was left out."""
    tried = result.tried
    most = len(tried) if options.is_full else SHOWN
    steps = []
    for i in tried[:most]:
        at = f"[{word(str(result.sizes[i]))}]"
        equations = mean_equations(result.validation[i], at, ("validation_mean", i), ("standard_error", i))
        steps.append(Step(f"{shortened(result.size_name)} = {shortened(str(result.sizes[i]))}", tuple(equations)))
    steps.append(Step("Training and validation error", table=result.table(), figure=result.plot()))
    return steps, only_first(min(most, len(tried)), len(tried), "size")


def derive_choice(result: SizeCurve, options: WorkOptions) -> Work:
    """The mean error of each size, and which size the rule prefers."""
    steps, notes = curve_steps(result, options)
    tried = result.tried
    names = [str(result.sizes[i]) for i in tried]
    means = {"ē[m]": dict(zip(names, result.validation_mean[tried], strict=True))}
    best = tried[int(np.argmin(result.validation_mean[tried]))]
    of = ("best_size",) if best == result.best else ()
    least = Equation("m_min", "argmin(ē[m] for m in _)", means, of=of, therefore=True)
    steps.append(Step("The size of the least error", least))
    if result.rule == "one_se":
        slack = float(result.standard_error[best])
        chosen, other = (word(str(result.sizes[i])) for i in (result.best, best))
        values = {
            f"ē[{chosen}]": result.validation_mean[result.best],
            f"ē[{other}]": result.validation_mean[best],
            f"s[{other}]": 0.0 if math.isnan(slack) else slack,
        }
        within = Equation(f"ē[{chosen}]", f"ē[{other}] + s[{other}]", values, sign="≤")
        of_choice = Equation("m", chosen, {}, of=("best_size",), therefore=True)
        steps.append(Step("The simplest within one standard error of it", (within, of_choice)))
    return Work(f"The choice of {shortened(result.size_name)}", steps, [*notes, result.sentence() + "."])


def derive_left_out(result: LeaveOneOut) -> Work:
    """The losses of rows by models that have not seen them, and their mean."""
    values: dict[str, Any] = {"e": result.losses}
    where = {"e": "losses of the rows"}
    if result.weight is None:
        right, values["n"], where["n"] = "sum(e[i] for i in _) / n", len(result.losses), "rows"
    else:
        right, values["w"], where["w"] = "sum(w[i] * e[i] for i in _) / sum(w[i] for i in _)", result.weight, "weights"
    equations = [Equation("ē", right, values, of=("error",), where=where)]
    n = len(result.losses)
    if n > 1 and np.isfinite(result.losses).all():
        spread = "sqrt(sum((e[i] - m) ** 2 for i in _) / (n * (n - 1)))"
        known = {"e": result.losses, "m": float(result.losses.mean()), "n": n}
        means = {"s": "standard error, as if rows were independent", "m": "plain mean of the losses"}
        equations.append(Equation("s", spread, known, of=("standard_error",), where=means))
    how = f"By {result.method}, {result.n_fits} fits."
    return Work("Leave-one-out", [Step(f"The mean {metric_name(result.loss)}", tuple(equations), note=how)])
