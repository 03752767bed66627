"""PAC and VC bounds: the numbers of the literature, exact ceilings, and each bound against its inverses."""

import decimal
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import lambertw

from novacula.errors import ParameterError
from novacula.theory import conjunctions, pac_delta, pac_error, pac_sample_size, vc_error, vc_sample_size

laws = settings(deadline=None)
shares = st.floats(1e-6, 0.999)
spaces = st.one_of(st.integers(1, 10**6), st.integers(1, 3000).map(lambda bits: 2**bits + bits))


# --- numbers ------------------------------------------------------------------------------------------------


def test_numbers_of_the_literature():
    assert pac_sample_size(2**30, 0.01, 1e-6) == 3461
    assert pac_sample_size(2**30, 0.01, 1e-6, consistent=False) == 173050
    assert pac_sample_size(conjunctions(10), epsilon=0.1, delta=0.05) == 140
    assert vc_sample_size(3, 0.1, 0.05) == 1899


@laws
@given(spaces, shares, shares, st.booleans())
def test_sample_size_is_the_formula_up_to_rounding(size, epsilon, delta, consistent):
    value = (math.log(size) + math.log(1 / delta)) / (epsilon if consistent else 2 * epsilon**2)
    n = pac_sample_size(size, epsilon, delta, consistent=consistent)
    assert value * (1 - 1e-12) <= n < value * (1 + 1e-12) + 1


def test_a_huge_space_is_its_logarithm():
    size = 3**100_000 + 1
    by_size = pac_sample_size(size, 0.03, 0.01)
    assert by_size == pac_sample_size(log_hypotheses=100_000 * math.log(3), epsilon=0.03, delta=0.01)
    assert by_size == math.ceil((100_000 * math.log(3) + math.log(100)) / 0.03)


def test_ceilings_beside_whole_numbers():
    """With ε the float nearest to (ln 2)/k, or its neighbour, the quotient of floats is often k where it is above."""
    wrong = 0
    for k in range(2, 200):
        for epsilon in (near := math.log(2) / k, math.nextafter(near, 0), math.nextafter(near, 1)):
            with decimal.localcontext(prec=100):
                exact = decimal.Decimal(2).ln() / decimal.Decimal(repr(epsilon))
                expected = int(exact.to_integral_value(decimal.ROUND_CEILING))
            assert pac_sample_size(1, epsilon, 0.5) == expected
            wrong += math.ceil(math.log(2) / epsilon) != expected
    assert wrong > 50, "these cases distinguish exact from rounded"


def test_whole_vc_bounds_are_not_rounded_up():
    """log₂(2/0.5) = 2 and log₂(13/0.8125) = 4, so that 104 / 0.8125 = 128 exactly; and 8 / 0.1 = 80."""
    assert Fraction(4 * 2 + 8 * 3 * 4) / Fraction("0.8125") == 128
    assert vc_sample_size(3, 0.8125, 0.5) == 128
    assert vc_error(128, 3, 0.5) == 0.8125
    assert vc_sample_size(0, 0.1, 0.5) == 80


def test_the_session_s_decimals_neither_matter_nor_change():
    with decimal.localcontext(prec=3) as context:
        context.traps[decimal.Inexact] = True
        assert pac_sample_size(2**30, 0.01, 1e-6) == 3461
        assert vc_sample_size(3, 0.1, 0.05) == 1899
        assert (context.prec, context.traps[decimal.Inexact]) == (3, True)


# --- inverses -----------------------------------------------------------------------------------------------


@laws
@given(spaces, shares, shares, st.booleans())
def test_error_inverts_the_sample_size(size, epsilon, delta, consistent):
    n = pac_sample_size(size, epsilon, delta, consistent=consistent)
    assert pac_error(n, size, delta, consistent=consistent) <= epsilon
    assert pac_error(n - 1, size, delta, consistent=consistent) >= epsilon
    if n < 10**6:  # beyond, one example fewer may make a difference that no float holds
        assert pac_error(n - 1, size, delta, consistent=consistent) > epsilon


@laws
@given(spaces, shares, shares, st.booleans())
def test_delta_inverts_the_sample_size(size, epsilon, delta, consistent):
    n = pac_sample_size(size, epsilon, delta, consistent=consistent)
    assert pac_delta(n, size, epsilon, consistent=consistent) <= delta
    assert pac_delta(n - 1, size, epsilon, consistent=consistent) >= delta


