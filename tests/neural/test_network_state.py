"""Forged files of neural networks: what does not fit together is refused at load, in a sentence about the file."""

import numpy as np
import pytest

import novacula as nv
from novacula.checks.state import require_refused
from novacula.errors import ParameterError
from novacula.neural import MLPClassifier, MLPRegressor, RBFNetworkClassifier, RBFNetworkRegressor
from novacula.neural.network import Architecture

X = np.column_stack([np.arange(12) % 3, np.arange(12) % 4]).astype(float)
NUMBER = X[:, 0] - X[:, 1]
SEVERAL = np.column_stack([NUMBER, X[:, 0]])


# --- multilayer perceptrons ---------------------------------------------------------------------------------


def perceptron(kind=MLPRegressor, target=NUMBER, **parameters):
    return kind(3, max_epochs=1, tol=None, **parameters).fit(X, target)


def test_weights_must_be_those_of_the_architecture(tmp_path):
    model = perceptron()
    model.coefs_[0] = model.coefs_[0].T.copy()
    require_refused(model, tmp_path, "its coefs_ and intercepts_ are not those of its architecture_")
    model = perceptron()
    model.coefs_.pop()
    require_refused(model, tmp_path, "its coefs_ holds 1, but there are 2 layers")


def test_inputs_and_outputs_must_be_those_of_the_architecture(tmp_path):
    model = perceptron()
    model.architecture_ = Architecture((2, 3, 1), "logistic", "logistic")
    require_refused(model, tmp_path, "its architecture_ does not fit its columns and outputs")
    model.out_activation_ = "logistic"
    require_refused(model, tmp_path, "its outputs are not those of a regression")
    model = perceptron(target=SEVERAL)
    model.flat_ = True
    require_refused(model, tmp_path, "its outputs are not those of a regression")


def test_outputs_must_fit_the_classes(tmp_path):
    model = perceptron(MLPClassifier, NUMBER > 0.0)
    model.classes_ = np.arange(3)
    require_refused(model, tmp_path, "its outputs do not fit its classes_: they should be 3, softmax")
    model.classes_, model.multilabel_ = np.arange(2), True
    require_refused(model, tmp_path, "its outputs do not fit its classes_: they should be 2, logistic")


@pytest.mark.parametrize("solver", ["sgd", "adam"])
def test_what_a_rule_remembers_is_of_each_weight(tmp_path, solver):
    model = MLPRegressor(3, solver=solver).partial_fit(X, NUMBER)
    model.save(tmp_path / "m.nova")
    assert nv.load(tmp_path / "m.nova").partial_fit(X, NUMBER).n_iter_ == 2
    name = "velocity" if solver == "sgd" else "mean"
    model.rule_[name] = model.rule_[name][:-1]
    require_refused(model, tmp_path, "its rule_")
    model.rule_ = {"velocity": np.zeros(13, np.float32), "momentum": 5.0}
    require_refused(model, tmp_path, "its rule_")


def test_a_network_goes_on_only_with_the_weights_that_it_could_choose():
    model = MLPRegressor(3).partial_fit(X, NUMBER)
    model.set_params(tied=[[(0, 0, 0), (0, 1, 1)]])
    with pytest.raises(ParameterError, match="13 weights could be chosen so far, and with tied as it is now 12 can"):
        model.partial_fit(X, NUMBER)


def test_what_was_learned_is_there_as_a_whole(tmp_path):
    built = MLPClassifier.from_boolean([0, 1, 1, 0])
    built.save(tmp_path / "m.nova")
    assert nv.load(tmp_path / "m.nova").predict([[0.0, 1.0]]).tolist() == [1]
    model = perceptron()
    del model.trace_
    require_refused(model, tmp_path, "its learning_curve_ is there without its trace_")


# --- radial basis networks ----------------------------------------------------------------------------------


def test_units_must_be_there_and_have_a_width(tmp_path):
    model = RBFNetworkRegressor(3).fit(X, NUMBER)
    model.widths_ = np.array([1.0, 0.0, 1.0])
    require_refused(
        model, tmp_path, r"its widths_ holds a number that is out of range, where numbers \(units\), above 0"
    )
    model.centers_, model.widths_, model.feature_mean_ = np.empty((0, 2)), np.empty(0), np.empty(0)
    model.coef_, model.rank_ = np.empty(0), 0
    require_refused(model, tmp_path, "its centers_ are none")


def test_weights_and_biases_are_of_one_target_or_of_several(tmp_path):
    model = RBFNetworkRegressor(3).fit(X, SEVERAL)
    model.intercept_ = 1.0
    require_refused(model, tmp_path, "its intercept_ is a float, where numbers")
    model = RBFNetworkRegressor(3).fit(X, SEVERAL)
    model.coef_, model.intercept_ = model.coef_[0].copy(), 1.0
    require_refused(model, tmp_path, r"its coef_ of shape \(3,\) does not fit its 2 target_names_")
    model = RBFNetworkClassifier(3).fit(X, NUMBER > 0.0)
    model.coef_ = model.coef_[:1]
    require_refused(model, tmp_path, r"its coef_ is an array .* and there are 2 classes")


def test_the_width_of_a_single_unit_is_derived_as_given():
    model = RBFNetworkRegressor(1, width=2.0).fit(X, NUMBER).set_params(width="nearest")
    assert "As given." in str(model.work())
