"""Projections from files that were forged: one sentence at load, or answers in the library's words."""

import numpy as np
import pytest

from novacula.checks.state import forged_file, require_refused
from novacula.errors import DataError
from novacula.learner.files import load
from novacula.projection import PCA, FeatureRanker
from novacula.statistics import Bundle, CoMoments
from novacula.table import Column, Schema

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(30, 3))
Y = X[:, 0] + RANDOM.normal(size=30)
CLASSES = np.where(Y > 0.0, "yes", "no")


def test_sums_of_one_row_have_no_variance(tmp_path):
    model = PCA().fit(X)
    one = CoMoments(1.0, model.moments_.mean, model.moments_.scatter)
    require_refused(model, tmp_path, "its moments_ have a weight of 1, of which no variance follows", moments_=one)


def test_sums_that_overflow_with_more_rows_are_a_data_error(tmp_path):
    model = PCA().fit(X)
    far = CoMoments(30.0, np.full(3, 1e300), model.moments_.scatter)
    model = load(forged_file(model, tmp_path, moments_=far))
    with pytest.raises(DataError, match="hold numbers whose squares overflow when they are added: scale them"):
        model.partial_fit(X)


def test_directions_of_which_nothing_follows_are_a_data_error(tmp_path):
    model = PCA(1).fit(X)
    turned = {"components_": np.full((1, 3), 1e9), "noise_variance_": 1.0, "explained_variance_": np.full(1, 1e-3)}
    model = load(forged_file(model, tmp_path, **turned))
    with pytest.raises(DataError, match="covariance of the known values has no inverse"):
        model.transform(np.array([[1.0, 2.0, np.nan]]))


def test_ranks_are_those_of_the_columns(tmp_path):
    model = FeatureRanker().fit(X, Y)
    require_refused(
        model, tmp_path, "its ranks_ are not the numbers from 1 to that of the columns", ranks_=np.ones(3, np.int64)
    )


def test_only_numbers_and_categories_are_ranked(tmp_path):
    model = FeatureRanker().fit(X, Y)
    schema = Schema((*model.schema_.features[:2], Column("words", "text")))
    require_refused(model, tmp_path, "its schema_ has a text column, which FeatureRanker does not take", schema_=schema)


@pytest.mark.parametrize("score", ["correlation", "mutual_information", "gain", "anova"])
@pytest.mark.parametrize("target", [Y, CLASSES], ids=["numbers", "classes"])
def test_sums_are_those_of_the_score_and_the_target(tmp_path, score, target):
    model = FeatureRanker(score).fit(X, target)
    load(forged_file(model, tmp_path))
    fewer = FeatureRanker(score).fit(X[:, :2], target).statistic_
    require_refused(model, tmp_path, r"its (statistic_\.parts|there are)", statistic_=fewer)
    require_refused(model, tmp_path, r"its statistic_\.parts is a ", statistic_=Bundle(fewer.parts[:0]))


def test_counts_are_those_of_the_categories(tmp_path):
    import pandas as pd

    colours = pd.DataFrame({"a": ["x", "y", "z"] * 10, "b": ["x", "y"] * 15})
    model = FeatureRanker("gain").fit(colours, CLASSES)
    other = FeatureRanker("gain").fit(colours[["b", "a"]], CLASSES).statistic_
    require_refused(
        model, tmp_path, "its statistic_ counts other categories than those of its schema_", statistic_=other
    )


def test_a_score_of_counts_needs_classes_or_bins(tmp_path):
    model = FeatureRanker("gain").fit(X, Y)
    require_refused(model, tmp_path, "its target has neither classes_ nor bins", n_bins_=0)
