"""Forged files of networks: what does not fit together is refused at load, in a sentence about the file."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.checks.state import require_refused
from novacula.graph import BayesianNetwork, BayesianNetworkClassifier, CategoricalFamily, LinearGaussian
from novacula.graph.learning.family_counts import FamilyCounts, GroupMoments

ROWS = pd.DataFrame({"a": list("xxyyxy"), "b": list("uvuuvv"), "z": [1.0, 2.0, 3.0, 4.0, 2.0, 7.0]})
EDGES = [("a", "b"), ("a", "z")]


@pytest.fixture
def model():
    return BayesianNetwork(EDGES, m=1.0).fit(ROWS)


def even(node, states, parents, *cards):
    return CategoricalFamily(node, states, parents, np.full((*cards, len(states)), 1.0 / len(states)))


def test_models_as_they_are_can_be_loaded(model, tmp_path):
    given = BayesianNetwork.from_network(model.network_)
    for one in (model, given, BayesianNetworkClassifier().fit(ROWS, [0, 1, 0, 1, 1, 0])):
        one.save(tmp_path / "m.nova")
        assert nv.load(tmp_path / "m.nova").families_ == one.families_


@pytest.mark.parametrize("states", [("u", "v", "w"), ("v", "u")])
def test_states_must_be_those_of_the_column(model, tmp_path, states):
    model.families_["b"] = even("b", states, ("a",), 2)
    require_refused(model, tmp_path, "its column 'b' does not fit the node of that name")


def test_a_column_must_be_of_the_kind_of_its_node(model, tmp_path):
    model.families_["z"] = even("z", (1, 2), ("a",), 2)
    require_refused(model, tmp_path, "its column 'z' does not fit the node of that name")


def test_a_column_needs_a_node(model, tmp_path):
    del model.families_["z"]
    require_refused(model, tmp_path, "its column 'z' does not fit the node of that name")


def test_families_must_be_named_and_in_order(model, tmp_path):
    a, b, z = (model.families_[name] for name in "abz")
    model.families_ = {"b": b, "a": a, "z": z}
    require_refused(model, tmp_path, "not under the names of their nodes, parents first")
    model.families_ = {"a": b, "b": a, "z": z}
    require_refused(model, tmp_path, "not under the names of their nodes, parents first")


def test_edges_must_not_form_a_cycle(model, tmp_path):
    model.families_["a"] = even("a", ("x", "y"), ("b",), 2)
    require_refused(model, tmp_path, "the edges form a cycle")


def test_a_parent_must_be_there(model, tmp_path):
    model.families_["b"] = even("b", ("u", "v"), ("nobody",), 2)
    require_refused(model, tmp_path, "the parent 'nobody' of 'b' has no family")


@pytest.mark.parametrize("targets", [("nobody",), ("a",)])
def test_a_target_is_a_node_besides_the_columns(model, tmp_path, targets):
    model.target_names_ = targets
    require_refused(model, tmp_path, f"its target '{targets[0]}' is not a node besides the columns")


def test_counts_must_be_those_of_the_families(model, tmp_path):
    counts = model.counts_
    model.counts_ = FamilyCounts(counts.counts[:-1], counts.moments, 6.0, 0.0)
    require_refused(model, tmp_path, "its counts_ do not fit its families_")
    model.counts_ = FamilyCounts(counts.counts, (GroupMoments.zero(2, 3),), 6.0, 0.0)
    require_refused(model, tmp_path, "its counts_ do not fit its families_")
    model.counts_ = FamilyCounts(counts.counts, (), 6.0, 0.0)
    require_refused(model, tmp_path, "its counts_ do not fit its families_")
    model.counts_ = FamilyCounts(counts.counts - 100.0, counts.moments, 6.0, 0.0)
    require_refused(model, tmp_path, "its counts_.counts holds a number that is out of range")


def test_what_was_learned_is_there_as_a_whole(model, tmp_path):
    del model.history_
    require_refused(model, tmp_path, "its counts_ is there without its history_")


def test_classes_must_be_the_states_of_the_target(tmp_path):
    model = BayesianNetworkClassifier().fit(ROWS, [0, 1, 0, 1, 1, 0])
    model.classes_ = np.array([0])
    require_refused(model, tmp_path, "its classes_ are not the states of its target")
    model.classes_, model.target_names_ = np.array([0, 1]), ()
    require_refused(model, tmp_path, "its classes_ are not the states of its target")


def test_a_line_that_no_row_tells_of_is_derived_without_dividing_by_nothing(model):
    line = model.counts_.moments[0]
    nothing = GroupMoments(np.zeros_like(line.weight), line.mean, line.scatter)
    model.counts_ = FamilyCounts(model.counts_.counts, (nothing,), 6.0, 0.0)
    assert "No row says anything of it" in str(model.work())


def test_a_linear_gaussian_is_one_node_with_its_parents(tmp_path):
    model = LinearGaussian().fit(ROWS[["z"]], ROWS["z"] ** 2)
    model.save(tmp_path / "m.nova")
    assert nv.load(tmp_path / "m.nova").condition({"z": 1.0}).mean == model.condition({"z": 1.0}).mean
    model.mean_ = model.mean_[:1]
    require_refused(model, tmp_path, r"its mean_ is an array .* and there are 2 numeric\+1")
    model = LinearGaussian().fit(ROWS[["z"]], ROWS["z"] ** 2)
    model.coef_, model.intercept_ = model.coef_[None], np.array([model.intercept_])
    model.sigma_, model.r2_ = np.array([model.sigma_]), np.array([model.r2_])
    require_refused(model, tmp_path, "its coef_ is of several targets, and it is one node")


def test_a_number_of_rows_is_refused(model, tmp_path):
    """A table to be asked about took it for its own."""
    schema = dataclasses.replace(model.schema_, n_rows=7)
    require_refused(model, tmp_path, "its schema_ has a number of rows", schema_=schema)
