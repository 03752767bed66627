"""Joint tables: sums by plain loops, the textbook's dentist, laws of probability and information, bad input."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import novacula as nv
from novacula.bayes.joint import Joint
from novacula.checks import check_work
from novacula.errors import DataError, InputTypeError, ParameterError

laws = settings(deadline=None)
STATES = {"a": ["x", "y"], "b": [0, 1, 2], "c": [True, False]}
tables = arrays(np.int64, (2, 3, 2), elements=st.integers(0, 6)).filter(lambda t: t.sum() > 0)
subsets = st.sets(st.sampled_from(["a", "b", "c"])).map(sorted)


def joint_of(counts):
    return Joint(counts / counts.sum(), STATES)


def proved(step):
    """What the last equation of a step comes to, which must be true."""
    assert [equation.fault() for equation in step.equations] == [None] * len(step.equations)
    return step.equations[-1].value


@pytest.fixture
def dentist():
    """Russell and Norvig's table of toothache, catch and cavity."""
    table = [[[0.108, 0.012], [0.072, 0.008]], [[0.016, 0.064], [0.144, 0.576]]]
    return Joint(table, {"cavity": ["yes", "no"], "ache": ["yes", "no"], "catch": ["yes", "no"]})


def test_the_dentist(dentist):
    assert dentist.probability({"ache": "yes"}) == pytest.approx(0.2)
    assert dentist.probability_of_any({"cavity": "yes"}, {"ache": "yes"}) == pytest.approx(0.28)
    assert dentist.probability({"cavity": "yes"}, given={"ache": "yes"}) == pytest.approx(0.6)
    assert dentist.independent("ache", "catch", given="cavity")
    assert not dentist.independent("ache", "catch")
    after = dentist.condition({"ache": "yes"})
    assert after.names == ("cavity", "catch")
    assert after.table == pytest.approx(np.array([[0.108, 0.012], [0.016, 0.064]]) / 0.2)
    assert dentist.bayes({"cavity": "yes"}, {"ache": "yes"})[0].equations[0].value == pytest.approx(0.6)
    total = dentist.total_probability({"ache": "yes"}, "cavity")[0]
    assert proved(total) == pytest.approx(0.2)
    check_work(dentist)


@laws
@given(tables, subsets, subsets)
def test_sums_by_plain_loops(counts, names, given):
    joint, n = joint_of(counts), counts.sum()
    cells = [(x, counts[i] / n) for i, x in zip(np.ndindex(2, 3, 2), joint.assignments(), strict=True)]

    def entropy(chosen):
        sums = {}
        for x, p in cells:
            key = tuple(x[name] for name in chosen)
            sums[key] = sums.get(key, 0.0) + p
        return -sum(p * math.log2(p) for p in sums.values() if p > 0)

    open_ = [name for name in names if name not in given]
    assert joint.entropy(open_, given) == pytest.approx(entropy([*open_, *given]) - entropy(given), abs=1e-9)
    for x, _ in cells:
        event = {name: x[name] for name in names}
        expected = sum(p for y, p in cells if all(y[k] == v for k, v in event.items()))
        assert joint.probability(event) == pytest.approx(expected, abs=1e-12)
    for order in itertools.permutations(names):
        if order:
            flat = joint.marginal(list(order))
            assert flat.names == order
            assert flat.probability({order[0]: STATES[order[0]][0]}) == pytest.approx(
                joint.probability({order[0]: STATES[order[0]][0]})
            )


@laws
@given(tables)
def test_the_laws_of_probability(counts):
    joint = joint_of(counts)
    for x in itertools.islice(joint.assignments(), 4):
        if joint.probability(x) > 0:
            product = joint.chain_rule(x, order=["c", "a", "b"])[-1]
            assert proved(product) == pytest.approx(joint.probability(x))
    events = ({"a": "x"}, {"b": {0, 2}}, lambda x: x["c"] or x["b"] == 1)
    union = joint.inclusion_exclusion(*events)[0]
    assert len(union.table.rows) == 7
    assert proved(union) == pytest.approx(joint.probability_of_any(*events), abs=1e-12)
    total = joint.total_probability(events[1], "a")[0]
    assert proved(total) == pytest.approx(joint.probability(events[1]), abs=1e-12)
    mean = sum(b * joint.probability({"b": b}) for b in STATES["b"])
    assert joint.expectation("b") == pytest.approx(joint.expectation(lambda x: x["b"])) == pytest.approx(mean)
    together = joint.mutual_information("a", "b")
    assert together == pytest.approx(joint.entropy("a") + joint.entropy("b") - joint.entropy(["a", "b"]), abs=1e-9)
    assert joint.independent("a", "b") == (together < 1e-9)


def test_independence_is_a_matter_of_the_product():
    a, b, c = np.array([0.3, 0.7]), np.array([0.2, 0.5, 0.3]), np.array([0.6, 0.4])
    joint = Joint(np.einsum("i,j,k->ijk", a, b, c), STATES)
    assert joint.independent("a", ["b", "c"])
    assert joint.mutual_information("a", ["b", "c"]) == pytest.approx(0.0, abs=1e-12)
    either = Joint({(0, 0, 0): 0.25, (0, 1, 1): 0.25, (1, 0, 1): 0.25, (1, 1, 0): 0.25}, ["p", "q", "xor"])
    assert either.independent("p", "q")
    assert not either.independent("p", "q", given="xor")
    assert either.mutual_information("p", "q", given="xor") == pytest.approx(1.0)


