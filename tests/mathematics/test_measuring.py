"""What expressions come to: Python's own evaluation, plain loops and NumPy are the oracles."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novacula.errors import ParameterError
from novacula.mathematics import parse
from novacula.mathematics.measuring import NameValues, holds, measure

NAMES = {"a": 5.0, "b": 14.0, "c": -3.0, "n_xt": 0.25, "σ": 2.5}
ORACLE = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "exp": math.exp,
    "abs": abs,
    "min": lambda *v: min(v),
    "max": lambda *v: max(v),
    "sum": lambda *v: math.fsum(v),
    "product": lambda *v: math.prod(v),
}


def scope(values):
    return NameValues({parse(name): value for name, value in values.items()})


def evaluate(source, values=None, **named):
    return measure(parse(source), scope({**(values or {}), **named})).value


def scale(source, values):
    return measure(parse(source), scope(values)).scale


leaves = st.sampled_from([*NAMES, "2", "0.5", "1e-3", "7"])


def combine(inner):
    return st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("{} {} {}".format, leaves, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("-{}".format, inner),
        st.builds("({})**{}".format, inner, st.sampled_from(["2", "-1", "3"])),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max", "sum", "product"]), inner, inner),
        st.builds("abs({})".format, inner),
        st.builds("({} if {} > {} else {})".format, inner, inner, inner, inner),
    )


sources = st.recursive(leaves, combine, max_leaves=12)


@given(sources)
def test_evaluates_as_python_does(source):
    try:
        expected = eval(source, {"__builtins__": {}}, {**ORACLE, **NAMES})
    except (ZeroDivisionError, OverflowError):
        with pytest.raises(ParameterError, match="cannot be evaluated"):
            evaluate(source, NAMES)
        return
    # a/b*c/d is regrouped as (a/b)*(c/d), so the last digit may differ on the scale of what is added up
    assert evaluate(source, NAMES) == pytest.approx(expected, rel=1e-12, abs=1e-12 * scale(source, NAMES))


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("(n_xt + m*p) / (n_t + m)", (3 + 1 / 3) / 6),
        ("5/14 * 3/5 * 1/5 * 4/5 * 3/5", 36 / 1750),
        ("-a**2", -4.0),
        ("2**a**a", 16.0),
        ("sqrt(16) + log2(8) + log(exp(2))", 9.0),
        ("log(1000, 10)", 3.0),
        ("log(0)", -math.inf),
        ("0 * log2(0)", 0.0),
        ("exp(log(0))", 0.0),
        ("sum(a)", 2.0),
        ("0.999 ** 100000", 0.999**100000),
        ("choose(5, 2)", 10.0),
        ("ceil(2.1) + floor(-2.1)", 0.0),
        ("sign(-3) + sign(0)", -1.0),
        ("tanh(1) + cos(1) + sin(1) + lgamma(5)", math.tanh(1) + math.cos(1) + math.sin(1) + math.log(24)),
        ("cos(π)", -1.0),
        ("1 if a == 2 and not a > 3 else 0", 1.0),
        ("1 if a < 2 or a in (2, 5) else 0", 1.0),
    ],
)
def test_values(source, value):
    values = {"n_xt": 3, "m": 1, "p": 1 / 3, "n_t": 5, "a": 2}
    assert evaluate(source, values) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    "source",
    [
        "1/0", "9**9**9", "0**-1", "(-8)**(1/3)", "sqrt(-1)", "log(-1)", "exp(1000)", "1e999 - 1e999", "choose(2.5, 1)",
        "choose(-1, 1)", "choose(1e9, 5e8)", "choose(1e300, 2)", "log(2, 1)", "a + 1", "a * 2", "-a", "sqrt(a)",
        "det(1)", "inv(A)", "A @ (1, 2, 3)", "A.T.T ** 2", "sign(a)",
    ],
)  # fmt: skip
def test_what_has_no_value_raises_with_the_place(source):
    with pytest.raises(ParameterError, match="cannot be evaluated at"):
        evaluate(source, a="a word", A=np.ones((2, 2)))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("slope * 2", "'slope', which has no value"),
        ("P(x | t) * 2", r"'P\(…\)', which has no value"),
        ("w[4]", "asks for the value at 4, which is not given"),
        ("w[0]", "asks for the value at 0, which is not given"),
        ("w[1.5]", r"a place is 1\.5; it must be a whole number"),
        ("w['a']", "asks for the value at 'a', which is not given"),
        ("n['Maybe']", "asks for the value at 'Maybe', which is not given"),
        ("sum(n[k] * m[k] for k in _)", "asks for the value at 'No', which is not given"),
        ("sum(w[j] for j in range(2.5))", r"the end of a sum is 2\.5"),
        ("sum(1 for j in range(1e12))", r"the end of a sum is 1000000000000\.0"),
        ("sum(1 for j in range(inf))", "the end of a sum is inf"),
        ("sum(1 for j in _)", "nothing says which places the index 'j'"),
        ("sum(1 for j in D)", "nothing says which places the index 'j'"),
        ("max(w[j] for j in _ if j > 9)", "max goes over no place of its index 'j'"),
        ("max(A[i] for i in _)", "max goes over values that have no order"),
        ("argmin(t[i] for i in _)", "argmin goes over values that have no order"),
        ("1 if w > 1 else 0", "the two sides of > cannot be compared"),
        ("1 if c > 1 else 0", "the two sides of > cannot be compared"),
        ("1 if w[1] else 0", "an entry of 'w' is no condition"),
        ("a == b", r"a relation \(=\) has no value"),
    ],
)
def test_what_is_not_given_is_named(source, message):
    values = {"w": np.ones(3), "A": np.ones((2, 2)), "c": "word", "n": {"No": 1.0, "Yes": 2.0}}
    values |= {"m": {"Nope": 1.0, "Yes": 2.0}, "t": {"x": "word", "y": 1.0}}
    with pytest.raises(ParameterError, match=message):
        evaluate(source, values)


# --- sums over an index: plain loops are the oracle ---------------------------------------------------------

numbers = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
vectors = st.lists(numbers, min_size=1, max_size=12)
pairs = vectors.flatmap(lambda w: st.tuples(st.just(w), st.lists(numbers, min_size=len(w), max_size=len(w))))


@given(pairs)
def test_a_sum_is_a_loop(pair):
    w, x = pair
    values = {"w": np.array(w), "x[j]": np.array(x)}
    expected = math.fsum(a * b for a, b in zip(w, x, strict=True))
    near = {"rel": 1e-12, "abs": 1e-9}
    assert evaluate("sum(w[j] * x[j] for j in _)", values) == pytest.approx(expected, **near)
    assert evaluate("w @ x", w=np.array(w), x=np.array(x)) == pytest.approx(expected, **near)
    assert evaluate("dot(w, x)", w=np.array(w), x=np.array(x)) == pytest.approx(expected, **near)
    assert evaluate("sum(w[j] for j in range(n))", w=np.array(w), n=float(len(w))) == pytest.approx(
        math.fsum(w), **near
    )
    assert evaluate("product(w[j] for j in _)", w=np.array(w)) == pytest.approx(math.prod(w), rel=1e-12)
    assert evaluate("max(w[j] for j in _) - min(w[j] for j in _)", values) == pytest.approx(max(w) - min(w))
    assert evaluate("argmax(w[j] for j in _)", values) == 1 + w.index(max(w))
    assert evaluate("argmin(w[j] for j in _)", values) == 1 + w.index(min(w))
    assert evaluate("size(w)", values) == len(w)


@given(pairs, st.integers(1, 12), numbers)
def test_a_sum_with_a_condition_is_a_loop_with_if(pair, skipped, bound):
    w, x = pair
    values = {"w": np.array(w), "x": np.array(x), "k": float(skipped), "t": bound}
    expected = math.fsum(v for i, v in enumerate(w, 1) if i != skipped)
    assert evaluate("sum(w[j] for j in _ if j != k)", values) == pytest.approx(expected)
    expected = math.fsum(v for v, u in zip(w, x, strict=True) if u > bound)
    assert evaluate("sum(w[j] for j in _ if x[j] > t)", values) == pytest.approx(expected)
    expected = math.prod(v for v, u in zip(w, x, strict=True) if u > bound or v <= bound)
    assert evaluate("product(w[j] for j in _ if x[j] > t or w[j] <= t)", values) == pytest.approx(expected, rel=1e-12)


matrices = hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 4)), elements=numbers)


@given(matrices)
def test_nested_sums_are_nested_loops(X):
    close = {"rel": 1e-9, "abs": 1e-6}
    assert evaluate("sum(X[i, j] for i in _ for j in _)", X=X) == pytest.approx(X.sum(), **close)
    assert evaluate("sum(sum(x[i, j] for j in _)**2 for i in _)", {"x[i, j]": X}) == pytest.approx(
        (X.sum(axis=1) ** 2).sum(), **close
    )
    expected = sum(X[i, j] for i in range(len(X)) for j in range(X.shape[1]) if i != j)
    assert evaluate("sum(X[i, j] for i in _ for j in _ if i != j)", X=X) == pytest.approx(expected, **close)
    assert evaluate("max(sum(X[i, j] for j in _) for i in _)", X=X) == pytest.approx(X.sum(axis=1).max(), **close)
    np.testing.assert_allclose(evaluate("X.T @ X", X=X), X.T @ X)
    np.testing.assert_allclose(evaluate("sum(X[i] for i in _)", X=X), X.sum(axis=0), atol=1e-9)
    assert evaluate("norm(X)", X=X) == pytest.approx(np.linalg.norm(X))


@given(hnp.arrays(np.float64, (3, 3), elements=numbers))
def test_matrices_are_numpys(A):
    A = A + 5000 * np.eye(3)  # far from singular
    np.testing.assert_allclose(evaluate("inv(A) @ A", A=A), np.eye(3), atol=1e-9)
    assert evaluate("det(A)", A=A) == pytest.approx(np.linalg.det(A))
    np.testing.assert_allclose(evaluate("A - 2 * A.T + A / 2", A=A), A - 2 * A.T + A / 2)
    assert evaluate("A[2, 3]", A=A) == A[1, 2]


labels = st.dictionaries(st.text(max_size=5), numbers, min_size=1, max_size=8)


@given(labels)
def test_values_by_label(values):
    first_best = max(values, key=values.__getitem__)
    assert evaluate("argmax(P(c | x) for c in _)", {"P(c | x)": values}) == first_best
    assert evaluate("sum(P(c | x) for c in _)", {"P(c | x)": values}) == pytest.approx(math.fsum(values.values()))
    assert evaluate("sum(n[c] for c in classes)", {"n": values, "classes": list(values)}) == pytest.approx(
        math.fsum(values.values())
    )
    assert evaluate("sum(n[c] for c in _ if c != best)", {"n": values, "best": first_best}) == pytest.approx(
        math.fsum(v for c, v in values.items() if c != first_best)
    )


def test_ties_go_to_the_first():
    assert evaluate("argmax(p[c] for c in _)", {"p": {"No": 0.5, "Yes": 0.5}}) == "No"
    assert evaluate("argmin(p[c] for c in _)", {"p": np.array([2.0, 1.0, 1.0])}) == 2


def test_the_rest_is_added_once():
    given_rest = NameValues({parse("y"): np.array([1.0, 2.0])}, rests={"i": 10.0})
    assert measure(parse("sum(y[i] for i in _) / 2"), given_rest).value == 6.5
    assert measure(parse("sum(y[j] for j in _)"), given_rest).value == 3.0
    assert measure(parse("sum(y[i] for i in _ if i > 2)"), given_rest).value == 10.0


def test_empty_sums_and_products():
    assert evaluate("sum(w[j] for j in _ if j > 9)", w=np.ones(2)) == 0.0
    assert evaluate("product(w[j] for j in _ if j > 9)", w=np.ones(2)) == 1.0


@pytest.mark.parametrize(
    ("condition", "expected"),
    [("a < b", True), ("a >= b", False), ("not a >= b", True), ("a < b and a > b", False), ("a < b or a > b", True),
     ("w == 'x'", True), ("w != 'x'", False), ("a in (1, 2)", True), ("(a, b) == (1, 2)", True)],
)  # fmt: skip
def test_conditions(condition, expected):
    assert holds(parse(condition), scope({"a": 1.0, "b": 2.0, "w": "x"})) is expected


# --- scales -------------------------------------------------------------------------------------------------


def test_the_scale_is_the_size_of_what_cancels():
    values = {"y": 1e8, "slope": 2.0, "x": 5e7}
    assert evaluate("y - slope * x", values) == 0
    assert scale("y - slope * x", values) == 2e8
    assert scale("(y - slope * x) / x", values) == 4
    assert scale("y * slope / x", values) == evaluate("y * slope / x", values) == 4
    assert scale("sqrt(y)", values) == 1e4
    assert scale("sum(w[j] for j in _)", {"w": np.array([1e8, -1e8])}) == 2e8
    assert scale("exp(y - slope * x)", values) == 2e8
    np.testing.assert_array_equal(scale("A - A", {"A": np.array([1.0, -2.0])}), [2.0, 4.0])


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_what_cancels_stays_within_its_scale(values):
    """A sum minus itself in another order is noise, and the scale says how much."""
    names = {"w": np.array(values), "v": np.array(values[::-1])}
    source = "sum(w[j] for j in _) - sum(v[j] for j in _)"
    assert abs(evaluate(source, names)) <= 1e-13 * scale(source, names)
