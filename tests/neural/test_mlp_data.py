"""Multilayer perceptrons on data from anywhere: chunks, files, other processes, sparse rows; and what is refused."""

import pickle
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from novacula.checks.scales import CutFrame
from novacula.errors import DataError, InputTypeError, ParameterError, SchemaError
from novacula.neural.mlp_classifier import MLPClassifier
from novacula.neural.mlp_regressor import MLPRegressor
from novacula.neural.training import showings
from novacula.table import Table, read, threads
from novacula.table.runner import LocalRunner

from ..shared_checks import checks_of_settings

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize(
    "check",
    checks_of_settings(
        MLPClassifier(8, max_epochs=20),
        MLPRegressor(8, solver="adam", max_epochs=20),
        leave_out=("scikit_learn", "file", "work", "nasty_names"),
    ),
)
def test_shared_checks(check):
    check()


def noisy(n=200, d=3, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(6)
    y = np.searchsorted([-0.5, 0.7], X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n))
    return X, y % classes


def as_frame(X, y):
    return pa.table({**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "y": y})


class Travelling(LocalRunner):
    """Chunks in order, the state and all arguments sent on as bytes each time, as a cluster does."""

    def fold(self, parts, layout, step, state, args):
        for part in parts:
            for chunk in layout.chunks(part):
                state, args = pickle.loads(pickle.dumps((step(state, chunk, *args), args)))
        return state


SETTINGS = [
    {"solver": "sgd"},
    {"solver": "adam", "batch_size": 16},
    {"early_stopping": True, "validation_fraction": 0.3},
    {"shuffle": False, "weight_decay": 0.01},
    {"solver": "adam", "tied": [[(0, 0, 0), (0, 1, 0)]], "curvature": 0.01, "activation": "tanh"},
]


@pytest.mark.parametrize("window", [1 << 24, 300], ids=["one window", "many windows"])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_chunks_files_and_other_processes_are_memory_to_the_bit(tmp_path, monkeypatch, window, settings):
    monkeypatch.setattr(showings, "WINDOW", window)
    X, y = noisy()
    frame = as_frame(X, y)
    for i in range(4):
        pyarrow.parquet.write_table(frame.slice(50 * i, 50), tmp_path / f"{i}.parquet", row_group_size=13)
    model = MLPClassifier(4, max_epochs=3, **{"batch_size": 8, **settings})
    wanted = model.fit(X, y).weights_
    table = read(frame, "y")
    cut = Table(CutFrame(frame), table.layout)
    away = Table(CutFrame(frame), table.layout, runner=Travelling())
    for other in (table, cut, away, read(str(tmp_path / "*.parquet"), "y")):
        np.testing.assert_array_equal(model.fit(other).weights_, wanted)


@pytest.mark.parametrize("solver", ["cg", "lbfgs", "batch", "lm"])
def test_sums_over_chunks_are_sums_over_all_rows(solver):
    X, y = noisy()
    frame = as_frame(X, y)
    model = MLPClassifier(3, solver=solver, loss="squared", max_epochs=5, dtype="float64")
    wanted = model.fit(X, y).predict_proba(X)
    cut = Table(CutFrame(frame), read(frame, "y").layout)
    np.testing.assert_allclose(model.fit(cut).predict_proba(frame.drop("y")), wanted, atol=1e-8)


@pytest.mark.parametrize("solver", ["sgd", "lbfgs"])
def test_sparse_rows_are_dense_rows(solver):
    X, y = noisy()
    X[np.abs(X) < 0.7] = 0.0
    model = MLPClassifier(4, solver=solver, max_epochs=5)
    wanted = model.fit(X, y).weights_
    np.testing.assert_allclose(model.fit(scipy.sparse.csr_matrix(X), y).weights_, wanted, atol=1e-6)


def test_a_seed_gives_the_weights_and_another_seed_others():
    X, y = noisy()
    one = MLPClassifier(4, max_epochs=5, random_state=3).fit(X, y).weights_
    with threads(3):
        np.testing.assert_array_equal(one, MLPClassifier(4, max_epochs=5, random_state=3).fit(X, y).weights_)
    assert not np.array_equal(one, MLPClassifier(4, max_epochs=5, random_state=4).fit(X, y).weights_)


def test_a_table_of_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    labels = (X > 0).astype(int)
    frame = pa.table({"a": X[:, 0], "b": X[:, 1], "left": labels[:, 0], "up": labels[:, 1]})
    model = MLPClassifier(4, solver="lbfgs").fit(read(frame, ["left", "up"]))
    np.testing.assert_array_equal(model.predict(frame.select(["a", "b"])), labels)
    assert model.score(read(frame, ["left", "up"])) == 1.0
    with pytest.raises(DataError, match="the label 'y0' has other values than 0 and 1"):
        MLPClassifier().fit(X, labels + 1)
    words = frame.set_column(3, "up", pa.array(["yes", "no"] * 30))
    with pytest.raises(SchemaError, match="'up' is categorical"):
        MLPClassifier().fit(read(words, ["left", "up"]))


