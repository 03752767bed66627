"""Each right value of docs/errata.md, from first principles and from the library."""

import math
from itertools import product

import numpy as np
import pytest

import novacula as nv
from novacula.bayes import TextNaiveBayes


def test_spam_by_single_words():
    model = TextNaiveBayes(m=0).fit(nv.datasets.load("spam_messages"))
    assert model.predict_proba(["sport", "sports", "secret"])[:, 1] == pytest.approx([0.0, 0.25, 0.75])


def test_the_denominator_weights_the_classes():
    spam, ham = (1 / 3) * (3 / 8), (1 / 15) * (5 / 8)
    assert spam / (spam + ham) == pytest.approx(0.75)
    unweighted = (1 / 3) / (1 / 3 + 1 / 15)
    assert unweighted == pytest.approx(0.8333, abs=1e-4)


def test_gradient_of_least_squares():
    """Against finite differences, with one column of X an example."""
    rng = np.random.default_rng(0)
    X, w, y = rng.normal(size=(3, 7)), rng.normal(size=3), rng.normal(size=7)
    loss = lambda v: np.sum((X.T @ v - y) ** 2)  # noqa: E731
    numeric = [(loss(w + 1e-6 * e) - loss(w - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(2 * X @ (X.T @ w - y), numeric, rtol=1e-6)


def test_ridge_solution_has_no_factor_two():
    from novacula.linear import Ridge

    rng = np.random.default_rng(1)
    phi, y, nu = rng.normal(size=(3, 20)), rng.normal(size=20), 0.7
    w = np.linalg.solve(phi @ phi.T + nu * np.eye(3), phi @ y)
    np.testing.assert_allclose(Ridge(alpha=nu, fit_intercept=False).fit(phi.T, y).coef_, w, rtol=1e-9)


def test_simple_regression_uses_means():
    from novacula.linear import LinearRegression

    x, y = np.array([1, 3, 2, 1.5, 4]), np.array([1, 2.2, 2, 1.9, 3.1])
    slope = (np.sum(x * y) - 5 * x.mean() * y.mean()) / (np.sum(x**2) - 5 * x.mean() ** 2)
    model = LinearRegression().fit(x[:, None], y)
    assert (model.coef_[0], model.intercept_) == pytest.approx((slope, y.mean() - slope * x.mean()))


def test_gradient_of_a_perceptron_s_error():
    """Against finite differences, with f = tanh(w·x)."""
    rng = np.random.default_rng(2)
    X, w, y = rng.normal(size=(7, 3)), rng.normal(size=3), rng.choice([-1.0, 1.0], 7)
    error = lambda v: np.mean((y - np.tanh(X @ v)) ** 2)  # noqa: E731
    f = np.tanh(X @ w)
    slopes = (1 - f**2)[:, None] * X
    numeric = [(error(w + 1e-6 * e) - error(w - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(2 / 7 * (f - y) @ slopes, numeric, rtol=1e-6)


def test_newton_divides_by_the_hessian():
    """One step from anywhere reaches the minimum of a quadratic: x − H⁻¹∇f with H its second derivatives."""
    from novacula.optimize import newton

    hessian, linear = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, -2.0])
    result = newton(lambda x: 0.5 * x @ hessian @ x - linear @ x, lambda x: hessian @ x - linear, hessian, [7.0, -5.0])
    np.testing.assert_allclose(result.path[1], np.linalg.solve(hessian, linear), rtol=1e-12)


def test_a_stochastic_gradient_is_a_share_of_the_whole():
    """∇ of a sum over N examples is N times the mean of the gradients of single examples."""
    rng = np.random.default_rng(3)
    X, t, w = rng.normal(size=(9, 2)), rng.normal(size=9), rng.normal(size=2)
    single = (X @ w - t)[:, None] * X
    whole = X.T @ (X @ w - t)
    np.testing.assert_allclose(whole, 9 * single.mean(axis=0), rtol=1e-12)
    assert not np.allclose(whole, single.mean(axis=0))


@pytest.mark.parametrize(("mixed", "answer"), [(1.0, (9 / 8, -15 / 16, 21 / 16)), (-1.0, (3 / 4, -9 / 8, 21 / 8))])
def test_lagrange_example(mixed, answer):
    """∇f = α∇g and x − 2y = 3, and the library says so."""
    from novacula.optimize import lagrange

    x, y, alpha = answer
    assert (2 * x + mixed * y, 4 * y + mixed * x) == (alpha, -2 * alpha)
    assert x - 2 * y == 3
    found = lagrange(([[2, mixed], [mixed, 4]], [0, 0]), ([1, -2], [3]))
    np.testing.assert_allclose([*found.x, *found.multipliers], answer, rtol=1e-12)


def test_enjoy_sport_sizes():
    from novacula.concept import ConjunctiveSpace

    space = ConjunctiveSpace.from_table(nv.datasets.load("enjoy_sport"))
    assert (space.size_syntactic, space.size_semantic) == (5 * 4**5, 1 + 4 * 3**5) == (5120, 973)


def test_a_negative_example_specialises_g():
    """Of the general boundary, against the negative; s stays as it is."""
    from novacula.concept import ConjunctiveSpace

    space = ConjunctiveSpace({"Sky": ["Sunny", "Rainy"], "Wind": ["Strong", "Weak"]})
    narrower = space.most_general.specializations(("Rainy", "Weak"))
    assert sorted(map(str, narrower)) == ["⟨?, Strong⟩", "⟨Sunny, ?⟩"]


def test_conjunctions_over_binary_attributes():
    from novacula.theory import conjunctions

    def functions(n: int) -> int:
        """Distinct truth tables of conjunctions of literals, and the empty one."""
        points = list(product((0, 1), repeat=n))
        literals = product((0, 1, None), repeat=n)
        tables = {tuple(all(c in (None, v) for c, v in zip(term, x, strict=True)) for x in points) for term in literals}
        return len(tables | {(False,) * len(points)})

    assert [conjunctions(n) for n in (1, 2, 3, 4)] == [functions(n) for n in (1, 2, 3, 4)]


def test_clauses_of_three_literals():
    from novacula.theory import k_clause_cnf

    assert k_clause_cnf(5, 2) <= (2 * 5) ** (3 * 2)


def test_sample_sizes():
    from novacula.theory import pac_sample_size, vc_sample_size

    vc = (4 * math.log2(2 / 0.05) + 8 * 3 * math.log2(13 / 0.1)) / 0.1
    assert vc_sample_size(3, 0.1, 0.05) == math.ceil(vc) == 1899
    pac = (30 * math.log(2) + math.log(1e6)) / 0.01
    assert pac_sample_size(2**30, 0.01, 1e-6) == math.ceil(pac) == 3461


def test_gains():
    from novacula.tree import DecisionTreeClassifier

    def entropy(*counts: int) -> float:
        return -sum(c / sum(counts) * math.log2(c / sum(counts)) for c in counts if c)

    patrons = 1 - (2 / 12 * entropy(2) + 4 / 12 * entropy(4) + 6 / 12 * entropy(2, 4))
    model = DecisionTreeClassifier().fit(nv.datasets.load("restaurant"))
    names = [attribute.name for attribute in model.attributes_]
    assert (
        model.trace_.candidates.gain[0, names.index("Patrons")]
        == pytest.approx(patrons)
        == pytest.approx(0.5409, abs=5e-5)
    )

    temperature = entropy(9, 5) - (4 * entropy(2, 2) + 6 * entropy(4, 2) + 4 * entropy(3, 1)) / 14
    wind_if_sunny = entropy(2, 3) - (3 * entropy(1, 2) + 2 * entropy(1, 1)) / 5
    model = DecisionTreeClassifier().fit(nv.datasets.load("play_tennis"))
    root, sunny = model.trace_.candidates.gain[0], model.trace_.candidates.gain[2]
    assert root[1] == pytest.approx(temperature) == pytest.approx(0.0292, abs=5e-5)
    assert sunny[3] == pytest.approx(wind_if_sunny) == pytest.approx(0.0200, abs=5e-5)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_normaliser_of_a_gaussian_kernel(d):
    """A kernel of width 0.7 on one row: its top is (2πw²)^(−d/2), which makes it integrate to one."""
    from novacula.neighbors import KernelDensity

    width = 0.7
    model = KernelDensity(bandwidth=width).fit(np.zeros((1, d)))
    assert np.exp(model.score_samples(np.zeros((1, d))))[0] == pytest.approx((2 * np.pi * width**2) ** (-d / 2))
    axis = np.linspace(-6, 6, 61)
    grid = np.stack(np.meshgrid(*[axis] * d), axis=-1).reshape(-1, d)
    assert np.exp(model.score_samples(grid)).sum() * (axis[1] - axis[0]) ** d == pytest.approx(1.0, rel=1e-6)


def test_em_maximises_over_the_second_hypothesis():
    """Q(h′|h) takes its expectation under h and is maximised over h′: by brute force for two means of equal weight."""
    from novacula.mixture import GaussianMixture

    x, old = np.array([-1.4, -0.6, 0.3, 1.1, 1.9]), np.array([-0.5, 1.0])
    joint = np.exp(-0.5 * (x[:, None] - old) ** 2)
    share = joint / joint.sum(axis=1, keepdims=True)  # under h
    means = np.linspace(-2, 2, 4001)
    q = -0.5 * share.T @ (x[:, None] - means) ** 2  # of h′
    model = GaussianMixture(2, weights="equal", variance=1.0, init=old[:, None], max_iter=1, tol=0.0)
    with pytest.warns(UserWarning, match="max_iter"):
        model.fit(x[:, None])
    np.testing.assert_allclose(model.means_.ravel(), means[q.argmax(axis=1)], atol=1e-3)


def test_ten_limes():
    """0.5¹⁰ is the likelihood of the bag of halves; the bag of limes alone gives 1; the next is lime with 0.973031."""
    from novacula.bayes import Posterior

    bags = {"h1": 0.0, "h2": 0.25, "h3": 0.5, "h4": 0.75, "h5": 1.0}
    candies = {name: {"lime": p, "cherry": 1 - p} for name, p in bags.items()}
    after = Posterior(candies, prior=[0.1, 0.2, 0.4, 0.2, 0.1]).update(["lime"] * 10)
    assert np.exp(after.log_likelihoods["h3"]) == pytest.approx(0.5**10)
    assert np.exp(after.log_likelihoods["h5"]) == pytest.approx(1.0)
    assert after.predict("lime") == pytest.approx(0.973031, abs=5e-7)


def test_two_coin_machines():
    from novacula.bayes import Posterior

    machines = Posterior({"H1": {0: 0.2, 1: 0.8}, "H2": {0: 0.6, 1: 0.4}}).update([0, 0, 1, 0, 1])
    assert np.exp(machines.log_likelihoods["H1"]) == pytest.approx(0.00512)
    assert np.exp(machines.log_likelihoods["H2"]) == pytest.approx(0.03456)
    assert machines.probabilities["H1"] == pytest.approx(0.1290, abs=5e-5)
    assert machines.probabilities["H2"] == pytest.approx(0.8710, abs=5e-5)


def test_false_positives_are_the_complement_of_specificity():
    """The rate on the axis of an ROC curve is FP/(TN + FP), of the negatives; 1 − sensitivity is of the positives."""
    from novacula.evaluate import confusion, roc

    y, score = np.array([0, 0, 0, 0, 1, 1]), np.array([0.1, 0.2, 0.3, 0.9, 0.4, 0.8])
    table = confusion(y, (score >= 0.4).astype(int)).matrix
    specificity, sensitivity = table[0, 0] / table[0].sum(), table[1, 1] / table[1].sum()
    curve = roc(y, score)
    at = list(curve.thresholds).index(0.4)
    assert curve.fpr[at] == pytest.approx(1 - specificity) == pytest.approx(0.25)
    assert 1 - curve.tpr[at] == pytest.approx(1 - sensitivity) == pytest.approx(0.0)


def test_back_propagation():
    """One step on one example: Δw_ih = η δ_h x_i into hidden units, and Δw_hk = η δ_k o_h out of them."""
    from novacula.neural import MLPRegressor

    x, t, eta = np.array([0.5, -1.0, 2.0]), 0.7, 0.1
    plain = {"eta0": eta, "momentum": 0.0, "max_epochs": 1, "tol": None, "dtype": "float64", "warm_start": True}
    model = MLPRegressor(2, **plain).fit([x], [t])
    (V, W), (b, c) = ([part.copy() for part in parts] for parts in (model.coefs_, model.intercepts_))
    model.fit([x], [t])
    hidden = 1 / (1 + np.exp(-(x @ V + b)))
    delta = t - (hidden @ W + c)
    delta_hidden = hidden * (1 - hidden) * (W @ delta)
    np.testing.assert_allclose(model.coefs_[0] - V, eta * np.outer(x, delta_hidden), atol=1e-12)
    np.testing.assert_allclose(model.coefs_[1] - W, eta * np.outer(hidden, delta), atol=1e-12)


def test_a_gaussian_radial_function_falls_with_the_square():
    """e^(−βx²) at twice the distance is the fourth power of itself; e^(−βx) would be the second."""
    from novacula.neural import RBFNetworkRegressor

    model = RBFNetworkRegressor(centers=[[0.0], [5.0]], width=1.5).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5])
    near, far = model.activations([[1.0], [2.0]])[:, 0]
    assert near == pytest.approx(np.exp(-1 / (2 * 1.5**2)))
    assert far == pytest.approx(near**4)


def test_features_of_the_gaussian_kernel():
    """Monomials of any degree have a positive weight in it, so that no number of rows makes the matrix singular."""
    from novacula.errors import ParameterError
    from novacula.kernel import Gaussian

    x, gamma = np.linspace(-1, 1, 6), 0.5
    degrees = np.arange(30)
    weights = np.array([(2 * gamma) ** n / math.factorial(n) for n in degrees])
    phi = np.exp(-gamma * x**2)[:, None] * np.sqrt(weights) * x[:, None] ** degrees
    K = Gaussian(gamma=gamma)(x[:, None])
    np.testing.assert_allclose(phi @ phi.T, K, atol=1e-14)
    assert np.linalg.matrix_rank(K) == 6 > np.linalg.matrix_rank(phi[:, :5] @ phi[:, :5].T)
    with pytest.raises(ParameterError, match="infinitely many positive terms"):
        Gaussian(gamma=gamma).features(x[:, None])


def test_support_vectors_add_up_to_the_plane():
    """w = Σ αyx, which is not 0; Σ αy is."""
    from novacula.kernel import SVC

    X, y = np.array([[0.0, 0.0], [1.0, 0.5], [3.0, 1.0], [4.0, 2.0]]), [0, 0, 1, 1]
    model = SVC(C=np.inf, kernel="linear").fit(X, y)
    np.testing.assert_allclose(model.dual_coef_ @ model.support_vectors_, model.coef_, atol=1e-9)
    assert np.linalg.norm(model.coef_) > 0.5
    assert model.dual_coef_.sum() == pytest.approx(0.0, abs=1e-9)
