"""The numbers of the literature, from the plain learner and from ours."""

import math

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.checks import check_equations

from .plain import Example, PlainTree, Question, entropy

SIX_DIGITS = {"abs": 5.0001e-7}
FOUR_DIGITS = {"abs": 5.0001e-5}

TENNIS_GAINS = {"Outlook": 0.246750, "Temperature": 0.029223, "Humidity": 0.151836, "Wind": 0.048127}
TENNIS_SPLITS = {"Outlook": 1.577406, "Temperature": 1.556657, "Humidity": 1.0, "Wind": 0.985228}
TENNIS_RATIOS = {"Outlook": 0.156428, "Temperature": 0.018773, "Humidity": 0.151836, "Wind": 0.048849}
SUNNY = {"Humidity": 0.9710, "Temperature": 0.5710, "Wind": 0.0200}
RAIN = {"Wind": 0.9710, "Humidity": 0.0200, "Temperature": 0.0200}
DAY = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}

# Quinlan (1993), C4.5, chapter 3: golf with the outlook of one day unknown; two branches must have two examples.
GOLF = """
sunny 75 70 true Play
sunny 80 90 true Don't
sunny 85 85 false Don't
sunny 72 95 false Don't
sunny 69 70 false Play
?     72 90 true Play
overcast 83 78 false Play
overcast 64 65 true Play
overcast 81 75 false Play
rain 71 80 true Don't
rain 65 70 true Don't
rain 75 80 false Play
rain 68 80 false Play
rain 70 96 false Play
"""


def classifier(**settings):
    from novacula.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(**settings)


def rows_of(name):
    """Rows, labels and columns of a data set for the plain learner."""
    table = nv.datasets.load(name)
    frame = table.to_pandas()
    columns = {column.name: column.categories for column in table.schema.features}
    return frame[list(columns)].to_dict("records"), frame[table.schema.target[0]].tolist(), columns


def golf():
    words = [line.split() for line in GOLF.strip().splitlines()]
    rows = [
        {"outlook": None if o == "?" else o, "temperature": float(t), "humidity": float(h), "windy": w}
        for o, t, h, w, _ in words
    ]
    return rows, [line[-1] for line in words]


GOLF_COLUMNS = {
    "outlook": ("overcast", "rain", "sunny"),
    "temperature": None,
    "humidity": None,
    "windy": ("false", "true"),
}


def one_way(column, domain):
    return Question(column, groups=tuple(frozenset({value}) for value in domain))


def examples_where(rows, labels, **held):
    return [
        Example(row, label, 1.0)
        for row, label in zip(rows, labels, strict=True)
        if all(row[column] == value for column, value in held.items())
    ]


# --- the plain learner --------------------------------------------------------------------------------------------


def test_plain_play_tennis():
    rows, labels, columns = rows_of("play_tennis")
    plain = PlainTree(columns).fit(rows, labels)
    every = examples_where(rows, labels)
    assert entropy(plain.root.counts) == pytest.approx(0.940286, **SIX_DIGITS)
    for column, domain in columns.items():
        question = one_way(column, domain)
        gain, split = plain.gain(question, every), plain.split_information(question, every)
        assert gain == pytest.approx(TENNIS_GAINS[column], **SIX_DIGITS)
        assert split == pytest.approx(TENNIS_SPLITS[column], **SIX_DIGITS)
        assert gain / split == pytest.approx(TENNIS_RATIOS[column], **SIX_DIGITS)
    for outlook, gains in (("Sunny", SUNNY), ("Rain", RAIN)):
        there = examples_where(rows, labels, Outlook=outlook)
        for column, gain in gains.items():
            assert plain.gain(one_way(column, columns[column]), there) == pytest.approx(gain, **FOUR_DIGITS)
    overcast, rain, sunny = plain.root.branches
    assert plain.root.question.column == "Outlook"
    assert (overcast.counts, overcast.question) == ((0, 4), None)
    assert rain.question.column == "Wind"
    assert [branch.counts for branch in rain.branches] == [(2, 0), (0, 3)]
    assert sunny.question.column == "Humidity"
    assert [branch.counts for branch in sunny.branches] == [(3, 0), (0, 2)]
    assert plain.predict_proba(DAY) == [1.0, 0.0]


def test_plain_restaurant():
    rows, labels, columns = rows_of("restaurant")
    plain = PlainTree(columns).fit(rows, labels)
    every = examples_where(rows, labels)
    assert plain.gain(one_way("Patrons", columns["Patrons"]), every) == pytest.approx(0.5409, **FOUR_DIGITS)
    assert plain.gain(one_way("Type", columns["Type"]), every) == 0.0
    assert plain.root.question.column == "Patrons"


def test_plain_golf_with_an_unknown_outlook():
    rows, labels = golf()
    plain = PlainTree(GOLF_COLUMNS, criterion="gain_ratio", min_samples_leaf=2).fit(rows, labels)
    every = examples_where(rows, labels)
    outlook = one_way("outlook", GOLF_COLUMNS["outlook"])
    gain, split = plain.gain(outlook, every), plain.split_information(outlook, every)
    assert (gain, split, gain / split) == pytest.approx((0.199, 1.809, 0.110), abs=5e-4)
    assert plain.root.question.column == "outlook"
    play = [math.fsum(counts for counts in branch.counts) for branch in plain.root.branches]
    assert play == pytest.approx([3 + 3 / 13, 5 + 5 / 13, 5 + 5 / 13])
    unknown = {"outlook": "sunny", "temperature": 70.0, "humidity": None, "windy": "false"}
    assert plain.predict_proba(unknown) == pytest.approx([0.56, 0.44], abs=5e-3)


