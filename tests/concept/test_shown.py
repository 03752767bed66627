"""What learners of concepts show: sizes and domains, S₀ and G₀, certain answers, questions, and their biases."""

import pandas as pd
import pytest

import novacula as nv
from novacula.checks import check_work
from novacula.concept import (
    CandidateElimination,
    ConjunctiveSpace,
    FindS,
    Identification,
    ListThenEliminate,
    UnbiasedLearner,
    compare_biases,
)
from novacula.errors import DataError, DataWarning, InputTypeError, ParameterError

DAYS = [
    ("Sunny", "Warm", "Normal", "Strong", "Cool", "Change"),
    ("Rainy", "Cold", "Normal", "Weak", "Warm", "Same"),
    ("Sunny", "Warm", "Normal", "Weak", "Warm", "Same"),
    ("Sunny", "Cold", "Normal", "Strong", "Warm", "Same"),
]


@pytest.fixture
def sport():
    return nv.datasets.load("enjoy_sport")


@pytest.fixture
def typed(sport):
    """The four days as someone types them in."""
    frame = sport.to_pandas().astype(str)
    return frame.drop(columns="EnjoySport"), frame["EnjoySport"].tolist()


def step(work, title):
    (found,) = [step for step in work if step.title == title]
    return found


def test_both_products_and_the_domains_assumed(sport, typed):
    for model, sizes, words in (
        (FindS().fit(sport), (5120, 973), "those that the table states"),
        (FindS().fit(*typed), (3072, 487), "the values that the rows have; of Wind (Strong) they have one value only"),
        (FindS(ConjunctiveSpace({"a": [0, 1], "b": [0, 1]})).fit([[0, 1], [1, 1]], [0, 1]), (16, 10), "was given"),
    ):
        space = step(model.work(), "Hypotheses of the space")
        assert tuple(e.value for e in space.equations[1:]) == sizes
        assert words in space.note
        check_work(model)
    assert "5 × 4 × 4 × 4 × 4 × 4 = 5120" in str(FindS().fit(sport).work())
    assert "1 + 4 × 3 × 3 × 3 × 3 × 3 = 973" in str(FindS().fit(sport).work())
    assert "space=ConjunctiveSpace({'Sky': ['Rainy', 'Sunny', …], …})" in str(FindS().fit(*typed).work()).replace(
        "\n  ", " "
    )


def test_what_there_is_before_the_first_example(sport):
    start = step(FindS().fit(sport).work(), "The hypothesis after each example").table.rows[0]
    assert start[-1] == "⟦h_0⟧ = ⟨∅, ∅, ∅, ∅, ∅, ∅⟩"
    both = step(CandidateElimination().fit(sport).work(), "S and G after each example").table.rows[0]
    assert both[-2:] == ("⟦S_0⟧ = {⟨∅, ∅, ∅, ∅, ∅, ∅⟩}", "⟦G_0⟧ = {⟨?, ?, ?, ?, ?, ?⟩}")
    assert "S₀ = {⟨∅, ∅, ∅, ∅, ∅, ∅⟩}" in str(CandidateElimination().fit(sport).work())


def test_find_s_warns_of_a_negative_that_it_accepts():
    frame = pd.DataFrame({"p": ["a", "b", "a"], "q": ["a", "b", "b"]})
    model = FindS()
    for _ in range(2):  # each fit says so anew
        with pytest.warns(DataWarning, match="accepts 1 negative example as well"):
            model.fit(frame, [1, 1, 0])
    assert "Warning: it accepts the negative of row 3, and" in str(model.work())


def test_every_specialisation_that_was_tried_is_told_in_full(sport):
    work = CandidateElimination().fit(sport).work(detail="full")
    (third,) = [s for s in work if s.title.startswith("Example 3, row 3")]
    fates = {row[1]: row[2] for row in third.table.rows if row[0] == "G"}
    assert fates["⟨Cloudy, ?, ?, ?, ?, ?⟩"] == "is not taken: no member of S is more specific"
    assert sum(words.startswith("comes") for words in fates.values()) == 3
    assert not any(s.title.startswith("Example") for s in CandidateElimination().fit(sport).work())


def test_a_specialisation_below_another_is_named():
    space = ConjunctiveSpace({"a": [0, 1], "b": [0, 1], "c": [0, 1]})
    rows = [(0, 0, 0), (1, 0, 1), (1, 1, 0)]
    model = CandidateElimination(space).fit(pd.DataFrame(rows, columns=list("abc")), [1, 0, 0])
    text = str(model.work(detail="full"))
    assert "is not taken: more specific than" in text
    check_work(model, detail="full")


def test_certain_answers_come_from_the_boundaries_and_the_others_from_votes(sport):
    model = CandidateElimination().fit(sport)
    days = pd.DataFrame(DAYS, columns=model.space_.names)
    every, none, half, third = model.work(days, rows=4)
    assert every.table.header[0] == "member of S"
    assert none.table.header[0] == "member of G"
    assert len(none.table.rows) == 2
    assert half.table.header[0] == third.table.header[0] == "member ⟦h⟧"
    values = [s.equations[0].value for s in (every, none, half, third)]
    assert values == pytest.approx([1.0, 0.0, 0.5, 1 / 3])
    check_work(model, X=days, rows=4)


