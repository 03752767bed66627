"""Each kernel on its own: scikit-learn and direct formulas as oracles, gamma by words, widths, and what is not PSD."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import pairwise
from sklearn.model_selection import GridSearchCV

from novacula.errors import DataError, ModelFileError, ParameterError
from novacula.kernel.algebra import (
    KERNELS,
    Constant,
    Custom,
    Gaussian,
    Linear,
    Multiquadric,
    Polynomial,
    Precomputed,
    as_kernel,
    gram,
)
from novacula.kernel.algebra.kernel import Kernel
from novacula.learner.codec import Decoder, Encoder, dataclass_form

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(30, 5)), rng.normal(size=(20, 5))


# --- values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [np.asarray, scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_values_are_those_of_scikit_learn(sparse):
    A, B = sparse(np.maximum(X, 0.0)), sparse(np.maximum(Y, 0.0))
    dense = np.maximum(X, 0.0), np.maximum(Y, 0.0)
    cases = {
        "linear": (Linear(), pairwise.linear_kernel(*dense)),
        "poly": (Polynomial(3, 0.5, 0.2), pairwise.polynomial_kernel(*dense, degree=3, coef0=0.5, gamma=0.2)),
        "rbf": (Gaussian(0.3), pairwise.rbf_kernel(*dense, gamma=0.3)),
        "cosine": (Linear().normalized(), pairwise.cosine_similarity(*dense)),
        "some": (Gaussian(0.3).on([4, 1]), pairwise.rbf_kernel(*(rows[:, [4, 1]] for rows in dense), gamma=0.3)),
    }
    for kernel, expected in cases.values():
        np.testing.assert_allclose(kernel(A, B), expected, atol=1e-13)
        np.testing.assert_allclose(kernel.diagonal(A), np.diagonal(kernel(A)), atol=1e-13)


def test_a_sparse_matrix_may_meet_a_dense_one():
    np.testing.assert_allclose(Gaussian(0.3)(scipy.sparse.csr_matrix(X), Y), Gaussian(0.3)(X, Y), atol=1e-13)


@pytest.mark.parametrize("word", ["scale", "auto"])
@pytest.mark.parametrize("sparse", [np.asarray, scipy.sparse.csr_matrix])
def test_words_for_gamma_are_those_of_scikit_learn(word, sparse):
    data = X + 3.0
    gamma = 1.0 / (5 * data.var()) if word == "scale" else 1.0 / 5
    assert Gaussian(word).resolved(sparse(data)).gamma == pytest.approx(gamma, rel=1e-12)
    assert Polynomial(gamma=word).resolved(sparse(data)).gamma == pytest.approx(gamma, rel=1e-12)
    weight = rng.integers(1, 4, 30).astype(float)
    repeated = np.repeat(data, weight.astype(int), axis=0)
    found = Gaussian("scale").resolved(data, weight=weight)
    assert found.gamma == pytest.approx(1.0 / (5 * repeated.var()), rel=1e-12)
    assert Gaussian("scale").on([0, 1]).resolved(data).kernel.gamma == pytest.approx(0.5 / data[:, :2].var())
    assert Gaussian("scale").resolved(np.ones((4, 2))).gamma == 1.0


def test_a_width_is_where_the_kernel_has_fallen_to_the_root_of_one_over_e():
    assert Gaussian(width=3.0)([[0.0]], [[3.0]])[0, 0] == pytest.approx(math.exp(-0.5))
    assert Gaussian(width=2.0).rate == 0.125


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1e9), st.floats(1e-3, 1e3))
def test_distances_keep_their_digits_far_from_the_origin(seed, shift, spread):
    """Beside differences taken one by one, also for copies, near twins and outliers, in the fast way for many rows."""
    r = np.random.default_rng(seed)
    A = shift + spread * r.normal(size=(700, 3))
    A[5], A[6], A[7] = A[3], A[3] * (1.0 + 1e-12), 1e3 * A[8]
    exact = cdist(A, A, "sqeuclidean")
    gamma = 1.0 / np.median(exact[exact > 0])
    K = Gaussian(gamma)(A)
    np.testing.assert_allclose(K, np.exp(-gamma * exact), atol=1e-11)
    assert (np.diagonal(K) == 1.0).all()
    assert K[3, 5] == 1.0


def test_many_rows_are_as_few():
    A, B = rng.normal(size=(1300, 6)), rng.normal(size=(777, 6))
    np.testing.assert_allclose(Gaussian(0.2)(A, B), pairwise.rbf_kernel(A, B, gamma=0.2), atol=1e-14)
    K = Gaussian(0.2)(A)
    np.testing.assert_allclose(K, pairwise.rbf_kernel(A, gamma=0.2), atol=1e-14)
    assert np.array_equal(K, K.T)
    np.testing.assert_allclose(Multiquadric(0.5)(A, B), np.sqrt(cdist(A, B, "sqeuclidean") + 0.25), rtol=1e-11)
    sparse = scipy.sparse.csr_matrix(np.maximum(A, 0.0))
    assert (np.diagonal(Gaussian(0.2)(sparse)) == 1.0).all()


def test_bits_do_not_depend_on_threads():
    from novacula.table import threads

    A = rng.normal(size=(1300, 6))
    found = []
    for count in (1, 2, 3):
        with threads(count):
            found.append(gram(Gaussian(0.2), A))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


# --- positive or not ----------------------------------------------------------------------------------------


def test_the_multiquadric_says_that_it_is_not_positive():
    kernel = Multiquadric()
    assert kernel.positive is False
    assert not kernel.is_psd([[0.0], [1.0]])
    # Two rows at distance 1: eigenvalues 1 ± √2.
    with pytest.raises(DataError, match=r"smallest eigenvalue of the Gram matrix is −0\.414214"):
        kernel.check([[0.0], [1.0]])
    assert (kernel + Linear()).positive is None
    assert kernel.normalized().positive is False
    assert (2.0 * kernel).on([0]).positive is False


def test_a_verdict_holds_the_eigenvalue():
    verdict = Linear().check([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]])
    assert verdict.psd
    assert verdict.smallest == pytest.approx(0.0, abs=1e-12)
    assert "positive semi-definite" in str(verdict)
    loose = Multiquadric().check([[0.0], [1e-8]], tol=1e-6)
    assert loose.psd


def test_nothing_is_known_of_a_function():
    assert Custom(lambda x, y: 1.0).positive is None
    with pytest.raises(DataError, match="differ by up to 1, so the matrix is not symmetric"):
        Custom(lambda x, y: float(x[0] > y[0])).check([[0.0], [1.0]])


# --- from outside -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_a_function_of_rows_is_distinguished_from_one_of_matrices(d):
    A, B = rng.normal(size=(6, d)), rng.normal(size=(4, d))
    expected = A @ B.T
    for f in (lambda a, b: a @ b.T, lambda x, y: float(np.dot(x, y)), lambda x, y: sum(x * y), lambda x, y: x @ y):
        kernel = Custom(f)
        np.testing.assert_allclose(kernel(A, B), expected, atol=1e-12)
        np.testing.assert_allclose(kernel(A[:1], B[:1]), expected[:1, :1], atol=1e-12)
        np.testing.assert_allclose(kernel.diagonal(A), (A**2).sum(axis=1), atol=1e-12)


def test_a_function_of_matrices_is_not_called_for_pairs():
    calls = []

    def f(A, B):
        calls.append(A.shape)
        return A @ B.T

    kernel = Custom(f)
    kernel.block(X, Y)
    kernel.block(X, Y)
    assert calls == [(2, 5), (30, 5), (30, 5)]


def test_a_function_that_does_not_give_a_number_is_refused():
    with pytest.raises(ParameterError, match="it must give a number, or a matrix"):
        Custom(lambda x, y: [1.0, 2.0, 3.0])(X)


def test_a_function_composes_like_any_kernel():
    kernel = 2.0 * Custom(lambda A, B: A @ B.T) + Constant(1.0)
    np.testing.assert_allclose(kernel(X, Y), 2.0 * X @ Y.T + 1.0)


@dataclass(eq=False, repr=False)
class Overlap(Kernel):
    """A kernel of one's own, which defines no more than it must."""

    power: float = 1.0

    def block(self, A, B):
        return np.minimum(A[:, None], B[None]).sum(axis=2) ** self.power


