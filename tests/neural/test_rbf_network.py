"""Radial basis networks: SciPy's interpolator and the normal equations as oracles, laws, scales and bad input."""

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure as Canvas
from scipy.interpolate import RBFInterpolator
from sklearn.datasets import load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novacula as nv
from novacula.checks import check_equations, check_statistic, check_work, learner_checks
from novacula.errors import DataError, DataWarning, ParameterError, RankWarning
from novacula.evaluate import select_size
from novacula.mixture import KMeans
from novacula.neural.rbf.basis import FUNCTIONS, RadialBasis
from novacula.neural.rbf.fine_tuning import BasisDescent, BasisGradient
from novacula.neural.rbf.output_layer import Occupancy, OutputLayer, solve_definite
from novacula.neural.rbf_network_classifier import RBFNetworkClassifier
from novacula.neural.rbf_network_regressor import RBFNetworkRegressor
from novacula.optimize import check_gradient
from novacula.table import Chunk
from novacula.table.memory import ArraySource

laws = settings(deadline=None)
quiet = pytest.mark.filterwarnings("ignore::novacula.errors.RankWarning")
NETWORKS = (RBFNetworkRegressor, RBFNetworkClassifier)

# Our name, SciPy's, and SciPy's ε for a width of 1: the Gaussian there is exp(−(εr)²).
PEERS = (
    ("gaussian", "gaussian", 0.5**0.5),
    ("multiquadric", "multiquadric", 1.0),
    ("inverse_multiquadric", "inverse_multiquadric", 1.0),
    ("thin_plate", "thin_plate_spline", 1.0),
)


def wave(n=80, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-3, 3, n))[:, None]
    return x, np.sin(2 * x.ravel()) + noise * rng.normal(size=n)


def by_hand(function, X, centers, widths):
    """φ by the definition, with plain loops."""
    formula = {
        "gaussian": lambda r, s: np.exp(-(r**2) / (2 * s**2)),
        "multiquadric": lambda r, s: np.sqrt(1 + r**2 / s**2),
        "inverse_multiquadric": lambda r, s: 1 / np.sqrt(1 + r**2 / s**2),
        "thin_plate": lambda r, s: (r / s) ** 2 * np.log(r / s) if r > 0 else 0.0,
    }[function]
    return np.array([[formula(np.linalg.norm(x - c), s) for c, s in zip(centers, widths, strict=True)] for x in X])


