"""Gaussian mixtures: the M-means model, scikit-learn and SciPy as oracles, laws, scales, and bad input."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.mixture
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novacula as nv
from novacula.checks import check_statistic, check_work
from novacula.errors import DataError, DataWarning, ParameterError, SchemaError
from novacula.learner.files import save
from novacula.mixture import GaussianMixture
from novacula.mixture.gaussian.density import GaussianComponents, MixtureDensity
from novacula.mixture.gaussian.start import RowSample
from novacula.mixture.gaussian.sums import ExpectedSums
from novacula.table import Chunk, threads

from ..shared_checks import checks_of_settings

KINDS = ("full", "tied", "diag", "spherical")
laws = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
quiet = pytest.mark.filterwarnings("ignore")


def blobs(seed, n=200, d=2, k=3, spread=4.0):
    """Rows from k ellipsoids."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, k, n)
    shape = rng.normal(size=(k, d, d)) / np.sqrt(d) + 0.3 * np.eye(d)
    return spread * rng.normal(size=(k, d))[label] + np.einsum("nij,nj->ni", shape[label], rng.normal(size=(n, d)))


def matrices(model):
    """Covariances (K, d, d) of a fitted mixture of any type."""
    k, d = model.means_.shape
    held = model.covariances_
    if model.covariance_type == "tied":
        return np.tile(held, (k, 1, 1))
    if model.covariance_type == "full":
        return held
    return held[:, None] * np.eye(d) if held.ndim == 2 else held[:, None, None] * np.eye(d)


def scipy_joint(model, X):
    """w N(x; μ, Σ) of rows and components, by SciPy."""
    parts = zip(model.weights_, model.means_, matrices(model), strict=True)
    return np.column_stack([w * stats.multivariate_normal(m, c).pdf(X) for w, m, c in parts])


# --- the literature -----------------------------------------------------------------------------------------