def test_a_class_of_ones_own_composes_like_any_kernel():
    own, rows = Overlap(2.0), np.abs(X)
    expected = np.minimum(rows[:, None], rows[None]).sum(axis=2) ** 2
    assert (2.0 * own.on([0, 1, 2, 3, 4]) + 1)(rows) == pytest.approx(2.0 * expected + 1)
    assert own.diagonal(rows) == pytest.approx(np.diag(expected))
    assert own.normalized()(rows) == pytest.approx(expected / np.sqrt(np.outer(*[np.diag(expected)] * 2)))
    assert (own * Linear()).get_params()["left__power"] == 2.0
    assert repr(own + Linear()) == "Overlap(power=2.0) + Linear()"
    assert list(own.gradients(rows)) == []
    with pytest.raises(ParameterError, match="no finite feature map: Overlap defines none"):
        (own + Linear()).features(rows)
    assert "no finite feature map" in own.work(rows[:3]).to_text()


def test_precomputed_rows_pass_through():
    K = Gaussian(0.5)(X)
    assert np.array_equal(Precomputed()(K), K)
    assert np.array_equal(gram(Precomputed(), K[:4], K), K[:4])
    np.testing.assert_allclose((Precomputed() ** 2 + 1.0)(K), K**2 + 1.0)
    np.testing.assert_allclose((3.0 * Precomputed()).normalized()(K), K)
    assert Precomputed().precomputed
    assert (Precomputed() + Constant()).precomputed
    assert not Linear().precomputed
    with pytest.raises(DataError, match="no column for each of 30 rows"):
        gram(Precomputed(), K[:, :7], K)