@laws
@given(st.integers(0, 1000), shares, shares)
def test_vc_error_inverts_the_sample_size(vc, epsilon, delta):
    n = vc_sample_size(vc, epsilon, delta)
    assert vc_error(n, vc, delta) <= epsilon <= vc_error(n - 1, vc, delta)
    if n < 10**6:
        assert epsilon < vc_error(n - 1, vc, delta)


@laws
@given(st.integers(1, 500), st.integers(1, 10**7), shares)
def test_vc_error_is_the_root(vc, n, delta):
    def short(epsilon):
        return (4 * math.log2(2 / delta) + 8 * vc * math.log2(13 / epsilon)) / epsilon - n

    expected = 1.0 if short(1.0) >= 0 else brentq(short, 1e-9, 1.0, xtol=1e-15)
    assert vc_error(n, vc, delta) == pytest.approx(expected, rel=1e-6)


def test_vc_error_in_closed_form():
    """n·ε = c − s·ln ε is solved by ε = (s/n)·W((n/s)·e^(c/s)), Lambert's function."""
    s = 8 * 3 / math.log(2)
    c = 4 * math.log2(2 / 0.05) + s * math.log(13)
    closed = s / 5000 * lambertw(5000 / s * math.exp(c / s)).real
    assert vc_error(5000, 3, 0.05) == pytest.approx(closed, rel=1e-12)


def test_too_few_examples_guarantee_nothing():
    assert pac_error(0, 2) == pac_error(5, 2**30) == pac_error(5, 2**30, consistent=False) == 1.0
    assert pac_delta(0, 2) == pac_delta(5, 2**30) == 1.0
    assert vc_error(0, 3) == vc_error(50, 3) == 1.0


def test_the_bound_holds_where_it_can_be_counted():
    """Of |H| hypotheses with error above ε, each survives n examples with probability below (1 − ε)ⁿ."""
    for epsilon in (0.05, 0.2, 0.5):
        n = pac_sample_size(1000, epsilon, 0.05)
        assert 1000 * (1 - epsilon) ** n <= 0.05


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [0, 1, 0.0, 1.0, -0.1, 1.5, math.nan, math.inf, "0.1", None, True, 1j, [0.1]])
@pytest.mark.parametrize("name", ["epsilon", "delta"])
def test_shares_are_between_zero_and_one(name, bad):
    with pytest.raises(ParameterError, match=f"{name} is .*above 0 and below 1"):
        pac_sample_size(10, **{name: bad})
    with pytest.raises(ParameterError, match=f"{name} is"):
        vc_sample_size(10, **{name: bad})


@pytest.mark.parametrize("bad", [0, -3, 2.5, 4.0, "7", True, -(2**5000)])
def test_sizes_are_whole_and_positive(bad):
    with pytest.raises(ParameterError, match=r"hypotheses is .*whole number of at least 1"):
        pac_sample_size(bad)


@pytest.mark.parametrize("bad", [-1, 2.5, None])
def test_numbers_of_examples_are_whole(bad):
    for function in (pac_error, pac_delta, vc_error):
        with pytest.raises(ParameterError, match=r"n is .*whole number of at least 0"):
            function(bad, 2)


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf, "3", 1j])
def test_logarithms_are_finite_and_not_negative(bad):
    with pytest.raises(ParameterError, match=r"log_hypotheses is .*finite and not negative"):
        pac_sample_size(log_hypotheses=bad)


def test_the_space_is_given_once():
    for arguments in ({}, {"hypotheses": 2, "log_hypotheses": 0.7}):
        with pytest.raises(ParameterError, match="either hypotheses"):
            pac_sample_size(**arguments)


@pytest.mark.parametrize("bad", [-1, 0.5, None])
def test_vc_dimensions_are_whole(bad):
    with pytest.raises(ParameterError, match="vc is"):
        vc_sample_size(bad)
    with pytest.raises(ParameterError, match="vc is"):
        vc_error(100, bad)


def test_numpy_s_numbers_are_numbers():
    assert pac_sample_size(np.int64(2**30), np.float64(0.01), np.float64(1e-6)) == 3461