def test_m_means_model_makes_the_textbook_updates():
    """Two equal Gaussians of known variance: E[z] = e^(−(x−μ)²/2σ²) / Σ, μ ← ΣE[z]x / ΣE[z]."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(-2, 1, 60), rng.normal(2, 1, 60)])
    mu = np.array([-0.5, 1.5])
    for steps in (1, 2, 5):
        expected = mu
        for _ in range(steps):
            z = np.exp(-((x[:, None] - expected) ** 2) / 2.0)
            z /= z.sum(axis=1, keepdims=True)
            expected = (z * x[:, None]).sum(axis=0) / z.sum(axis=0)
        model = GaussianMixture(2, weights="equal", variance=1.0, init=mu[:, None], tol=0.0, max_iter=steps)
        with pytest.warns(ConvergenceWarning):
            model.fit(x[:, None])
        np.testing.assert_allclose(model.means_.ravel(), expected, rtol=1e-12)
    assert model.weights_.tolist() == [0.5, 0.5]
    assert model.covariances_.ravel().tolist() == [1.0, 1.0]
    assert model.n_parameters_ == 2


@pytest.mark.parametrize("seed", range(5))
def test_reaches_the_likelihood_of_the_true_parameters(seed):
    """Weights 0.2, 0.3, 0.5 and 500 rows."""
    rng = np.random.default_rng(seed)
    weights, means, deviations = np.array([0.2, 0.3, 0.5]), np.array([-4.0, 0.0, 5.0]), np.array([1.0, 0.8, 1.5])
    label = rng.choice(3, 500, p=weights)
    x = rng.normal(means[label], deviations[label])
    truth = np.log(stats.norm(means, deviations).pdf(x[:, None]) @ weights).sum()
    model = GaussianMixture(3, random_state=0).fit(x[:, None])
    assert model.converged_
    assert model.log_likelihood_ >= truth
    assert model.score_samples(x[:, None]).sum() == pytest.approx(model.log_likelihood_, rel=1e-12)


# --- oracles ------------------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("d", "k"), [(1, 2), (2, 3), (7, 4)])
def test_equals_scikit_learn_from_the_same_start(kind, d, k):
    X = blobs(d, n=400, d=d, k=k)
    means, variances = X[:k], X.var(axis=0)
    precisions = {
        "full": np.tile(np.diag(1 / variances), (k, 1, 1)),
        "tied": np.diag(1 / variances),
        "diag": np.tile(1 / variances, (k, 1)),
        "spherical": np.full(k, 1 / variances.mean()),
    }[kind]
    theirs = sklearn.mixture.GaussianMixture(
        k, covariance_type=kind, weights_init=np.full(k, 1 / k), means_init=means, precisions_init=precisions,
        tol=0.0, max_iter=12, reg_covar=0.0,
    ).fit(X)  # fmt: skip
    ours = GaussianMixture(k, covariance_type=kind, init=means, tol=0.0, max_iter=12, reg_covar=0.0).fit(X)
    for name in ("weights_", "means_", "covariances_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.bic(X) == pytest.approx(theirs.bic(X), rel=1e-9)
    assert ours.aic() == pytest.approx(theirs.aic(X), rel=1e-9)
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-9)


@quiet
@pytest.mark.parametrize("kind", KINDS)
def test_equals_scipy(kind):
    X = blobs(3, d=3)
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    joint = scipy_joint(model, X)
    np.testing.assert_allclose(model.score_samples(X), np.log(joint.sum(axis=1)), rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), atol=1e-10)


def test_integrates_to_one():
    model = GaussianMixture(3, random_state=0, max_iter=1000).fit(blobs(5, d=1))
    whole, _ = integrate.quad(lambda x: np.exp(model.score_samples([[x]])[0]), -60, 60, limit=400)
    assert whole == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_one_component_is_the_mean_and_the_covariance(kind):
    X = blobs(8, d=3, k=1) + 1e8  # so far from zero that squares would cancel
    model = GaussianMixture(covariance_type=kind).fit(X)
    about = X - X.mean(axis=0)
    full = about.T @ about / len(X)
    expected = {"full": full[None], "tied": full, "diag": np.diag(full)[None], "spherical": [np.trace(full) / 3]}
    np.testing.assert_allclose(model.covariances_, expected[kind], rtol=1e-6)
    np.testing.assert_allclose(model.means_[0], X.mean(axis=0), rtol=1e-15)
    assert model.n_iter_ <= 2


# --- laws ---------------------------------------------------------------------------------------------------


@st.composite
def problems(draw, missing=None):
    """Small tables, often awkward: few rows, ties, far offsets, missing values."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(6, 60)), draw(st.integers(1, 4))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.choice([0.0, 5.0, 1e4], d)
    X += 3.0 * rng.integers(0, 3, (n, 1)) * X.std(axis=0)
    if draw(st.booleans()):
        X = np.round(X, 1)
    if missing if missing is not None else draw(st.booleans()):
        X[rng.random(X.shape) < draw(st.sampled_from([0.1, 0.3]))] = np.nan
    assume(not np.isnan(X).all(axis=0).any() and len(np.unique(np.nan_to_num(X + 0.0, nan=1e99), axis=0)) >= 4)
    return X, rng.integers(1, 4, n).astype(float)


def no_fall(model):
    history = model.history_
    return np.diff(history).min(initial=0.0) >= -1e-10 * np.abs(history).max(initial=1.0)


@quiet
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    problems(), st.integers(1, 4), st.sampled_from(KINDS), st.sampled_from(["k-means++", "random"]),
    st.sampled_from(["free", "equal"]), st.integers(0, 2**31 - 1),
)  # fmt: skip
def test_never_falls(problem, k, kind, init, weights, seed):
    X, weight = problem
    model = GaussianMixture(k, covariance_type=kind, init=init, weights=weights, random_state=seed, tol=0, max_iter=25)
    model.fit(X, sample_weight=weight)
    assert no_fall(model)
    assert "worse" not in model.outcome_
    assert np.isfinite(model.score_samples(X)).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)
    assert model.weights_.sum() == pytest.approx(1.0)


