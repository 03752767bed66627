"""Model files of trees and rules: arrays that are no tree are refused before a row goes down them."""

from dataclasses import replace

import numpy as np
import pytest

import novacula as nv
from novacula.checks.state import require_refused
from novacula.tree import DecisionTreeClassifier, RuleListClassifier

NOT_A_TREE = "its tree_ is not a tree: each node but the root must be one branch of a node before"
NO_TEST = "its tree_ has a test that does not fit its attribute, or has no arm for a category"


def at(array, place, value):
    """A copy with one number changed."""
    changed = array.copy()
    changed[place] = value
    return changed


def tennis():
    return DecisionTreeClassifier().fit(nv.datasets.load("play_tennis"))


def numbers():
    X = np.random.default_rng(0).normal(size=(40, 2))
    return DecisionTreeClassifier().fit(X, (X[:, 0] > X[:, 1]).astype(int)), X


def test_trees_come_back(tmp_path):
    model, X = numbers()
    model.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("child", [1, 3, 10**6])
def test_a_leaf_with_a_child_is_refused(tmp_path, child):
    """It had a kernel read far away."""
    model = tennis()
    leaf = int(np.flatnonzero(model.tree_.is_leaf)[-1])
    model.tree_ = replace(model.tree_, child=at(model.tree_.child, leaf, child))
    require_refused(
        model, tmp_path, NOT_A_TREE if child < len(model.tree_) else "child holds a number that is out of range"
    )


def test_an_arm_that_is_missing_is_refused(tmp_path):
    """A row of that category had gone round in circles for ever."""
    model = tennis()
    tree = model.tree_
    fewer = np.maximum(tree.arm_start - 1, 0)
    model.tree_ = replace(tree, arm_start=fewer, arm_code=tree.arm_code[1:], arm_branch=tree.arm_branch[1:])
    require_refused(model, tmp_path, NO_TEST)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: {"child": at(t.child, 0, 0)}, NOT_A_TREE),
        (lambda t: {"child": at(t.child, 0, 2)}, NOT_A_TREE),
        (lambda t: {"arity": at(t.arity, 0, 2)}, NOT_A_TREE),
        (lambda t: {"arity": at(t.arity, 0, 2**31 - 1)}, NOT_A_TREE),
        (lambda t: {"default": at(t.default, 0, 3)}, NOT_A_TREE),
        (lambda t: {"otherwise": at(t.otherwise, 0, 3)}, NOT_A_TREE),
        (lambda t: {"counts": np.zeros_like(t.counts)}, NOT_A_TREE),
        (lambda t: {"counts": at(t.counts, slice(1, None), 0.0)}, NOT_A_TREE),
        (lambda t: {"counts": at(t.counts, 0, -1.0)}, "counts holds a number that is out of range"),
        (lambda t: {"feature": at(t.feature, 0, 4)}, "feature holds a number that is out of range"),
        (lambda t: {"arm_branch": at(t.arm_branch, 0, 3)}, NO_TEST),
        (lambda t: {"arm_code": at(t.arm_code, 0, 1)}, NO_TEST),
        (lambda t: {"arm_code": at(t.arm_code, 2, 3)}, NO_TEST),
        (lambda t: {"arm_start": at(t.arm_start, -1, 99)}, "arm_code is an array .* and there are 99 arms"),
    ],
)
def test_arrays_that_are_not_a_tree_are_refused(tmp_path, change, sentence):
    model = tennis()
    model.tree_ = replace(model.tree_, **change(model.tree_))
    require_refused(model, tmp_path, sentence)


def test_a_threshold_that_is_missing_is_refused(tmp_path):
    model, _ = numbers()
    model.tree_ = replace(model.tree_, threshold=at(model.tree_.threshold, 0, np.nan))
    require_refused(model, tmp_path, NO_TEST)


def test_other_attributes_than_those_of_the_columns_are_refused(tmp_path):
    model = tennis()
    model.attributes_ = (*model.attributes_[1:], model.attributes_[0])
    require_refused(model, tmp_path, "its attributes_ are not those of its columns and thresholds")
    model = tennis()
    candidates = model.trace_.candidates
    model.trace_ = replace(model.trace_, candidates=replace(candidates, codes=candidates.codes[:, :-1].copy()))
    require_refused(model, tmp_path, "its trace_ does not count the categories of its attributes")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda r, c: {"counts": r.counts[:-1]}, "counts is an array .* and there are 6 rules"),
        (lambda r, c: {"counts": np.zeros_like(r.counts)}, "its rule_list_ or trace_ has conditions or counts"),
        (lambda r, c: {"conditions": replace(c, feature=c.feature + 4)}, "feature holds a number that is out of range"),
        (lambda r, c: {"conditions": replace(c, start=c.start[::-1].copy())}, "start does not rise from 0"),
        (lambda r, c: {"conditions": replace(c, code=c.code + 3)}, "its rule_list_ or trace_ has conditions or counts"),
    ],
)
def test_rules_that_do_not_fit_are_refused(tmp_path, change, sentence):
    model = RuleListClassifier().fit(nv.datasets.load("play_tennis"))
    rules = model.rule_list_
    model.rule_list_ = replace(rules, **change(rules, rules.conditions))
    require_refused(model, tmp_path, sentence)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: {"counts": t.counts[1:]}, "counts holds 4, but there are 5"),
        (lambda t: {"rule": t.rule + 5}, "rule holds a number that is out"),
        (lambda t: {"counts": tuple(-part for part in t.counts)}, "its rule_list_ or trace_ has conditions or counts"),
    ],
)
def test_a_trace_that_does_not_fit_is_refused(tmp_path, change, sentence):
    model = RuleListClassifier().fit(nv.datasets.load("play_tennis"))
    model.trace_ = replace(model.trace_, **change(model.trace_))
    require_refused(model, tmp_path, sentence)


def test_an_interval_without_an_end_is_refused(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = RuleListClassifier().fit(X, (X[:, 0] > X[:, 1]).astype(int))
    conditions = model.rule_list_.conditions
    broken = replace(conditions, low=np.full_like(conditions.low, np.nan))
    model.rule_list_ = replace(model.rule_list_, conditions=broken)
    require_refused(model, tmp_path, "its rule_list_ or trace_ has conditions or counts that do not fit its attributes")
