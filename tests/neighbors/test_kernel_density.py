"""p̂ = (1/W) Σ w K against direct sums, SciPy and scikit-learn; the promise of rtol and atol; samples; bounds."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import gaussian_kde, kstest
from sklearn.neighbors import KernelDensity as Peer

import novacula as nv
from novacula.errors import DataError, ParameterError
from novacula.neighbors import KernelDensity

LOG_PROFILES = {
    "gaussian": lambda u: -(u**2) / 2,
    "exponential": lambda u: -u,
    "epanechnikov": lambda u: np.log(np.maximum(1 - u**2, 0)),
    "tophat": lambda u: np.log((u < 1).astype(float)),
    "linear": lambda u: np.log(np.maximum(1 - u, 0)),
    "cosine": lambda u: np.log(np.where(u < 1, np.cos(np.pi * np.minimum(u, 1) / 2), 0)),
}
KERNELS = list(LOG_PROFILES)


def direct(X, Q, h, kernel, weight=None):
    """ln Σ w k / W by all pairs, without the constant of the kernel."""
    weight = np.ones(len(X)) if weight is None else weight
    with np.errstate(divide="ignore"):
        terms = LOG_PROFILES[kernel](cdist(Q, X) / h)
        return logsumexp(terms, b=weight, axis=1) - np.log(weight.sum())


def log_constant(kernel, d, h=1.0):
    """−ln ∫ k(‖u‖/h) du, by integration over shells of the ball."""
    end = {"gaussian": 40.0, "exponential": 400.0}.get(kernel, 1.0)
    peak = end if end == 1.0 else d
    with np.errstate(divide="ignore"):
        shells = quad(lambda r: r ** (d - 1) * np.exp(LOG_PROFILES[kernel](np.array(r))), 0, end, points=[peak / 2])[0]
    return -math.log(shells) - math.log(2) - d / 2 * math.log(math.pi) + math.lgamma(d / 2) - d * math.log(h)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_direct_sums(kernel, d):
    rng = np.random.default_rng(d)
    X, Q, h = rng.normal(size=(700, d)), 1.5 * rng.normal(size=(60, d)), 1.3
    expected = direct(X, Q, h, kernel) + log_constant(kernel, d, h)
    for options in ({}, {"algorithm": "exact"}, {"algorithm": "tree", "rtol": 0}):
        scores = KernelDensity(h, kernel=kernel, **options).fit(X).score_samples(Q)
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3, 10, 30])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_constants_of_kernels(kernel, d):
    ours = KernelDensity(0.5, kernel=kernel).fit([[0.0] * d]).log_norm_
    assert math.isclose(ours, log_constant(kernel, d, 0.5), rel_tol=1e-8, abs_tol=1e-9)
    if kernel != "cosine" or d == 1:  # scikit-learn's cosine kernel does not integrate to one beyond one dimension
        peer = Peer(bandwidth=0.5, kernel=kernel).fit([[0.0] * d]).score_samples([[0.0] * d])[0]
        assert math.isclose(ours, peer, rel_tol=1e-9, abs_tol=1e-12)


def test_the_gaussian_kernel_of_the_textbook():
    model = KernelDensity(0.5).fit([[0.0, 1.0], [2.0, 1.0]])
    term = (2 * math.pi * 0.25) ** -1.0
    expected = (term * math.exp(-2.0) + term * math.exp(-2.0)) / 2  # both rows are at distance 1
    assert math.isclose(math.exp(model.score_samples([[1.0, 1.0]])[0]), expected, rel_tol=1e-12)


@pytest.mark.parametrize("rule", ["scott", "silverman", 0.4])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_scipy_with_the_full_covariance(rule, d):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(300, d)) @ rng.normal(size=(d, d)) + 1e4
    Q = X[:40] + rng.normal(size=(40, d))
    model = KernelDensity(rule, spread="full").fit(X)
    peer = gaussian_kde(X.T, rule)
    np.testing.assert_allclose(model.score_samples(Q), peer.logpdf(Q.T), rtol=1e-7)
    np.testing.assert_allclose(model.root_ @ model.root_.T, peer.covariance, rtol=1e-9, atol=1e-12)


@settings(deadline=None)
@given(
    st.sampled_from(KERNELS),
    st.integers(1, 3),
    st.floats(0.05, 3.0),
    st.sampled_from([0.0, 1e-8, 1e-3, 0.1]),
    st.sampled_from([0.0, 1e-6, 1e-2]),
    st.integers(0, 10**6),
)
def test_the_promise_of_rtol_and_atol(kernel, d, h, rtol, atol, seed):
    rng = np.random.default_rng(seed)
    X, Q, weight = rng.normal(size=(1500, d)), 2 * rng.normal(size=(30, d)), rng.exponential(size=1500) + 1e-6
    model = KernelDensity(h, kernel=kernel, rtol=rtol, atol=atol).fit(X, sample_weight=weight)
    exact = np.exp(direct(X, Q, h, kernel, weight) + model.log_norm_)
    error = np.abs(np.exp(model.score_samples(Q)) - exact)
    assert (error <= (rtol + 1e-12) * exact + atol).all()


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_a_large_atol_far_away_gives_no_more_than_atol(kernel):
    X = np.random.default_rng(0).normal(size=(5000, 3))
    Q = np.array([[0.0, 0.0, 0.0], [30.0, 0.0, 9.0], [1e5, 1e5, 0.0], [1e140, 0.0, 0.0]])
    for atol in (1e-300, 1e-9, 1.0, 1e9):
        model = KernelDensity(0.01, kernel=kernel, rtol=0, atol=atol).fit(X, sample_weight=np.full(5000, 1e6))
        exact = np.exp(direct(X, Q, 0.01, kernel) + model.log_norm_)
        assert (np.abs(np.exp(model.score_samples(Q)) - exact) <= atol + 1e-12 * exact).all()


def test_boxes_do_stand_for_their_rows():
    """A large rtol must change the answer, or nothing is pruned and the promise is empty."""
    X = np.random.default_rng(0).normal(size=(20_000, 2))
    loose, tight = (KernelDensity(0.3, rtol=rtol).fit(X).score_samples(X[:50]) for rtol in (0.1, 0.0))
    gap = np.abs(np.exp(loose - tight) - 1)
    assert 1e-6 < gap.max() <= 0.1


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_far_tails_are_logarithms_and_not_zeros(kernel):
    X = np.random.default_rng(0).normal(size=(1000, 2))
    Q = np.array([[50.0, 0.0], [1e4, 1e4], [-1e7, 3.0]])
    scores = KernelDensity(0.1, kernel=kernel).fit(X).score_samples(Q)
    np.testing.assert_allclose(scores, direct(X, Q, 0.1, kernel) + log_constant(kernel, 2, 0.1), rtol=1e-12)


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_where_distances_overflow_the_logarithm_is_minus_infinity(kernel):
    for spread in (None, "full"):
        model = KernelDensity(0.5, kernel=kernel, spread=spread).fit(np.random.default_rng(0).normal(size=(9, 2)))
        near, far = model.score_samples([[0.0, 0.0], [-1.7e308, 1.7e308]])
        assert np.isfinite(near)
        assert far == -math.inf


def test_beyond_the_reach_of_a_kernel_the_logarithm_is_minus_infinity():
    model = KernelDensity(1.0, kernel="tophat").fit([[0.0], [3.0]])
    inside, beyond = model.score_samples([[0.5], [1.5]])
    assert math.isclose(inside, math.log(0.25))
    assert beyond == -math.inf


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_are_repetitions(kernel):
    rng = np.random.default_rng(0)
    X, weight, Q = rng.normal(size=(60, 2)), rng.integers(0, 4, 60), rng.normal(size=(20, 2))
    for bandwidth in (0.5, "scott", "isj", "cv_ml"):
        weighted = KernelDensity(bandwidth, kernel=kernel).fit(X, sample_weight=weight)
        repeated = KernelDensity(bandwidth, kernel=kernel).fit(np.repeat(X, weight, axis=0))
        np.testing.assert_allclose(weighted.bandwidth_, repeated.bandwidth_, rtol=1e-11)
        np.testing.assert_allclose(weighted.score_samples(Q), repeated.score_samples(Q), rtol=1e-9)


def test_a_light_row_beside_heavy_ones():
    """Running sums of weights would lose it."""
    X, weight = np.arange(2000.0)[:, None], np.full(2000, 1e12)
    weight[700] = 1e-12
    X[700] = -500.0
    score = KernelDensity(0.1).fit(X, sample_weight=weight).score_samples([[-500.0]])[0]
    expected = math.log(1e-12 / weight.sum() / (0.1 * math.sqrt(2 * math.pi)))
    assert math.isclose(score, expected, rel_tol=1e-12)


# --- it is a density ----------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from(KERNELS),
    st.lists(st.floats(0, 4), min_size=1, max_size=6),
    st.floats(0.1, 2.0),
    st.sampled_from([None, (0, 4), (0, None), (None, 4), (-0.1, 4.05)]),
)
def test_one_column_integrates_to_one(kernel, rows, h, bounds):
    boundary = None if bounds is None else "reflect"
    model = KernelDensity(h, kernel=kernel, boundary=boundary, bounds=bounds).fit(np.array(rows)[:, None])
    low, high = (end if end is not None else far for end, far in zip(bounds or (None, None), (-100, 104), strict=True))
    x = np.linspace(low, high, 40_001)
    middles = (x[1:] + x[:-1]) / 2
    total = np.exp(model.score_samples(middles[:, None])).sum() * (x[1] - x[0])
    assert abs(total - 1) < (0.03 if kernel == "tophat" else 1e-3)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("bounds", [None, [(0, 1), (None, 2)]])
def test_two_columns_integrate_to_one(kernel, bounds):
    rows = np.array([[0.1, 1.9], [0.5, 1.0], [0.95, -0.3]])
    model = KernelDensity([0.3, 0.5], kernel=kernel, boundary=bounds and "reflect", bounds=bounds).fit(rows)
    low, high = ((0, -15), (1, 2)) if bounds else ((-9, -15), (10, 17))
    n = 200
    sides = [np.linspace(a, b, n + 1) for a, b in zip(low, high, strict=True)]
    middles = [(side[1:] + side[:-1]) / 2 for side in sides]
    grid = np.stack(np.meshgrid(*middles), axis=-1).reshape(-1, 2)
    cell = math.prod(side[1] - side[0] for side in sides)
    assert abs(np.exp(model.score_samples(grid)).sum() * cell - 1) < 0.02


def test_reflection_is_the_sum_over_mirror_images():
    X, Q, h = np.array([[0.1], [0.9]]), np.linspace(0, 1, 21)[:, None], 0.7
    model = KernelDensity(h, boundary="reflect", bounds=(0, 1)).fit(X)
    mirrored = np.concatenate([sign * X + 2 * k for k in range(-30, 31) for sign in (1, -1)])
    peer = gaussian_kde(mirrored.T, h / mirrored.std(ddof=1))
    np.testing.assert_allclose(np.exp(model.score_samples(Q)), peer(Q.T) * len(mirrored) / 2, rtol=1e-8)
    assert np.isneginf(model.score_samples([[-0.01], [1.01]])).all()


def test_reflection_is_flat_at_the_bound():
    X = np.random.default_rng(0).exponential(size=(500, 1))
    model = KernelDensity(0.3, boundary="reflect", bounds=(0, None)).fit(X)
    a, b = np.exp(model.score_samples([[0.0], [1e-4]]))
    assert abs(b - a) / 1e-4 < 1e-3 * a / 1e-3
    assert a > 1.5 * np.exp(KernelDensity(0.3).fit(X).score_samples([[0.0]])[0])


# --- samples ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("bounds", [None, (0, 4)])
def test_samples_follow_the_density(kernel, bounds):
    rows, weight = np.array([[0.2], [1.0], [3.5]]), np.array([1.0, 2.0, 3.0])
    model = KernelDensity(0.6, kernel=kernel, boundary=bounds and "reflect", bounds=bounds)
    model.fit(rows, sample_weight=weight)
    x = np.linspace(-20, 25, 200_001)
    mass = np.concatenate([[0], np.cumsum(np.exp(model.score_samples(((x[1:] + x[:-1]) / 2)[:, None])))])
    drawn = model.sample(20_000, random_state=0)[:, 0]
    assert kstest(drawn, lambda t: np.interp(t, x, mass / mass[-1])).pvalue > 1e-3


@pytest.mark.parametrize("kernel", KERNELS)
def test_samples_of_many_columns_have_the_kernels_deviation(kernel):
    model = KernelDensity("silverman", kernel=kernel).fit(np.random.default_rng(0).normal(size=(50, 4)))
    lone = KernelDensity(model.bandwidth_, kernel=kernel).fit(np.zeros((1, 4)))
    factor = (50 * 6 / 4) ** (-1 / 8)
    sigma = factor * np.random.default_rng(0).normal(size=(50, 4)).std(axis=0, ddof=1)
    np.testing.assert_allclose(lone.sample(40_000, random_state=1).std(axis=0), sigma, rtol=0.03)


def test_the_same_seed_gives_the_same_rows():
    model = KernelDensity("scott", spread="full").fit(np.random.default_rng(0).normal(size=(100, 3)))
    assert np.array_equal(model.sample(5, random_state=3), model.sample(5, random_state=3))
    assert not np.array_equal(model.sample(5, random_state=3), model.sample(5, random_state=4))


# --- on a grid ----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(
    st.sampled_from([kernel for kernel in KERNELS if kernel != "tophat"]),
    st.integers(0, 10**6),
    st.floats(0.02, 2.0),
    st.sampled_from([None, (-6, 6), (-6, None)]),
    st.sampled_from([0.0, 1e-2]),
)
def test_the_error_bound_of_the_grid(kernel, seed, h, bounds, atol):
    if atol and kernel != "gaussian":
        h = max(h, 0.1)  # below it is refused, as the next test shows
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(400, 1)), rng.exponential(size=400)
    model = KernelDensity(h, kernel=kernel, atol=atol, boundary=bounds and "reflect", bounds=bounds)
    model.fit(X, sample_weight=weight)
    grid = model.density_on_grid(333)
    exact = np.exp(model.set_params(algorithm="exact").score_samples(grid.x[:, None]))
    error = np.abs(grid.density - exact).max()
    assert error <= grid.error
    assert atol == 0.0 or grid.error <= atol * (1 + 1e-9)
    scores = model.set_params(algorithm="grid").score_samples(grid.x[:, None])
    np.testing.assert_allclose(np.exp(scores), grid.density, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("kernel", ["epanechnikov", "linear", "exponential"])
def test_a_narrow_kernel_with_corners_would_need_too_many_points(kernel):
    """Its error falls with the step only, not with its square, and its top is high."""
    X = np.random.default_rng(0).normal(size=(400, 1))
    with pytest.raises(DataError, match="points, more than 4194304: take algorithm='tree'"):
        KernelDensity(0.02, kernel=kernel, atol=1e-2, boundary="reflect", bounds=(-6, 6)).fit(X).density_on_grid(333)


def test_the_grid_is_close_and_a_density():
    X = np.random.default_rng(0).normal(size=(5000, 1))
    model = KernelDensity("scott").fit(X)
    x, density, error = model.density_on_grid(2000)
    assert error < 1e-3
    assert np.abs(density - gaussian_kde(X.T)(x)).max() < 1e-4
    assert abs(np.trapezoid(density, x) - 1) < 1e-3
    x = model.density_on_grid(5, low=-1, high=1).x
    assert x.tolist() == [-1, -0.5, 0, 0.5, 1]


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bandwidth": [1.0, 2.0]}, "one for each of 1 columns"),
        ({"bandwidth": [-1.0]}, "'x0' is -1; it must be positive"),
        ({"bandwidth": [np.nan]}, "'x0' is nan; it must be positive"),
        ({"boundary": "reflect"}, "go together"),
        ({"bounds": (0, 1)}, "go together"),
        ({"boundary": "reflect", "bounds": (1, 1)}, "low must be less"),
        ({"boundary": "reflect", "bounds": (0, 1, 2)}, "needs a pair"),
        ({"boundary": "reflect", "bounds": [("a", "b")]}, "needs a pair"),
        ({"bandwidth": "isj", "spread": "full"}, "does not go with it"),
    ],
)
def test_parameters_that_make_no_sense(options, message):
    with pytest.raises(ParameterError, match=message):
        KernelDensity(**options).fit([[0.2], [0.4], [0.5]])


@pytest.mark.parametrize("bandwidth", [0, -1.0, math.inf, "wide"])
def test_widths_that_make_no_sense(bandwidth):
    with pytest.raises(ValueError, match="bandwidth"):
        KernelDensity(bandwidth).fit([[0.0], [1.0]])


@pytest.mark.parametrize(
    ("options", "rows", "message"),
    [
        ({}, [[0.0, 1.0], [np.nan, 2.0]], "column 'x0' is missing .* in row 2"),
        ({}, [[0.0, 1.0], [3.0, np.inf]], "column 'x1' is infinite .* in row 2"),
        ({}, [[0.0, 1.0], [3.0, -1e200]], "column 'x1' holds numbers whose squares overflow"),
        ({"bandwidth": "scott"}, [[0.0, 1.0], [3.0, 1.0]], "column 'x1' has the same value in every row"),
        ({"bandwidth": "scott"}, [[1e-300], [3e-300]], "column 'x0' has .* or differences too small to be squared"),
        ({"bandwidth": "isj"}, [[0.0, 1.0], [3.0, 1.0]], "too few for bandwidth='isj'|the same value"),
        ({"bandwidth": "scott"}, [[0.0, 1.0]], "at least two rows"),
        ({"bandwidth": "cv_ml"}, [[0.0, 1.0], [0.0, 1.0], [3.0, 2.0], [3.0, 2.0]], "no likeliest bandwidth"),
        ({"bandwidth": "scott", "spread": "full"}, [[0.0, 0.0], [1.0, 2.0], [3.0, 6.0]], "follows from other columns"),
        ({"boundary": "reflect", "bounds": [(0, 1), None]}, [[0.5, 0.0]], "needs a pair"),
        ({"boundary": "reflect", "bounds": [(0, 1), (None, 2)]}, [[0.5, 0.0], [0.2, 7.0]], "'x1' is 7 in row 2"),
        ({"algorithm": "grid"}, [[0.0, 1.0]], "a grid is for one column"),
    ],
)
def test_rows_that_cannot_be_used(options, rows, message):
    with pytest.raises((DataError, ParameterError), match=message):
        KernelDensity(**options).fit(np.array(rows))


def test_too_few_points_for_sheather_jones():
    with pytest.raises(DataError, match="2 different values are too few for bandwidth='isj'"):
        KernelDensity("isj").fit([[0.0], [1.0], [1.0]])


def test_no_weight():
    with pytest.raises(ValueError, match="sum to zero"):
        KernelDensity().fit([[1.0], [2.0]], sample_weight=[0.0, 0.0])
    table = nv.read(pa.table({"x": [1.0, 2.0], "w": [0.0, 0.0]}), weight="w")
    with pytest.raises(DataError, match="sum to zero"):
        KernelDensity().fit(table)


def test_limits_refuse_with_advice():
    far = KernelDensity(1e-9).fit([[0.0], [1.0]])
    with pytest.raises(DataError, match="take algorithm='tree'"):
        far.density_on_grid()
    with pytest.raises(DataError, match="fit a sample, or take 'isj'"):
        KernelDensity("cv_ml").fit(np.random.default_rng(0).normal(size=(30_001, 1)))
    narrow = KernelDensity(50.0, boundary="reflect", bounds=(0, 1)).fit(np.full((2, 3), 0.5))
    with pytest.raises(DataError, match="images"):
        narrow.score_samples([[0.5, 0.5, 0.5]])
    with pytest.raises(DataError, match="squares overflow"):
        KernelDensity(1e-200).fit([[0.0], [1.0]]).score_samples([[0.0]])


def test_questions_that_make_no_sense():
    model = KernelDensity(kernel="tophat").fit([[0.0], [1.0]])
    with pytest.raises(ParameterError, match="a kernel that jumps"):
        model.density_on_grid()
    with pytest.raises(ParameterError, match="n_samples is 0"):
        model.sample(0)
    smooth = KernelDensity().fit([[0.0], [1.0]])
    with pytest.raises(ParameterError, match="n_points is 1"):
        smooth.density_on_grid(1)
    with pytest.raises(ParameterError, match="low must be less than high"):
        smooth.density_on_grid(10, low=3.0, high=2.0)
    rows = np.zeros((1_500_000, 1))
    rows[1_234_567] = np.nan
    with pytest.raises(DataError, match=r"column 'x0' is missing .* in row 1234568"):
        smooth.set_params(algorithm="grid").score_samples(rows)
