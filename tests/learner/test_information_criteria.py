"""AIC and BIC against numbers worked out by hand."""

import math

import pytest

from novacula.learner.information_criteria import aic, bic


def test_of_a_fair_coin():
    """Ten tosses, seven heads, p = 0.7 by maximum likelihood: one parameter against none."""
    free, fair = 7 * math.log(0.7) + 3 * math.log(0.3), 10 * math.log(0.5)
    assert aic(free, 1) == pytest.approx(14.2172860)
    assert bic(free, 1, 10) == pytest.approx(14.5198711)
    assert aic(fair, 0) == bic(fair, 0, 10) == pytest.approx(13.8629436)


def test_both_charge_the_same_for_e_squared_rows():
    assert bic(-3.0, 4, math.exp(2.0)) == pytest.approx(aic(-3.0, 4))
