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

from novacula.cli.data import named_values, read_table
from novacula.cli.fitting import fit_learner, unfitted_learner
from novacula.cli.pac import whole_number
from novacula.errors import ParameterError
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.table import Table

Settings = dict[str, Any]


def calculations() -> dict[str, Callable[[Settings, Sequence[str], str | None], Any]]:
    """What can be calculated, by name: each gives a result that derives itself."""
    from novacula import theory

    functions = {name: getattr(theory, name) for name in BY_NUMBERS}
    named: dict[str, Any] = {name: _of_theory(function) for name, function in functions.items()}
    named |= {name: _of_function(name) for name in ("newton", "gradient_descent", "conjugate_gradient", "lbfgs")}
    named |= {"line_search": _line_search, "lagrange": _lagrange, "quadratic_program": _quadratic_program}
    return named | {name: _of_table(name) for name in MEASURES}


def calculate(name: str, settings: Sequence[str], data: Sequence[str], target: str | None) -> Any:
    """The result of a calculation, from its settings and, where it needs one, a table."""
    return calculations()[name](named_values(settings), data, target)


# --- theory -------------------------------------------------------------------------------------------------


BY_NUMBERS = (
    *("pac_sample_size", "pac_error", "pac_delta", "vc_sample_size", "vc_error", "cover_dichotomies"),
    *("conjunctions", "decision_trees", "k_term_dnf", "k_clause_cnf"),
)
"""Functions of `novacula.theory` that take numbers only."""


def _of_theory(function: Callable[..., Any]) -> Callable[..., Any]:
    def calculated(settings: Settings, data: Sequence[str], target: str | None) -> Any:
        _no_table(function.__name__, data)
        if isinstance(settings.get("hypotheses"), str):
            settings["hypotheses"] = whole_number(settings["hypotheses"])
        return called(function, settings)

    return calculated


# --- optimisers ---------------------------------------------------------------------------------------------


def _of_function(name: str) -> Callable[..., Any]:
    def calculated(settings: Settings, data: Sequence[str], target: str | None) -> Any:
        from novacula import optimize

        _no_table(name, data)
        f, start = _function(name, settings, "f"), _taken(name, settings, "start")
        given = {"f": f, "gradient": f.gradient, "x0": start}
        if name != "lbfgs":
            given["hessian"] = f.hessian
        return called(getattr(optimize, name), given | settings)

    return calculated


def _line_search(settings: Settings, data: Sequence[str], target: str | None) -> Any:
    from novacula.optimize import line_search

    _no_table("line_search", data)
    f = _function("line_search", settings, "f")
    return called(line_search, {"f": f, "gradient": f.gradient} | settings)


def _lagrange(settings: Settings, data: Sequence[str], target: str | None) -> Any:
    from novacula.mathematics.calculus import SmoothFunction
    from novacula.optimize import lagrange

    _no_table("lagrange", data)
    f, start = _function("lagrange", settings, "f"), _taken("lagrange", settings, "start")
    g = SmoothFunction(str(_taken("lagrange", settings, "g")), f.names)
    given = {"objective": f, "equalities": lambda x: [g(x)], "x0": start}
    given |= {"gradient": f.gradient, "jacobian": lambda x: [g.gradient(x)]}
    given["hessian"] = lambda x, multipliers: f.hessian(x) + multipliers[0] * g.hessian(x)
    return called(lagrange, given | settings)


def _quadratic_program(settings: Settings, data: Sequence[str], target: str | None) -> Any:
    from novacula.optimize import quadratic_program

    _no_table("quadratic_program", data)
    return called(quadratic_program, {"P": None} | settings)


def _function(name: str, settings: Settings, key: str) -> Any:
    from novacula.mathematics.calculus import SmoothFunction

    return SmoothFunction(str(_taken(name, settings, key)))


# --- measures of a learner on a table -----------------------------------------------------------------------

MEASURES: Mapping[str, str] = {
    "cross_validate": "",
    "leave_one_out": "",
    "learning_curve": "",
    "bias_variance": "",
    "select_size": "size_param",
    "description_length": "fitted",
    "roc": "fitted",
    "confusion": "fitted",
}
"""Functions of `novacula.evaluate`, and what they need besides a learner and a table."""


def _of_table(name: str) -> Callable[..., Any]:
    def calculated(settings: Settings, data: Sequence[str], target: str | None) -> Any:
        from novacula import evaluate

        if not data:
            raise ParameterError(f"{name} measures a learner on a table: name a file or a data set")
        table, learner = read_table(list(data), target), str(_taken(name, settings, "learner"))
        if MEASURES[name] == "fitted":
            return _of_answers(name, learner, table, settings)
        model = unfitted_learner(learner, table, ())
        if name == "select_size":
            given = {"size_param": settings.pop("size", None), "sizes": settings.pop("sizes", None)}
            return called(evaluate.select_size, {"learner": model, "X": table} | given | settings)
        rows = "sampler_or_X" if name == "bias_variance" else "X"
        return called(getattr(evaluate, name), {"learner": model, rows: table} | settings)

    return calculated


def _of_answers(name: str, learner: str, table: Table, settings: Settings) -> Any:
    """A measure of a learner that is fitted to the table it is measured on."""
    from novacula import evaluate
    from novacula.learner.ingest import target_values

    model = fit_learner(learner, table, ())
    if name == "description_length":
        return called(evaluate.description_length, {"model": model, "X": table} | settings)
    labels = model.classes_[target_values(table)] if hasattr(model, "classes_") else target_values(table)
    if name == "confusion":
        return called(evaluate.confusion, {"y": labels, "prediction": model.predict(table)} | settings)
    score = model.predict_proba(table)[:, 1] if hasattr(model, "predict_proba") else model.decision_function(table)
    return called(evaluate.roc, {"y": labels, "score": score} | settings)


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


def _no_table(name: str, data: Sequence[str]) -> None:
    if data:
        raise ParameterError(f"{name} takes no table, so {data[0]!r} has no place there")
