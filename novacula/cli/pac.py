"""`novacula pac`: how many examples are enough, by the size of the hypothesis space or by its VC dimension."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer

from novacula.cli.output import echo_json


def pac(
    hypotheses: Annotated[str | None, typer.Option(help="Size of the hypothesis space: 973, 2^30, 3**10.")] = None,
    vc: Annotated[int | None, typer.Option(help="VC dimension of the hypothesis space instead.")] = None,
    epsilon: Annotated[float, typer.Option(help="The error that is allowed.")] = 0.05,
    delta: Annotated[float, typer.Option(help="The probability with which it may be larger.")] = 0.05,
    examples: Annotated[int | None, typer.Option(help="Say what error this many examples guarantee instead.")] = None,
    agnostic: Annotated[bool, typer.Option(help="The learner may make mistakes on its examples.")] = False,
    work: Annotated[bool, typer.Option("--work", help="Print how the number comes about.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how many examples guarantee an error of at most ε with probability 1 − δ."""
    from novacula.errors import ParameterError

    if (hypotheses is None) == (vc is None):
        raise ParameterError("give either --hypotheses, the size of the space, or --vc, its VC dimension")
    if vc is not None and agnostic:
        raise ParameterError("the bound by VC dimension is for consistent learners: leave --agnostic out")
    size = None if hypotheses is None else whole_number(hypotheses)
    if examples is None:
        found: Any = _examples(size, vc, epsilon, delta, not agnostic)
        n = int(found)
        words = f"{n:,} examples: then an error above {epsilon:g} has a probability of at most {delta:g}."
    else:
        found = _error(examples, size, vc, delta, not agnostic)
        n, epsilon = examples, float(found)
        words = f"After {n:,} examples the error is at most {epsilon:.6g}, except with a probability of {delta:g}."
    if work:
        typer.echo(found.work().to_text())
    elif json:
        space = {"hypotheses": hypotheses, "vc": vc, "consistent": not agnostic}
        echo_json({**space, "epsilon": epsilon, "delta": delta, "examples": n})
    else:
        typer.echo(words)


def _examples(size: int | None, vc: int | None, epsilon: float, delta: float, consistent: bool) -> int:
    from novacula import theory

    if vc is not None:
        return theory.vc_sample_size(vc, epsilon, delta)
    return theory.pac_sample_size(size, epsilon, delta, consistent=consistent)


def _error(n: int, size: int | None, vc: int | None, delta: float, consistent: bool) -> float:
    from novacula import theory

    return theory.vc_error(n, vc, delta) if vc is not None else theory.pac_error(n, size, delta, consistent=consistent)


def whole_number(words: str) -> int:
    """A whole number, or a power such as 2^30.

    >>> whole_number("2^30") == whole_number("2**30") == 1073741824
    True
    """
    from novacula.errors import ParameterError

    match = re.fullmatch(r"\s*(\d{1,400})\s*(?:(?:\^|\*\*)\s*(\d{1,7}))?\s*", words.replace(",", "").replace("_", ""))
    if match is None:
        raise ParameterError(
            f"{words!r} is not the size of a hypothesis space: write a whole number, or a power such as 2^30"
        )
    base, power = int(match[1]), int(match[2] or 1)
    if base.bit_length() * power > 2_000_000:
        raise ParameterError(f"{words!r} is too large: give a VC dimension instead")
    return int(base**power)
