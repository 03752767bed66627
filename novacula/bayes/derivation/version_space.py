"""The work of a posterior over a space of conjunctions: what is left is counted, and votes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from novacula.bayes.derivation.posterior import ENDS
from novacula.learner.derivation import only_first_rows
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.bayes.version_posterior import VersionSpacePosterior

BITS = 1000
"""Of a count that a double can hold."""


def derive_version_space(posterior: VersionSpacePosterior) -> Work:
    """How many hypotheses each example leaves, the probability of each of them, and that of the data."""
    n = len(posterior.positive)
    places = range(n + 1) if n <= 2 * ENDS else [*range(ENDS), *range(n + 1 - ENDS, n + 1)]
    sizes = [(i, posterior.left_after(i).size) for i in places]
    table = WorkTable(
        ("examples", "⟦size(VS)⟧", "⟦P(h | D)⟧ of each"), tuple((str(i), str(size), 1 / size) for i, size in sizes)
    )
    meaning = {"VS": "the hypotheses that agree with all examples"}
    rule = Equation("P(h | D)", "1 / size(VS) if h in VS else 0", where=meaning)
    left, space = posterior.version_space.size, posterior.space.size_semantic
    evidence = Equation(
        "log(P(D))",
        "log(size(VS)) - log(size(H))",
        count_of("size(VS)", left) | count_of("size(H)", space),
        of=("log_evidence",),
        where={"H": "all hypotheses of the space"},
    )
    steps = [Step("Hypotheses that are left", rule, table=table, figure=posterior.plot()), Step("Evidence", evidence)]
    if posterior.is_listed and len(posterior.updates) > 1:
        steps.append(Step("Belief, update by update", figure=posterior.plot_stages()))
    return Work("Posterior of a space of conjunctions", steps)


def derive_version_votes(posterior: VersionSpacePosterior, rows: Any, options: WorkOptions) -> Work:
    """The share of the hypotheses that are left which say yes to each row."""
    size = posterior.version_space.size
    steps = []
    for i, yes in enumerate(posterior.version_space.votes(rows[: options.rows])):
        among = f"size(VS[x[{i + 1}]])"
        is_held = size.bit_length() <= BITS
        steps.append(
            Step(
                f"Row {i + 1}",
                Equation(
                    f"P('yes' | x[{i + 1}], D)",
                    f"{among} / size(VS)" if is_held else f"exp(log({among}) - log(size(VS)))",
                    count_of(among, yes, is_held) | count_of("size(VS)", size, is_held),
                    of=("predict", i, 1),
                    where={f"VS[x[{i + 1}]]": f"the hypotheses that are left and say yes to row {i + 1}"},
                ),
            )
        )
    return Work("Predictions by all hypotheses", steps, only_first_rows(options.rows, len(rows) > options.rows))


def count_of(name: str, count: int, is_held: bool | None = None) -> dict[str, float]:
    """A count as the value of its name; of one that a double cannot hold, its logarithm."""
    if count.bit_length() <= BITS if is_held is None else is_held:
        return {name: float(count)}
    return {f"log({name})": math.log(count) if count else -math.inf}
