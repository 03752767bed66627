"""A sum over rows that are gone is given by its value, also where lines are broken."""

from novacula.mathematics import Equation
from novacula.mathematics.latex import LatexNotation


def test_a_sum_may_be_given_as_a_whole():
    products, squares = "sum(x[i] * y[i] for i in _)", "sum(x[i]**2 for i in _)"
    slope = Equation("w", f"{products} / ({squares} + α)", {products: 26.85, squares: 32.25, "α": 1.0})
    assert slope.value == 26.85 / 33.25
    assert slope.fault() is None
    assert "= 26.85 / (32.25 + 1)" in str(slope)
    for broken in (False, True):
        assert any("26.85" in row.right for row in slope.rows(LatexNotation(6), is_broken=broken))