@quiet
@pytest.mark.parametrize(
    ("missing", "n_init"),
    [(0.0, 30), (0.2, 10), *(pytest.param(*long, marks=pytest.mark.slow) for long in [(0.0, 150), (0.2, 50)])],
)
def test_never_falls_on_hundreds_and_thousands_of_starts(missing, n_init):
    rng = np.random.default_rng(0)
    X = blobs(1, n=60, d=2)
    X[rng.random(X.shape) < missing] = np.nan
    for seed in range(10):
        model = GaussianMixture(3, init="random", n_init=n_init, max_iter=10, random_state=seed).fit(X)
        assert no_fall(model)
        assert not any("worse" in restart.sentence for restart in model.restarts_)
        assert model.history_[-1] == max(restart.objective for restart in model.restarts_)


@quiet
@laws
@given(problems(), st.sampled_from(KINDS))
def test_statistic_obeys_the_laws(problem, kind):
    X, weight = problem
    model = GaussianMixture(2, covariance_type=kind, random_state=0, max_iter=3).fit(X)
    density = MixtureDensity.of(model._components())
    chunk = Chunk(X, np.empty((len(X), 0), np.int32), weight)
    zero = ExpectedSums.zero(2, X.shape[1], kind in ("diag", "spherical"))
    check_statistic(lambda rows: ExpectedSums.observe(rows, density), chunk, zero, rtol=1e-8)


@laws
@given(problems())
def test_row_sample_obeys_the_laws(problem):
    X, weight = problem
    chunk = Chunk(X, np.empty((len(X), 0), np.int32), weight)
    zero = RowSample.zero(X.shape[1], 8)
    check_statistic(lambda rows: RowSample.observe(rows, 3, 8), chunk, zero)


@quiet
@pytest.mark.parametrize("kind", KINDS[:3])  # one variance for all columns depends on their units
def test_units_and_offsets_do_not_matter(kind):
    X = blobs(2, d=3)
    scale, offset = np.array([1e-3, 1.0, 1e4]), np.array([1e5, -3.0, 1e8])
    here = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    there = GaussianMixture(3, covariance_type=kind, random_state=0, init=here.means_ * scale + offset)
    here = GaussianMixture(3, covariance_type=kind, init=here.means_).fit(X)
    there.fit(X * scale + offset)
    np.testing.assert_allclose((there.means_ - offset) / scale, here.means_, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(there.history_ + np.log(scale).sum(), here.history_, rtol=1e-6)


@pytest.mark.parametrize(
    "check",
    checks_of_settings(
        GaussianMixture(n_components=3, covariance_type="full", random_state=1, max_iter=1000),
        GaussianMixture(n_components=2, covariance_type="diag", random_state=0, init="random", n_init=3),
        GaussianMixture(n_components=2, covariance_type="spherical", weights="equal", random_state=0),
        GaussianMixture(n_components=2, covariance_type="tied", variance=0.5, random_state=0),
        leave_out=("scikit_learn",),
    ),
)
def test_every_check_holds(check):
    check()


# --- scales -------------------------------------------------------------------------------------------------


def test_files_and_threads_give_the_same_model(tmp_path):
    """More rows than the sample of starts holds, so that which rows are in it matters."""
    X = blobs(4, n=30_000, d=3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for i, rows in enumerate(np.array_split(np.arange(len(X)), 3)):
        pq.write_table(pa.Table.from_pandas(frame.iloc[rows]), tmp_path / f"{i}.parquet", row_group_size=4000)
    settings = {"n_components": 3, "random_state": 0}
    memory = GaussianMixture(**settings).fit(X)
    table = nv.read(str(tmp_path / "*.parquet"))
    files = GaussianMixture(**settings).fit(table)
    shuffled = GaussianMixture(**settings).fit(X[np.random.default_rng(1).permutation(len(X))])
    with threads(1):
        alone = GaussianMixture(**settings).fit(table)
    for other in (files, shuffled):
        np.testing.assert_allclose(other.means_, memory.means_, rtol=1e-9)
        np.testing.assert_allclose(other.covariances_, memory.covariances_, rtol=1e-8)
        assert other.n_iter_ == memory.n_iter_
    np.testing.assert_array_equal(alone.means_, files.means_)
    np.testing.assert_allclose(files.score(table), memory.score(X), rtol=1e-12)
    np.testing.assert_allclose(files.bic(table), memory.bic(), rtol=1e-12)


def test_a_table_brings_its_weights(tmp_path):
    X, weight = blobs(6, n=80), np.random.default_rng(0).integers(1, 4, 80)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "w": weight})
    table = nv.read(frame, weight="w")
    by_table = GaussianMixture(2, random_state=0).fit(table)
    by_hand = GaussianMixture(2, random_state=0).fit(X, sample_weight=weight)
    np.testing.assert_allclose(by_table.means_, by_hand.means_, rtol=1e-10)
    assert by_table.score(table) == pytest.approx(by_hand.score(X, sample_weight=weight))
    assert by_table.bic(table) == pytest.approx(by_hand.bic())


