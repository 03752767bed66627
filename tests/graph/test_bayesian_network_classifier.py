"""Classification by networks: naive Bayes as a special case, enumeration, gaps, studies of scikit-learn."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks import check_work
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.graph import BayesianNetworkClassifier


def test_naive_structure_is_naive_bayes():
    """On PlayTennis the posterior 0.795417 of the literature; with m, the m-estimates of naive Bayes."""
    table = nv.datasets.load("play_tennis")
    X = table.to_pandas().drop(columns=["PlayTennis", "Day"])
    for m in (0.0, 1.0, "laplace"):
        ours = BayesianNetworkClassifier("naive", m=m).fit(table)
        # Naive Bayes counts its classes, the network smooths them as it does every node.
        theirs = NaiveBayes(m=m, class_prior=ours.families_["PlayTennis"].table).fit(table)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-10)


def test_naive_structure_of_numbers_is_gaussian_naive_bayes():
    iris = nv.datasets.load("iris")
    frame = iris.to_pandas()
    X, y = frame.drop(columns="target"), frame.target.astype(str)
    ours = BayesianNetworkClassifier("naive", m=0.0).fit(X, y)
    theirs = GaussianNB(var_smoothing=0.0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


def test_tan_counts_what_two_columns_say_twice_once():
    """Two copies of a column: naive Bayes squares the evidence, the tree does not."""
    rng = np.random.default_rng(0)
    c = rng.integers(0, 2, 500)
    x = np.where(rng.random(500) < 0.7, c, 1 - c)
    data = pd.DataFrame({"x": [f"s{v}" for v in x], "copy": [f"s{v}" for v in x]})
    labels = np.array(["no", "yes"])[c]
    alone = BayesianNetworkClassifier("naive", m=0.0).fit(data[["x"]], labels).predict_proba(data[["x"]])
    tan = BayesianNetworkClassifier(m=0.0).fit(data, labels)
    np.testing.assert_allclose(tan.predict_proba(data), alone, rtol=1e-10)
    assert not np.allclose(BayesianNetworkClassifier("naive", m=0.0).fit(data, labels).predict_proba(data), alone)


@pytest.mark.parametrize("structure", ["tan", "naive", "hill_climb", [("y", "a"), ("a", "b")]])
def test_posterior_is_the_joint_of_the_class_by_the_network(structure):
    """Empty cells summed out: the ratio of two probabilities of evidence, from the network's own elimination."""
    rng = np.random.default_rng(1)
    rows = {name: [f"s{v}" for v in rng.integers(0, 3, 120)] for name in "ab"}
    rows["x"] = rng.normal(size=120).tolist()
    y = np.array([f"c{(int(a[1]) + int(b[1])) % 2}" for a, b in zip(rows["a"], rows["b"], strict=True)])
    model = BayesianNetworkClassifier(structure, m=1.0).fit(pa.table(rows), y)
    cells = [{"a": "s1", "b": None, "x": 0.3}, {"a": None, "b": None, "x": None}, {"a": "s0", "b": "s2", "x": None}]
    found = model.predict_proba(pa.Table.from_pylist(cells, pa.table(rows).schema))
    network = model.network_
    for row, probabilities in zip(cells, found, strict=True):
        known = {name: value for name, value in row.items() if value is not None}
        joint = [network.probability({**known, "y": label}) for label in model.classes_]
        np.testing.assert_allclose(probabilities, np.array(joint) / sum(joint), rtol=1e-9)


def test_learns_from_rows_with_gaps_and_takes_part_in_cross_validation():
    iris = nv.datasets.load("iris").to_pandas()
    X, y = iris.drop(columns="target"), iris.target.astype(str)
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    assert cross_val_score(BayesianNetworkClassifier(), X, y, cv=3).min() > 0.85
    model = BayesianNetworkClassifier().fit(X, y)
    assert model.n_iter_ > 1
    assert np.all(np.diff(model.history_) >= -1e-9 * np.abs(model.history_[1:]))


def test_work_and_file(tmp_path):
    table = nv.datasets.load("restaurant")
    model = BayesianNetworkClassifier().fit(table)
    check_work(model)
    check_work(model, table)
    model.save(tmp_path / "m.nova")
    loaded = nv.load(tmp_path / "m.nova")
    np.testing.assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))
    assert loaded.score(table) == model.score(table)


def test_sets_nothing_but_parameters():
    assert clone(BayesianNetworkClassifier("naive", m=2.0)).get_params()["m"] == 2.0


def test_refusals():
    X = pd.DataFrame({"a": list("uvuv"), "z": [1.0, 2.0, 3.0, 4.0]})
    y = ["p", "q", "p", "q"]
    with pytest.raises(ParameterError, match="'z' of 'y' is continuous"):
        BayesianNetworkClassifier([("z", "y")]).fit(X, y)
    with pytest.raises(SchemaError, match="'q', which is neither"):
        BayesianNetworkClassifier([("y", "q")]).fit(X, y)
    with pytest.raises(ValueError, match="structure"):
        BayesianNetworkClassifier("forest").fit(X, y)


def test_the_posterior_of_rows_that_know_every_other_cell_is_the_product_of_tables():
    """Each node has two parents drawn at random; one row that misses more changes nothing for the others."""
    rng = np.random.default_rng(4)
    names = [*(f"n{i}" for i in range(5)), "y", *(f"n{i}" for i in range(6, 60))]
    edges = [(names[j], names[i]) for i in range(2, 60) for j in rng.choice(i, 2, replace=False)]
    data = pd.DataFrame(rng.integers(0, 2, (300, 60)), columns=names).astype(str)
    X = data.drop(columns="y")
    model = BayesianNetworkClassifier(edges, m=1.0).fit(X, data["y"])
    joint = np.ones((5, 2))
    for node, family in model.families_.items():
        for (i, row), c in itertools.product(enumerate(X.head(5).to_dict("records")), (0, 1)):
            cells = row | {"y": str(c)}
            joint[i, c] *= family.table[(*(int(cells[name]) for name in family.parents), int(cells[node]))]
    found = model.predict_proba(X.head(5))
    np.testing.assert_allclose(found, joint / joint.sum(axis=1, keepdims=True), rtol=1e-9)
    one_gap = X.head(5).assign(n7=[None, *X["n7"][1:5]])
    np.testing.assert_array_equal(model.predict_proba(one_gap)[1:], found[1:])


def test_a_row_that_cannot_be_has_no_density_whatever_cells_it_lacks():
    """The difference of −∞ and −∞ was NaN."""
    x = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.3], [0.2, 0.4]])
    model = BayesianNetworkClassifier("naive").fit(x, [0, 1, 0, 1])
    far = np.array([[1e200, 1e200], [1e200, np.nan]])
    assert np.isneginf(model.score_samples(far)).all()
    with pytest.raises(DataError, match="row 1 has probability zero under the network"):
        model.predict(far)
