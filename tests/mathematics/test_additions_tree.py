"""Heads of quantities that are renamed, and indices that are written as numbers."""

from novacula.mathematics import Equation, parse
from novacula.mathematics.notation import TextNotation


def test_a_head_is_renamed_everywhere():
    names = {parse("H"): parse("Entropy"), parse("H(S)"): parse("B(q)")}
    rows = Equation("H(S)", "G - H(S['Rain']) * H(T | S)").rows(TextNotation(), names=names)
    assert [(row.left, row.right) for row in rows] == [("B(q)", "G − Entropy(S_Rain) · Entropy(T | S)")]
    assert parse("H(S)") == parse("H(S)")  # the tree itself stays as it is


def test_an_index_that_is_counted_with_is_written_as_its_number():
    growth = Equation("N", "1 + sum(choose(n, i) for i in range(d))", {"n": 8, "d": 2})
    assert "= 1 + C(8, 1) + C(8, 2) = 37" in str(growth)
    assert "= 1 × 5 + 2 × 7 = 19" in str(Equation("s", "sum(i * w[i] for i in _)", {"w": [5, 7]}))