def test_counted_from_rows():
    days = Joint.from_rows(nv.datasets.load("play_tennis"))
    assert days.entropy("PlayTennis") == pytest.approx(0.940286, abs=5e-7)
    assert days.mutual_information("PlayTennis", "Outlook") == pytest.approx(0.246750, abs=5e-7)
    assert days.probability({"PlayTennis": "Yes"}, given={"Outlook": "Sunny"}) == pytest.approx(2 / 5)
    bags = nv.datasets.load("candies")
    frame = bags.to_pandas()
    expected = frame.loc[frame["Flavor"] == "cherry", "Count"].sum() / frame["Count"].sum()
    assert Joint.from_rows(bags).probability({"Flavor": "cherry"}) == pytest.approx(expected)
    pairs = Joint.from_rows([("u", 1), ("v", 2), ("u", 2)], ["letter", "number"], weight=[2, 1, 1])
    assert pairs.probability({"letter": "u", "number": 1}) == pytest.approx(0.5)


def test_hostile_names():
    joint = Joint({("<script>", "$x$"): 0.5, ("=cmd()", "[/red]"): 0.5}, ["<b>", "line\nbreak"])
    check_work(joint)
    assert "<script>" not in joint.bayes({"<b>": "<script>"}, {"line\nbreak": "$x$"}).to_html()


@pytest.mark.parametrize(
    ("probabilities", "variables", "error", "sentence"),
    [
        ({("x",): 0.5, ("y",): 0.6}, ["a"], ParameterError, "probabilities sum to 1.1"),
        ({("x",): 1.5, ("y",): -0.5}, ["a"], ParameterError, "probabilities have -0.5"),
        ({("x",): math.nan, ("y",): 0.5}, ["a"], ParameterError, "probabilities has nan"),
        ({("x", "y"): 1.0}, ["a"], ParameterError, "has 2 values for 1 variables"),
        ({("x", "y"): 1.0}, {"a": ["x"]}, ParameterError, "has 2 values for 1 variables"),
        ({("x", "y"): 1.0}, ["a", "a"], ParameterError, "the name 'a' stands twice"),
        ({("z",): 1.0}, {"a": ["x", "y"]}, ParameterError, "'a' has no value 'z'; its values are 'x', 'y'"),
        ({("x",): "much"}, ["a"], InputTypeError, "is 'much', not a number"),
        ([0.5, 0.5], ["a"], InputTypeError, "variables must map names to their values"),
        ([0.5, 0.5], {"a": ["x"]}, ParameterError, r"shape \(2,\); the variables need \(1,\)"),
        ({}, [], ParameterError, "there are no variables"),
    ],
)
def test_bad_tables(probabilities, variables, error, sentence):
    with pytest.raises(error, match=sentence):
        Joint(probabilities, variables)


@pytest.mark.parametrize(
    ("ask", "error", "sentence"),
    [
        (
            lambda j: j.probability({"d": 1}),
            ParameterError,
            "there is no variable 'd'; the variables are 'a', 'b', 'c'",
        ),
        (lambda j: j.probability({"b": 7}), ParameterError, "'b' has no value 7; its values are 0, 1, 2"),
        (lambda j: j.probability("a"), InputTypeError, "an event is a mapping"),
        (lambda j: j.probability({"a": "x"}, given={"a": "y"}), DataError, "the condition a = y has probability 0"),
        (lambda j: j.condition({"a": "y"}), DataError, "the condition a = y has probability 0"),
        (lambda j: j.condition({"a": "x", "b": 0, "c": True}), ParameterError, "fixes every variable"),
        (lambda j: j.independent("a", "a"), ParameterError, "stands on two sides"),
        (lambda j: j.entropy(["a", "a"]), ParameterError, "stands twice"),
        (lambda j: j.marginal([]), ParameterError, "no variables to keep"),
        (lambda j: j.expectation("a"), ParameterError, "the values of 'a' must be an array of numbers, not of type"),
        (lambda j: j.chain_rule({"a": "y", "b": 0}), DataError, "a = y has probability 0"),
        (lambda j: j.chain_rule({"a": "x"}, order=["b"]), ParameterError, "it must name the variables 'a'"),
        (lambda j: j.inclusion_exclusion(), ParameterError, "there are 0 events"),
    ],
)
def test_bad_questions(ask, error, sentence):
    table = np.zeros((2, 3, 2))
    table[0] = 1 / 6
    with pytest.raises(error, match=sentence):
        ask(Joint(table, STATES))


def test_bad_rows():
    with pytest.raises(DataError, match="there are no rows"):
        Joint.from_rows([], ["a"])
    with pytest.raises(ParameterError, match="variables must name their values"):
        Joint.from_rows([("u", 1)])
    with pytest.raises(DataError, match="the weights sum to zero"):
        Joint.from_rows([("u", 1)], ["a", "b"], weight=[0])
    with pytest.raises(ParameterError, match="at most"):
        Joint({}, {f"x{i}": range(10) for i in range(9)})


@pytest.mark.parametrize(
    "swapped",
    [
        ({"a": [0, 1], "b": [0, 1]}, [[0.1, 0.2], [0.3, 0.4]]),
        (["a", "b"], {(0, 0): 0.5, (1, 1): 0.5}),
        (["a", "b"], [[0.1, 0.2], [0.3, 0.4]]),
    ],
)
def test_swapped_arguments_are_told(swapped):
    with pytest.raises(InputTypeError, match=r"^the probabilities come first, then the variables: Joint\("):
        Joint(*swapped)