def scipy_interpolator(X, y, kernel, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a thin plate without its slopes
        return RBFInterpolator(X, y, kernel=kernel, epsilon=epsilon, degree=0)


# --- oracles --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("basis", "kernel", "epsilon"), PEERS)
@pytest.mark.parametrize("d", [1, 2, 4])
def test_a_centre_on_every_row_interpolates_as_scipy_does(basis, kernel, epsilon, d):
    rng = np.random.default_rng(d)
    X, y, between = rng.uniform(size=(25, d)), rng.normal(size=(25, 2)), rng.uniform(size=(60, d))
    width = 0.04 if d == 1 else 0.4
    theirs = scipy_interpolator(X, y, kernel, epsilon / width)
    for centers in (X, 25):  # k-means finds each row
        model = RBFNetworkRegressor(centers, basis=basis, width=width).fit(X, y)
        assert model.solver_ == "interpolation"
        np.testing.assert_allclose(model.predict(X), y, atol=1e-8)
        np.testing.assert_allclose(model.predict(between), theirs(between), rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(model.coef_.sum(axis=1), 0.0, atol=1e-9 * np.abs(model.coef_).sum())


def bordered(answers, target):
    """The equations of interpolation with their side condition, solved as they stand."""
    K = len(answers)
    matrix = np.block([[answers, np.ones((K, 1))], [np.ones((1, K)), np.zeros((1, 1))]])
    return np.linalg.solve(matrix, np.vstack([target, np.zeros((1, target.shape[1]))]))[:K]


@pytest.mark.parametrize("basis", [name for name in FUNCTIONS if FUNCTIONS[name].sign])
@pytest.mark.parametrize("K", [2, 3, 30])
def test_a_definite_basis_needs_no_bordered_equations(basis, K):
    rng = np.random.default_rng(K)
    centers, target, sign = rng.normal(size=(K, 3)), rng.normal(size=(K, 2)), FUNCTIONS[basis].sign
    answers = by_hand(basis, centers, centers, np.full(K, 0.5))
    np.testing.assert_allclose(solve_definite(answers, target, sign), bordered(answers, target), rtol=1e-9)
    assert solve_definite(answers, target, -sign) is None


@pytest.mark.parametrize("basis", FUNCTIONS)
def test_interpolation_with_a_width_for_each_centre(basis):
    rng = np.random.default_rng(3)
    X, y, widths = rng.normal(size=(12, 2)), rng.normal(size=(12, 1)), rng.uniform(0.3, 0.6, 12)
    model = RBFNetworkRegressor(X, basis=basis, width=widths).fit(X, y[:, 0])
    assert model.solver_ == "interpolation"
    np.testing.assert_allclose(model.coef_, bordered(by_hand(basis, X, X, widths), y)[:, 0], rtol=1e-7)


@pytest.mark.parametrize("basis", FUNCTIONS)
def test_answers_in_pieces_are_those_of_the_formula(basis, monkeypatch):
    monkeypatch.setattr("novacula.neural.rbf.basis.ANSWERS", 20)
    rng = np.random.default_rng(0)
    X, centers, widths = rng.normal(size=(23, 2)), rng.normal(size=(4, 2)), rng.uniform(0.5, 1.0, 4)
    found = RadialBasis(basis, centers, widths).answers(X)
    np.testing.assert_allclose(found, by_hand(basis, X, centers, widths), rtol=1e-12)


@pytest.mark.parametrize("basis", FUNCTIONS)
def test_repeated_rows_are_interpolated_in_their_mean(basis):
    """Weights and repetitions are the same also where the network interpolates."""
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(12, 2)), rng.normal(size=12), rng.integers(1, 4, 12)
    repeat = np.repeat(np.arange(12), weight)
    twice, targets = np.vstack([X[repeat], X]), np.concatenate([y[repeat], y + 1.0])
    model = RBFNetworkRegressor(X, basis=basis, width=1.0).fit(twice, targets)
    plain = RBFNetworkRegressor(X, basis=basis, width=1.0).fit(X, (weight * y + y + 1.0) / (weight + 1.0))
    between = rng.normal(size=(20, 2))
    np.testing.assert_allclose(model.predict(between), plain.predict(between), rtol=1e-7, atol=1e-8)
    weighted = RBFNetworkRegressor(X, basis=basis, width=1.0).fit(X, y, weight)
    np.testing.assert_allclose(
        weighted.predict(between), RBFNetworkRegressor(X, basis=basis, width=1.0).fit(X, y).predict(between), atol=1e-8
    )


@laws
@given(st.integers(0, 2**32 - 1), st.sampled_from(list(FUNCTIONS)), st.sampled_from([0.0, 1e-3, 1.0, 100.0]))
def test_weights_are_those_of_the_normal_equations(seed, basis, alpha):
    rng = np.random.default_rng(seed)
    X, y, weight = rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 3.0, rng.integers(1, 4, 40).astype(float)
    centers, widths = rng.normal(size=(5, 2)), rng.uniform(0.5, 1.0, 5)
    model = RBFNetworkRegressor(centers, basis=basis, width=widths, alpha=alpha).fit(X, y, weight)
    design = np.column_stack([by_hand(basis, X, centers, widths), np.ones(40)])
    penalty = alpha * np.diag([1.0] * 5 + [0.0])
    solved = np.linalg.solve(design.T @ (weight[:, None] * design) + penalty, design.T @ (weight[:, None] * y))
    np.testing.assert_allclose(model.predict(X), design @ solved, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(model.activations(X), design[:, :5], rtol=1e-12, atol=1e-14)
    if alpha:
        np.testing.assert_allclose(model.coef_, solved[:5].T, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(model.intercept_, solved[5], rtol=1e-6, atol=1e-8)


def test_widths_are_measured_between_centres():
    centers = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    x, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30.0)
    mean = RBFNetworkRegressor(centers).fit(x, y)
    np.testing.assert_allclose(mean.widths_**2, [(25 + 1) / 2, (25 + 18) / 2, (1 + 18) / 2])
    nearest = RBFNetworkRegressor(centers, width="nearest").fit(x, y)
    np.testing.assert_allclose(nearest.widths_, [1.0, 18**0.5, 1.0])
    np.testing.assert_array_equal(RBFNetworkRegressor(centers, width=[1, 2, 3]).fit(x, y).widths_, [1.0, 2.0, 3.0])


def test_centres_are_those_of_k_means():
    x, y = wave()
    np.testing.assert_array_equal(
        RBFNetworkRegressor(6, width=1.0).fit(x, y).centers_, KMeans(6, random_state=0).fit(x).cluster_centers_
    )


def test_exclusive_or():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = RBFNetworkClassifier(X, width=0.5).fit(X, y)
    assert model.predict(X).tolist() == y
    np.testing.assert_allclose(model.predict_proba(X), np.eye(2)[y], atol=1e-12)


def test_learns_flowers_and_diabetes():
    X, y = load_iris(return_X_y=True)
    assert make_pipeline(StandardScaler(), RBFNetworkClassifier(12)).fit(X, y).score(X, y) > 0.95
    X, y = load_diabetes(return_X_y=True)
    assert make_pipeline(StandardScaler(), RBFNetworkRegressor(12)).fit(X, y).score(X, y) > 0.45


# --- what the classifier says ---------------------------------------------------------------------------------


@laws
@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_outputs_of_classes_add_up_to_one(seed, classes):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % classes
    model = RBFNetworkClassifier(6, width="nearest").fit(X, y, rng.integers(1, 3, 60))
    far = 3.0 * rng.normal(size=(50, 2))
    decision, probability = model.decision_function(far), model.predict_proba(far)
    if classes == 2:
        assert decision.shape == (50,)
        np.testing.assert_array_equal(model.predict(far), decision > 0)
    else:
        np.testing.assert_allclose(decision.sum(axis=1), 1.0, atol=1e-7)
        clipped = np.maximum(decision, 0.0)
        np.testing.assert_allclose(probability, clipped / clipped.sum(axis=1, keepdims=True), atol=1e-12)
        np.testing.assert_array_equal(model.predict(far), decision.argmax(axis=1))
    assert (probability >= 0.0).all()
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(far), model.classes_[probability.argmax(axis=1)])


# --- fine-tuning ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("basis", FUNCTIONS)
@pytest.mark.parametrize(("alpha", "classes"), [(0.0, 0), (0.5, 0), (0.5, 3)])
def test_the_gradient_of_centres_and_widths_is_that_of_differences(basis, alpha, classes):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(30, 2)) + 5.0, rng.uniform(0.5, 2.0, 30)
    learner = RBFNetworkClassifier() if classes else RBFNetworkRegressor()
    y = np.arange(30) % classes if classes else rng.normal(size=(30, 2))
    table = learner._ingest(X, y, weight)
    start = RadialBasis(basis, X[:4] + 0.1, rng.uniform(0.7, 1.5, 4))
    descent = BasisDescent(table, start, classes, alpha)
    place = descent.place(start) + 0.1 * rng.normal(size=12)
    check = check_gradient(descent.value, descent.gradient, place, tol=1e-6)
    assert check.passed, str(check)