# --- words, files, searches ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "kind"),
    [("rbf", Gaussian), ("gaussian", Gaussian), ("linear", Linear), ("poly", Polynomial), ("precomputed", Precomputed)],
)
def test_words_mean_kernels(word, kind):
    assert as_kernel(word) == kind()


@pytest.mark.parametrize("given", ["sigmoid", 3, None, lambda x, y: 1.0])
def test_other_words_are_refused(given):
    with pytest.raises(ParameterError, match="it must be a Kernel"):
        as_kernel(given)


def test_kernels_go_into_files_and_functions_do_not():
    forms = [dataclass_form(kind.__name__, kind) for kind in KERNELS]
    kernel = (
        2.0 * Gaussian(width=0.5) + Polynomial(2).on(["a", "b"])
    ) ** 2 * Linear().normalized().exp() + Multiquadric()
    encoder = Encoder(forms)
    assert Decoder(encoder.arrays, forms).decode(encoder.encode(kernel)) == kernel
    with pytest.raises(ModelFileError, match="nothing to call"):
        Encoder(forms).encode(Custom(len) + Linear())
    broken = {"Gaussian": {"gamma": -1.0, "width": None}}
    with pytest.raises(ModelFileError, match="gamma of Gaussian is -1"):
        Decoder({}, forms).decode(broken)


class Closest(BaseEstimator):
    """Predicts the target of the row that is most alike."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def fit(self, X, y):
        self.X_, self.y_ = X, y
        return self

    def predict(self, X):
        return self.y_[np.argmax(self.kernel(X, self.X_), axis=1)]

    def score(self, X, y):
        return float((self.predict(X) == y).mean())


def test_a_search_sets_nested_parameters():
    learner = Closest(Gaussian(1.0) * 2.0 + Polynomial(2))
    grid = {"kernel__left__kernel__gamma": [1e-3, 1.0], "kernel__right__degree": [1, 2]}
    search = GridSearchCV(learner, grid, cv=3).fit(X, (X[:, 0] > 0).astype(int))
    assert set(search.best_params_) == set(grid)
    best = search.best_estimator_.kernel
    assert best.left.kernel.gamma == search.best_params_["kernel__left__kernel__gamma"]
    assert learner.kernel == Gaussian(1.0) * 2.0 + Polynomial(2)
    assert clone(learner).kernel == learner.kernel
    swap = clone(learner).set_params(kernel=Linear() + Gaussian(), kernel__right__gamma=0.5)
    assert swap.kernel == Linear() + Gaussian(0.5)
