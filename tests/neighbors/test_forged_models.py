"""Model files of neighbours and densities that were forged: refused at load in one sentence."""

import dataclasses

import numpy as np
import pytest

import novacula as nv
from novacula.errors import DataError, ModelFileError, ParameterError
from novacula.learner import files
from novacula.neighbors import KernelDensity, KNeighborsClassifier, KNeighborsDensity, KNeighborsRegressor
from novacula.neighbors.kernel_density.likelihood import BandwidthTrials
from novacula.neighbors.scaling import Scaling

X = np.random.default_rng(0).normal(size=(30, 2))


def loaded(model, tmp_path):
    """The model as its file gives it back."""
    files.save(model, tmp_path / "m.nova", checked=False)
    return nv.load(tmp_path / "m.nova")


def examples(model, **others):
    model.examples_ = model.examples_ | others


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (lambda m: examples(m, target=m.examples_["target"] + 1), r"its examples_.target holds a number .* below"),
        (lambda m: examples(m, target=np.zeros(30)), r"its examples_.target is an array of float64"),
        (lambda m: examples(m, rows=X[:, :1].copy()), "and there are 2 columns"),
        (lambda m: examples(m, rows=np.where(X > 1.0, np.nan, X)), "holds a number that is not finite"),
        (lambda m: examples(m, weight=np.full(30, 0.1)), "its n_neighbors_ are more than its rows weigh"),
        (lambda m: examples(m, weight=np.full(30, 1e308)), "or their weights overflow"),
        (lambda m: examples(m, weight=-np.ones(30)), r"its examples_.weight holds a number that is out of range"),
        (lambda m: setattr(m, "n_neighbors_", 31), "its n_neighbors_ are more than its rows weigh"),
        (lambda m: setattr(m, "n_neighbors_", 0), "its n_neighbors_ is out of its range"),
        (lambda m: setattr(m, "scaling_", Scaling(np.zeros(3), np.ones(3))), "and there are 2 numeric"),
        (
            lambda m: setattr(m, "scaling_", Scaling(np.zeros(2), np.zeros(2))),
            r"its scaling_.unit holds a number .* above 0",
        ),
    ],
)
def test_forged_neighbours_are_refused(forge, reason, tmp_path):
    model = KNeighborsClassifier().fit(X, X[:, 0] > 0.0)
    forge(model)
    with pytest.raises(ModelFileError, match=reason):
        loaded(model, tmp_path)


def test_columns_that_the_metric_does_not_take_are_refused(tmp_path):
    model = KNeighborsDensity().fit(X)
    first, second = model.schema_.columns
    columns = (first, dataclasses.replace(second, kind="categorical", categories=("a", "b")))
    model.schema_ = dataclasses.replace(model.schema_, columns=columns)
    with pytest.raises(ModelFileError, match="its schema_ has a categorical column, which KNeighborsDensity does not"):
        loaded(model, tmp_path)


def test_infinite_numbers_among_mixed_columns_are_refused(tmp_path):
    model = KNeighborsRegressor(metric="heom").fit(X, X[:, 0])
    model.examples_["rows"][0, 0] = np.nan  # which stands for a missing value
    assert np.isfinite(loaded(model, tmp_path).predict(X)).all()
    model.examples_["rows"][0, 0] = np.inf
    with pytest.raises(ModelFileError, match="its examples_ hold a number that is infinite"):
        loaded(model, tmp_path)


def test_a_regression_has_a_target(tmp_path):
    model = KNeighborsRegressor().fit(X, X[:, 0])
    model.examples_["target"] = np.empty((30, 0))
    with pytest.raises(ModelFileError, match="its examples_ have no target"):
        loaded(model, tmp_path)


def test_a_great_k_of_heavy_rows_has_no_curve():
    model = KNeighborsRegressor(10_000).fit(X, X[:, 0], sample_weight=np.full(30, 1e6))
    assert "left out, for k" not in str(model.work())


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (lambda m: setattr(m, "root_", -m.root_), "its root_ is not a lower triangle with positive numbers"),
        (lambda m: setattr(m, "root_", m.root_ + 0.1), "its root_ is not a lower triangle with positive numbers"),
        (lambda m: setattr(m, "bandwidth_", m.bandwidth_ * 2.0), "its bandwidth_ or log_norm_ does not follow"),
        (lambda m: setattr(m, "log_norm_", -1e300), "its bandwidth_ or log_norm_ does not follow"),
        (lambda m: vars(m).pop("bounds_"), "its bounds_ are missing, or its rows are beyond them"),
        (lambda m: setattr(m, "bounds_", np.array([[-5.0, 5.0], [0.0, 5.0]])), "or its rows are beyond them"),
        (lambda m: setattr(m, "bounds_", np.array([[-5.0, 5.0], [np.nan, 5.0]])), "its bounds_ are missing"),
        (lambda m: vars(m).pop("trial_"), "its trial_ is missing or empty, which bandwidth='cv_ml' asks for"),
        (lambda m: setattr(m, "trial_", BandwidthTrials(np.empty(0), np.empty(0))), "its trial_ is missing or empty"),
        (lambda m: examples(m, weight=np.zeros(30)), r"its examples_.weight holds a number that is out of range"),
        (lambda m: examples(m, weight=np.full(30, 1e308)), "rows or weights too large to be squared or added up"),
        (lambda m: examples(m, rows=np.full((30, 2), 1e200)), "rows or weights too large to be squared or added up"),
        (lambda m: examples(m, rows=np.empty((0, 2)), weight=np.empty(0)), "its examples_ are no rows"),
    ],
)
def test_a_forged_density_is_refused(forge, reason, tmp_path):
    model = KernelDensity("cv_ml", kernel="epanechnikov", boundary="reflect", bounds=(-5.0, 5.0)).fit(X)
    forge(model)
    with pytest.raises(ModelFileError, match=reason):
        loaded(model, tmp_path)


def test_widths_that_are_not_one_for_each_column_are_refused_when_they_are_derived(tmp_path):
    model = KernelDensity(0.5).fit(X)
    model.bandwidth = ["a", "b", "c"]
    with pytest.raises(ParameterError, match="it must be a number, one for each of 2 columns"):
        loaded(model, tmp_path).work()


def test_a_grid_of_kernels_that_are_next_to_nothing_wide():
    model = KernelDensity(5e-324, algorithm="grid", atol=1.0).fit(np.zeros((3, 1)))
    with pytest.raises(
        DataError, match=r"a grid of steps of .* is too fine to be computed with: take a wider bandwidth"
    ):
        model.score_samples([[1.0]])
