"""Exercises: the right answer is right at any digits, slips are named, nothing gives an answer away."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula import datasets
from novacula.bayes import NaiveBayes
from novacula.checks.work import html_fault
from novacula.errors import InputTypeError, ParameterError
from novacula.learner.figure import Figure
from novacula.learner.questions import BlankEquation, operand_sites
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word

H = 0.9402859586706309
SUM = "-sum(size(S[v]) / size(S) * log2(size(S[v]) / size(S)) for v in _)"


def entropy(left, yes, no):
    return Equation(left, SUM, {"size(S[v])": {"Yes": yes, "No": no}, "size(S)": yes + no})


ROOT = entropy("H(S)", 9, 5)
WEAK, STRONG = entropy("H(S['Weak'])", 6, 2), entropy("H(S['Strong'])", 3, 3)
GAIN = Equation(
    "Gain(S, 'Wind')", "H(S) - a / n * H_w - b / n * H_s",
    {"H(S)": H, "a": 8, "n": 14, "H_w": WEAK.value, "b": 6, "H_s": 1.0}, where={"a": "rows with weak wind"},
)  # fmt: skip
BEST = Equation("root", "argmax(g[a] for a in _)", {"g": {"Outlook": 0.247, "Wind": 0.048}}, therefore=True)
DEVIATION = Equation("s", "sqrt(sum((x[i] - x̄)**2 for i in _) / (n - 1))", {"x": [1, 2, 4.5], "x̄": 2.5, "n": 3})
GIVING = WorkTable(("⟦H(S)⟧", "0.940 or not"), ((H, "0.940"), (14, "0.94028 bits"), (0.25, "0.91")), "It is 0.940.")
PLAY_TENNIS = Work(
    "PlayTennis",
    [
        Step("The root has 0.9403 bits", ROOT, table=GIVING, note=f"The entropy is ⟦{H!r}⟧, about 0.94.",
             figure=Figure(lambda axes: None, alt="a picture of 0.940")),
        Step("Wind", (WEAK, STRONG, GAIN)),
        Step("Deviation", DEVIATION),
        Step("So", BEST),
        Step("A rule", Equation("H(S)", "-sum(p[v] * log2(p[v]) for v in _)")),
    ],
    notes="0.9403 bits in all",
)  # fmt: skip
ALONE = Work("Entropy", [Step("The root", ROOT)])
HIDES = ["results", "one", "all"]


# --- marks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "verdict", "slip"),
    [
        (0.940, "right", ""),
        ("0.940", "right", ""),
        ("0,940", "right", ""),
        ("94.0 %", "right", ""),
        (H, "right", ""),
        (0.652, "wrong", "the logarithm is natural, and not to base 2"),
        ("0,652", "wrong", "the logarithm is natural, and not to base 2"),
        (-0.940, "wrong", "the sign is wrong: a minus is missing or one too many"),
        ("−0.940", "wrong", "the sign is wrong: a minus is missing or one too many"),
        ("94.0", "wrong", "it is in percent, and a share is asked for"),
        ("0.94", "right", ""),
        (0.942, "rounded", ""),
        (0.937, "rounded", ""),
        ("0.9", "wrong", ""),
        (0.5, "wrong", ""),
        ("", "missing", ""),
        ("  ", "missing", ""),
        (None, "missing", ""),
        ("ten", "wrong", "it cannot be read as a number"),
        (math.nan, "wrong", "it cannot be read as a number"),
        (math.inf, "wrong", ""),
        ("1e999", "wrong", "it cannot be read as a number"),
        (np.float32(0.94), "right", ""),
        (1, "wrong", ""),
    ],
)
def test_the_entropy_of_play_tennis(answer, verdict, slip):
    mark = ALONE.exercise().check([answer])[0]
    assert (mark.verdict, mark.slip) == (verdict, slip)
    assert mark.expected == ("" if verdict == "missing" else "0.940")


def test_an_answer_with_too_few_digits_was_rounded_too_early():
    marks = ALONE.exercise(digits=4).check(["0.94"])
    assert marks[0].verdict == "rounded"
    assert marks.score == 0.5
    assert str(marks) == "1. right, but rounded too early: 0.94 in place of 0.9403.\n0.5 of 1 right."


def test_a_conclusion_is_answered_with_a_word():
    exercise = Work("W", [Step("So", BEST)]).exercise()
    assert "= argmax(Outlook : 0.247, Wind : 0.048) = ____" in str(exercise)
    for answer, verdict in [("Outlook", "right"), (" outlook ", "right"), ("Wind", "wrong"), (1, "wrong")]:
        assert exercise.check([answer])[0].verdict == verdict


def test_marks_print_with_a_score():
    exercise = PLAY_TENNIS.exercise(seed=1)
    right = [question.value for question in exercise.questions]
    marks = exercise.check({1: "<b>", 2: right[1]})
    assert marks.to_text().split("\n")[-1] == f"1 of {len(exercise)} right."
    assert marks.to_html() == marks._repr_html_()
    assert html_fault(marks.to_html()) is None
    assert "<b>" not in marks.to_html()
    assert [mark.verdict for mark in marks][:3] == ["wrong", "right", "missing"]
    assert exercise.check(right).score == len(exercise) == len(exercise.check(right))


numbers = st.floats(-1e4, 1e4).map(lambda x: round(x, 3)).filter(bool)


@settings(deadline=None)
@given(st.lists(numbers, min_size=2, max_size=6), st.integers(3, 12), st.sampled_from(HIDES), st.integers(0, 5))
def test_the_right_answer_is_right_at_any_digits(values, digits, hide, seed):
    equation = Equation("y", "a * sum(x[i]**2 for i in _) / n - log(n)", {"a": 1.7, "x": values, "n": len(values)})
    exercise = Work("W", [Step("s", equation)]).exercise(hide, seed, digits=digits)
    right = exercise.questions[0].value
    for answer in (right, repr(right), f"{right:.{digits - 1}e}", f"{right:.15g}".replace(".", ",")):
        assert exercise.check([answer])[0].verdict == "right"
    unit = 10.0 ** (math.floor(math.log10(abs(right))) - digits + 1)
    if hide != "one":  # another operand may solve the equation as well
        assert exercise.check([right + 7 * unit])[0].verdict != "right"
        assert exercise.check([-right])[0].verdict == "wrong"


@settings(deadline=None)
@given(st.text(max_size=70))
def test_any_text_can_be_an_answer(text):
    for work in (ALONE, Work("W", [Step("So", BEST)])):
        marks = work.exercise().check([text])
        assert marks[0].verdict in ("right", "rounded", "wrong", "missing")
        assert all(character.isprintable() or character == "\n" for character in str(marks))
        assert html_fault(marks.to_html()) is None


def test_an_operand_that_solves_the_equation_is_right():
    square = Work("W", [Step("s", Equation("y", "x**2 + 1", {"x": 2.5}))])
    exercise = square.exercise("one")
    assert "= ____² + 1 = 7.25" in str(exercise)
    assert [exercise.check([x])[0].verdict for x in (2.5, -2.5, "2 1/2", 2.6)] == ["right", "right", "right", "wrong"]
    share = Work("W", [Step("s", Equation("y", "p * 7", {"p": 0.25}))]).exercise("one")
    assert share.check([25])[0].slip == "it is in percent, and a share is asked for"
    assert share.check([-0.25])[0].slip == "the sign is wrong"


# --- sheets -------------------------------------------------------------------------------------------------


def gaps(exercise):
    return str(exercise).count("____")


def test_the_same_seed_gives_the_same_sheet_and_others_give_others():
    for hide in HIDES:
        sheets = [str(PLAY_TENNIS.exercise(hide, seed)) for seed in range(12)]
        assert sheets[3] == str(PLAY_TENNIS.exercise(hide, 3))
        assert len(set(sheets)) > 3
    asked = {tuple((q.step, q.place) for q in PLAY_TENNIS.exercise(seed=seed).questions) for seed in range(12)}
    assert len(asked) > 3


@pytest.mark.parametrize("seed", range(6))
def test_results_and_arithmetic_are_blank(seed):
    for hide in ("results", "all"):
        exercise = PLAY_TENNIS.exercise(hide, seed)
        assert len(exercise) == 4  # of six
        for number, question in enumerate(exercise.questions, start=1):
            equation = exercise.sheet[question.step].equations[question.place]
            assert isinstance(equation, BlankEquation)
            assert f"Question {number}: find" in exercise.sheet[question.step].note
            assert str(equation).endswith("= ____")
            assert ("= ____ = ____" in str(equation)) is (hide == "all")


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("hide", HIDES)
def test_no_answer_is_given_away(hide, seed):
    exercise = PLAY_TENNIS.exercise(hide, seed)
    renderings = [exercise.to_text(), exercise.to_markdown(), exercise.to_latex()]
    renderings += [re.sub(r"<[^>]*>", " ", exercise.to_html()), exercise.to_html()]
    for question in exercise.questions:
        if isinstance(question.value, str) or question.value == int(question.value):
            continue
        for page in renderings:
            assert f"{question.value:.6g}" not in page
    if any(question.value == H for question in exercise.questions):
        assert "0.94" not in exercise.to_text()
        assert "0.91" in exercise.to_text()
    assert all(step.figure is None for step in exercise.sheet)


def test_every_question_can_be_solved_in_order():
    """What stands blank in the arithmetic of a question is asked before it."""
    for seed in range(20):
        exercise = PLAY_TENNIS.exercise("results", seed)
        before = []
        for question in exercise.questions:
            page = str(Work("W", [Step("s", question.equation)], secrets=exercise.sheet.secrets))
            known = str(Work("W", [Step("s", question.equation)], secrets=exercise.sheet.secrets - set(before)))
            assert page.count("____") - known.count("____") <= 2 * len(before)
            assert known.count("____") == (question.secret(6) is not None)
            before.append(question.secret(6))


def test_one_operand_of_each_equation_is_blank():
    for seed in range(8):
        exercise = PLAY_TENNIS.exercise("one", seed)
        for question in exercise.questions:
            equation = exercise.sheet[question.step].equations[question.place]
            assert "____" in str(equation)
            assert not str(equation).endswith("____")
            again = question.site.put(question.equation, question.value)
            assert again.value == pytest.approx(question.equation.value)
            assert exercise.check([q.value for q in exercise.questions]).score == len(exercise)


def test_a_hidden_operand_has_no_number_beside_its_meaning():
    gain = Work("W", [Step("s", GAIN)])
    pages = {str(gain.exercise("one", seed)) for seed in range(30)}
    hidden = [page for page in pages if "____/14 × 0.811278" in page]
    assert hidden
    assert all("where a: rows with weak wind" in page for page in hidden)


def test_operands_of_sums_are_found_one_by_one():
    sites = list(
        operand_sites(Equation("y", "b + sum(w[j] * p[c, j] for j in _)", {"b": 1, "w": [1, 2], "p[c, j]": [3, 4]}))
    )
    assert [(site.name, site.key) for site in sites] == [
        ("b", None), ("w", 0), ("w", 1), ("p[c, j]", 0), ("p[c, j]", 1),
    ]  # fmt: skip


def test_the_solution_is_the_whole_work_with_the_answers():
    exercise = PLAY_TENNIS.exercise(seed=1)
    solution = exercise.solution()
    text = solution.to_text()
    assert "____" not in text
    assert solution.title == "PlayTennis: solution"
    for number in range(1, len(exercise) + 1):
        assert f"Answer {number}:" in text
    assert [step.equations for step in solution] == [step.equations for step in PLAY_TENNIS]
    assert html_fault(solution.to_html()) is None


@pytest.mark.parametrize("hide", HIDES)
def test_all_renderings_come_out(hide):
    name = "<script> ⟦x⟧ $\\bad$ '\" ]]>"
    equation = Equation(f"P({word(name)})", f"n[{word(name)}] / n", {f"n[{word(name)}]": 3, "n": 7}, where={"n": name})
    exercise = Work(name, [Step(name, equation, note=name)], notes=name).exercise(hide)
    assert html_fault(exercise.to_html()) is None
    assert "<script" not in exercise.to_html()
    assert re.fullmatch(r"[ -~\n]*", exercise.to_latex())
    assert "nv-blank" in exercise.to_html()
    assert r"\underline{\qquad}" in exercise.to_latex()
    assert r"\underline{\qquad}" in exercise.to_markdown()
    assert exercise._repr_html_() == exercise.to_html()
    assert repr(exercise).endswith("1 question>")


def test_what_is_not_answered_is_not_told():
    exercise = PLAY_TENNIS.exercise(seed=1)
    marks = exercise.check({2: 0.1})
    first = marks[0]
    assert (str(first), first.expected) == ("1. missing.", "")
    assert str(marks).count("in place of") == 1
    assert str(marks).splitlines()[0] == "1. missing."


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (np.float64(H), "1. right: 0.940."),
        (H, "1. right: 0.940."),
        (np.float32(0.94), "1. right: 0.940."),
        (np.int64(2), "1. wrong: 2 in place of 0.940."),
        (0.9, "1. wrong: 0.9 in place of 0.940."),
        (1234567.25, "1. wrong: 1.23×10⁶ in place of 0.940."),
    ],
)
def test_numbers_are_shown_at_the_digits_that_are_asked_for(answer, line):
    assert str(ALONE.exercise().check([answer])[0]) == line


def test_a_prior_that_was_forgotten_in_the_joint_probabilities_is_found_in_the_posterior():
    """3/5 · 2/5 · 4/5 · 2/5 over its sum with 2/9 · 2/9 · 3/9 · 6/9, of play tennis, in place of 0.795."""
    table = datasets.load("play_tennis")
    work = NaiveBayes(m=0).fit(table).work(table.head(1))
    exercises = (work.exercise(seed=seed) for seed in range(20))
    asked, i = next((e, i) for e in exercises for i, q in enumerate(e.questions) if q.equation.left == "P('No' | x)")
    no, yes = 48 / 625, 72 / 6561
    mark = asked.check({i + 1: no / (no + yes)})[i]
    assert (mark.verdict, mark.expected) == ("wrong", "0.795")
    assert mark.slip == "the prior is forgotten in the probabilities that it is made of"
    assert asked.check({i + 1: 0.5})[i].slip == ""


def test_counts_are_asked_for_as_they_are():
    count = Equation("size(S)", "sum(size(S[v]) for v in _)", {"size(S[v])": {"Yes": 9, "No": 5}})
    asked = str(Work("W", [Step("s", count)]).exercise())
    assert "find |S|." in asked
    strong = str(Work("W", [Step("s", STRONG)]).exercise())  # an entropy of 1 is not called a count
    assert "to 3 significant digits." in strong


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"hide": "nothing"}, "hide is 'nothing'; it must be 'results', 'one' or 'all'"),
        ({"seed": -1}, "seed is -1; it must be a whole number of at least 0"),
        ({"seed": 1.5}, "seed is 1.5; it must be a whole number of at least 0"),
        ({"seed": "x"}, "seed is 'x'; it must be a whole number of at least 0"),
        ({"digits": 0}, "digits is 0; it must be a whole number from 1 to 12"),
        ({"digits": 13}, "digits is 13; it must be a whole number from 1 to 12"),
        ({"digits": True}, "digits is True; it must be a whole number from 1 to 12"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(how, message):
    with pytest.raises(ParameterError) as refused:
        ALONE.exercise(**how)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [Step("words", note="only")],
        [Step("a rule", Equation("y", "a + b"))],
        [Step("a number", Equation("y", "x", {"x": 2.5}))],
        [Step("a bound", Equation("a", "b + 1", {"a": 1.0, "b": 2.0}, sign="≤"))],
        [Step("false", Equation("y", ("a", "a + 1"), {"a": 1.0}))],
        [Step("infinite", Equation("y", "log(p)", {"p": 0.0}))],
        [Step("its own operand", Equation("y", "max(a, b)", {"a": 0.25, "b": 0.125}))],
    ],
)
def test_a_work_without_anything_to_ask_is_refused(steps):
    with pytest.raises(ParameterError, match="'W' has no equation with numbers of which something could be asked"):
        Work("W", steps).exercise()


@pytest.mark.parametrize(
    ("answers", "error", "message"),
    [
        ("0.940", InputTypeError, "answers are '0.940'; give a list of them"),
        (0.94, InputTypeError, "answers are 0.94; give a list of them"),
        (None, InputTypeError, "answers are None; give a list of them"),
        ([0.94, 0.5], ParameterError, "there is an answer to question 2; the sheet has 1 question"),
        ({0: 0.94}, ParameterError, "there is an answer to question 0; the sheet has 1 question"),
        ({"one": 0.94}, ParameterError, "there is an answer to question 'one'; the sheet has 1 question"),
        ({1: 0.94, "1": 0.5}, ParameterError, "there are two answers to question 1; give one of them"),
        ([[0.94]], InputTypeError, r"the answer to question 1 is \[0\.94\]; give a number or text"),
        ([True], InputTypeError, "the answer to question 1 is True; give a number or text"),
        ([1j], InputTypeError, "the answer to question 1 is 1j; give a number or text"),
    ],
)
def test_bad_answers_are_refused_in_one_sentence(answers, error, message):
    with pytest.raises(error, match=f"^{message}"):
        ALONE.exercise().check(answers)


def test_answers_come_as_lists_arrays_or_mappings():
    for answers in ([0.94], (0.94,), np.array([0.94]), {1: 0.94}, {"1": "0.940"}):
        assert ALONE.exercise().check(answers).score == 1
    assert ALONE.exercise().check([]).score == 0