@pytest.mark.parametrize("basis", FUNCTIONS)
@quiet
def test_fine_tuning_never_raises_the_error(basis):
    x, y = wave()
    for width in ("mean_distance", "nearest"):
        plain = RBFNetworkRegressor(4, basis=basis, width=width).fit(x, y)
        tuned = RBFNetworkRegressor(4, basis=basis, width=width, fine_tune=10).fit(x, y)
        before, after = (((model.predict(x) - y) ** 2).sum() for model in (plain, tuned))
        assert after < before
        assert (np.diff(tuned.history_) <= 0).all()
        np.testing.assert_allclose(after / before, tuned.history_[-1], rtol=1e-6)
        assert tuned.n_iter_ == len(tuned.history_) - 1 <= 10


def test_fine_tuning_finds_the_bumps():
    """Two bumps of known places and widths are found from a start next to them."""
    x = np.linspace(-4, 4, 200)[:, None]
    y = 2.0 * np.exp(-((x + 1.5) ** 2) / (2 * 0.5**2)) - np.exp(-((x - 1.0) ** 2) / (2 * 0.9**2))
    model = RBFNetworkRegressor([[-1.0], [0.5]], width=0.7, fine_tune=200).fit(x, y.ravel())
    np.testing.assert_allclose(model.centers_.ravel(), [-1.5, 1.0], atol=1e-4)
    np.testing.assert_allclose(model.widths_, [0.5, 0.9], atol=1e-4)
    np.testing.assert_allclose(model.coef_, [2.0, -1.0], atol=1e-3)


