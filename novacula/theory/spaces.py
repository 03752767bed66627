"""How large a hypothesis space is: exact integers, or their logarithms where those cannot be held.

    conjunctions of n boolean attributes     3ⁿ + 1        each true, false or absent; and the empty concept
    decision trees over n of them            2^(2^n)       every boolean function is one
    k-term DNF                               (3ⁿ + 1)^k    expressions: at most as many functions
    k clauses of l literals                  (2n)^(l·k)    expressions: at most as many functions

With `log=True` each gives ln|H|, which is what `log_hypotheses` of the PAC bounds takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, overload

from novacula.arguments import whole_number
from novacula.errors import ParameterError
from novacula.theory.derivation.spaces import size_work
from novacula.theory.results import DerivedFloat, DerivedInt

MAX_BITS = 2**26
"""Eight megabytes: a size beyond it is given as a logarithm only."""


@overload
def conjunctions(attributes: int | Iterable[int], *, log: Literal[False] = False) -> DerivedInt: ...
@overload
def conjunctions(attributes: int | Iterable[int], *, log: Literal[True]) -> DerivedFloat: ...
def conjunctions(attributes: int | Iterable[int], *, log: bool = False) -> DerivedInt | DerivedFloat:
    """Count the conjunctions over n boolean attributes, or over attributes with the given numbers of values.

    They are counted by what they mean: 1 + Π(dᵢ + 1), any value or one of dᵢ for each, and one empty concept.

    >>> conjunctions(10), conjunctions([3, 2, 2, 2, 2, 2])
    (59050, 973)
    """
    if isinstance(attributes, Iterable):
        choices = [whole_number(d, "the number of values of an attribute", 2) + 1 for d in attributes]
        domains = {"d[i]": [float(c - 1) for c in choices]}
        nats = partial(_sum_of_logs, choices)
        return size_or_log(nats, lambda: math.prod(choices) + 1, log, "conjunctions of values", domains)
    n = whole_number(attributes, "the number of attributes")
    return size_or_log(lambda: one_more(n * math.log(3)), lambda: 3**n + 1, log, "conjunctions", {"n": n})


@overload
def decision_trees(attributes: int, *, log: Literal[False] = False) -> DerivedInt: ...
@overload
def decision_trees(attributes: int, *, log: Literal[True]) -> DerivedFloat: ...
def decision_trees(attributes: int, *, log: bool = False) -> DerivedInt | DerivedFloat:
    """Count the boolean functions of m boolean attributes; a decision tree can be each of them.

    >>> decision_trees(3), decision_trees(100, log=True)
    (256, 8.786...e+29)
    """
    m = whole_number(attributes, "the number of attributes")
    return size_or_log(lambda: math.ldexp(math.log(2), m), lambda: 1 << (1 << m), log, "decision trees", {"n": m})


@overload
def k_term_dnf(attributes: int, k: int, *, log: Literal[False] = False) -> DerivedInt: ...
@overload
def k_term_dnf(attributes: int, k: int, *, log: Literal[True]) -> DerivedFloat: ...
def k_term_dnf(attributes: int, k: int, *, log: bool = False) -> DerivedInt | DerivedFloat:
    """Count the disjunctions of k terms, each of the 3ⁿ + 1 conjunctions over n boolean attributes.

    Counted are expressions, order and repetition included. Many say the same, so there are at most as many
    functions, which is what a bound needs; for k = 1 there are exactly as many.

    >>> k_term_dnf(2, 1), k_term_dnf(2, 3)
    (10, 1000)
    """
    n, k = whole_number(attributes, "the number of attributes"), whole_number(k, "k", 1)
    return size_or_log(
        lambda: k * one_more(n * math.log(3)), lambda: (3**n + 1) ** k, log, "k-term DNF", {"n": n, "k": k}
    )


@overload
def k_clause_cnf(attributes: int, k: int, literals: int = 3, *, log: Literal[False] = False) -> DerivedInt: ...
@overload
def k_clause_cnf(attributes: int, k: int, literals: int = 3, *, log: Literal[True]) -> DerivedFloat: ...
def k_clause_cnf(attributes: int, k: int, literals: int = 3, *, log: bool = False) -> DerivedInt | DerivedFloat:
    """Count the conjunctions of k clauses, each a disjunction of l of the 2n literals of n boolean attributes.

    Counted are expressions, order and repetition included, so there are at most as many functions.

    >>> k_clause_cnf(4, 2)
    262144
    """
    n, k, width = (
        whole_number(attributes, "the number of attributes", 1),
        whole_number(k, "k", 1),
        whole_number(literals, "literals", 1),
    )
    values = {"n": n, "k": k, "l": width}
    return size_or_log(lambda: width * k * math.log(2 * n), lambda: (2 * n) ** (width * k), log, "k-clause CNF", values)


def one_more(nats: float) -> float:
    """Give ln(x + 1) from ln x ≥ 0."""
    return nats + math.log1p(math.exp(-nats))


def _sum_of_logs(choices: list[int]) -> float:
    return one_more(math.fsum(map(math.log, choices)))


def size_or_log(
    nats: Callable[[], float], exact: Callable[[], int], log: bool, kind: str, values: dict[str, Any]
) -> DerivedInt | DerivedFloat:
    """The integer, or its logarithm; neither is computed if it would not fit into memory."""
    try:
        size = nats()
    except OverflowError:
        size = math.inf
    if math.isinf(size):
        raise ParameterError("even the logarithm of this space is too large for a float: take a smaller space")
    derive = partial(size_work, kind=kind, values=values, is_log=log)
    if log:
        return DerivedFloat(size, derive)
    if size > MAX_BITS * math.log(2):
        raise ParameterError(
            f"the size of this space has {size / math.log(2):.4g} bits: log=True gives its natural logarithm"
        )
    return DerivedInt(exact(), derive)
