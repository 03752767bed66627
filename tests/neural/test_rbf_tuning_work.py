"""Steps of fine-tuning: every kept number is proved, and the gradients are those of the error itself."""

import warnings

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import novacula as nv
from novacula.checks import check_work
from novacula.checks.trace import unproved_fields
from novacula.errors import ParameterError
from novacula.neural import RBFNetworkClassifier, RBFNetworkRegressor

X = np.linspace(0.0, 6.0, 30)[:, None]
Y = np.sin(X[:, 0])


def fitted(model, *rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few steps need not settle
        return model.fit(*rows)


def error_of(centers, widths):
    """The squared error with the best weights, by plain least squares."""
    A = np.column_stack([np.ones(len(X)), np.exp(-((X - centers.T) ** 2) / (2 * widths**2))])
    return float(((Y - A @ np.linalg.lstsq(A, Y, rcond=None)[0]) ** 2).sum())


def test_steps_are_derived_and_every_kept_number_is_proved():
    model = fitted(RBFNetworkRegressor(3, fine_tune=8), X, Y)
    for iteration in range(1, model.n_iter_ + 1):
        check_work(model, iteration=iteration, drawn=False)
    check_work(model, iteration=2, detail="full", drawn=False)
    assert unproved_fields(model, X) == []


def test_the_first_gradient_is_that_of_the_error():
    centers, widths = np.array([[1.0], [3.0], [5.0]]), np.array([1.0, 1.2, 0.8])
    model = fitted(RBFNetworkRegressor(centers, width=widths, fine_tune=3), X, Y)
    start, unit = error_of(centers, widths), widths.mean()

    def over_start(u):
        return error_of(centers + unit * u[:3, None], np.exp(u[3:])) / start

    u = np.concatenate([np.zeros(3), np.log(widths)])
    np.testing.assert_allclose(model.trace_.gradients.at(0, (6,)), approx_fprime(u, over_start, 1e-7), rtol=1e-4)
    np.testing.assert_allclose(model.trace_.path.at(0, (6,)), u, atol=1e-12)
    text = str(model.work(iteration=1))
    assert "Straight down" in text
    assert "d = −g" in text


def test_a_late_step_without_the_steps_before_it_says_so():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 2))
    model = fitted(RBFNetworkRegressor(4, fine_tune=40), rows, np.sin(2 * rows[:, 0]) + rows[:, 1])
    assert model.n_iter_ > 30
    last = model.work(iteration=model.n_iter_)
    assert "are not all kept" in str(last)
    check_work(model, iteration=model.n_iter_, drawn=False)
    with pytest.raises(ParameterError, match="was not kept"):
        model.work(iteration=25)


def test_a_classifier_is_tuned_too_and_its_way_is_saved(tmp_path):
    model = fitted(RBFNetworkClassifier(3, fine_tune=4), nv.datasets.load("iris"))
    check_work(model, iteration=1, drawn=False)
    model.save(tmp_path / "model.nova")
    assert str(nv.load(tmp_path / "model.nova").work(iteration=1)) == str(model.work(iteration=1))


def test_without_tuning_there_are_no_steps():
    with pytest.raises(ParameterError, match="keeps no iterations"):
        RBFNetworkRegressor(3).fit(X, Y).work(iteration=1)