def test_works_in_a_pipeline_and_with_fit_predict():
    X = blobs(0)
    label = GaussianMixture(3, random_state=0).fit_predict(X)
    np.testing.assert_array_equal(label, GaussianMixture(3, random_state=0).fit(X).predict(X))
    assert make_pipeline(StandardScaler(), GaussianMixture(3, random_state=0)).fit(X).predict(X).shape == (200,)


# --- sampling -----------------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("kind", KINDS)
def test_samples_have_the_moments_of_the_mixture(kind):
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(blobs(9, d=2))
    rows, label = model.sample(40_000)
    np.testing.assert_allclose(np.bincount(label, minlength=3) / 40_000, model.weights_, atol=0.01)
    for k in range(3):
        own = rows[label == k]
        np.testing.assert_allclose(own.mean(axis=0), model.means_[k], atol=0.1)
        np.testing.assert_allclose(np.cov(own.T), matrices(model)[k], atol=0.15)
    np.testing.assert_array_equal(model.sample(5)[0], model.sample(5)[0])


# --- degenerate and bad input -------------------------------------------------------------------------------


def test_a_collapsed_component_is_held_and_named():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(50, 2)), np.tile([[30.0, 40.0]], (10, 1))])
    with pytest.warns(DataWarning, match=r"collapsed components.*along 'x0', 'x1'.*reg_covar"):
        model = GaussianMixture(2, random_state=0).fit(X)
    [k] = model.collapsed_
    np.testing.assert_allclose(model.means_[k], [30.0, 40.0])
    np.testing.assert_allclose(np.diag(model.covariances_[k]), 1e-6 * X.var(axis=0), rtol=1e-6)
    assert model.weights_[k] == pytest.approx(1 / 6)
    check_work(model)
    with pytest.raises(DataError, match=r"became singular.*raise reg_covar"):
        GaussianMixture(2, random_state=0, reg_covar=0.0).fit(X)


def test_the_floor_is_not_an_addition():
    X = blobs(1, d=2)
    free = GaussianMixture(3, random_state=0, reg_covar=0.0).fit(X)
    held = GaussianMixture(3, random_state=0, reg_covar=1e-4).fit(X)
    np.testing.assert_array_equal(held.covariances_, free.covariances_)


def test_dependent_columns_and_columns_that_do_not_vary():
    x = np.random.default_rng(0).normal(size=(40, 1))
    with pytest.warns(DataWarning, match="along 'x0', 'x1'"):
        GaussianMixture().fit(np.column_stack([x, 2 * x]))
    with pytest.warns(DataWarning, match="0 along 'x1';"):
        GaussianMixture().fit(np.column_stack([x, np.full(40, 7.0)]))


def test_no_convergence_is_reported():
    with pytest.warns(ConvergenceWarning, match="GaussianMixture: It stopped after 1 iteration"):
        model = GaussianMixture(3, random_state=0, tol=0.0, max_iter=1).fit(blobs(0))
    assert not model.converged_
    assert model.n_iter_ == 1