# --- laws and scales ------------------------------------------------------------------------------------------


def chunk_of(rng, n, d=2):
    return Chunk(
        rng.normal(size=(n, d)), np.empty((n, 0), np.int32), rng.integers(1, 3, n) * 1.0, target=rng.normal(size=(n, 2))
    )


def test_statistics_obey_the_laws():
    rng = np.random.default_rng(0)
    basis = RadialBasis("gaussian", rng.normal(size=(4, 2)), np.ones(4))
    layer = OutputLayer(rng.normal(size=(4, 2)), np.full(4, 0.5), np.ones(2), 4, "cholesky")
    check_statistic(
        lambda chunk: BasisGradient.observe(chunk, basis, layer, 0), chunk_of(rng, 30), BasisGradient.zero(4, 2)
    )
    on_centres = Chunk(
        basis.centers[rng.integers(0, 4, 30)], np.empty((30, 0), np.int32), np.ones(30), target=rng.normal(size=(30, 2))
    )
    for chunk in (on_centres, chunk_of(rng, 30)):
        check_statistic(lambda chunk: Occupancy.observe(chunk, basis, 0), chunk, Occupancy.zero(4, 2))


def test_files_give_the_same_network(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.sin(X[:, 0]) * X[:, 1]
    for i in range(3):
        part = slice(100 * i, 100 * (i + 1))
        pq.write_table(pa.table({"a": X[part, 0], "b": X[part, 1], "t": y[part]}), tmp_path / f"{i}.parquet")
    files = nv.read(str(tmp_path / "*.parquet"), target="t")
    for parameters in ({}, {"width": "nearest", "basis": "thin_plate"}, {"fine_tune": 3, "centers": 5}):
        held, streamed = (RBFNetworkRegressor(**parameters).fit(*data) for data in ((X, y), (files, None)))
        np.testing.assert_allclose(held.predict(X), streamed.predict(files), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("name", ["chunking", "scales", "file", "reproducible", "weights"])
def test_passes_the_checks_of_learners(network, name):
    """With other settings than the defaults, with which all learners are checked elsewhere."""
    dict(learner_checks(network(12, basis="thin_plate", width="nearest", alpha=1e-3)))[name]()


def test_fewer_rows_than_centres_are_all_centres():
    x, y = np.array([[0.0], [1.0], [3.0], [1.0]]), np.array([2.0, 1.0, 5.0, 3.0])
    with pytest.warns(DataWarning, match="centers=20, and X has n_samples=3 distinct rows"):
        model = RBFNetworkRegressor().fit(x, y)
    assert sorted(model.centers_.ravel()) == [0.0, 1.0, 3.0]
    assert model.solver_ == "interpolation"
    np.testing.assert_allclose(model.predict(x), [2.0, 2.0, 5.0, 2.0], atol=1e-9)  # the mean of equal rows


def test_the_number_of_centres_can_be_selected():
    x, y = wave(120)
    curve = select_size(RBFNetworkRegressor(width="nearest"), "centers", [2, 4, 8, 16], x, y, folds=5)
    assert curve.best_size in (8, 16)
    assert RBFNetworkRegressor.card.size == "centers"


# --- work -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("basis", "width"),
    [
        ("gaussian", "mean_distance"),
        ("multiquadric", "nearest"),
        ("inverse_multiquadric", 0.7),
        ("thin_plate", "mean_distance"),
    ],
)
def test_work_is_right(basis, width):
    x, y = wave(40)
    model = RBFNetworkRegressor(14, basis=basis, width=width, alpha=1e-3).fit(x, y)
    check_equations(model)
    check_equations(model, x[:4])


def test_work_of_two_targets_over_two_columns():
    x, y = wave(40)
    model = RBFNetworkRegressor(3, alpha=1e-3).fit(np.hstack([x, x**2]), np.column_stack([y, x]))
    check_work(model)
    check_work(model, [[0.0, 1.0]])


def test_work_of_classes_and_of_fine_tuning():
    X, y = load_iris(return_X_y=True)
    model = RBFNetworkClassifier(5, fine_tune=2).fit(X, y)
    check_work(model)
    check_work(model, X[:4])
    assert "Fine-tuned." in str(model.work())
    check_work(RBFNetworkClassifier(3).fit(X[:, :2], y == 1), X[:2, :2])


def test_work_on_a_centre_and_of_interpolation():
    x, y = wave(8)
    model = RBFNetworkRegressor(x, basis="thin_plate", width=1.0).fit(x, y)
    check_work(model)
    check_work(model, x[:2])
    text = str(model.work())
    assert "the outputs pass through the targets" in text
    assert "Σₖ wₖ = 0" in text


def test_the_width_is_the_root_of_the_mean_square():
    """It was written as σ², with the value of σ."""
    x, y = np.array([[0.0], [3.0], [4.0]]), [0.0, 1.0, 0.0]
    model = RBFNetworkRegressor(x, alpha=0.1).fit(x, y)
    [width] = [equation for equation in model.work().equations if equation.left == "σ[1]"]
    assert width.value == pytest.approx(np.sqrt((9 + 16) / 2))
    assert str(width).startswith("σ₁ = √((Σ[k ≠ 1] r₁ₖ²) / (K − 1))")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"iteration": 1}, "keeps no iterations"),
        ({"digits": 0}, "digits is 0"),
        ({"notation": "bishop"}, "notation is 'bishop'"),
        ({"X": [["a"]]}, None),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(how, words):
    x, y = wave(40)
    model = RBFNetworkRegressor(4).fit(x, y)
    with pytest.raises(ValueError, match=words):
        model.work(**how)


