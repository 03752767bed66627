"""Sequences in every shape that is taken give the same model; shapes that make none are refused with a sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import novacula as nv
from novacula.errors import DataError, InputTypeError, SchemaError
from novacula.graph.hmm import CategoricalHMM, GaussianHMM
from novacula.graph.hmm.sequences import Sequences

PARTS = [np.array([[0.0, 1.0], [5.0, 5.5], [0.3, 0.8]]), np.array([[5.2, 4.9], [0.1, 1.1]])]
INIT = {
    "start": [0.5, 0.5],
    "transition": [[0.6, 0.4], [0.3, 0.7]],
    "means": [[0.0, 1.0], [5.0, 5.0]],
    "covariances": np.tile(np.eye(2), (2, 1, 1)),
}
MODEL = GaussianHMM.from_parameters(**INIT)
NAMED_MODEL = GaussianHMM.from_parameters(**INIT, columns=["a", "b"])
FRAME = pd.DataFrame(
    {
        "who": ["y", "x", "x", "y", "x"],
        "when": [2, 9, 3, 1, 30],
        "a": [0.1, 5.0, 0.0, 5.2, 0.3],
        "b": [1.1, 5.5, 1.0, 4.9, 0.8],
    }
)  # the sequences of PARTS, mixed

NAMED = {"sequence": "who", "time": "when"}


def learned(X, y=None, **how):
    model = GaussianHMM(2, init=INIT, max_iter=3, tol=0.0, m=1.0)
    with pytest.warns(Warning, match="max_iter"):
        return model.fit(X, y, **how)


def test_every_shape_gives_the_same_model():
    reference = learned(PARTS)
    for X, how in [
        (np.concatenate(PARTS), {"lengths": [3, 2]}),
        ([part.tolist() for part in PARTS], {}),
        ([pd.DataFrame(part, columns=["a", "b"]) for part in PARTS], {}),
        (FRAME, NAMED),
        (pl.DataFrame(FRAME.to_dict("list")), NAMED),
        (pa.table(FRAME.to_dict("list")), NAMED),
        (nv.read(FRAME), NAMED),
        (FRAME.assign(when=pd.to_datetime(FRAME.when, unit="D")), NAMED),
    ]:
        model = learned(X, **how)
        # Sequences are numbered as they appear, so sums may be rounded otherwise.
        np.testing.assert_allclose(model.means_, reference.means_, rtol=1e-12)
        np.testing.assert_allclose(model.transition_, reference.transition_, rtol=1e-12)
        assert model.log_likelihood_ == pytest.approx(reference.log_likelihood_, rel=1e-12)
        assert model.n_features_in_ == 2


def test_answers_come_in_the_shape_and_order_that_was_given():
    by_list = MODEL.smooth(PARTS)
    assert [part.shape for part in by_list] == [(3, 2), (2, 2)]
    np.testing.assert_allclose(MODEL.smooth(np.concatenate(PARTS), [3, 2]), np.concatenate(by_list))
    by_frame = NAMED_MODEL.smooth(FRAME, sequence="who", time="when")
    expected = np.array([by_list[1][1], by_list[0][1], by_list[0][0], by_list[1][0], by_list[0][2]])
    np.testing.assert_allclose(by_frame, expected)
    assert [path.tolist() for path in MODEL.predict(PARTS)] == [[0, 1, 0], [1, 0]]
    assert NAMED_MODEL.predict(FRAME, sequence="who", time="when").tolist() == [0, 1, 0, 1, 0]
    assert len(MODEL.predict_next(PARTS)) == 2
    assert MODEL.score_sequences(PARTS).shape == (2,)
    assert MODEL.predict_next(PARTS[0]).states.shape == (1, 2)


def test_a_column_of_states_may_be_named():
    frame = FRAME.assign(state=["lo", "hi", "lo", "hi", "lo"])
    by_name = GaussianHMM(covariance_type="spherical").fit(frame, "state", sequence="who", time="when")
    by_list = GaussianHMM(covariance_type="spherical").fit(PARTS, [["lo", "hi", "lo"], ["hi", "lo"]])
    by_table = GaussianHMM(covariance_type="spherical").fit(nv.read(frame, "state"), sequence="who", time="when")
    by_array = GaussianHMM(covariance_type="spherical").fit(FRAME, frame.state.to_numpy(), sequence="who", time="when")
    for model in (by_name, by_table, by_array):
        assert model.states_ == ("hi", "lo")
        np.testing.assert_allclose(model.means_, by_list.means_)
        np.testing.assert_allclose(model.transition_, by_list.transition_)


def test_the_umbrella_table_is_counted():
    model = CategoricalHMM().fit(nv.datasets.load("umbrella"))
    assert model.states_ == ("no", "yes")
    assert model.symbols_ == ("no", "yes")
    np.testing.assert_allclose(model.transition_, [[0.0, 1.0], [1 / 3, 2 / 3]])
    np.testing.assert_allclose(model.emission_, np.eye(2))


def test_weights_of_a_table_belong_to_sequences():
    weighed = nv.read(FRAME.assign(w=[3.0, 1.0, 1.0, 3.0, 1.0]), weight="w")
    np.testing.assert_allclose(
        learned(weighed, **NAMED).means_, learned(PARTS, sample_weight=[1.0, 3.0]).means_, rtol=1e-12
    )
    with pytest.raises(InputTypeError, match="holds its weights itself"):
        GaussianHMM(1).fit(weighed, sample_weight=[1, 3], **NAMED)


def test_lists_of_words_and_of_numbers():
    for one in (["a", "b", None, "a"], np.array(["a", "b", None, "a"], object), [["a"], ["b"], [None], ["a"]]):
        found = Sequences.of(one)
        assert found.n_steps == 4
    words = CategoricalHMM(1).fit([["a", "b"], ["b", "b", "c"]])
    assert words.symbols_ == ("a", "b", "c")
    np.testing.assert_allclose(words.emission_[0], [0.2, 0.6, 0.2])
    numbers = CategoricalHMM(1).fit(np.array([3, 1, 3, 7]))
    assert numbers.symbols_ == (1, 3, 7)
    named = CategoricalHMM(1, symbols=["c", "b", "a", "z"]).fit([["a", "b"], ["b", "b", "c"]])
    assert named.symbols_ == ("c", "b", "a", "z")
    np.testing.assert_allclose(named.emission_[0], [0.2, 0.6, 0.2, 0.0])
    with pytest.raises(DataError, match=r"'c'.*none of its 2 categories"):
        CategoricalHMM(1, symbols=["a", "b"]).fit(["a", "c"])


@pytest.mark.parametrize(
    ("X", "how", "error", "words"),
    [
        ([PARTS[0], PARTS[1][:, :1]], {}, DataError, "sequence 2 has 1 columns, but sequence 1 has 2"),
        ([PARTS[0], np.empty((0, 2))], {}, DataError, "sequence 2 is empty"),
        ([PARTS[0], np.zeros((2, 2, 2))], {}, DataError, "sequence 2 has 3 dimensions"),
        ([[1.0, [2.0, 3.0]], [1.0, 2.0]], {}, DataError, "ragged"),
        (PARTS, {"lengths": [3, 2]}, InputTypeError, "a list of sequences already"),
        (np.concatenate(PARTS), {"lengths": [3, 3]}, DataError, "add up to 6, but X has 5 steps"),
        (np.concatenate(PARTS), {"lengths": [5, 0]}, DataError, r"lengths\[1\] is 0"),
        (np.concatenate(PARTS), {"lengths": [2.5, 2.5]}, InputTypeError, "whole numbers"),
        (np.concatenate(PARTS), {"sequence": "who"}, InputTypeError, "X is not a frame"),
        (FRAME, {"sequence": "whom"}, SchemaError, "no column 'whom'"),
        (FRAME, {"sequence": "who", "lengths": [3, 2]}, InputTypeError, "not both"),
        (FRAME.assign(when=[1, 9, 9, 2, 30]), NAMED, DataError, "rows 2 and 3 have the same 'when'"),
        (FRAME.assign(when=[1, 9, None, 2, 30]), NAMED, DataError, "row 3 has no value in 'when'"),
        (FRAME.assign(who=["y", None, "x", "y", "x"]), {"sequence": "who"}, DataError, "row 2 has no value in 'who'"),
        ([FRAME[["a", "b"]], FRAME[["b", "a"]]], {}, SchemaError, "sequence 2 has other columns"),
    ],
)  # fmt: skip
def test_what_makes_no_sequences_is_refused(X, how, error, words):
    with pytest.raises(error, match=words):
        GaussianHMM(2).fit(X, **how)


def test_a_step_of_several_columns_needs_rows():
    with pytest.raises(DataError, match="Reshape your data"):
        MODEL.predict([1.0, 2.0])
    with pytest.raises(DataError, match="Reshape your data"):
        MODEL.predict([[1.0, 2.0], [3.0, 4.0]])