def test_rows_beyond_every_density():
    model = GaussianMixture(2, random_state=0).fit(blobs(0))
    assert model.score_samples([[1e200, 0.0]])[0] == -np.inf
    with pytest.warns(DataWarning, match="row 1, are so far off"):
        np.testing.assert_array_equal(model.predict_proba([[1e200, 0.0]])[0], model.weights_)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"covariance_type": "round"}, ValueError, "covariance_type"),
        ({"n_components": 0}, ValueError, "n_components"),
        ({"variance": 0.0}, ValueError, "variance"),
        ({"weights": "some"}, ValueError, "weights"),
        ({"reg_covar": -1.0}, ValueError, "reg_covar"),
        ({"n_components": 2, "init": [[1.0, 2.0]]}, ParameterError, r"init has shape \(1, 2\)"),
        ({"n_components": 1, "init": [[1.0, np.inf]]}, ParameterError, "not finite"),
        ({"n_components": 1, "init": [["a", "b"]]}, ParameterError, "must hold numbers"),
        ({"n_components": 1, "init": [[1.0, 2.0]], "n_init": 2}, ParameterError, "one start"),
    ],
)
def test_bad_parameters(parameters, error, words):
    with pytest.raises(error, match=words):
        GaussianMixture(**parameters).fit(blobs(0))


def test_bad_rows():
    X = blobs(0, n=20)
    with pytest.raises(DataError, match="3 distinct rows"):
        GaussianMixture(4).fit(np.repeat(X[:3], 5, axis=0))
    with pytest.raises(ValueError, match="sum to zero"):
        GaussianMixture().fit(X, sample_weight=np.zeros(20))
    with pytest.raises(DataError, match="sum to zero"):
        GaussianMixture().fit(nv.read(pd.DataFrame({"a": X[:, 0], "w": np.zeros(20)}), weight="w"))
    endless = X.copy()
    endless[3, 1] = np.inf
    with pytest.raises(DataError, match=r"'x1'.*infinite"):
        GaussianMixture().fit(endless)
    with pytest.raises(DataError, match=r"'x1'.*infinite"):
        GaussianMixture().fit(X).predict(endless)
    with pytest.raises(DataError, match=r"'x0'.*overflow"):
        GaussianMixture().fit(X * [1e200, 1.0])
    empty = X.copy()
    empty[:, 0] = np.nan
    with pytest.raises(DataError, match="'x0' has no value"):
        GaussianMixture().fit(empty)
    with pytest.raises(SchemaError, match="'colour'"):
        GaussianMixture().fit(pd.DataFrame({"colour": ["red", "blue"]}))
    with pytest.raises(ParameterError, match="n_samples is 0"):
        GaussianMixture().fit(X).sample(0)


def test_rows_without_weight_count_for_nothing():
    X = blobs(0, n=40)
    wild = np.concatenate([X, [[np.inf, np.nan], [1e300, -1e300]]])
    weight = np.r_[np.ones(40), 0.0, 0.0]
    a, b = GaussianMixture(2, random_state=0).fit(X), GaussianMixture(2, random_state=0).fit(wild, sample_weight=weight)
    np.testing.assert_allclose(b.means_, a.means_, rtol=1e-12)


def test_a_damaged_file_is_refused(tmp_path):
    model = GaussianMixture(2, random_state=0).fit(blobs(0))
    model.means_ = model.means_[:1]
    save(model, tmp_path / "m.nova", checked=False)
    with pytest.raises(ValueError, match=r"its means_ is an array .* and there are 2 components"):
        nv.load(tmp_path / "m.nova")


def test_components_are_of_use_alone():
    """A density is made of any components, and its marginals are densities too."""
    held = GaussianComponents(np.array([0.5, 0.5]), np.zeros((2, 2)), np.array([np.eye(2), [[2.0, 0.5], [0.5, 1.0]]]))
    one = MixtureDensity.of(held).marginal(np.array([True, False])).posterior(np.array([[0.3]]))
    expected = 0.5 * stats.norm(0, 1).pdf(0.3) + 0.5 * stats.norm(0, np.sqrt(2)).pdf(0.3)
    assert one[0, -1] == pytest.approx(np.log(expected))


def test_warnings_stay_quiet_on_ordinary_data():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GaussianMixture(3, random_state=0).fit(blobs(0))
