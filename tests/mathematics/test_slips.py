"""Slips are recognised by what they lead to, whatever expression they are made in."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from novacula.mathematics import Equation, parse
from novacula.mathematics.measuring import measure
from novacula.mathematics.rounding import is_rounded
from novacula.mathematics.slips import slip_of, slips

COUNTS = {"size(S[v])": {"Yes": 9, "No": 5}, "size(S)": 14}
ENTROPY = Equation("H(S)", "-sum(size(S[v]) / size(S) * log2(size(S[v]) / size(S)) for v in _)", COUNTS)
DEVIATION = Equation("s", "sqrt(sum((x[i] - x̄)**2 for i in _) / (n - 1))", {"x": [1, 2, 4.5], "x̄": 2.5, "n": 3})
VARIANCE = Equation("v", "sum((x[i] - x̄)**2 for i in _) / n", {"x": [1, 2, 4.5], "x̄": 2.5, "n": 3})
SCORES = {"P('No')": 5 / 14, "P(x | 'No')": 0.0576, "P('Yes')": 9 / 14, "P(x | 'Yes')": 0.0082}
EVIDENCE = "P('No') * P(x | 'No') + P('Yes') * P(x | 'Yes')"
POSTERIOR = Equation("P('No' | x)", f"P('No') * P(x | 'No') / ({EVIDENCE})", SCORES)
SCORE = Equation("P('No') * P(x | 'No')", "P('No') * product(P(a[j] | 'No') for j in _)",
                 {"P('No')": 5 / 14, "P(a[j] | 'No')": {"Sunny": 3 / 5, "Cool": 1 / 5, "High": 4 / 5}})  # fmt: skip
LOG_SCORE = Equation("L", "log(P('No')) + log(P(x | 'No'))", {"P('No')": 5 / 14, "P(x | 'No')": 0.0576})
H = 0.9402859586706309


@pytest.mark.parametrize(
    ("equation", "answer", "words"),
    [
        (ENTROPY, 0.652, "the logarithm is natural, and not to base 2"),
        (ENTROPY, 0.283, "the logarithm is to base 10, and not to base 2"),
        (ENTROPY, -0.940, "the sign is wrong: a minus is missing or one too many"),
        (ENTROPY, 94.0, "it is in percent, and a share is asked for"),
        (ENTROPY, 9 / 14 * math.log2(14 / 9), "the term of v = No is left out"),
        (DEVIATION, 3.25, "the square root is forgotten: a variance in place of a deviation"),
        (DEVIATION, math.sqrt(6.5 / 3), "n stands in place of n − 1"),
        (DEVIATION, 1.8027756**0.5, "the square root is taken twice"),
        (VARIANCE, 3.25, "n − 1 stands in place of n"),
        (VARIANCE, math.sqrt(6.5 / 3), "a square root was taken where none belongs: a deviation in place of"),
        (VARIANCE, 6.5, "a division is missing: it is not divided by n"),
        (POSTERIOR, 5 / 14 * 0.0576, "the probability is not normalised: it is not divided by"),
        (SCORE, 0.096, "the prior P(No) is forgotten"),
        (SCORE, 5 / 14 * 3 / 5 * 4 / 5, "the factor of j = Cool is left out"),
        (LOG_SCORE, math.log(0.0576), "the prior ln(P(No)) is forgotten"),
        (Equation("y", "a - b", {"a": 3.0, "b": 5.0}), 8.0, "a minus is missing: the two are added"),
        (Equation("d", "sqrt((a - b)**2 + c)", {"a": 3.0, "b": 5.5, "c": 9.0}), math.sqrt(6.5), "a − b is not squared"),
        (Equation("y", "log(a, 10)", {"a": 5.0}), math.log(5), "the logarithm is natural, and not to base 10"),
    ],
)  # fmt: skip
def test_known_slips(equation, answer, words):
    found = slip_of(answer, equation.members[-1], equation.scope, equation.left_tree)
    assert found is not None
    assert found.startswith(words)


@pytest.mark.parametrize("answer", [0.940, H, 0.94028, 0.7, 1e300, -1e-300, math.inf, math.nan])
def test_right_and_unknown_answers_have_no_slip(answer):
    assert slip_of(answer, ENTROPY.members[-1], ENTROPY.scope) is None


def test_what_has_no_number_has_no_slip():
    chosen = Equation("c", "argmax(p[k] for k in _)", {"p": {"a": 1.0, "b": 2.0}})
    assert slip_of(1.0, chosen.members[-1], chosen.scope) is None
    assert slip_of(1.0, parse("a + b"), chosen.scope) is None


numbers = st.floats(0.1, 50).map(lambda x: round(x, 2))


@settings(deadline=None)
@given(st.lists(numbers, min_size=2, max_size=6), st.integers(3, 8))
def test_a_slip_is_never_called_right(values, digits):
    """Whatever a changed tree comes to, it is either the right value at these digits, or recognised as a slip."""
    x = np.array(values)
    source = "sqrt(sum((x[i] - m)**2 for i in _) / (n - 1)) * log2(n + 1) - b"
    equation = Equation("y", source, {"x": x, "m": 1.5, "n": float(len(x)), "b": 2.0})
    tree, right = equation.members[-1], equation.value
    assume(right != 0.0)
    assert slip_of(right, tree, equation.scope, digits=digits) is None
    for _, variant in list(slips(tree, equation.scope))[:12]:
        try:
            value = measure(variant, equation.scope).value
        except ValueError:
            continue
        if not is_rounded(value, right, digits) and not is_rounded(right, value, digits):
            assert slip_of(value, tree, equation.scope, digits=digits) is not None