@pytest.mark.parametrize("seed", range(12))
def test_the_boundaries_say_what_all_members_say(draw, seed):
    domains, ordered, rows, labels, _ = draw(seed)
    if not rows:
        return
    space = ConjunctiveSpace(domains, ordered)
    frame = pd.DataFrame(rows, columns=list(domains))
    model = CandidateElimination(space).partial_fit(frame, labels, classes=[False, True])
    some = pd.DataFrame(list(space.instances())[:5], columns=list(domains))
    check_work(model, X=some, rows=5)


def test_questions_halve_the_version_space(sport):
    model = CandidateElimination().fit(sport)
    secret = model.space_.conjunction("Sunny", "Warm", "?", "?", "?", "?")
    found = model.identify(secret)
    assert found.sizes == (6, 3, 2, 1)
    assert (found.n_queries, found.bound, found.size_before, found.size_after) == (3, 3, 6, 1)
    work = found.work()
    assert [row[3:] for row in work[0].table.rows] == [(6, 3), (3, 2), (2, 1)]
    assert "⌈log₂(6)⌉ = 3" in str(work)
    check_work(found)


def test_the_figure_of_the_halving():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    h = ConjunctiveSpace({"a": [0, 1]}).most_general
    figure = Identification(h, (({"a": 0}, True),) * 3, (6, 3, 2, 1)).plot()
    figure.draw(axes)
    left, halved = axes.lines
    assert left.get_ydata().tolist() == [6, 3, 2, 1]
    assert halved.get_ydata().tolist() == [6, 3, 1.5, 1]
    assert figure.alt == "Members left: 6 → 3 → 2 → 1."


def test_the_unbiased_learner_writes_its_boundaries_out():
    frame = pd.DataFrame({"a": list("pqrst"), "b": list("uvwxy")})
    work = UnbiasedLearner().fit(frame, [1, 1, 1, 0, 0]).work()
    assert "S = x₁ ∨ x₂ ∨ x₃" in str(work)
    assert "G = ¬(x₄ ∨ x₅)" in str(work)


def test_what_is_crossed_out_by_name_and_by_number(sport):
    model = ListThenEliminate().fit(sport)
    rows = step(model.work(), "Hypotheses that are left").table.rows
    assert [row[-2:] for row in rows] == [("", 973), (909, 64), (32, 32), (4, 28), (22, 6)]
    assert rows[3][3].count("⟨") == 4
    assert rows[1][3].endswith("…")
    assert len(list(model.members())) == 6


@pytest.mark.parametrize("i", range(4))
def test_biases_side_by_side(sport, i):
    found = compare_biases(sport, instance=DAYS[i])
    model = CandidateElimination().fit(sport)
    says = [h(DAYS[i]) for h in model.members()]
    expected = 1 if all(says) else -1 if not any(says) else 0
    assert found.decisions == {"rote learner": 0, "Candidate-Elimination": expected, "FIND-S": (1, -1, -1, -1)[i]}
    rows = found.table().rows
    assert rows[0][1:] == ("nothing", "?", "nothing follows")
    assert rows[2][3] == f"B ∧ D ∧ x ⊨ c(x) = {'Yes' if i == 0 else 'No'}"
    check_work(found)
    assert r"\models" in found.work().to_latex()


def test_an_instance_that_was_seen_needs_no_bias(sport):
    days = sport.to_pandas().iloc[:, :-1]
    for i, label in enumerate((1, 1, -1, 1)):
        found = compare_biases(sport, instance=dict(days.iloc[i]))
        assert set(found.decisions.values()) == {label}
        check_work(found)


def test_an_instance_that_does_not_fit(sport):
    with pytest.raises(ParameterError, match="1 values for 6 attributes"):
        compare_biases(sport, instance=["Sunny"])
    with pytest.raises(DataError, match="no value for 'Sky'"):
        compare_biases(sport, instance={"Wind": "Weak"})


@pytest.mark.parametrize("by_name", [False, True])
def test_an_instance_with_a_value_of_no_domain_is_refused(sport, by_name):
    purple = ("Purple", "Warm", "Normal", "Strong", "Warm", "Same")
    instance = dict(zip(FindS().fit(sport).space_.names, purple, strict=True)) if by_name else purple
    with pytest.raises(DataError, match=r"the instance has a value of 'Sky' that is not in its domain, .*'Sunny'"):
        compare_biases(sport, instance=instance)


def test_a_number_between_those_seen_keeps_its_value():
    X, y = [[1.0], [3.0], [9.0]], [True, True, False]
    found = compare_biases(X, y, instance=[2.0])
    assert list(found.instance.values()) == [2.0]
    assert found.decisions == {"rote learner": 0, "Candidate-Elimination": 1, "FIND-S": 1}


def test_an_oracle_is_a_function_and_the_assumption_is_told(sport):
    with pytest.raises(InputTypeError, match="oracle is 'x'; it must be a function of an instance"):
        CandidateElimination().fit(sport).identify("x")
    found = CandidateElimination().fit(sport).identify(lambda x: x["Sky"] == "Sunny", max_queries=1)
    assert "after 1 question;" in str(found)
    assert any("taken to be in the space" in note for note in found.work().notes)
