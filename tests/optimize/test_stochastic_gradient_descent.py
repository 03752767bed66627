"""Stochastic gradients: means, least squares, schedules, averaging, seeds, divergence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import ParameterError
from novacula.optimize import gradient_descent, stochastic_gradient_descent


def mean_problem(data):
    return (lambda w, rows: np.mean((w - data[rows]) ** 2) / 2), (
        lambda w, rows: np.atleast_1d(np.mean(w - data[rows]))
    )


@pytest.fixture(scope="module")
def line():
    """Least squares with noise, and its exact solution."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(200), rng.uniform(-1, 1, 200)])
    y = X @ [1.0, 2.0] + rng.normal(0, 0.3, 200)
    loss = lambda w, rows: np.mean((X[rows] @ w - y[rows]) ** 2) / 2  # noqa: E731
    slope = lambda w, rows: X[rows].T @ (X[rows] @ w - y[rows]) / len(rows)  # noqa: E731
    return loss, slope, np.linalg.lstsq(X, y, rcond=None)[0]


@settings(deadline=None)
@given(st.lists(st.floats(-100, 100), min_size=1, max_size=40), st.integers(0, 100), st.integers(1, 5))
def test_robbins_monro_is_the_running_mean(data, seed, epochs):
    data = np.array(data)
    f, gradient = mean_problem(data)
    found = stochastic_gradient_descent(
        f, gradient, [5.0], len(data), step=1.0, schedule="robbins_monro", n_epochs=epochs, random_state=seed
    )
    np.testing.assert_allclose(found.x, data.mean(), atol=1e-9)


def test_robbins_monro_approaches_and_a_constant_step_stays_restless(line):
    loss, slope, exact = line
    runs = {
        schedule: stochastic_gradient_descent(
            loss, slope, [0.0, 0.0], 200, step=0.5, schedule=schedule, decay=0.01, n_epochs=200, random_state=1
        )
        for schedule in ("constant", "robbins_monro")
    }
    errors = {name: np.linalg.norm(run.path[-20:] - exact, axis=1).mean() for name, run in runs.items()}
    assert errors["robbins_monro"] < 0.01
    assert errors["constant"] > 5 * errors["robbins_monro"]


def test_averaging_calms(line):
    loss, slope, exact = line
    settings_ = {"step": 0.2, "n_epochs": 60, "random_state": 2}
    plain = stochastic_gradient_descent(loss, slope, [0.0, 0.0], 200, **settings_)
    mean = stochastic_gradient_descent(loss, slope, [0.0, 0.0], 200, average=True, **settings_)
    last = [np.linalg.norm(run.path[-10:] - exact, axis=1).mean() for run in (plain, mean)]
    assert last[1] < last[0] / 3


def test_the_whole_as_one_batch_is_gradient_descent(line):
    loss, slope, _ = line
    every = np.arange(200)
    batch = stochastic_gradient_descent(loss, slope, [0.0, 0.0], 200, step=0.5, batch_size=500, n_epochs=30)
    plain = gradient_descent(lambda w: loss(w, every), lambda w: slope(w, every), [0.0, 0.0], step=0.5, max_iter=30)
    np.testing.assert_allclose(batch.path, plain.path, rtol=1e-12)


def test_the_seed_decides(line):
    loss, slope, _ = line
    runs = [stochastic_gradient_descent(loss, slope, [0.0, 0.0], 200, batch_size=7, random_state=s) for s in (3, 3, 4)]
    np.testing.assert_array_equal(runs[0].path, runs[1].path)
    assert (runs[0].x != runs[2].x).any()
    assert runs[0].n_iter == 20
    assert "ran all 20 epochs" in runs[0].reason


def test_divergence_is_reported(line):
    loss, slope, _ = line
    found = stochastic_gradient_descent(loss, slope, [0.0, 0.0], 200, step=10.0, n_epochs=50, random_state=0)
    assert not found.converged
    assert "lower step" in found.reason
    assert np.isfinite(found.x).all()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"schedule": "cosine"}, "schedule is 'cosine'"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"n_epochs": 0}, "n_epochs is 0"),
        ({"step": 0.0}, "step is 0.0"),
        ({"decay": -1}, "decay is -1"),
    ],
)
def test_bad_input(line, more, message):
    with pytest.raises(ParameterError, match=message):
        stochastic_gradient_descent(line[0], line[1], [0.0, 0.0], 200, **more)


def test_a_batch_of_another_shape(line):
    with pytest.raises(ParameterError, match="for a batch"):
        stochastic_gradient_descent(line[0], lambda w, rows: np.ones(2 if len(rows) == 200 else 3), [0.0, 0.0], 200)
