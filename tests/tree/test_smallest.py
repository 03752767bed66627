"""Entropy, gain and ratio of columns, and the smallest tree, against counts and trees found by brute force."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy as scipy_entropy

import novacula as nv
from novacula.checks import check_work
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.tree import (
    DecisionTreeClassifier,
    entropy,
    entropy_curve,
    gain_ratio,
    information_gain,
    smallest_tree,
)


def h(labels):
    return scipy_entropy(list(Counter(labels).values()), base=2)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_columns_against_scipy(seed):
    rng = np.random.default_rng(seed)
    values, labels = rng.choice(list("abc"), 20).tolist(), rng.integers(0, 3, 20).tolist()
    gain = h(labels)
    for v in set(values):
        part = [label for value, label in zip(values, labels, strict=True) if value == v]
        gain -= len(part) / 20 * h(part)
    assert entropy(labels) == pytest.approx(h(labels))
    assert information_gain(values, labels) == pytest.approx(gain)
    assert gain_ratio(values, labels) == pytest.approx(gain / h(values))
    for number in (entropy(labels), information_gain(values, labels), gain_ratio(values, labels)):
        check_work(number)


def test_restaurant_and_tennis():
    table = nv.datasets.load("restaurant").to_pandas()
    y = table["WillWait"]
    assert information_gain(table["Patrons"], y, "Patrons") == pytest.approx(0.5409, abs=5e-5)
    assert information_gain(table["Type"], y) == pytest.approx(0.0, abs=1e-12)
    assert entropy({"Yes": 9, "No": 5}) == pytest.approx(0.940286, abs=5e-7)
    assert gain_ratio(["x", "x"], [0, 1]) == 0.0
    check_work(gain_ratio(["x", "x"], [0, 1]))


@pytest.mark.parametrize("wrong", [3, "yes"])
def test_what_is_no_column(wrong):
    with pytest.raises(InputTypeError, match="give one for each row"):
        entropy(wrong)


def test_columns_that_do_not_fit():
    with pytest.raises(DataError, match="1 values and 2 labels"):
        information_gain(["a"], [0, 1])
    with pytest.raises(DataError, match="missing value"):
        gain_ratio(["a", None], [0, 1])
    with pytest.raises(DataError, match="no labels"):
        entropy([])


def test_the_curve_has_one_bit_in_the_middle():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    entropy_curve().draw(axes)
    (line,) = axes.lines
    x, y = line.get_data()
    assert (x[0], x[-1], y[0], y[-1], y.max(), x[np.argmax(y)]) == (0.0, 1.0, 0.0, 0.0, 1.0, 0.5)
    assert axes.get_ylabel() == "B(q) in bits"


def fewest(rows, labels):
    """Tests and leaves of the smallest tree, by trying everything."""
    if len(set(labels)) == 1:
        return 0, 1
    found = []
    for j in range(len(rows[0])):
        values = sorted({row[j] for row in rows})
        if len(values) < 2:
            continue
        if isinstance(values[0], str):
            splits = [[[v] for v in values]]
        else:
            splits = [[[v for v in values if v <= low], [v for v in values if v > low]] for low, _ in pairwise(values)]
        for groups in splits:
            tests, leaves = 1, 0
            for group in groups:
                picked = [i for i, row in enumerate(rows) if row[j] in group]
                more = fewest([rows[i] for i in picked], [labels[i] for i in picked])
                tests, leaves = tests + more[0], leaves + more[1]
            found.append((tests, leaves))
    return min(found)


@pytest.mark.parametrize("seed", range(25))
def test_the_smallest_tree_against_brute_force(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    frame = pd.DataFrame({"a": rng.choice(list("xyz"), n), "b": rng.choice(list("uv"), n), "c": rng.integers(0, 3, n)})
    frame = frame.drop_duplicates()
    labels = rng.integers(0, 2, len(frame)).tolist()
    if len(set(labels)) < 2:
        return
    rows = [(a, b, float(c)) for a, b, c in frame.itertuples(index=False)]
    found = smallest_tree(frame, labels)
    assert (found.n_tests, found.n_leaves) == fewest(rows, labels)
    greedy = DecisionTreeClassifier().fit(frame, labels)
    assert found.n_tests <= int((~greedy.tree_.is_leaf).sum())
    check_work(found)


def test_the_restaurant_has_no_tree_of_fewer_tests_but_one_of_fewer_leaves():
    table = nv.datasets.load("restaurant")
    found = smallest_tree(table)
    frame = table.to_pandas()
    assert (found.n_tests, found.n_leaves) == (4, 6)
    assert str(found).startswith("Patrons = None: No (2)\nPatrons = Some: Yes (4)\nPatrons = Full\n")
    comparison = found.work()[-1].table
    assert comparison.rows == (("smallest", 4, 6), ("greedy, by gain", 4, 7))
    assert len(frame) == 12
    check_work(found)


def test_exclusive_or_misleads_greedy_growth():
    """Neither a nor b gains anything alone, so greedy growth begins with noise; two tests more are too many."""
    frame = pd.DataFrame([(a, b, c) for a in "01" for b in "01" for c in "01"], columns=list("abc"))
    frame = frame.assign(d=["p", "p", "q", "r", "q", "r", "p", "q"])
    labels = [int(a != b) for a, b in zip(frame["a"], frame["b"], strict=True)]
    assert smallest_tree(frame[["c", "d", "a", "b"]], labels).n_tests <= 3


def test_bad_input_to_the_smallest_tree():
    with pytest.raises(DataError, match="rows 1 and 2 are alike but for their class"):
        smallest_tree([[1.0], [1.0]], [0, 1])
    with pytest.raises(DataError, match="larger max_steps"):
        smallest_tree(np.arange(8.0)[:, None], [0, 1] * 4, max_steps=2)
    with pytest.raises(DataError, match="down to 200 tests one below the other"):
        smallest_tree(np.arange(600.0)[:, None], [0, 1] * 300, max_steps=10**9)
    with pytest.raises(DataError, match="without missing values"):
        smallest_tree([[1.0], [np.nan], [2.0]], [0, 1, 1])
    with pytest.raises(ParameterError, match="max_steps"):
        smallest_tree([[1.0], [2.0]], [0, 1], max_steps=0)


@pytest.mark.parametrize("name", ["restaurant", "iris"])
def test_a_tree_from_the_top_down(name):
    from matplotlib.figure import Figure

    model = DecisionTreeClassifier().fit(nv.datasets.load(name))
    axes = Figure(figsize=(30, 10)).add_subplot()
    model.plot(axes, top_down=True)
    places = {text.get_text(): text.get_position() for text in axes.texts}
    root = model.attributes_[model.tree_.feature[0]].name
    below = [y for words, (_, y) in places.items() if words != root and y > places[root][1]]
    assert len(axes.lines) == len(model.tree_) - 1
    assert len(below) > model.get_n_leaves()
    bars = [(p.get_x(), p.get_x() + p.get_width(), p.get_y()) for p in axes.patches if p.get_height() == 0.24]
    assert len(bars) == len(model.tree_)
    for level in {round(y, 6) for *_, y in bars}:  # no two boxes of a level meet
        spans = sorted((low, high) for low, high, y in bars if round(y, 6) == level)
        assert all(high < low for (_, high), (low, _) in pairwise(spans))
    assert "<svg" in model.plot(top_down=True).svg()
