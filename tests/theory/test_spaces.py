"""Sizes of hypothesis spaces, against enumeration of every hypothesis and the function that it is."""

import math
from itertools import product

import pytest

from novacula.errors import ParameterError
from novacula.theory import conjunctions, decision_trees, k_clause_cnf, k_term_dnf, pac_sample_size


def instances(domains):
    return list(product(*map(range, domains)))


def terms(domains):
    """The functions, as tuples of truth values, of all conjunctions; a constraint None lets every value pass."""
    constraints = product(*([*range(d), None] for d in domains))
    functions = {
        tuple(all(c in (None, v) for c, v in zip(term, x, strict=True)) for x in instances(domains))
        for term in constraints
    }
    return functions | {(False,) * len(instances(domains))}


@pytest.mark.parametrize("domains", [[2], [2, 2], [2, 2, 2, 2], [3, 2, 2], [4, 3], [3, 2, 2, 2, 2, 2], []])
def test_conjunctions_are_counted_by_meaning(domains):
    assert conjunctions(domains) == len(terms(domains))


@pytest.mark.parametrize("n", range(6))
def test_boolean_conjunctions(n):
    assert conjunctions(n) == conjunctions([2] * n) == len(terms([2] * n)) == 3**n + 1


def test_enjoy_sport():
    assert conjunctions([3, 2, 2, 2, 2, 2]) == 973


@pytest.mark.parametrize("m", range(4))
def test_decision_trees_are_all_boolean_functions(m):
    assert decision_trees(m) == len(set(product([False, True], repeat=2**m)))


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (2, 3), (3, 2)])
def test_dnf_has_at_most_as_many_functions(n, k):
    disjunctions = {tuple(map(any, zip(*chosen, strict=True))) for chosen in product(terms([2] * n), repeat=k)}
    assert len(disjunctions) <= k_term_dnf(n, k) == len(terms([2] * n)) ** k
    if k == 1:
        assert len(disjunctions) == k_term_dnf(n, k) == conjunctions(n)


@pytest.mark.parametrize(("n", "k", "literals"), [(2, 1, 2), (2, 2, 2), (2, 1, 3), (3, 2, 2)])
def test_cnf_has_at_most_as_many_functions(n, k, literals):
    points = instances([2] * n)
    values = [tuple(bool(x[i]) == sign for x in points) for i in range(n) for sign in (True, False)]
    clauses = [tuple(map(any, zip(*chosen, strict=True))) for chosen in product(values, repeat=literals)]
    written = list(product(clauses, repeat=k))
    functions = {tuple(map(all, zip(*chosen, strict=True))) for chosen in written}
    assert len(written) == k_clause_cnf(n, k, literals) == (2 * n) ** (literals * k)
    assert len(functions) <= k_clause_cnf(n, k, literals)


@pytest.mark.parametrize(
    ("count", "arguments"),
    [
        (conjunctions, (0,)),
        (conjunctions, (7,)),
        (conjunctions, ([3, 2, 5],)),
        (decision_trees, (0,)),
        (decision_trees, (6,)),
        (k_term_dnf, (5, 3)),
        (k_clause_cnf, (5, 4)),
    ],
)
def test_logarithms(count, arguments):
    assert count(*arguments, log=True) == pytest.approx(math.log(count(*arguments)), rel=1e-14)


def test_logarithms_of_what_cannot_be_held():
    assert decision_trees(60, log=True) == pytest.approx(2**60 * math.log(2))
    assert conjunctions(10**12, log=True) == pytest.approx(10**12 * math.log(3))
    assert pac_sample_size(log_hypotheses=decision_trees(30, log=True), epsilon=0.1, delta=0.05) == math.ceil(
        (2**30 * math.log(2) + math.log(20)) / 0.1
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: decision_trees(60),
        lambda: decision_trees(1000),
        lambda: conjunctions(10**9),
        lambda: k_term_dnf(10**6, 10**6),
        lambda: k_clause_cnf(2, 10**9),
    ],
)
def test_what_cannot_be_held_is_refused_with_advice(call):
    with pytest.raises(ParameterError, match="bits: log=True gives"):
        call()


@pytest.mark.parametrize(
    "call", [lambda: decision_trees(10**6, log=True), lambda: conjunctions(2**1024), lambda: conjunctions(17 * 10**307)]
)
def test_even_the_logarithm_may_be_too_large(call):
    with pytest.raises(ParameterError, match="even the logarithm"):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: conjunctions(-1), "number of attributes is -1"),
        (lambda: conjunctions(2.0), "number of attributes is 2.0"),
        (lambda: conjunctions([3, 1]), "number of values of an attribute is 1; .* at least 2"),
        (lambda: conjunctions("ab"), "number of values of an attribute is 'a'"),
        (lambda: decision_trees(True), "number of attributes is True"),
        (lambda: k_term_dnf(3, 0), "k is 0"),
        (lambda: k_clause_cnf(0, 1), "number of attributes is 0"),
        (lambda: k_clause_cnf(3, 1, 0), "literals is 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
