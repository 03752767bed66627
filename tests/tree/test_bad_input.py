"""What a tree cannot use is refused in one sentence that says what and where; what is odd but legal is learned."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

import novacula as nv
from novacula.errors import DataError, InputTypeError, SchemaError, UnseenCategoryWarning
from novacula.tree import DecisionTreeClassifier

FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        "colour": ["red", "red", "blue", "blue", "green", "red"],
        "age": [3, 1, 4, 1, 5, 9],
    }
)
Y = np.array(["no", "yes", "no", "yes", "yes", "no"])


def refusal(error, words, call):
    """The sentence with which a call is refused."""
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- parameters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("criterion", "entropie"),
        ("criterion", None),
        ("missing", "mean"),
        ("nominal", "onehot"),
        ("prune", "hard"),
        ("unseen", "perhaps"),
        ("cost_weight", -0.1),
        ("cost_weight", 1.1),
        ("chi2_alpha", 0.0),
        ("chi2_alpha", 1.5),
        ("validation_fraction", 0.0),
        ("validation_fraction", 1.0),
        ("confidence", 0.0),
        ("confidence", 1.0),
        ("ccp_alpha", -1.0),
        ("merge_leaves", "yes"),
        ("max_depth", 0),
        ("max_depth", 2.5),
        ("min_samples_split", 1),
        ("min_samples_split", 0.0),
        ("min_samples_leaf", 0),
        ("min_samples_leaf", -0.5),
        ("min_gain", -1e-9),
        ("min_gain", np.nan),
        ("max_leaf_nodes", 1),
        ("max_bins", 1),
        ("m", -1.0),
        ("m", "lidstone"),
        ("class_weight", "even"),
        ("costs", 3.0),
        ("thresholds", [1.0, 2.0]),
    ],
)
def test_a_parameter_out_of_range(name, value):
    model = DecisionTreeClassifier(**{name: value})
    refusal((ValueError, TypeError), name, lambda: model.fit(FRAME, Y))
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"costs": {"sise": 1.0}}, "'sise'"),
        ({"criterion": "nunez", "costs": {"sise": 1.0}}, "'sise'"),
        ({"criterion": "tan_schlimmer", "costs": {"size": 0.0}}, "'size'"),
        ({"criterion": "tan_schlimmer", "costs": {"age": -2.0}}, "'age'"),
        ({"criterion": "nunez", "costs": {"age": -2.0}}, "'age'"),
        ({"criterion": "nunez", "costs": {"colour": np.nan}}, "'colour'"),
        ({"criterion": "nunez", "costs": {"colour": np.inf}}, "'colour'"),
        ({"criterion": "nunez", "costs": {"colour": "dear"}}, "'colour'"),
        ({"thresholds": {"sise": [1.0]}}, "'sise'.*'size'"),
        ({"thresholds": {"size": [2.0, 1.0]}}, "'size'"),
        ({"thresholds": {"size": [1.0, 1.0]}}, "'size'"),
        ({"thresholds": {"size": []}}, "'size'"),
        ({"thresholds": {"size": [np.nan]}}, "'size'"),
        ({"thresholds": {"size": [0.0, np.inf]}}, "'size'"),
        ({"thresholds": {"size": [[1.0, 2.0]]}}, "'size'"),
        ({"thresholds": {"size": ["few"]}}, "'size'"),
        ({"thresholds": {"colour": [1.0]}}, "'colour'.*categorical"),
        ({"class_weight": {"maybe": 2.0}}, "maybe"),
        ({"class_weight": {"no": -1.0}}, "no"),
    ],
)
def test_a_parameter_that_does_not_fit_the_table(parameters, words):
    refusal((ValueError, TypeError), words, lambda: DecisionTreeClassifier(**parameters).fit(FRAME, Y))


def test_costs_of_nothing_are_free_where_no_cost_divides():
    model = DecisionTreeClassifier(criterion="nunez", costs={"size": 0.0}).fit(FRAME, Y)
    assert model.score(FRAME, Y) == 1.0


# --- rows ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "y", "error", "words"),
    [
        (FRAME, None, ValueError, "y is None"),
        (FRAME, Y[:4], ValueError, "inconsistent numbers of samples"),
        (FRAME[:0], Y[:0], ValueError, "minimum of 1"),
        (np.empty((0, 2)), [], ValueError, "minimum of 1"),
        (np.empty((6, 0)), Y, ValueError, "0 feature"),
        (np.ones((6, 2, 1)), Y, ValueError, "dim 3"),
        (FRAME, np.array([0, 1, 0, 1, np.nan, 1]), ValueError, "row 5 of X has no value"),
        (FRAME, np.array([0, 1, 0, 1, np.inf, 1]), ValueError, "infinite"),
        (FRAME, np.linspace(0, 1, 6), ValueError, "continuous"),
        (FRAME, np.ones((6, 2)), ValueError, "1d array"),
        (np.array([[1.0, 2.0], [3.0, np.inf]]), [0, 1], DataError, "'x1'.*infinit"),
        (np.array([[1.0, -np.inf], [3.0, 1.0]]), [0, 1], DataError, "'x1'.*infinit"),
        (FRAME.assign(age=[1, 2, 3, np.inf, 5, 6]), Y, DataError, "'age'.*infinit"),
        (csr_matrix(np.eye(6)), Y, TypeError, "[Ss]parse"),
    ],
)
def test_rows_that_cannot_be_learned_from(X, y, error, words):
    refusal(error, words, lambda: DecisionTreeClassifier().fit(X, y))


def test_infinities_are_refused_wherever_they_come_from(tmp_path):
    frame = FRAME.assign(age=[1, 2, 3, 4, 5, -np.inf], target=Y)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for table in (nv.read(frame, "target"), nv.read(tmp_path / "rows.csv", "target")):
        refusal(DataError, "'age'.*infinit", lambda table=table: DecisionTreeClassifier().fit(table))
    model = DecisionTreeClassifier().fit(FRAME, Y)
    refusal(DataError, "'age'.*infinit", lambda: model.predict(frame[FRAME.columns]))


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (np.zeros(6), "zero"),
        (np.array([1.0, 1, 1, 1, 1, -1]), "the weight -1 "),
        (np.array([1.0, 1, 1, 1, 1, np.nan]), "NaN"),
        (np.array([1.0, 1, 1, 1, 1, np.inf]), "the weight inf "),
        (np.ones(5), "shape"),
    ],
)
def test_weights_that_make_no_sense(weight, words):
    refusal(ValueError, words, lambda: DecisionTreeClassifier().fit(FRAME, Y, sample_weight=weight))


def test_text_columns_are_refused_by_name():
    table = nv.read(FRAME.assign(story=[f"words {i}" for i in range(6)], target=Y), "target", types={"story": "text"})
    refusal(SchemaError, "'story' is text", lambda: DecisionTreeClassifier().fit(table))


@pytest.mark.parametrize(
    ("target", "weight", "error", "words"),
    [
        (None, None, SchemaError, "needs a target"),
        (Y, None, InputTypeError, "name of its target"),
        ("collar", None, SchemaError, "'collar'.*'colour'"),
        ("colour", np.ones(6), InputTypeError, "weight="),
        ("size", None, DataError, "'size' is continuous"),
    ],
)
def test_tables_that_cannot_be_learned_from(target, weight, error, words):
    table = nv.read(FRAME.assign(size=FRAME["size"] / 7))
    refusal(error, words, lambda: DecisionTreeClassifier().fit(table, target, sample_weight=weight))


# --- predicting ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model.predict(FRAME),
        lambda model: model.predict_proba(FRAME),
        lambda model: model.score(FRAME, Y),
        lambda model: model.apply(FRAME),
        lambda model: model.decision_path(FRAME),
        lambda model: model.expected_cost(FRAME),
        lambda model: model.feature_importances_,
        lambda model: model.get_depth(),
        lambda model: model.get_n_leaves(),
        lambda model: model.work(),
        lambda model: model.work(FRAME),
        lambda model: model.to_text(),
        lambda model: model.to_rules(),
        lambda model: model.to_dict(),
        lambda model: model.save("never.nova"),
    ],
)
def test_nothing_is_said_before_fit(call):
    with pytest.raises(NotFittedError):
        call(DecisionTreeClassifier())


def test_columns_to_predict_from_must_be_those_of_the_fit():
    model = DecisionTreeClassifier().fit(FRAME, Y)
    with pytest.raises(ValueError, match="age"):  # scikit-learn's words
        model.predict(FRAME.drop(columns="age"))
    refusal(SchemaError, "'age'", lambda: model.predict(nv.read(FRAME.drop(columns="age"))))
    numbers = DecisionTreeClassifier().fit(np.eye(3), [0, 1, 0])
    refusal(ValueError, "2 features", lambda: numbers.predict(np.eye(2)))
    refusal(DataError, "'size'", lambda: model.predict(FRAME.assign(size=["a"] * 6)))


def test_an_unseen_category_is_reported_or_refused():
    strange = FRAME[:2].assign(colour=["ultraviolet", "red"])
    model = DecisionTreeClassifier().fit(FRAME, Y)
    with pytest.warns(UnseenCategoryWarning, match=r"'colour' \(1\)"):
        proba = model.predict_proba(strange)
    blank = FRAME[:2].assign(colour=pd.array([None, "red"], dtype="string"))
    np.testing.assert_array_equal(proba, model.predict_proba(blank))
    strict = DecisionTreeClassifier(unseen="error").fit(FRAME, Y)
    assert "'colour'" in refusal(DataError, "'ultraviolet'", lambda: strict.predict(strange))
    assert strict.predict(FRAME).tolist() == Y.tolist()


# --- odd but legal ------------------------------------------------------------------------------------------------


def test_one_row():
    model = DecisionTreeClassifier().fit(FRAME[:1], Y[:1])
    assert model.predict(FRAME[:2]).tolist() == ["no", "no"]


def test_nothing_known_at_all():
    X = np.full((4, 2), np.nan)
    model = DecisionTreeClassifier().fit(X, [0, 1, 1, 1])
    assert len(model.tree_) == 1
    assert model.predict_proba(X)[0] == pytest.approx([0.25, 0.75])


def test_booleans_and_integers():
    frame = pd.DataFrame({"flag": [True, False, True, False], "count": [1, 1, 2, 2]})
    model = DecisionTreeClassifier().fit(frame, [True, False, False, True])
    assert model.classes_.dtype == bool
    assert model.predict(frame).tolist() == [True, False, False, True]


def test_hostile_names():
    names = ["$\\bad$", "<script>alert(1)</script>", "[/red]"]
    frame = FRAME.set_axis(names, axis=1)
    model = DecisionTreeClassifier(costs={names[0]: 2.0}, criterion="tan_schlimmer").fit(frame, Y)
    assert model.score(frame, Y) == 1.0
    assert "<script" not in model.work().to_html()


def test_a_failed_fit_leaves_no_model():
    model = DecisionTreeClassifier().fit(FRAME, Y)
    with pytest.raises(ValueError, match="inf"):
        model.fit(FRAME.assign(age=np.inf), Y)
    with pytest.raises(NotFittedError):
        model.predict(FRAME)


def test_pruning_needs_both_rows_and_classes():
    model = DecisionTreeClassifier().fit(FRAME, Y)
    refusal((ValueError, TypeError), "y", lambda: model.prune_(FRAME))
    refusal(ValueError, "maybe", lambda: model.prune_(FRAME, np.array(["maybe"] * 6)))
