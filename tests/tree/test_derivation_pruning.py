"""The course of pruning as the work tells it, against trees that are cut by hand."""

import math

import numpy as np
import pytest

import novacula as nv
from novacula.checks import check_work
from novacula.tree import DecisionTreeClassifier


def step(work, title):
    (found,) = [step for step in work if step.title == title]
    return found


def noisy(n=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(1)
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int) + (X[:, 1] > 1)


@pytest.mark.parametrize("seed", range(4))
def test_validation_accuracy_is_that_of_the_grown_and_of_the_pruned_tree(seed):
    X, y = noisy(seed=seed)
    train, held = np.arange(len(y)) % 3 > 0, np.arange(len(y)) % 3 == 0
    model = DecisionTreeClassifier().fit(X[train], y[train])
    before = (model.predict(X[held]) == y[held]).mean()
    model.prune_(X[held], y[held])
    course = step(model.work(), "Validation accuracy, cut by cut")
    assert course.equations[1].value == pytest.approx(before)
    assert course.equations[2].value == pytest.approx((model.predict(X[held]) == y[held]).mean())
    rises = [after - earlier for _, _, earlier, after, *_ in course.table.rows]
    assert rises == sorted(rises, reverse=True)
    assert min(rises) >= 0
    check_work(model)
    rows = course.table.rows
    assert [row[3] for row in rows[:-1]] == [row[2] for row in rows[1:]]


def bits(model, n_cuts):
    """Bits of a tree and of its exceptions, from the definition."""
    tree, d, K = model.tree_, len(model.attributes_), len(model.classes_)
    code = exceptions = 0.0
    for node in range(len(tree)):
        code += math.log2(1 + d)
        n, right = tree.counts[node].sum(), tree.counts[node].max()
        if tree.is_leaf[node]:
            code += math.log2(K)
            e = int(n - right)
            exceptions += math.log2(n + 1) + math.log2(math.comb(int(n), e)) + e * math.log2(K - 1)
        else:
            code += math.log2(n_cuts[tree.feature[node]])
    return code, exceptions


@pytest.mark.parametrize("seed", range(4))
def test_bits_before_and_after_each_cut(seed):
    X, y = noisy(100, seed)
    model = DecisionTreeClassifier(prune="mdl").fit(X, y)
    work = model.work(detail="full")
    course = step(work, "Bits, cut by cut from the leaves up")
    n_cuts = [len(np.unique(column)) - 1 for column in X.T]
    assert course.table.rows[-1][2:4] == pytest.approx(bits(model, n_cuts))
    totals = [row[4] for row in course.table.rows]
    assert totals == sorted(totals, reverse=True)
    assert len(totals) == 1 + len(model.trace_.cut.node)
    if len(model.trace_.cut.node) == 1 and not model.tree_.is_leaf[0]:
        assert totals[0] <= sum(bits(DecisionTreeClassifier().fit(X, y), n_cuts)) + 1e-9
    for cut in (s for s in work if "is cut to a leaf" in s.title):
        assert cut.equations[-1].sign == "≤"
    check_work(model, detail="full")


def test_the_bits_of_play_tennis():
    """Four attributes and two classes: 14 examples as one leaf take fewer bits than with any test."""
    table = nv.datasets.load("play_tennis")
    model = DecisionTreeClassifier(prune="mdl").fit(table)
    leaf = math.log2(5) + 1, math.log2(15) + math.log2(math.comb(14, 5))
    assert step(model.work(), "Bits, cut by cut from the leaves up").table.rows[-1][2:4] == pytest.approx(leaf)
    assert model.get_n_leaves() == 1


def test_a_second_pruning_forgets_the_totals():
    X, y = noisy()
    model = DecisionTreeClassifier(prune="mdl", merge_leaves=True, ccp_alpha=0.05).fit(X, y)
    assert not any(s.title.startswith("Bits,") for s in model.work()) or len(model.trace_.cut.bits)
    model = DecisionTreeClassifier(prune="reduced_error", random_state=0).fit(X, y).prune_(X[::4], y[::4])
    check_work(model)


def test_a_file_keeps_the_course(tmp_path):
    X, y = noisy()
    for prune in ("mdl", "reduced_error"):
        model = DecisionTreeClassifier(prune=prune, random_state=0).fit(X, y)
        model.save(tmp_path / "tree.nova")
        assert str(nv.load(tmp_path / "tree.nova").work()) == str(model.work())
