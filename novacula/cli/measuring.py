"""Calculations on a table, for `novacula work`: of its columns, of learners, and of models that are fitted to it.

What Python is given as rows, columns, targets, learners and models, a command line names: rows are the table, targets
are its target, a word in the place of values is a column, and learners go by the names that `novacula learners` lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from novacula.cli import fitting
from novacula.cli.calling import Settings, called, parameters_of, taken
from novacula.errors import ParameterError
from novacula.words import listed, quoted

if TYPE_CHECKING:
    from novacula.table import Table

ROWS = ("X", "sampler_or_X")
"""Parameters that are the table."""
TARGETS = ("y", "t", "labels", "targets")
"""Parameters that are its target, where they must be given apart from the rows."""
COLUMNS = ("data", "values", "x", "groups")
"""Parameters that are a column, where a word names it."""
OF_LEARNER = "learner."
"""Settings that begin with this are the learner's own."""


def of_columns(function: Callable[..., Any], settings: Settings, table: Table | None) -> Any:
    """A function of rows, of columns or of a target, which a table has where they are not set."""
    return called(function, settings if table is None else settings | _from_table(function, settings, table))


def of_numbers(function: Callable[..., Any], settings: Settings, table: Table | None) -> Any:
    """A function of rows X that must be an array of numbers, and perhaps of their names."""
    if table is None:
        return called(function, settings)
    parameters, given = parameters_of(function), Settings()
    if "X" in parameters:
        given["X"] = number_rows(table)
    if "names" in parameters:
        given["names"] = [column.name for column in table.layout.features]
    return of_columns(function, given | settings, table)


def number_rows(table: Table) -> Any:
    """The features of a table as an array of numbers."""
    words = [column.name for column in table.layout.features if column.kind != "numeric"]
    if words:
        raise ParameterError(f"the column {quoted(words[0])} does not hold numbers: give a table of numbers")
    return table.to_chunk().numeric


def _from_table(function: Callable[..., Any], settings: Settings, table: Table) -> Settings:
    """The parameters of a function that are parts of a table and not set, or set by the name of a column."""
    from novacula.learner.ingest import target_values

    parameters, found = parameters_of(function), Settings()
    columns = table.to_arrow()
    for key in COLUMNS:
        name = settings.get(key)
        if key in parameters and isinstance(name, str):
            if name not in columns.column_names:
                raise ParameterError(f"the table has no column {quoted(name)}: it has {listed(columns.column_names)}")
            found[key] = columns[name].to_numpy(zero_copy_only=False)
            if "name" in parameters:
                found["name"] = settings.get("name", name)
    for key in ROWS:
        if key in parameters and key not in settings:
            found[key] = table
    for key in TARGETS:
        is_needed = key in parameters and parameters[key].default is parameters[key].empty
        if is_needed and key not in settings and table.layout.target:
            found[key] = target_values(table)
    return found


# --- learners -----------------------------------------------------------------------------------------------


def _own(settings: Settings) -> list[str]:
    """The settings of the learner itself, taken out of the others, as they are typed."""
    import json

    keys = [key for key in settings if key.startswith(OF_LEARNER)]
    return [f"{key.removeprefix(OF_LEARNER)}={json.dumps(settings.pop(key))}" for key in keys]


def of_learner(function: Callable[..., Any], settings: Settings, table: Table) -> Any:
    """A measure of a learner that is fitted to parts of the table."""
    learner = str(taken(function.__name__, settings, "learner"))
    given = {"learner": fitting.unfitted_learner(learner, table, _own(settings))}
    if "size_param" in parameters_of(function):
        given |= {"size_param": settings.pop("size", None), "sizes": settings.pop("sizes", None)}
    return of_columns(function, given | settings, table)


def of_learners(function: Callable[..., Any], settings: Settings, table: Table) -> Any:
    """A measure of several learners that are fitted to parts of the table."""
    learners = {name: fitting.unfitted_learner(name, table, ()) for name in _names(function, settings)}
    return of_columns(function, {"learners": learners} | settings, table)


def _names(function: Callable[..., Any], settings: Settings) -> list[str]:
    names = taken(function.__name__, settings, "learners")
    if not isinstance(names, list):
        raise ParameterError(f'{function.__name__} compares learners: say --set learners=["tree", "naive-bayes"]')
    return [str(name) for name in names]


def _fitted(function: Callable[..., Any], settings: Settings, table: Table) -> Any:
    return fitting.fit_learner(str(taken(function.__name__, settings, "learner")), table, _own(settings))