def test_works_in_full_and_in_other_notations():
    X, y = load_iris(return_X_y=True)
    model = RBFNetworkClassifier(5).fit(X, y)
    for how in ({"detail": "full"}, {"notation": "mitchell"}, {"notation": "aima", "terms": 1, "digits": 3}):
        check_equations(model, **how)
        check_equations(model, X[:2], **how)
    assert "w_0" not in str(model.work())
    assert str(model.work(detail="full")).count("Width of unit") == 5


def test_figures_show_the_rows_and_hostile_names():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    frame = pa.table({"$\\bad$": X[:, 0], "<script>": X[:, 1]})
    model = RBFNetworkClassifier(4).fit(frame, np.where(X[:, 0] > 0, "[/red]", "=cmd"))
    assert "<script" not in model.figure(frame, np.where(X[:, 0] > 0, "[/red]", "=cmd")).svg()
    assert model.figure().png().startswith(b"\x89PNG")
    with pytest.raises(DataError, match="3 targets for 50 rows"):
        model.figure(frame, ["=cmd"] * 3)
    wide = RBFNetworkRegressor(4).fit(rng.normal(size=(50, 3)), X[:, 0])
    with pytest.raises(ParameterError, match="3 columns cannot be drawn"):
        wide.figure()


# --- bad input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"centers": [[0.0], [1.0], [0.0]]}, "rows 1 and 3 of centers are the same centre"),
        ({"centers": [[0.0, 1.0]]}, r"centers has shape \(1, 2\)"),
        ({"centers": [[np.nan]]}, "centers holds nan in row 1, column 'x0'"),
        ({"centers": [["a"]]}, "centers must be an array of numbers"),
        ({"centers": 1}, "one centre only: give width as a number"),
        ({"centers": 0}, "'centers' parameter"),
        ({"centers": np.linspace(0, 1, 81)[:, None]}, "81 centres for 80 rows"),
        ({"width": "wide"}, "'width' parameter"),
        ({"width": ["a"] * 20}, "width must be an array of numbers"),
        ({"width": [1.0, 2.0]}, r"width has shape \(2,\); .* each of 20 centres"),
        ({"width": 0.0}, "'width' parameter"),
        ({"width": [0.0] * 20}, "widths must be finite and above 0"),
        ({"basis": "cubic"}, "'basis' parameter"),
        ({"alpha": -1.0}, "'alpha' parameter"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    x, y = wave()
    with pytest.raises(ValueError, match=words):
        RBFNetworkRegressor(**parameters).fit(x, y)


def test_more_centres_than_rows_are_fine_with_a_penalty():
    x, y = wave(10, noise=0.0)
    centers = np.linspace(-3, 3, 30)[:, None]
    model = RBFNetworkRegressor(centers, width=0.5, alpha=1e-8).fit(x, y)
    np.testing.assert_allclose(model.predict(x), y, atol=1e-5)


def test_lost_rank_is_reported_and_predictions_stay_sound():
    x, y = wave(200)
    with pytest.warns(RankWarning, match="20 units span .* directions"):
        model = RBFNetworkRegressor(20, width=10.0).fit(x, y)
    assert model.rank_ < 20
    assert model.score(x, y) > 0.9


def test_data_that_cannot_be_used_are_refused(tmp_path):
    x, y = wave()
    weightless = nv.read(pa.table({"a": x.ravel(), "t": y, "w": np.zeros(80)}), target="t", weight="w")
    for centers in (3, x[:3]):
        with pytest.raises(DataError, match=r"sum to zero|sum to zero"):
            RBFNetworkRegressor(centers, width=1.0).fit(weightless)
    with pytest.raises(DataError, match="one class only"):
        RBFNetworkClassifier(3).fit(x, ["a"] * 80)
    model = RBFNetworkRegressor(3).fit(x, y)
    for strange in (np.nan, np.inf):  # a Gaussian would take an infinite value for a far one
        with pytest.raises(ValueError, match=r"NaN|infinite"):
            model.predict([[strange]])
        with pytest.raises(ValueError, match=r"NaN|infinite"):
            model.activations([[strange]])
    holes = pa.table({"a": [1.0, 2.0, None, 4.0], "t": [1.0, 2.0, 3.0, 5.0]})
    pq.write_table(holes, tmp_path / "holes.parquet")
    with pytest.raises(DataError, match=r"column 'a' is (missing|infinite)"):
        RBFNetworkRegressor(2).fit(nv.read(str(tmp_path / "holes.parquet"), target="t"))
    with pytest.raises(DataError, match="radial functions overflow"):
        RBFNetworkRegressor([[0.0], [1.0]], basis="thin_plate").fit([[1e200], [0.5], [2.0]], [1.0, 2.0, 3.0])


def test_arrays_are_sources_of_tables():
    """A network fitted to an array says of a table with its columns what it says of the array."""
    x, y = wave()
    model = RBFNetworkRegressor(5).fit(x, y)
    table = nv.Table(ArraySource(x), model.schema_)
    np.testing.assert_array_equal(model.predict(table), model.predict(x))


def test_free_numbers():
    x, y = wave(40)
    assert RBFNetworkRegressor(5).fit(x, y).n_parameters_ == 5 + 5 + 1
    assert RBFNetworkRegressor(5, fine_tune=1).fit(x, y).n_parameters_ == 5 + 5 + 5 + 1


def test_weights_that_overflow_are_refused_with_their_place():
    with pytest.raises(DataError, match="cannot be fitted, since coef_ holds a number that is not finite: the target"):
        RBFNetworkRegressor(2, basis="multiquadric").fit([[-1.0], [-9.0]], [0.0, 1.7e308])


# --- the bumps, and the equations of the weights ---------------------------------------------------------------

FOUR, HEIGHTS = np.array([[0.0], [1.0], [2.0], [3.5]]), np.array([0.0, 1.0, 0.5, -1.0])


def test_the_weights_system_of_interpolation():
    model = RBFNetworkRegressor(FOUR, width=1.0).fit(FOUR, HEIGHTS)
    check_work(model)
    step = next(step for step in model.work() if step.title.startswith("The equations of the weights"))
    answers = np.exp(-((FOUR - FOUR.T) ** 2) / 2)
    bordered = np.block([[answers, np.ones((4, 1))], [np.ones((1, 4)), np.zeros((1, 1))]])
    np.testing.assert_allclose(step.equations[0].values["A"], bordered)
    np.testing.assert_allclose(step.equations[0].value, np.linalg.solve(bordered, [*HEIGHTS, 0.0]))
    np.testing.assert_allclose(step.equations[0].value, [*model.coef_, model.intercept_])


def test_the_weights_system_of_least_squares(tmp_path):
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 4, (30, 1)), rng.normal(size=(30, 2))
    model = RBFNetworkRegressor(FOUR[:3], width=1.0, alpha=0.1).fit(x, y)
    check_work(model)
    phi = np.exp(-((x - FOUR[:3].T) ** 2) / 2)
    phi -= phi.mean(axis=0)
    solved = [e for e in model.work().equations if e.left == "w"]
    for t, equation in enumerate(solved):
        expected = np.linalg.solve(phi.T @ phi + 0.1 * np.eye(3), phi.T @ (y[:, t] - y[:, t].mean()))
        np.testing.assert_allclose(equation.value, expected, rtol=1e-8)
    assert [e.of for e in solved] == [("coef_", 0), ("coef_", 1)]
    model.save(tmp_path / "model.nova")
    assert str(nv.load(tmp_path / "model.nova").work()) == str(model.work())