def test_plain_xor_is_learned_though_no_question_gains():
    rows = [{"a": a, "b": b} for a in (0, 1) for b in (0, 1)]
    plain = PlainTree({"a": (0, 1), "b": (0, 1)}).fit(rows, ["same", "other", "other", "same"])
    assert plain.root.gain == 0.0
    assert [plain.predict_proba(row) for row in rows] == [[0, 1], [1, 0], [1, 0], [0, 1]]


# --- our learner --------------------------------------------------------------------------------------------------


def numbers_in(work):
    """Every number that a work shows: results, values and cells of tables."""
    found = []
    for step in work:
        for equation in step.equations:
            found += [] if isinstance(equation.value, str) else [equation.value]
            for value in equation.values.values():
                found += list(value.values()) if isinstance(value, dict) else [value]
        for row in step.table.rows if step.table else ():
            found += [cell for cell in row if isinstance(cell, int | float)]
    return np.array(found, float)


def shows(work, number, digits=6):
    return bool((np.abs(numbers_in(work) - number) <= 0.5 * 10.0**-digits + 1e-12).any())


def branch_where(model, node, category):
    """The node of a category's branch."""
    codes, branches = model.tree_.arms(node)
    code = model.attributes_[model.tree_.feature[node]].labels.index(category)
    return int(model.tree_.child[node] + branches[codes.tolist().index(code)])


def asked(model, node):
    return model.attributes_[model.tree_.feature[node]].name


def test_play_tennis_tree():
    model = classifier().fit(nv.datasets.load("play_tennis"))
    tree = model.tree_
    sunny, rain, overcast = (branch_where(model, 0, outlook) for outlook in ("Sunny", "Rain", "Overcast"))
    assert [asked(model, node) for node in (0, sunny, rain)] == ["Outlook", "Humidity", "Wind"]
    assert len(tree) == 8
    assert tree.gain[[0, sunny, rain]] == pytest.approx([0.246750, 0.970951, 0.970951], **SIX_DIGITS)
    leaves = {
        (): (overcast, [0, 4]),
        ("Humidity", "High"): (branch_where(model, sunny, "High"), [3, 0]),
        ("Humidity", "Normal"): (branch_where(model, sunny, "Normal"), [0, 2]),
        ("Wind", "Strong"): (branch_where(model, rain, "Strong"), [2, 0]),
        ("Wind", "Weak"): (branch_where(model, rain, "Weak"), [0, 3]),
    }
    for node, counts in leaves.values():
        assert tree.counts[node].tolist() == counts
        assert tree.is_leaf[node]
    assert model.predict(pd.DataFrame([DAY])).tolist() == ["No"]
    assert model.get_depth() == 2
    assert model.get_n_leaves() == 5


@pytest.mark.parametrize("column", TENNIS_GAINS)
def test_play_tennis_numbers_are_shown(column):
    table = nv.datasets.load("play_tennis")
    work = classifier(criterion="gain_ratio").fit(table).work()
    for number in (0.940286, TENNIS_GAINS[column], TENNIS_SPLITS[column], TENNIS_RATIOS[column]):
        assert shows(work, number)
    assert shows(classifier().fit(table).work(), TENNIS_GAINS[column])


def test_play_tennis_gains_below_the_root_are_shown():
    work = classifier().fit(nv.datasets.load("play_tennis")).work()
    for gain in {*SUNNY.values(), *RAIN.values()}:
        assert shows(work, gain, digits=4)


@pytest.mark.parametrize(("column", "gain"), TENNIS_GAINS.items())
def test_play_tennis_gain_of_each_column(column, gain):
    table = nv.datasets.load("play_tennis").select([column])
    model = classifier(max_depth=1).fit(table)
    assert model.tree_.gain[0] == pytest.approx(gain, **SIX_DIGITS)


@pytest.mark.parametrize(("column", "gain"), [("Patrons", 0.540852), ("Type", 0.0)])
def test_restaurant_gains(column, gain):
    table = nv.datasets.load("restaurant")
    alone = classifier(max_depth=1).fit(table.select([column]))
    assert alone.tree_.gain[0] == pytest.approx(gain, **SIX_DIGITS)
    whole = classifier().fit(table)
    assert asked(whole, 0) == "Patrons"
    assert shows(whole.work(), gain)
    assert whole.score(table) == 1.0


def test_golf_with_an_unknown_outlook():
    rows, labels = golf()
    model = classifier(criterion="gain_ratio", min_samples_leaf=2).fit(pd.DataFrame(rows), labels)
    assert asked(model, 0) == "outlook"
    assert model.tree_.gain[0] == pytest.approx(0.199, abs=5e-4)
    work = model.work()
    assert shows(work, 1.809, digits=3)
    assert shows(work, 0.110, digits=3)
    overcast, sunny = branch_where(model, 0, "overcast"), branch_where(model, 0, "sunny")
    assert model.tree_.counts[overcast] == pytest.approx([0, 3 + 3 / 13])
    assert model.tree_.counts[sunny] == pytest.approx([3, 2 + 5 / 13])
    assert (asked(model, sunny), model.tree_.threshold[sunny]) == ("humidity", 77.5)
    unknown = pd.DataFrame({"outlook": ["sunny"], "temperature": [70.0], "humidity": [np.nan], "windy": ["false"]})
    assert model.predict_proba(unknown)[0] == pytest.approx([0.56, 0.44], abs=5e-3)
    assert model.predict(unknown).tolist() == ["Don't"]


@pytest.mark.parametrize("criterion", ["gain", "gain_ratio", "plain_gain_ratio", "gini", "tan_schlimmer", "nunez"])
@pytest.mark.parametrize("name", ["play_tennis", "restaurant", "iris"])
def test_the_work_holds(name, criterion):
    table = nv.datasets.load(name)
    model = classifier(criterion=criterion).fit(table)
    check_equations(model)
    check_equations(model, table.head(3))
