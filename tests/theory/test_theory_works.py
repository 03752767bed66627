"""The works of learning theory: every number derives itself, and stays a plain number in all else."""

import copy
import json
import math
import pickle

import numpy as np
import pytest

from novacula.checks import check_equations
from novacula.errors import ParameterError
from novacula.theory import (
    HalfSpaces,
    conjunctions,
    count_dichotomies,
    cover_dichotomies,
    decision_trees,
    growth_function,
    k_clause_cnf,
    k_term_dnf,
    pac_delta,
    pac_error,
    pac_sample_size,
    vc_dimension,
    vc_error,
    vc_sample_size,
)

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]
NUMBERS = {
    "pac": lambda: pac_sample_size(973, 0.1, 0.05),
    "agnostic": lambda: pac_sample_size(2**30, 0.01, 1e-6, consistent=False),
    "pac of a huge space": lambda: pac_sample_size(3**10_000, 0.03, 0.01),
    "pac by a logarithm": lambda: pac_sample_size(log_hypotheses=20.5),
    "error": lambda: pac_error(500, 2**30),
    "agnostic error": lambda: pac_error(500, 2**30, consistent=False),
    "no guarantee": lambda: pac_error(3, 2**30),
    "no examples": lambda: pac_error(0, 5),
    "delta": lambda: pac_delta(500, 973),
    "tiny delta": lambda: pac_delta(100_000, 973),
    "delta of a huge space": lambda: pac_delta(500, 2**3_000),
    "vc": lambda: vc_sample_size(3, 0.1, 0.05),
    "vc error": lambda: vc_error(1899, 3),
    "vc without a guarantee": lambda: vc_error(10, 3),
    "conjunctions": lambda: conjunctions(10),
    "conjunctions of values": lambda: conjunctions([3, 2, 2, 2, 2, 2]),
    "huge": lambda: conjunctions([3] * 900),
    "logarithm": lambda: conjunctions(10, log=True),
    "trees": lambda: decision_trees(4),
    "huge trees": lambda: decision_trees(12),
    "logarithm of trees": lambda: decision_trees(60, log=True),
    "terms": lambda: k_term_dnf(4, 2),
    "clauses": lambda: k_clause_cnf(4, 2),
    "growth": lambda: growth_function(8, 2),
    "all labellings": lambda: growth_function(2, 5),
    "cover": lambda: cover_dichotomies(4, 3),
    "cover of few": lambda: cover_dichotomies(3, 5),
    "cover of none": lambda: cover_dichotomies(0, 2),
    "cover in no dimension": lambda: cover_dichotomies(2, 0),
    "dichotomies": lambda: count_dichotomies(SQUARE, HalfSpaces()),
    "shattered": lambda: count_dichotomies(SQUARE[:3], HalfSpaces()),
    "vc dimension": lambda: vc_dimension(HalfSpaces(), SQUARE),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_derives_itself(name):
    number = NUMBERS[name]()
    check_equations(number)
    plain = number.value
    assert type(plain) in (int, float)
    assert (repr(number), hash(number)) == (repr(plain), hash(plain))
    assert type(number + 1) is type(plain)
    if abs(plain) < 1e300:
        assert json.loads(json.dumps(number)) == plain
        assert np.asarray([number]).dtype == np.asarray([plain]).dtype
    for same in (pickle.loads(pickle.dumps(number)), copy.deepcopy(number)):
        assert same == number
        assert str(same.work()) == str(number.work())


def test_the_steps_to_m():
    """Mitchell (1997), section 7.3.1: from |H| e^(−εm) ≤ δ to m ≥ (ln|H| + ln(1/δ)) / ε."""
    work = pac_sample_size(973, 0.1, 0.05).work()
    text = str(work)
    for line in (
        "|H| · exp(−ε · m) ≤ δ",
        "ln(|H|) − ε · m ≤ ln(δ)",
        "m ≥ (ln(|H|) + ln(1/δ)) / ε",
        "99 ≥ (ln(973) + ln(1/0.05)) / 0.1",
        "∴ m = ⌈(ln(|H|) + ln(1/δ)) / ε⌉",
    ):
        assert line in text
    enough, fewer = work[-1].equations
    assert (enough.sign, fewer.sign) == ("≤", ">")


def test_the_sum_of_sauer_and_shelah():
    assert "= 1 + C(8, 1) + C(8, 2) = 37" in str(growth_function(8, 2).work())
    assert "= 2 × (1 + C(4 − 1, 1) + C(4 − 1, 2)) = 14" in str(cover_dichotomies(4, 3).work())


def test_works_beside_whole_numbers():
    """Where the quotient of floats is not what it is in more digits, the work still holds."""
    for k in range(2, 40):
        for epsilon in (near := math.log(2) / k, math.nextafter(near, 0), math.nextafter(near, 1)):
            check_equations(pac_sample_size(1, epsilon, 0.5))
    for vc in range(4):
        check_equations(vc_sample_size(vc, 13 / 16, 0.5))


def test_bad_requests():
    number = pac_sample_size(973)
    for how, sentence in (
        ({"iteration": 1}, "keeps no iterations"),
        ({"X": [[1.0]]}, "a number answers no rows"),
        ({"digits": 0}, "digits is 0"),
        ({"notation": "knuth"}, "notation is 'knuth'"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            number.work(**how)