@pytest.mark.parametrize(
    ("centers", "width", "words"),
    [
        (np.arange(12.0)[:, None], 1.0, "for up to 6 units"),
        (np.arange(4.0)[:, None], 60.0, "so nearly singular"),
    ],
)
def test_equations_that_are_left_out_are_said_to_be(centers, width, words):
    model = RBFNetworkRegressor(centers, width=width).fit(centers, np.sin(centers[:, 0]))
    [step] = [step for step in model.work() if step.title.startswith("The equations of the weights")]
    assert words in step.note
    assert not step.equations


def test_the_bumps_and_their_sum_are_drawn():
    model = RBFNetworkRegressor(FOUR, width=1.0).fit(FOUR, HEIGHTS)
    figure = next(step.figure for step in model.work() if step.title == "The bumps and their sum")
    axes = Canvas().add_subplot()
    figure.draw(axes)
    *bumps, bias, total = axes.lines
    assert len(bumps) == 4
    x = total.get_xdata()
    for unit, bump in enumerate(bumps):
        np.testing.assert_allclose(bump.get_ydata(), model.coef_[unit] * np.exp(-((x - FOUR[unit]) ** 2) / 2))
    np.testing.assert_allclose(total.get_ydata(), model.predict(x[:, None]))
    assert bias.get_ydata()[0] == pytest.approx(model.intercept_)
