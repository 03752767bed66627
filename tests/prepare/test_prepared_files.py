"""Model files of learners behind a preparation: rows must go through it to the learner that the parameters name."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

import novacula as nv
from novacula.baseline import MeanRegressor, PluralityClassifier
from novacula.bayes import NaiveBayes
from novacula.checks.state import require_refused
from novacula.errors import ParameterError
from novacula.prepare import PreparedClassifier, PreparedClusterer, PreparedRegressor
from novacula.projection import PCA
from novacula.table import Column, Schema
from novacula.tree import DecisionTreeClassifier

LABELS = np.array(["a", "b", "b", "a", "c", "c"])
ROWS = nv.read(
    pa.table(
        {
            "size": [40.0, None, 220.0, 60.0, 90.0, 30.0],
            "kind": ["flat", "house", None, "flat", "hut", "hut"],
            "note": ["near the sea", None, "old and large", "near town", "old hut", "sea sea"],
            "label": LABELS,
        }
    ),
    types={"note": "text"},
    target="label",
    progress=False,
)
OTHER_COLUMNS = "its columns_ are not those that its preparation_ gives"
NOT_PREPARED = "its preparation_ does not prepare the columns of its schema_"


def prepared(learner=None):
    return PreparedClassifier(learner or DecisionTreeClassifier(), max_words=3).fit(ROWS)


@pytest.mark.parametrize("learner", [DecisionTreeClassifier(), NaiveBayes(), PluralityClassifier()])
def test_models_come_back(tmp_path, learner):
    model = prepared(learner)
    model.save(tmp_path / "m.nova")
    loaded = nv.load(tmp_path / "m.nova")
    np.testing.assert_array_equal(loaded.predict_proba(ROWS), model.predict_proba(ROWS))


def test_columns_that_avoid_the_name_of_the_target_come_back(tmp_path):
    table = nv.read(pa.table({"a": [1.0, None, 2.0, 3.0], "a is missing": ["x", "y", "x", "y"]}), target="a is missing")
    model = PreparedClassifier(PluralityClassifier()).fit(table)
    model.save(tmp_path / "m.nova")
    assert nv.load(tmp_path / "m.nova").columns_ == model.columns_


def encoded(**fields):
    def changed(model):
        encoding = model.preparation_.encoding
        forged = replace(encoding, **{name: of(encoding) for name, of in fields.items()})
        return {"preparation_": replace(model.preparation_, encoding=forged)}

    return changed


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (encoded(centre=lambda e: np.zeros(3)), r"spread is an array .* and there are 3 numeric"),
        (encoded(spread=lambda e: np.zeros(1)), "spread holds a number that is out of range"),
        (encoded(holes=lambda e: (7,)), r"holes\[0\] is out of its range"),
        (encoded(gaps=lambda e: (7,)), r"gaps\[0\] is out of its range"),
        (encoded(words=lambda e: (("sea", "sea", "old"),)), NOT_PREPARED),
        (encoded(words=lambda e: (("sea", "old"),)), OTHER_COLUMNS),
        (encoded(indicator_codes=lambda e: ((9,),)), NOT_PREPARED),
        (encoded(fill_codes=lambda e: np.array([9], np.int32)), NOT_PREPARED),
        (encoded(schema=lambda e: Schema((Column("size", "numeric"),))), NOT_PREPARED),
        (lambda m: {"columns_": m.columns_[:-1]}, OTHER_COLUMNS),
        (
            lambda m: {"columns_": (*m.columns_, m.columns_[-1])},
            OTHER_COLUMNS,
        ),
        (lambda m: {"model_": DecisionTreeClassifier()}, "its model_ is another learner .* or is not fitted"),
        (lambda m: {"model_": NaiveBayes().fit(ROWS)}, "its model_ is another learner than its parameters say"),
        (
            lambda m: {"model_": DecisionTreeClassifier().fit(np.arange(6.0)[:, None], LABELS)},
            "its model_ was fitted on other columns",
        ),
        (lambda m: {"classes_": np.array(["a", "b", "d"])}, "its model_ has other classes than its classes_"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, change, sentence):
    model = prepared()
    require_refused(model, tmp_path, sentence, **change(model))


def test_a_block_too_wide_to_be_written_out_is_refused(tmp_path):
    """Its columns were named one by one, which takes as much memory as the file asks for."""
    model = PreparedClassifier(DecisionTreeClassifier()).fit(csr_matrix(np.eye(6)), LABELS)
    [block] = model.schema_.columns
    wide = Schema((replace(block, width=10**9),), missing=())
    forged = replace(model.preparation_, encoding=replace(model.preparation_.encoding, schema=wide))
    require_refused(model, tmp_path, NOT_PREPARED, schema_=wide, n_features_in_=10**9, preparation_=forged)


def test_a_regressor_comes_back_and_keeps_its_learner(tmp_path):
    model = PreparedRegressor(MeanRegressor()).fit(ROWS.drop(["label"]).to_pandas(), np.arange(6.0))
    model.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict(ROWS), model.predict(ROWS))
    require_refused(model, tmp_path, "its model_ is another learner than its parameters say", learner=None)


def test_a_learner_that_predicts_nothing_is_refused():
    with pytest.raises(ParameterError, match=r"learner=PCA\(\) predicts nothing: give one that has a predict"):
        PreparedClusterer(PCA()).fit(ROWS)