def of_model(function: Callable[..., Any], settings: Settings, table: Table) -> Any:
    """A function of a model that is fitted to the table, and of the table."""
    model = _fitted(function, settings, table)
    return of_columns(function, {"model": model} | settings, table)


def of_network(function: Callable[..., Any], settings: Settings, table: Table) -> Any:
    """A function of a network that is fitted to the table, and of the table as numbers."""
    model = _fitted(function, settings, table)
    return of_numbers(function, {"model": model} | settings, table)


def of_answers(function: Callable[..., Any], settings: Settings, table: Table) -> Any:
    """A measure of what a model says of the rows that it was fitted to."""
    model, parameters = _fitted(function, settings, table), parameters_of(function)
    if "prediction" in parameters:
        return of_columns(function, {"prediction": model.predict(table)} | settings, table)
    key = "proba" if "proba" in parameters else "score"
    scores = _scores(function.__name__, model, table, settings.get("positive"), key == "proba")
    return of_columns(function, {key: scores} | settings, table)


def of_two_models(function: Callable[..., Any], settings: Settings, table: Table) -> Any:
    """McNemar's test of two learners, fitted to all rows but a share, on that share."""
    from novacula.learner.ingest import target_values

    models, _, test = _two(function, settings, table)
    answers = [model.predict(test) for model in models.values()]
    given = {"y": target_values(test), "prediction_a": answers[0], "prediction_b": answers[1]}
    return called(function, given | {"names": tuple(models)} | settings)


def of_seen_and_fresh(function: Callable[..., Any], settings: Settings, table: Table) -> Any:
    """The errors of two learners, fitted to all rows but a share, on their rows and on that share."""
    models, train, test = _two(function, settings, table)
    return called(function, {"hypotheses": models, "seen": train, "fresh": test} | settings)


def _two(function: Callable[..., Any], settings: Settings, table: Table) -> tuple[dict[str, Any], Any, Any]:
    from novacula.evaluate import split

    names = _names(function, settings)
    if len(set(names)) != 2:
        raise ParameterError(f"{function.__name__} compares two learners: name as many in learners")
    train, _, test = split(table, test=settings.pop("test", 0.3), validation=0.0)
    return {name: fitting.fit_learner(name, train, ()) for name in names}, train, test


def _scores(name: str, model: Any, table: Table, positive: Any, need_shares: bool) -> Any:
    """How much the model speaks for the positive class, row by row; of two classes it is the second."""
    classes = [str(label) for label in model.classes_]
    if positive is None and len(classes) > 2:
        raise ParameterError(f"{name} is of one class against the others: say --set positive={classes[0]}, for example")
    if positive is not None and str(positive) not in classes:
        raise ParameterError(f"there is no class {quoted(positive)}: the classes are {listed(classes)}")
    if need_shares and not hasattr(model, "predict_proba"):
        raise ParameterError(f"{name} needs probabilities, and {type(model).__name__} gives none: name another learner")
    scores = model.predict_proba(table) if hasattr(model, "predict_proba") else model.decision_function(table)
    place = 1 if positive is None else classes.index(str(positive))
    if scores.ndim == 2:
        return scores[:, place]
    return scores if place == 1 else -scores


# --- what JSON cannot say -----------------------------------------------------------------------------------


def of_family(function: Callable[..., Any], settings: Settings) -> Any:
    """A function of points and of a family of concepts, which goes by its name."""
    from novacula import theory

    families = {name: getattr(theory, name) for name in ("HalfSpaces", "Intervals", "Rectangles")}
    name = str(taken(function.__name__, settings, "family"))
    if name not in families:
        raise ParameterError(f"there is no family {quoted(name)}: there are {listed(families)}")
    return called(function, {"family": families[name]()} | settings)


def of_pairs(function: Callable[..., Any], settings: Settings) -> Any:
    """A function of P(x, y), which is typed as a list of x, y and their probability."""
    cells = taken(function.__name__, settings, "P")
    if not isinstance(cells, list) or not all(isinstance(cell, list) and len(cell) == 3 for cell in cells):
        raise ParameterError('P is a list of x, y and their probability: say --set \'P=[["dark", "rain", 0.3], …]\'')
    return called(function, {"P": {(x, y): p for x, y, p in cells}} | settings)


def of_space(function: Callable[..., Any], settings: Settings) -> Any:
    """A function of the size of a hypothesis space, which may be a power such as 2^30."""
    from novacula.cli.pac import whole_number

    match settings.get("hypotheses"):
        case str(size):
            settings["hypotheses"] = whole_number(size)
        case [*sizes]:
            settings["hypotheses"] = [whole_number(str(size)) for size in sizes]
    return called(function, settings)
