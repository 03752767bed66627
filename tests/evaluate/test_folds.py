"""Folds and splits: partitions, shares of classes, groups, what cannot be done."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

import novacula as nv
from novacula.errors import DataError, ParameterError
from novacula.evaluate import folds, split
from novacula.evaluate.folds import is_classes
from novacula.evaluate.split import split_rows

laws = settings(deadline=None)
classes = st.lists(st.sampled_from("abc"), min_size=6, max_size=60)


@laws
@given(classes, st.integers(2, 6), st.booleans(), st.integers(0, 5))
def test_each_row_is_held_out_once_and_never_trained_on_then(y, k, stratified, seed):
    parts = folds(y, k, stratified, seed)
    held = np.concatenate([test for _, test in parts])
    assert sorted(held.tolist()) == list(range(len(y)))
    for train, test in parts:
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(len(y)))
    counts = [y.count(c) for c in set(y)]
    cut = stratified and k < len(y)
    assert len(parts) == (min(k, max(counts)) if cut else k)
    assert bool(parts.reason) == (cut and min(counts) < k)
    if cut and max(counts) >= k:
        for c in set(y):  # a class is spread as evenly as its rows allow
            held_out = [[y[row] for row in test].count(c) for _, test in parts]
            assert max(held_out) - min(held_out) <= 1


def test_stratified_folds_are_the_reference_librarys():
    y = np.array(list("aabbbbaaab") * 3)
    theirs = StratifiedKFold(5, shuffle=True, random_state=3).split(y, y)
    for (_, mine), (_, other) in zip(folds(y, 5, True, 3), theirs, strict=True):
        assert (mine == other).all()
        assert (y[mine] == "a").sum() == 3


def test_reasons_name_the_class():
    y = ["rare"] * 2 + ["often"] * 20
    assert folds(y, 10).reason == "folds without a row of the class 'rare', which has 2 rows"
    assert folds(y[1:], 10).reason == "folds without a row of the class 'rare', which has one row"
    assert len(folds(y[1:], 10)) == 10
    assert folds(y[:10], 9).reason == "8 folds instead of 9, since no class has more rows"


def test_leave_one_out_and_groups():
    assert [test.tolist() for _, test in folds(list("ab"), 2)] == [[0], [1]]
    group = np.repeat(np.arange(6), 5)
    for stratified in (True, False):
        for train, test in folds(np.tile([0, 1], 15), 3, stratified, groups=group):
            assert not set(group[train]) & set(group[test])
    assert folds(np.arange(30) / 7, 10, groups=group).reason == "6 folds instead of 10, since there are 6 groups"


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: folds([1, 2, 3], 4), ParameterError, "folds is 4, but there are 3 rows"),
        (lambda: folds([1, 2, 3], 1), ParameterError, "folds is 1; it must be a whole number of at least 2"),
        (lambda: folds([1, 2, 3], 2, groups=[1, 2]), DataError, "groups of shape"),
        (lambda: folds([1, 2, 3], 2, groups=[1, 1, 1]), DataError, "one group"),
    ],
)
def test_bad_folds_are_named(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_what_looks_like_classes():
    assert is_classes(np.array([True, False]))
    assert is_classes(np.arange(100) % 10)
    assert is_classes(np.arange(40) % 3 + 0.0)
    assert not is_classes(np.arange(40))
    assert not is_classes(np.linspace(0, 1, 40))
    assert not is_classes(np.zeros((5, 2)))


# --- split --------------------------------------------------------------------------------------------------


@laws
@given(st.lists(st.integers(10, 60), min_size=1, max_size=4), st.integers(0, 9))
def test_parts_are_a_partition_with_the_shares_asked_for(counts, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    parts = split_rows(y, test=0.25, validation=0.15, random_state=seed)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(y)))
    assert [len(part) for part in parts[1:]] == [round(0.15 * len(y)), round(0.25 * len(y))]
    for part, share in zip(parts, (0.6, 0.15, 0.25), strict=True):
        for c, n in enumerate(counts):
            assert abs((y[part] == c).sum() - share * n) < 2, "within a row of each of two roundings"


def test_the_seed_decides():
    y = np.arange(50) % 2
    same = [split_rows(y, random_state=4)[2].tolist() for _ in range(2)]
    assert same[0] == same[1] != split_rows(y, random_state=5)[2].tolist()


def test_tables_give_tables_with_their_schema_and_every_row_once():
    table = nv.datasets.load("play_tennis")
    parts = split(table, test=0.3, validation=0.2)
    assert [type(part) for part in parts] == [nv.Table] * 3
    assert parts.train.layout["Outlook"].categories == ("Overcast", "Rain", "Sunny")
    names = ["Outlook", "Temperature", "Humidity", "Wind", "PlayTennis"]
    rows = pd.concat([part.to_pandas() for part in parts])[names].astype(str)
    assert sorted(map(tuple, rows.to_numpy())) == sorted(map(tuple, table.to_pandas()[names].astype(str).to_numpy()))


def test_a_table_may_have_its_target_named_or_none():
    table = nv.datasets.load("play_tennis").with_target(None)
    assert split(table, "Wind", test=0.5, validation=0.0).test.layout.target == ("Wind",)
    assert len(split(table).train) == 10


def test_arrays_and_frames_give_their_like():
    X, y = pd.DataFrame({"a": np.arange(30.0)}), pd.Series(np.arange(30) % 3)
    train, validation, test = split(X, y)
    assert isinstance(test.X, pd.DataFrame)
    assert (test.X["a"].to_numpy() % 3 == test.y.to_numpy()).all()
    assert test.y.value_counts().tolist() == [2, 2, 2]
    assert len(split(np.zeros((10, 2))).train) == 7
    assert split(X, y, validation=0).validation is None
    assert len(train.X) == 21
    assert len(validation.X) == 3


def test_continuous_targets_are_not_stratified():
    X, y = np.zeros((20, 1)), np.linspace(0, 1, 20)
    assert len(split(X, y).test.y) == 4


def test_groups_stay_together():
    group = np.repeat(np.arange(20), 5)
    parts = split_rows(100, groups=group, test=0.2, validation=0.1)
    owners = [set(group[part]) for part in parts]
    assert not owners[0] & owners[1]
    assert not owners[0] & owners[2]
    assert not owners[1] & owners[2]
    assert [len(part) for part in parts] == [70, 10, 20]


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda X: split(X, list("aaaaaaaaab")), DataError, "class 'b' has one row only, row 10, .* stratify=False"),
        (lambda X: split(X, test=1.2), ParameterError, "test is 1.2; it must be a share"),
        (lambda X: split(X, test=True), ParameterError, "test is True"),
        (lambda X: split(X, test=0.6, validation=0.4), ParameterError, "leave nothing to train on"),
        (lambda X: split(X[:3], validation=0.1), DataError, "3 rows are too few for a validation part of 0.1"),
        (lambda X: split(X, np.zeros(9)), DataError, "y has 9 rows"),
        (lambda X: split(X, groups=np.zeros(10)), DataError, "1 groups cannot fill every part"),
        (lambda X: split(X, groups=np.zeros(9)), DataError, "groups of shape"),
    ],
)
def test_impossible_parts_are_named(call, kind, words):
    with pytest.raises(kind, match=words):
        call(np.zeros((10, 1)))