def test_a_saved_network_goes_on_as_it_would_have(tmp_path):
    from novacula.learner.files import load, save

    X, y = noisy()
    registry = {"mlp": MLPClassifier}
    model = MLPClassifier(4, solver="adam", tied=[[(0, 0, 0), (0, 1, 0)]]).partial_fit(X[:90], y[:90])
    save(model, tmp_path / "m.nova", registry=registry)
    loaded = load(tmp_path / "m.nova", registry=registry)
    np.testing.assert_array_equal(
        model.partial_fit(X[90:], y[90:]).weights_, loaded.partial_fit(X[90:], y[90:]).weights_
    )


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hidden": (3, 0)}, "hidden is (3, 0); it must hold the units of each layer"),
        ({"hidden": (3, 2.5)}, "whole numbers"),
        ({"solver": "lm"}, "solver='lm' needs loss='squared'"),
        ({"solver": "lbfgs", "early_stopping": True}, "early_stopping goes with solver 'sgd' or 'adam'"),
        ({"solver": "cg", "schedule": "decay"}, "schedule='decay' goes with"),
        ({"restarts": 2, "warm_start": True}, "choose one of them"),
        ({"curvature": 0.1, "activation": "relu"}, "curvature cannot smooth relu units"),
        ({"slope_weight": 0.1}, "slope_weight is 0.1, but no slopes are given"),
        ({"tied": [[(0, 0, 0), (9, 0, 0)]]}, "layers are numbered from 0 to 1"),
        ({"solver": "lm", "loss": "squared", "hidden": (1200, 1200)}, "solver='lm' would hold"),
        ({"class_weight": {7: 1.0}}, "class_weight names 7, which is not a class"),
        ({"eta0": 0.0}, "eta0"),
        ({"momentum": 1.0}, "momentum"),
        ({"dtype": "float16"}, "dtype"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, words):
    X, y = noisy(40)
    with pytest.raises(ValueError, match=re.escape(words)):
        MLPClassifier(**settings).fit(X, y)


@pytest.mark.parametrize(
    ("shape", "words"),
    [((39, 3), "must have shape (40, 3)"), ((40,), "must have shape (40, 3)"), ((40, 2, 3), "must have shape (40, 3)")],
)
def test_slopes_must_fit(shape, words):
    X, y = noisy(40)
    with pytest.raises(DataError, match=re.escape(words)):
        MLPRegressor(2, slope_weight=1.0).fit(X, y, slopes=np.zeros(shape))


def test_slopes_are_refused_where_they_make_no_sense():
    X, y = noisy(40)
    with pytest.raises(ParameterError, match="slope_weight is 0, but slopes are given"):
        MLPRegressor().fit(X, y, slopes=np.zeros((40, 3)))
    with pytest.raises(DataError, match="slopes hold a missing or infinite value in row 2"):
        MLPRegressor(slope_weight=1.0).fit(X, y, slopes=np.where(np.arange(40)[:, None] == 1, np.nan, np.zeros(3)))
    with pytest.raises(InputTypeError, match="slopes go with rows in memory"):
        MLPRegressor(slope_weight=1.0).fit(read(as_frame(X, y.astype(float)), "y"), slopes=np.zeros((40, 3)))


@pytest.mark.parametrize("solver", ["sgd", "adam", "lbfgs", "lm"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused_with_their_column(solver, value):
    X, y = noisy(40)
    bad = X.copy()
    bad[7, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinite"):
        MLPRegressor(2, solver=solver).fit(bad, y)
    with pytest.raises(DataError, match="column 'x1'"):
        MLPRegressor(2, solver=solver).fit(read(as_frame(bad, y.astype(float)), "y"))
    model = MLPRegressor(2, solver=solver, max_epochs=2).fit(X, y)
    with pytest.raises(ValueError, match=r"NaN|infinite"):
        model.predict(bad)


def test_a_training_that_diverges_names_step_epoch_and_rate():
    X, y = noisy(40)
    with pytest.raises(ParameterError, match=r"diverged in step \d+, in epoch \d+, at the rate η = 5: lower eta0"):
        MLPRegressor(5, eta0=5.0, activation="relu").fit(1e3 * X, y)
    with pytest.raises(ParameterError, match="diverged in step"):
        MLPRegressor(5, eta0=5.0, activation="relu").partial_fit(1e3 * X, y)
    with pytest.raises(ParameterError, match="It diverged"):
        MLPRegressor(5, eta0=1e3, solver="batch", activation="linear").fit(X, y)


def test_a_loss_that_went_up_has_not_settled():
    X, y = noisy(100)
    with pytest.warns(ConvergenceWarning, match=r"The loss went up, from .* at the rate η = 300: lower eta0"):
        model = MLPClassifier(5, eta0=300.0).fit(X, y)
    assert not model.converged_


def test_one_class_no_weight_and_rows_too_few_to_hold_out_are_refused():
    X, y = noisy(40)
    with pytest.raises(DataError, match="one class only, 1"):
        MLPClassifier().fit(X, np.ones(40, int))
    with pytest.raises(ParameterError, match="class_weight gives every class that occurs a weight of zero"):
        MLPClassifier(class_weight={0: 0.0, 1: 0.0, 2: 0.0}).fit(X, y)
    with pytest.raises(DataError, match="leaves none of the 3 rows"):
        MLPRegressor(early_stopping=True, validation_fraction=0.01).fit(X[:3], y[:3])


def test_partial_fit_needs_rows_in_batches():
    X, y = noisy(40)
    for settings in ({"solver": "lbfgs"}, {"early_stopping": True}, {"class_weight": "balanced"}):
        with pytest.raises(AttributeError, match="partial_fit"):
            MLPClassifier(**settings).partial_fit(X, y)


def test_weights_that_would_make_epochs_without_end_are_refused():
    X, y = np.eye(4), np.array([0, 1, 0, 1])
    with pytest.raises(DataError, match=r"the weights sum to 4e\+30 for 4 rows.*divide the weights by their mean"):
        MLPClassifier(2).fit(X, y, sample_weight=np.full(4, 1e30))
    heavy = MLPClassifier(2, solver="lbfgs").fit(X, y, sample_weight=np.full(4, 1e8))
    np.testing.assert_allclose(heavy.weights_, MLPClassifier(2, solver="lbfgs").fit(X, y).weights_, rtol=1e-4)
