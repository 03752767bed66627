"""The works of the learners with a kernel: steered as all are, true as mathematics, and refused with one sentence."""

from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

from novacula.checks import check_equations, check_work
from novacula.kernel import (
    SVC,
    SVR,
    Gaussian,
    GaussianProcessRegressor,
    KernelPCA,
    KernelRidge,
    Linear,
    Nystroem,
    Polynomial,
    RandomFourierFeatures,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(25, 2))
NUMBER = X[:, 0] + 0.1 * rng.normal(size=25)
CLASS = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
MODELS = [
    RandomFourierFeatures(n_components=7),
    RandomFourierFeatures("auto", 4),
    Nystroem(Gaussian(0.5), 6),
    KernelRidge(0.5, Polynomial(2)),
    KernelPCA(kernel=Gaussian(0.5)),
    GaussianProcessRegressor(),
    GaussianProcessRegressor(2.0 * Gaussian(0.7) + Linear(), noise=0.2, normalize_y=True, max_iter=60),
    GaussianProcessRegressor(Gaussian(0.7), noise=0.2, optimize="kernel"),
    GaussianProcessRegressor(Gaussian(0.7), noise=0.2, optimize=False),
    SVC(probability=True, random_state=0),
    SVC(kernel="linear"),
    SVR(),
    SVR(kernel="linear", loss="squared_hinge"),
]


@pytest.fixture(scope="module", params=MODELS, ids=repr)
def model(request):
    target = {"classification": CLASS, "regression": NUMBER}.get(type(request.param).card.task)
    return request.param.fit(X, target)


@pytest.mark.parametrize("how", [{}, {"detail": "full"}, {"notation": "mitchell", "terms": 2}])
def test_works_are_true(model, how):
    check = check_equations if how else check_work
    check(model, **how)
    check(model, X, rows=2, **how)


def test_iterations_are_derived_from_the_first_to_the_last(model):
    last = np.max(getattr(model, "n_iter_", 0))
    for iteration in {1, 2, int(last)} if last else ():
        check_equations(model, iteration=iteration)


def test_as_many_rows_are_derived_as_are_asked_for(model):
    assert len(model.work(X, rows=4).steps) > len(model.work(X, rows=1).steps)
    assert "Only the first 2 rows are derived." in model.work(X, rows=2).notes
    assert not any("rows are derived" in note for note in model.work(X, rows=25).notes)


@pytest.mark.parametrize(
    ("rows", "how"),
    [
        (None, {"iteration": 10_000}),
        (None, {"iteration": 0}),
        (None, {"digits": 0}),
        (None, {"terms": 0}),
        (None, {"notation": "bishop"}),
        (None, {"detail": "long"}),
        (X, {"iteration": 1}),
        (X[:, :1], {}),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(model, rows, how):
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        model.work(rows, **how)


def changed(trace):
    """Each number that a trace keeps, a thousandth larger."""
    for field in fields(trace):
        value = getattr(trace, field.name)
        if is_dataclass(value):
            yield from (replace(trace, **{field.name: other}) for other in changed(value))
        elif value.dtype == float and value.any() and field.name not in getattr(trace, "only_drawn", ()):
            yield replace(trace, **{field.name: value * (1.0 + 1e-3)})


def test_nothing_is_kept_that_is_not_checked(model):
    trace = getattr(model, "trace_", None)
    for other in () if trace is None else changed(trace):
        model.trace_ = other
        assert is_refused(model), f"{other} is as good as {trace}"
    model.trace_ = trace


def is_refused(model):
    for how in ({}, {"X": X}, *([{"iteration": 1}] if hasattr(model, "history_") else [])):
        try:
            check_work(model, drawn=False, **how)
        except (AssertionError, ValueError):
            return True
    return False
