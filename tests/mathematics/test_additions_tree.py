"""A name for the head of a quantity alone renames it whatever it is of."""

from novacula.mathematics import Equation, parse
from novacula.mathematics.notation import TextNotation


def test_a_head_is_renamed_everywhere():
    names = {parse("H"): parse("Entropy"), parse("H(S)"): parse("B(q)")}
    rows = Equation("H(S)", "G - H(S['Rain']) * H(T | S)").rows(TextNotation(), names=names)
    assert [(row.left, row.right) for row in rows] == [("B(q)", "G − Entropy(S_Rain) · Entropy(T | S)")]
    assert parse("H(S)") == parse("H(S)")  # the tree itself stays as it is
