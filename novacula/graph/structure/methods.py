"""The edges of a network by name of a method: hill climbing, or trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from novacula.errors import DataWarning, ParameterError, warn_user
from novacula.graph.structure.chow_liu import chow_liu, tree_augmented
from novacula.graph.structure.dag import Dag
from novacula.graph.structure.hill_climb import HillClimb, Limits, Move
from novacula.graph.structure.scores import FamilyScores
from novacula.graph.variables import Variables
from novacula.table import Table

METHODS = ("hill_climb", "chow_liu", "tan")


def learn_structure(
    table: Table,
    variables: Variables,
    method: str,
    score: str,
    sample_size: float,
    var_smoothing: float,
    *,
    max_parents: int,
    whitelist: Iterable[Sequence[str]],
    blacklist: Iterable[Sequence[str]],
    root: str | None,
    target: str | None,
    tabu: int,
) -> tuple[Dag, tuple[Move, ...]]:
    """The graph that a method finds, and its moves, if it makes any."""
    if method not in METHODS:
        raise ParameterError(f"method is {method!r}; it must be one of {', '.join(METHODS)}")
    whitelist, blacklist = list(whitelist), list(blacklist)
    if method != "hill_climb":
        _refuse(method, whitelist=whitelist, blacklist=blacklist, tabu=tabu)
    if method == "chow_liu":
        return chow_liu(table, variables, root), ()
    if method == "tan":
        if target is None:
            raise ParameterError("tan needs a class: name it, target=, or give the table a target")
        return tree_augmented(table, variables, target, root), ()
    limits = Limits.of(variables, max_parents, whitelist, blacklist)
    scores = FamilyScores(table, variables, score, sample_size, var_smoothing)
    _report(scores)
    return HillClimb(scores, limits, tabu).run()


def _refuse(method: str, **unused: Any) -> None:
    for name, value in unused.items():
        if value:
            raise ParameterError(f"{method} has no use for {name}: take hill_climb, or leave it out")


def _report(scores: FamilyScores) -> None:
    if scores.left_out > 0.0:
        share = scores.left_out / (scores.left_out + scores.n)
        warn_user(
            f"{share:.0%} of the rows have an empty cell and take no part in the search for edges; the parameters are "
            "learned from all rows",
            DataWarning,
        )
