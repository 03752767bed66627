"""`novacula work` for what is not a learner: functions of theory, optimisers, and measures of a learner on a table.

novacula work pac_sample_size --set hypotheses=973 --set epsilon=0.1
novacula work newton --set "f=x**4 - 3*x**2" --set start=[2]
novacula work lagrange --set "f=x*y" --set "g=x + y - 2" --set start=[1,2]
novacula work cross_validate play_tennis --target PlayTennis --set learner=tree --set folds=5
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from novacula.cli import fitting
from novacula.cli.data import named_values, read_table
from novacula.cli.pac import whole_number
from novacula.errors import ParameterError
from novacula.words import counted, listed, quoted

if TYPE_CHECKING:
    from novacula.table import Table

Settings = dict[str, Any]


def is_calculation(name: str) -> bool:
    """Whether it is the name of something that can be calculated, rather than of a learner."""
    return name in BY_SETTINGS or name in MEASURES


def calculate(name: str, settings: Sequence[str], data: Sequence[str], target: str | None) -> Any:
    """The result of a calculation, from its settings and, where it measures a learner, a table: it derives itself."""
    values = named_values(settings)
    if name in BY_SETTINGS:
        if data:
            raise ParameterError(f"{name} takes no table, so {data[0]!r} has no place there")
        return BY_SETTINGS[name](name, values)
    if not data:
        raise ParameterError(f"{name} measures a learner on a table: name a file or a data set")
    return _measured(name, values, read_table(list(data), target))


# --- theory -------------------------------------------------------------------------------------------------


def _theory(name: str, settings: Settings) -> Any:
    from novacula import theory

    if isinstance(settings.get("hypotheses"), str):
        settings["hypotheses"] = whole_number(settings["hypotheses"])
    return called(getattr(theory, name), settings)


# --- optimisers ---------------------------------------------------------------------------------------------


def _optimum(name: str, settings: Settings) -> Any:
    from novacula import optimize

    f, start = _function(name, settings, "f"), _taken(name, settings, "start")
    given = {"f": f, "gradient": f.gradient, "x0": start}
    if name != "lbfgs":
        given["hessian"] = f.hessian
    return called(getattr(optimize, name), given | settings)


def _line_search(name: str, settings: Settings) -> Any:
    from novacula.optimize import line_search

    f = _function(name, settings, "f")
    return called(line_search, {"f": f, "gradient": f.gradient} | settings)


def _lagrange(name: str, settings: Settings) -> Any:
    from novacula.mathematics.calculus import SmoothFunction
    from novacula.optimize import lagrange

    f, start = _function(name, settings, "f"), _taken(name, settings, "start")
    g = SmoothFunction(str(_taken(name, settings, "g")), f.names)
    given = {"objective": f, "equalities": lambda x: [g(x)], "x0": start}
    given |= {"gradient": f.gradient, "jacobian": lambda x: [g.gradient(x)]}
    given["hessian"] = lambda x, multipliers: f.hessian(x) + multipliers[0] * g.hessian(x)
    return called(lagrange, given | settings)


def _quadratic_program(_name: str, settings: Settings) -> Any:
    from novacula.optimize import quadratic_program

    return called(quadratic_program, {"P": None} | settings)


def _function(name: str, settings: Settings, key: str) -> Any:
    from novacula.mathematics.calculus import SmoothFunction

    return SmoothFunction(str(_taken(name, settings, key)))


# --- measures of a learner on a table -----------------------------------------------------------------------

OF_ANSWERS = ("description_length", "roc", "confusion")
MEASURES = ("cross_validate", "leave_one_out", "learning_curve", "bias_variance", "select_size", *OF_ANSWERS)
"""Functions of `novacula.evaluate`; the last ones measure a model that is fitted to the table."""


def _measured(name: str, settings: Settings, table: Table) -> Any:
    from novacula import evaluate

    learner = str(_taken(name, settings, "learner"))
    if name in OF_ANSWERS:
        return _of_answers(name, learner, table, settings)
    given = {"learner": fitting.unfitted_learner(learner, table, ())}
    if name == "select_size":
        given |= {"size_param": settings.pop("size", None), "sizes": settings.pop("sizes", None)}
    rows = "sampler_or_X" if name == "bias_variance" else "X"
    return called(getattr(evaluate, name), given | {rows: table} | settings)


def _of_answers(name: str, learner: str, table: Table, settings: Settings) -> Any:
    """A measure of a learner that is fitted to the table it is measured on."""
    from novacula import evaluate
    from novacula.learner.ingest import target_values

    model = fitting.fit_learner(learner, table, ())
    if name == "description_length":
        return called(evaluate.description_length, {"model": model, "X": table} | settings)
    labels = target_values(table)
    if name == "confusion":
        return called(evaluate.confusion, {"y": labels, "prediction": model.predict(table)} | settings)
    return called(evaluate.roc, {"y": labels, "score": _scores(model, table, settings.get("positive"))} | settings)


def _scores(model: Any, table: Table, positive: Any) -> Any:
    """How much the model speaks for the positive class, row by row; of two classes it is the second."""
    classes = [str(label) for label in model.classes_]
    if positive is None and len(classes) > 2:
        raise ParameterError(f"roc is of one class against the others: say --set positive={classes[0]}, for example")
    if positive is not None and str(positive) not in classes:
        raise ParameterError(f"there is no class {quoted(positive)}: the classes are {listed(classes)}")
    scores = model.predict_proba(table) if hasattr(model, "predict_proba") else model.decision_function(table)
    place = 1 if positive is None else classes.index(str(positive))
    if scores.ndim == 2:
        return scores[:, place]
    return scores if place == 1 else -scores


# --- settings -----------------------------------------------------------------------------------------------


def called(function: Callable[..., Any], settings: Settings) -> Any:
    """Call a function with settings by name; one that it does not take, or lacks, is refused in a sentence."""
    name, parameters = function.__name__, inspect.signature(function).parameters
    for key in settings:
        if key not in parameters:
            raise ParameterError(f"{name} has no setting {key!r}: it has {', '.join(parameters)}")
    lacking = [p.name for p in parameters.values() if p.default is p.empty and p.name not in settings]
    if lacking:
        missing = counted(len(lacking), "setting")
        raise ParameterError(f"{name} lacks {missing}: say {' '.join(f'--set {key}=…' for key in lacking)}")
    return function(**settings)


def _taken(name: str, settings: Settings, key: str) -> Any:
    if key not in settings:
        raise ParameterError(f"{name} needs {key}: say --set {key}=…")
    return settings.pop(key)


BY_SETTINGS: Mapping[str, Callable[[str, Settings], Any]] = {
    **dict.fromkeys(("pac_sample_size", "pac_error", "pac_delta", "vc_sample_size", "vc_error"), _theory),
    **dict.fromkeys(("cover_dichotomies", "conjunctions", "decision_trees", "k_term_dnf", "k_clause_cnf"), _theory),
    **dict.fromkeys(("newton", "gradient_descent", "conjugate_gradient", "lbfgs"), _optimum),
    "line_search": _line_search,
    "lagrange": _lagrange,
    "quadratic_program": _quadratic_program,
}
"""What is calculated from settings alone."""
