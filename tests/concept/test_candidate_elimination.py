"""Candidate-Elimination: the literature's numbers, any order and any pieces, numbers, bad input, the work."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.checks import check_equations, check_work
from novacula.concept import CandidateElimination, ConjunctiveSpace, FindS, RoteLearner
from novacula.errors import DataError, ParameterError, SchemaError, UnseenCategoryWarning

NAMES = ["Sky", "AirTemp", "Humidity", "Wind", "Water", "Forecast"]
DAYS = pd.DataFrame(
    [
        ("Sunny", "Warm", "Normal", "Strong", "Cool", "Change"),
        ("Rainy", "Cold", "Normal", "Weak", "Warm", "Same"),
        ("Sunny", "Warm", "Normal", "Weak", "Warm", "Same"),
        ("Sunny", "Cold", "Normal", "Strong", "Warm", "Same"),
    ],
    columns=NAMES,
)


@pytest.fixture
def sport():
    return nv.datasets.load("enjoy_sport")


@pytest.fixture
def model(sport):
    return CandidateElimination().fit(sport)


def frame(rows, names):
    return pd.DataFrame(rows, columns=list(names))


# --- the numbers of the literature -----------------------------------------------------------------------------------


def test_enjoy_sport(model):
    assert [str(h) for h in model.specific()] == ["⟨Sunny, Warm, ?, Strong, ?, ?⟩"]
    assert [str(h) for h in model.general()] == ["⟨Sunny, ?, ?, ?, ?, ?⟩", "⟨?, Warm, ?, ?, ?, ?⟩"]
    assert model.version_space_size() == len(list(model.members())) == 6
    assert model.votes(DAYS) == ([6, 0, 3, 2], 6)
    assert model.decide(DAYS).tolist() == [1, -1, 0, 0]
    assert model.predict(DAYS).tolist() == ["Yes", "No", "No", "No"], "a tie is a no"
    assert model.predict_proba(DAYS).tolist() == [[0, 1], [1, 0], [0.5, 0.5], [4 / 6, 2 / 6]]
    assert (model.collapsed_, model.collapsed_at_, model.diagnosis_) == (False, None, None)


def test_the_boundaries_after_each_example(sport):
    model = CandidateElimination(space=ConjunctiveSpace.from_table(sport))
    rows = sport.to_pandas()
    seen = []
    for k in range(4):
        model.partial_fit(rows.loc[[k], NAMES], rows.loc[[k], "EnjoySport"], classes=["No", "Yes"])
        seen.append((len(model.specific()), len(model.general()), model.version_space_size()))
    assert seen == [(1, 1, 64), (1, 1, 32), (1, 3, 28), (1, 2, 6)]


# --- order and pieces ------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.integers(0, 10**9))
def test_order_and_pieces_do_not_matter(draw, seed):
    domains, ordered, rows, labels, _ = draw(seed, n=8)
    if not rows:
        return
    space, rng = ConjunctiveSpace(domains, ordered), np.random.default_rng(seed)
    X, y = frame(rows, domains), np.array(labels)
    whole = CandidateElimination(space).partial_fit(X, y, classes=[False, True])
    order = rng.permutation(len(rows))
    pieces = CandidateElimination(space)
    for piece in np.array_split(order, min(3, len(rows))):
        pieces.partial_fit(X.iloc[piece], y[piece], classes=[False, True])
    assert pieces.version_space_size() == whole.version_space_size()
    assert (pieces.specific(), pieces.general()) == (whole.specific(), whole.general())
    instances = frame(list(space.instances()), domains)
    assert pieces.votes(instances) == whole.votes(instances)
    assert (FindS(space).partial_fit(X, y, classes=[False, True]).hypothesis_,) == whole.specific()


def test_numbers_that_come_later_join_their_grid():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, (40, 2)).astype(float)
    y = (X[:, 0] > 20) & (X[:, 1] < 30)
    whole = CandidateElimination().fit(X, y)
    pieces = CandidateElimination()
    for k in range(0, 40, 7):
        pieces.partial_fit(X[k : k + 7], y[k : k + 7], classes=[False, True])
    assert pieces.space_ == whole.space_
    assert pieces.version_space_size() == whole.version_space_size()
    assert pieces.votes(X + 0.5) == whole.votes(X + 0.5)


def test_bias_grows_from_rote_to_find_s(draw):
    for seed in range(40):
        domains, ordered, rows, labels, _ = draw(seed, n=8)
        if not rows:
            continue
        space = ConjunctiveSpace(domains, ordered)
        X, instances = frame(rows, domains), frame(list(space.instances()), domains)
        decided = []
        for learner in (RoteLearner(space=space), CandidateElimination(space), FindS(space)):
            answers = learner.partial_fit(X, labels, classes=[False, True]).decide(instances)
            decided.append({(i, answer) for i, answer in enumerate(answers.tolist()) if answer})
        rote, candidate, find_s = decided
        assert rote <= candidate <= find_s


# --- numbers ---------------------------------------------------------------------------------------------------------


def test_intervals_on_iris():
    iris = nv.datasets.load("iris").to_pandas()
    X, y = iris.drop(columns="target"), np.where(iris["target"] == "setosa", "setosa", "other")
    model = CandidateElimination(positive="setosa").fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.decide(X).tolist() == np.where(y == "setosa", 1, -1).tolist()
    assert len(str(model.version_space_size())) > 3
    assert "petal" in " ".join(model.space_.names)


def test_votes_between_and_beyond_the_grid():
    """Intervals with ends among 1, 2, 3, 5, that hold 2 and 3 and not 5: [1, 3] and [2, 3]."""
    model = CandidateElimination().fit(np.array([[1.0], [2], [3], [5]]), [1, 1, 1, 0])
    assert [str(h) for h in model.members()] == ["⟨[1, 3]⟩"]
    model = CandidateElimination(ConjunctiveSpace({"x0": [1, 2, 3, 5]}, ["x0"])).fit([[2], [3], [5]], [1, 1, 0])
    assert [str(h) for h in model.members()] == ["⟨[1, 3]⟩", "⟨[2, 3]⟩"]
    assert model.votes([[2.5], [1.5], [4], [0], [9]]) == ([2, 1, 0, 0, 0], 2)


def test_huge_counts_stay_exact():
    domains = {f"a{j}": ["x", "y"] for j in range(100)}
    X = frame([["x"] * 100, ["y"] + ["x"] * 99], domains)
    model = CandidateElimination(ConjunctiveSpace(domains)).fit(X, [1, 0])
    assert model.version_space_size() == 2**99
    assert model.votes(X) == ([2**99, 0], 2**99)
    near = frame([["x", "y"] + ["x"] * 98], domains)
    assert Fraction(*[model.votes(near)[0][0], model.votes(near)[1]]) == Fraction(1, 2)
    check_work(model)


# --- input -----------------------------------------------------------------------------------------------------------


def test_labels_of_any_kind_and_either_positive(sport):
    X = sport.to_pandas()[NAMES]
    for labels in ([True, True, False, True], [1, 1, -1, 1], ["b", "b", "a", "b"]):
        assert CandidateElimination(space=ConjunctiveSpace.from_table(sport)).fit(X, labels).version_space_size() == 6
    model = CandidateElimination(positive="a").fit(X.iloc[1:], ["a", "b", "a"])
    assert model.positive_ == "a"
    assert model.predict_proba(X.iloc[1:])[:, 0].tolist() == [1, 0, 1]


def test_one_class_alone():
    X = frame([("a", "a"), ("a", "b")], "pq")
    with pytest.raises(DataError, match="one class only, 'yes'"):
        CandidateElimination().fit(X, ["yes", "yes"])
    with pytest.raises(DataError, match="one class only"):
        CandidateElimination(positive="yes").fit(X, ["yes", "yes"])
    model = CandidateElimination(positive="yes").fit(X, ["no", "no"])
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.specific()[0].is_empty
    model = CandidateElimination().partial_fit(X, ["yes", "yes"], classes=["no", "yes"])
    assert str(model.specific()[0]) == "⟨a, ?⟩"


def test_weights_of_zero_leave_rows_out():
    X = frame([("a", "a"), ("b", "b"), ("b", "b")], "pq")
    model = CandidateElimination().fit(X, [1, 0, 1], sample_weight=[1.0, 2.5, 0.0])
    assert model.version_space_size() == 3
    weightless = nv.read(X.assign(y=["n", "p", "n"], w=0.0), "y", weight="w")
    with pytest.raises(DataError, match="no row counts"):
        CandidateElimination().fit(weightless)


def test_unseen_values_satisfy_only_any(model):
    foggy = DAYS.assign(Sky="Foggy")
    with pytest.warns(UnseenCategoryWarning, match=r"satisfy only \? in 'Sky' \(4\)"):
        votes, _ = model.votes(foggy)
    assert votes == [2, 0, 1, 0], "of the six members ⟨?, Warm, ?, Strong, …⟩ and ⟨?, Warm, …⟩ do not look at the sky"
    with pytest.raises(DataError, match="Foggy"):
        CandidateElimination(unseen="error").fit(nv.datasets.load("enjoy_sport")).predict(foggy)


def test_unseen_values_at_fit_extend_nothing(sport, model):
    foggy = DAYS.iloc[:2].assign(Sky=["Sunny", "Foggy"])
    for learner in (model, CandidateElimination(space=ConjunctiveSpace.from_table(sport))):
        with pytest.raises(DataError, match="column 'Sky' has the value 'Foggy' in row 2"):
            learner.partial_fit(foggy, ["Yes", "No"])
    assert model.version_space_size() == 6
    grid = CandidateElimination(ConjunctiveSpace({"x": [1, 2]}, ["x"]))
    with pytest.raises(DataError, match=r"column 'x' has the value 1\.5 in row 1"):
        grid.fit(pd.DataFrame({"x": [1.5, 2]}), [0, 1])


def test_bad_input(sport):
    X = sport.to_pandas()[NAMES]
    with pytest.raises(DataError, match=r"Only binary classification is supported.*3 classes"):
        CandidateElimination().fit(X, ["a", "b", "c", "a"])
    with pytest.raises(DataError, match=r"column 'Wind' is missing \(NaN\) in row 3"):
        CandidateElimination().fit(X.assign(Wind=["Strong", "Weak", None, "Weak"]), [1, 0, 1, 0])
    with pytest.raises(DataError, match=r"column 'x1' is missing \(NaN\) in row 2"):
        CandidateElimination().fit(np.array([[1, 2], [3, np.nan]]), [1, 0])
    with pytest.raises(DataError, match=r"column 'x0' is infinite .* in row 1"):
        CandidateElimination().fit(np.array([[-np.inf, 2], [3, 4]]), [1, 0])
    with pytest.raises(DataError, match=r"column 'x0' is infinite .* in row 1"):
        CandidateElimination().fit(np.array([[1, 2], [3, 4]]), [1, 0]).predict(np.array([[np.inf, 2]]))
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        CandidateElimination().fit(X.iloc[:0], [])
    with pytest.raises(ParameterError, match="positive='Maybe' is none of the labels"):
        CandidateElimination(positive="Maybe").fit(sport)
    with pytest.raises(SchemaError, match="the space has 1 attributes and X has 6 columns"):
        CandidateElimination(ConjunctiveSpace({"Sky": ["Sunny"]})).fit(X, [1, 0, 1, 0])
    with pytest.raises(SchemaError, match="no column 'b'"):
        CandidateElimination(ConjunctiveSpace({"Sky": ["Sunny"], "b": [1]})).fit(
            frame([("Sunny", 1)] * 2, ["Sky", "c"]), [1, 0]
        )
    with pytest.raises(DataError, match="not named in classes"):
        CandidateElimination().fit(sport).partial_fit(X.iloc[:1], ["Perhaps"])


# --- the work --------------------------------------------------------------------------------------------------------


def test_the_work_shows_boundaries_count_and_votes(model):
    check_work(model)
    check_work(model, DAYS)
    text = model.work().to_text()
    assert "= 1 + 4 × 3 × 3 × 3 × 3 × 3 = 973" in text
    assert "= 8 − 2 = 6" in text
    assert "⟨?, ?, ?, ?, ?, Same⟩" in text, "G after the third example"
    assert "= (8 + 32) / 96" in text
    assert "= 5 × 4 × 4 × 4 × 4 × 4 = 5120" in text
    votes = model.work(DAYS, rows=4)
    assert [step.equations[0].value for step in votes] == [1.0, 0.0, 0.5, pytest.approx(1 / 3)]
    assert [step.equations[1].value for step in votes] == ["Yes", "No", "No", "No"]
    assert [len(step.table.rows) for step in votes] == [1, 2, 6, 6]


def test_one_example_in_the_work(model):
    """Mitchell (1997), figure 2.6: the third example leaves three of the minimal specialisations in G."""
    third = model.work(iteration=3)
    fates = {row[1]: row[2] for row in third[0].table.rows}
    assert [h for h, fate in fates.items() if fate.startswith("comes")] == [
        "⟨Sunny, ?, ?, ?, ?, ?⟩",
        "⟨?, Warm, ?, ?, ?, ?⟩",
        "⟨?, ?, ?, ?, ?, Same⟩",
    ]
    assert fates["⟨?, ?, Normal, ?, ?, ?⟩"] == "is not taken: no member of S is more specific"
    assert fates["⟨Sunny, Warm, ?, Strong, Warm, Same⟩"] == "stays: it rejects the example"
    fourth = {row[1]: row[2] for row in model.work(iteration=4)[0].table.rows}
    assert fourth["⟨?, ?, ?, ?, ?, Same⟩"] == "goes: it rejects the example"
    assert fourth["⟨Sunny, Warm, ?, Strong, ?, ?⟩"] == "comes: the least that accepts it"
    for k in range(1, 5):
        check_equations(model, iteration=k)
        check_equations(model, iteration=k, detail="full")


def test_the_lattice_is_drawn_up_to_a_size(model):
    figures = [step.figure for step in model.work() if step.figure]
    assert len(figures) == 1
    assert "6 members" in figures[0].alt
    assert figures[0].svg().startswith("<svg")
    X = np.array([[0] * 8, [1] * 8])
    large = CandidateElimination().fit(X, [1, 0])
    assert not any(step.figure for step in large.work())
    assert "255 members are too many to draw" in large.work().to_text()


@pytest.mark.parametrize("seed", range(12))
def test_the_work_holds_for_random_problems(draw, seed):
    domains, ordered, rows, labels, _ = draw(seed, n=14)
    if rows:
        space = ConjunctiveSpace(domains, ordered)
        model = CandidateElimination(space).partial_fit(frame(rows, domains), labels, classes=[False, True])
        check_equations(model)
        check_equations(model, frame(rows[:2], domains))
        for k in (1, len(model.examples_.positive)):
            check_equations(model, iteration=k)


def test_many_negatives_are_counted_along_one_chain():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (60, 10))
    y = [True] + [False] * 59
    model = CandidateElimination().fit(X, y)
    check_work(model)
    assert len(model._version_space.hardest) > 4
