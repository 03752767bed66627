"""The work of trees: the numbers of the literature read off it, and every setting held to its arithmetic."""

import math
from dataclasses import fields, replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.checks import check_equations, check_work
from novacula.tree import DecisionTreeClassifier, RuleListClassifier
from novacula.tree.pruning import upper_error

SIX_DIGITS = {"abs": 5.0001e-7}
CRITERIA = ("gain", "gain_ratio", "plain_gain_ratio", "gini", "tan_schlimmer", "nunez")
MISSING = ("fractional", "most_common", "most_common_in_class")
SUNDAY = pd.DataFrame({"Outlook": ["Sunny"], "Temperature": ["Cool"], "Humidity": ["High"], "Wind": ["Strong"]})


def tennis(**settings):
    return DecisionTreeClassifier(**settings).fit(nv.datasets.load("play_tennis"))


def step(work, title):
    (found,) = [step for step in work if step.title == title]
    return found


def equation(work, title, left=None):
    """An equation of a step: the first, or that of a left side."""
    return next(e for e in step(work, title).equations if left is None or e.left == left)


def titles(work):
    return [step.title for step in work]


def column(table, name):
    """A column of a table by the name in its first column."""
    place = table.header.index(name)
    return {row[0]: row[place] for row in table.rows}


def mixed(n=80, n_classes=3, seed=0):
    """Rows with both kinds of columns, a third of whose values are missing, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "colour": pd.Series(rng.choice(["red", "green", "blue", "grey"], n), dtype=object),
            "size": rng.normal(size=n).round(1),
            "count": rng.integers(0, 6, n).astype(float),
        }
    )
    y = ((frame["colour"] == "red") + (frame["size"] > 0) + rng.integers(0, n_classes, n)) % n_classes
    for name in frame:
        frame.loc[rng.random(n) < 1 / 3, name] = None
    return frame, y.to_numpy()


# --- the literature ------------------------------------------------------------------------------------------------


def test_play_tennis_at_the_root():
    work = tennis(criterion="gain_ratio").work()
    assert equation(work, "Node 0: all examples").value == pytest.approx(0.940286, **SIX_DIGITS)
    assert step(work, "Node 0: all examples").note == "S: 5 No, 9 Yes."
    every = tennis(criterion="gain_ratio").work(detail="full")
    table = step(work, "Node 0: the candidates").table
    expected = {
        "Outlook": (0.246750, 1.577406, 0.156428),
        "Temperature": (0.029223, 1.556657, 0.018773),
        "Humidity": (0.151836, 1.0, 0.151836),
        "Wind": (0.048127, 0.985228, 0.048849),
    }
    for name, (gain, information, ratio) in expected.items():
        assert column(table, "gain")[name] == pytest.approx(gain, **SIX_DIGITS)
        assert column(table, "split information")[name] == pytest.approx(information, **SIX_DIGITS)
        assert column(table, "gain ratio")[name] == pytest.approx(ratio, **SIX_DIGITS)
        found = {e.left.split("(")[0]: e.value for e in step(every, f"Node 0: what {name} gains").equations}
        assert found["Gain"] == pytest.approx(gain, **SIX_DIGITS)
        assert found["SplitInformation"] == pytest.approx(information, **SIX_DIGITS)
        assert found["GainRatio"] == pytest.approx(ratio, **SIX_DIGITS)
    assert [title for title in titles(work) if "gains" in title and "Node 0" in title] == ["Node 0: what Outlook gains"]
    verdicts = column(table, "chosen")
    assert (verdicts["Outlook"], verdicts["Humidity"]) == ("✓", "")
    assert verdicts["Temperature"] == verdicts["Wind"] != ""
    assert "below the mean gain 0.118984" in str(work)
    assert equation(work, "Node 0: Outlook is tested", "mean(Gain)").value == pytest.approx(0.118984, **SIX_DIGITS)
    assert equation(work, "Node 0: Outlook is tested", "A_best").value == "Outlook"
    check_work(tennis(criterion="gain_ratio"), detail="full")


def test_play_tennis_below_the_root():
    work = tennis().work()
    sunny, rain = (column(step(work, f"Node {i}: the candidates").table, "gain") for i in (3, 2))
    assert sunny == pytest.approx({"Humidity": 0.970951, "Temperature": 0.570951, "Wind": 0.019973}, **SIX_DIGITS)
    assert rain == pytest.approx({"Humidity": 0.019973, "Temperature": 0.019973, "Wind": 0.970951}, **SIX_DIGITS)
    assert step(work, "Node 3: Outlook = Sunny").note == "S: 3 No, 2 Yes."
    assert step(work, "Node 3: the candidates").note == "No test was found on Outlook."
    assert step(work, "Node 0: Outlook is tested").table.rows == (
        ("Outlook = Overcast", 1, "4 Yes", "leaf Yes: one class"),
        ("Outlook = Rain", 2, "2 No, 3 Yes", "a test on Wind"),
        ("Outlook = Sunny", 3, "3 No, 2 Yes", "a test on Humidity"),
    )


def test_the_arithmetic_of_a_gain_as_it_is_printed():
    text = str(tennis().work())
    assert "0.940286 − (4/14 × 0 + 5/14 × 0.970951 + 5/14 × 0.970951) = 0.24675" in text
    assert "H(S) = −Σₖ |Sₖ| / |S| · log₂(|Sₖ| / |S|)" in text
    assert "= −(5/14 × log₂(5/14) + 9/14 × log₂(9/14)) = 0.940286" in text


def test_the_symbols_of_other_books():
    assert "Entropy(S) = −Σₖ" in str(tennis().work(notation="mitchell"))
    assert "B(q) = −Σₖ" in str(tennis().work(notation="aima"))
    three = DecisionTreeClassifier().fit(nv.datasets.load("iris"))  # B is of two classes
    assert "H(S) = −Σₖ" in str(three.work(notation="aima"))


def test_restaurant():
    model = DecisionTreeClassifier().fit(nv.datasets.load("restaurant"))
    work = model.work(detail="full")
    gains = column(step(work, "Node 0: the candidates").table, "gain")
    assert gains["Patrons"] == pytest.approx(0.540852, **SIX_DIGITS)
    assert gains["Type"] == 0.0
    for name in ("Patrons", "Type"):
        found = equation(work, f"Node 0: what {name} gains", f"Gain(S, '{name}')")
        assert found.value == pytest.approx(gains[name], abs=1e-12)
    check_work(model, detail="full")


def test_costs():
    """Tan and Schlimmer: gain² / cost; Núñez: (2^gain − 1) / (cost + 1)^w."""
    gain, costs = 0.2467498198, {"Outlook": 10.0, "Humidity": 2.0}
    table = step(tennis(criterion="tan_schlimmer", costs=costs).work(), "Node 0: the candidates").table
    assert column(table, "cost") == {"Outlook": 10.0, "Temperature": 1.0, "Humidity": 2.0, "Wind": 1.0}
    assert column(table, "gain² / cost")["Outlook"] == pytest.approx(gain**2 / 10, rel=1e-8)
    assert column(table, "chosen")["Humidity"] == "✓"
    nunez = tennis(criterion="nunez", costs=costs, cost_weight=0.5)
    scores = column(step(nunez.work(), "Node 0: the candidates").table, "(2^gain − 1) / (cost + 1)^w")
    assert scores["Outlook"] == pytest.approx((2**gain - 1) / math.sqrt(11), rel=1e-8)


def test_chi_squared():
    """χ² of Outlook is 3.5467 with 2 degrees of freedom, below 5.9915; of Humidity 2.8 with 1, below 3.8415."""
    work = tennis(chi2_alpha=0.05).work()
    found, reached = step(work, "Node 0: χ² of Outlook").equations
    observed, expected = np.array([[0, 4], [2, 3], [3, 2]]), np.outer([4, 5, 5], [5, 9]) / 14
    assert found.value == pytest.approx(((observed - expected) ** 2 / expected).sum())
    assert (reached.sign, reached.value) == ("<", pytest.approx(5.99146, abs=5e-6))
    assert list(reached.where.values()) == ["what χ² with 2 degrees of freedom exceeds by chance with probability 0.05"]
    assert titles(work)[-2] == "Node 0 is a leaf: χ² is not significant"
    _, kept = step(tennis(chi2_alpha=0.2).work(), "Node 0: χ² of Outlook").equations
    assert (kept.sign, kept.value) == ("≥", pytest.approx(3.21888, abs=5e-6))


def test_a_threshold_pays_for_the_choice():
    """Quinlan (1996): a threshold pays log₂(N − 1) / n bits of its gain; here N = 8 values in two pure halves."""
    X, y = np.arange(8.0)[:, None], [0] * 4 + [1] * 4
    model = DecisionTreeClassifier("gain_ratio", release_8=True).fit(X, y)
    found = equation(model.work(), "Node 0: what x0 gains")
    tried = 5  # each side holds two examples
    assert found.values["T"] == tried == model.trace_.candidates.tries[0, 0]
    assert found.value == pytest.approx(1.0 - math.log2(tried) / 8)
    check_work(model)


def test_a_missing_outlook():
    """Quinlan (1993), chapter 3: one of fourteen outlooks unknown gives 13/14 × (0.961 − 0.747) = 0.199."""
    frame = nv.datasets.load("play_tennis").to_pandas()
    frame.loc[frame["Day"] == "D12", "Outlook"] = None  # an overcast day with Yes
    X, y = frame[["Outlook", "Temperature", "Humidity", "Wind"]], frame["PlayTennis"]
    work = DecisionTreeClassifier(criterion="gain_ratio", chi2_alpha=None).fit(X, y).work(detail="full")
    found = step(work, "Node 0: what Outlook gains")
    gained, information, _ = found.equations[-3:]
    assert gained.value == pytest.approx(0.199, abs=5e-4)
    assert "13/14 × (0.961237 − (3/13 × 0 + 5/13 × 0.970951 + 5/13 × 0.970951))" in str(work)
    assert found.note.startswith("1 without a value.")
    assert information.value == pytest.approx(1.809, abs=5e-4)


# --- the way of a row ----------------------------------------------------------------------------------------------


def test_the_way_of_a_row():
    work = tennis().work(SUNDAY)
    assert step(work, "Row 1: the tests on its way").table.rows == (
        (0, "Outlook", "Sunny", "node 3: Outlook = Sunny"),
        (3, "Humidity", "High", "node 6: Humidity = High"),
    )
    probability, answer = step(work, "Row 1: the answer is No").equations
    assert (probability.value, answer.value) == (1.0, "No")


def test_shares_of_a_row_with_missing_values():
    day = SUNDAY.assign(Outlook=None, Humidity=None)
    work = tennis().work(day)
    tests = step(work, "Row 1: the tests on its way").table.rows
    assert tests[0][2:] == (
        "missing",
        "every branch: 4/14 to node 1 (Overcast), 5/14 to node 2 (Rain), 5/14 to node 3 (Sunny)",
    )
    high = equation(work, "Row 1: its share in leaf 6, Outlook = Sunny and Humidity = High")
    assert high.value == pytest.approx(5 / 14 * 3 / 5)
    # A strong wind in the rain is a No.
    answer = equation(work, "Row 1: the answer is No")
    assert answer.value == pytest.approx(5 / 14 * 3 / 5 + 5 / 14)
    check_work(tennis(), day)


def test_the_branch_of_most_examples():
    day = SUNDAY.assign(Humidity=None)
    work = tennis(missing="most_common").work(day)
    row_shown = step(work, "Row 1: the tests on its way").table.rows[1]
    assert row_shown[2:] == ("missing", "node 6, the branch of most examples: Humidity = High")


def test_a_category_that_no_example_at_the_node_had():
    X = pd.DataFrame({"a": list("xxyyzz"), "b": list("pqpqrr")})
    model = DecisionTreeClassifier().fit(X, [0, 1, 1, 0, 2, 2])
    unseen = pd.DataFrame({"a": ["x"], "b": ["r"]})
    work = model.work(unseen)
    assert "where no example was: b = r" in step(work, "Row 1: the tests on its way").table.rows[1][3]
    assert "has no examples and answers as node" in work[-1].note
    check_work(model, unseen)


def test_an_unseen_category_and_an_interval():
    X, y = mixed()
    model = DecisionTreeClassifier(thresholds={"count": [1, 3]}).fit(X, y)
    row = pd.DataFrame({"colour": ["mauve"], "size": [0.25], "count": [2.5]})
    work = model.work(row)
    values = {row[1]: row[2] for row in step(work, "Row 1: the tests on its way").table.rows}
    assert values == {"colour": "not seen at fit", "size": "0.25", "count": "2.5"}


@pytest.mark.parametrize(("m", "expected"), [(0, 1.0), (1, (3 + 1 / 2) / (3 + 1)), ("laplace", 4 / 5)])
def test_m_estimates(m, expected):
    model = tennis(m=m)
    assert equation(model.work(SUNDAY), "Row 1: the answer is No").value == pytest.approx(expected)
    check_equations(model, SUNDAY)


def test_infinity_is_refused_as_in_prediction():
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(nv.errors.DataError, match="infinite"):
        model.work([[np.inf]])


# --- why leaves are leaves -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"max_depth": 1}, "max_depth"),
        ({"min_samples_split": 6}, "fewer examples than min_samples_split"),
        ({"max_leaf_nodes": 3}, "its test on Wind was cut back"),
    ],
)
def test_why_rain_is_a_leaf(settings, why):
    work = tennis(**settings).work()
    branches = step(work, "Node 0: Outlook is tested").table
    assert column(branches, "what is there")["Outlook = Rain"] == f"leaf Yes: {why}"


def test_why_a_node_that_was_looked_at_is_a_leaf():
    assert "Node 0 is a leaf: no test gains min_gain" in titles(tennis(min_gain=0.3).work())
    assert "Node 0 is a leaf: no test leaves min_samples_leaf in two branches" in titles(
        tennis(min_samples_leaf=8).work()
    )
    same = DecisionTreeClassifier().fit([[1.0], [1.0]], ["a", "b"]).work()
    assert titles(same)[2] == "Node 0 is a leaf: no attribute divides it"


def test_an_empty_branch_answers_as_its_parent():
    X = pd.DataFrame({"a": list("xxyyzz"), "b": list("pqpqrr")})
    model = DecisionTreeClassifier().fit(X, [0, 1, 1, 0, 2, 2])
    tables = [step.table for step in model.work() if step.title.endswith("is tested")]
    rows_shown = [row for table in tables for row in table.rows if row[3] == "leaf 0: no examples: answers as node 1"]
    assert [row[2] for row in rows_shown] == ["none"]


def test_pruning_is_told():
    work = tennis(prune="pessimistic").work()
    assert work.notes == ("Cut back after growing by prune='pessimistic'.",)
    assert "Cut back" not in str(tennis().work())


def test_pruning_by_limits_is_derived():
    model = DecisionTreeClassifier("gain_ratio", prune="pessimistic").fit(nv.datasets.load("iris"))
    (cut,) = [s for s in model.work() if s.title == "Node 4 is cut to a leaf of virginica: petal width (cm) > 1.75"]
    limit, verdict = cut.equations[1:]
    assert limit.value == pytest.approx(upper_error(46, 1)) == pytest.approx(0.0553484, abs=5e-8)
    assert verdict.sign == "≤"
    assert verdict.value == pytest.approx(3 * upper_error(3, 1) + 43 * upper_error(43, 0) + 0.1)
    check_work(model, detail="full")


def test_pruning_by_validation_is_derived():
    model = DecisionTreeClassifier(prune="reduced_error", random_state=0).fit(nv.datasets.load("iris"))
    cuts = [s for s in model.work() if "is cut to a leaf" in s.title]
    assert len(cuts) == len(model.trace_.cut.node) > 0
    for cut in cuts:
        right = cut.equations[-1]
        assert float(np.sum(right.values["r[l]"])) <= right.values["r"]
    check_work(model)


def test_what_is_kept_of_pruning_has_a_bound():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3_000, 3)), rng.integers(0, 2, 3_000)
    model = DecisionTreeClassifier(prune="reduced_error", random_state=0).fit(X, y)
    cut = model.trace_.cut
    assert len(cut.node) <= 20
    assert np.diff(cut.start).max(initial=0) <= 50
    check_work(model)


@pytest.mark.parametrize("prune", [None, "pessimistic", "reduced_error", "mdl"])
def test_no_number_that_is_kept_can_change_unnoticed(prune):
    frame = nv.datasets.load("iris").to_pandas()
    frame.iloc[::7, 0] = np.nan
    X, y = frame.iloc[:, :-1].assign(side=list("abc") * 50), frame.iloc[:, -1]
    model = DecisionTreeClassifier("gain_ratio", release_8=True, prune=prune, random_state=0).fit(X, y)
    trace = model.trace_
    for part in ("candidates", "cut"):
        kept = getattr(trace, part)
        for field in fields(kept):
            values = getattr(kept, field.name)
            if values.dtype.kind == "f" and np.nan_to_num(values).any():
                changed = replace(kept, **{field.name: np.where(values == -1.0, -1.0, values * 1.001)})
                model.trace_ = replace(trace, **{part: changed})
                with pytest.raises(AssertionError):
                    check_equations(model, detail="full")


@pytest.mark.parametrize("learner", [DecisionTreeClassifier, RuleListClassifier])
def test_bad_requests(learner):
    model = learner().fit(nv.datasets.load("play_tennis"))
    for how, sentence in (
        ({"iteration": 1}, "keeps no iterations"),
        ({"digits": 0}, "digits is 0"),
        ({"notation": "knuth"}, "notation is 'knuth'"),
        ({"detail": "long"}, "detail is 'long'"),
        ({"X": SUNDAY, "rows": 0}, "rows is 0"),
    ):
        with pytest.raises(nv.errors.ParameterError, match=sentence):
            model.work(**how)
    with pytest.raises((nv.errors.SchemaError, nv.errors.DataError)):
        model.work(pd.DataFrame({"Weather": ["Sunny"]}))
    for detail in ("brief", "full"):
        check_equations(model, detail=detail)
        check_equations(model, SUNDAY, detail=detail)


# --- every setting -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("criterion", "missing"), list(product(CRITERIA, MISSING)))
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"nominal": "subset", "m": "laplace"},
        {"thresholds": {"count": [1, 3]}, "chi2_alpha": 0.2, "costs": {"size": 3.0}},
        {"max_bins": 4, "class_weight": "balanced", "prune": "mdl"},
        {"release_8": True},
    ],
    ids=["plain", "subset", "thresholds", "bins", "release 8"],
)
def test_the_arithmetic_of_every_setting(criterion, missing, settings):
    X, y = mixed(40)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    model = DecisionTreeClassifier(criterion, missing, **settings).fit(X, y, weight)
    check = check_work if criterion == CRITERIA[0] else check_equations  # the criterion is not seen in the picture
    check(model)
    check(model, X)


def test_many_classes_branches_and_leaves_are_summed_up():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": rng.integers(0, 30, 600).astype(str), "x": rng.normal(size=600).round(2)})
    model = DecisionTreeClassifier().fit(X, rng.integers(0, 25, 600))
    work = model.work()
    assert len(equation(work, "Node 0: all examples").values["size(S[k])"]) == 25
    assert len(equation(work, "Node 0: what town gains").values["size(S[v])"]) == 30
    assert "[17 more: " in str(work)  # classes
    assert "[22 more: " in str(work)  # branches
    assert step(work, "Node 0: what town gains").table.caption == "The first 20 of 30 rows."
    check_work(model)
    nowhere = pd.DataFrame({"town": [None], "x": [np.nan]})
    assert "more: " in str(model.work(nowhere)).partition("the answer is")[2]
    check_work(model, nowhere)


def test_weights_are_repetition_in_the_work_too():
    X, y = mixed(30)
    weight = np.random.default_rng(2).integers(1, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    weighted = DecisionTreeClassifier().fit(X, y, weight).work()
    repeated = DecisionTreeClassifier().fit(X.iloc[again], y[again]).work()
    assert titles(weighted) == titles(repeated)
    values, others = ([e.value for e in work.equations] for work in (weighted, repeated))
    assert [type(value) for value in values] == [type(value) for value in others]
    for value, other in zip(values, others, strict=True):
        assert value == (other if isinstance(other, str) else pytest.approx(other, abs=1e-12))


# --- caps and names ------------------------------------------------------------------------------------------------


def test_one_leaf():
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], ["only", "only"])
    work = model.work()
    assert work[0].note == "The tree is one leaf: one class."
    assert titles(model.work([[3.0]])) == ["Row 1: the answer is only"]
    check_work(model)
    check_work(model, [[3.0]])


def test_long_works_are_capped_and_say_so():
    rng = np.random.default_rng(0)
    model = DecisionTreeClassifier().fit(rng.normal(size=(400, 3)), rng.integers(0, 2, 400))
    notes = model.work().notes
    inner = int((~model.tree_.is_leaf).sum())
    assert notes[0].endswith(f"of {inner} nodes are derived, those nearest the root.")
    assert notes[1] == f"The tree has {inner + 1} leaves; plot() draws its upper part."
    assert model.work(np.zeros((9, 3))).notes == ("Only the first 3 rows are derived.",)
    assert model.work(np.zeros((9, 3)), rows=9).notes == ()


def test_the_best_of_many_attributes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40))
    model = DecisionTreeClassifier().fit(X, (X[:, 33] > 0).astype(int))
    table = step(model.work(), "Node 0: the candidates").table
    assert table.caption == "The best 20 of 40 attributes."
    assert column(table, "chosen")["x33"] == "✓"
    assert not any(title.startswith("Node 0: what x0") for title in titles(model.work()))


def test_a_deep_chain():
    n = 2_000  # beyond what recursion could do; to grow it takes time as n²
    model = DecisionTreeClassifier().fit(np.arange(float(n))[:, None], np.arange(n) % 2)
    assert model.get_depth() == n - 1
    for detail, derived in (("brief", 12), ("full", 40)):
        words = f"The tests of {derived} of {n - 1} nodes are derived, those nearest the root."
        assert model.work(detail=detail).notes[0] == words
    last = np.array([[float(n)], [np.nan]])
    table = model.work(last)[0].table
    assert table.caption == f"The first 12 and the last 12 of {n - 1} tests."
    check_work(model, last)


NASTY = ["$x$", "<script>alert(1)</script>", "[/red]", "=cmd|' /C calc'!A0", "a|b\nc", "long" * 500, r"\frac{", "∑"]


@pytest.mark.parametrize("name", NASTY)
def test_hostile_names(name):
    X = pd.DataFrame({name: [name, name, "plain", "plain", None], "other": [1.0, 2.0, 3.0, np.nan, 5.0]})
    model = DecisionTreeClassifier().fit(X, [name, "yes", name, "yes", "no"])
    check_work(model)
    check_work(model, X)
    assert max(len(s.title) for s in model.work(X)) < 200


def test_a_tree_from_a_dictionary_has_no_record():
    model = DecisionTreeClassifier.from_dict(tennis().to_dict())
    assert model.work().notes == ("What the attributes gained was not recorded, so no test is derived.",)
    check_work(model)
    check_work(model, SUNDAY)


def test_the_tree_is_drawn():
    drawn = tennis().work()[-1]
    assert drawn.title == "The tree"
    assert drawn.figure.alt == "A decision tree of 5 leaves with Outlook at its root."


def test_the_plain_gain_ratio_takes_the_largest_of_all():
    """Where Patrons is Full and Hungry is Yes, FriSat has the ratio 0.3837 and Type 0.3333, which gains more."""
    table = nv.datasets.load("restaurant")
    plain, filtered = (DecisionTreeClassifier(c).fit(table) for c in ("plain_gain_ratio", "gain_ratio"))
    ratios = column(step(plain.work(), "Node 5: the candidates").table, "gain ratio")
    assert (ratios["FriSat"], ratios["Type"]) == (pytest.approx(0.3837, abs=5e-5), pytest.approx(0.3333, abs=5e-5))
    assert "Node 5: Patrons = Full and Hungry = Yes" in titles(plain.work())
    assert plain.attributes_[plain.tree_.feature[5]].name == "FriSat"
    assert filtered.attributes_[filtered.tree_.feature[5]].name == "Type"
    chosen = step(plain.work(), "Node 5: FriSat is tested")
    assert [e.left for e in chosen.equations] == ["A_best", "Gain(S, A_best)"]
    assert set(column(step(plain.work(), "Node 5: the candidates").table, "chosen").values()) == {"", "✓"}
    check_work(plain, detail="full")


def test_thresholds_have_no_digits_that_come_from_rounding():
    for low, high, words in ((3.3, 3.4, "3.35"), (-3.4, -3.3, "-3.35"), (0.1, 0.2, "0.15"), (1.0, 1 + 2**-52, "1")):
        model = DecisionTreeClassifier().fit([[low], [high]], [0, 1])
        assert low <= model.tree_.threshold[0] < high
        assert f"≤ {words}:" in model.to_text()
