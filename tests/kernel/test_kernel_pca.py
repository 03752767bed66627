"""Kernel PCA: PCA on explicit features, scikit-learn's, the geometry of scores, weights, and the way back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.decomposition import KernelPCA as Rival

from novacula.checks import check_equations
from novacula.errors import DataError, DataWarning, ParameterError
from novacula.kernel.algebra import Gaussian, Linear, Multiquadric, Polynomial, Precomputed
from novacula.kernel.kernel_pca import KernelPCA
from novacula.learner.files import load, save
from novacula.projection import PCA

laws = settings(deadline=None, max_examples=25)
seeds = st.integers(0, 2**32 - 1)


def rows(seed, n=20, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * np.arange(1, d + 1) + rng.normal(size=d)


def same_up_to_sign(one, other, atol):
    np.testing.assert_allclose(one * np.sign((one * other).sum(axis=0)), other, atol=atol)


# --- relatives ----------------------------------------------------------------------------------------------


@laws
@given(seeds)
def test_a_linear_kernel_is_pca(seed):
    X, Q = rows(seed), rows(seed + 1)
    model, plain = KernelPCA().fit(X), PCA().fit(X)
    assert len(model.eigenvalues_) == 3
    np.testing.assert_allclose(model.eigenvalues_, plain.singular_values_**2, rtol=1e-9)
    np.testing.assert_allclose(model.explained_variance_ratio_, plain.explained_variance_ratio_, rtol=1e-9)
    same_up_to_sign(model.transform(Q), plain.transform(Q), atol=1e-6)


def test_a_polynomial_kernel_is_pca_on_its_features():
    X, kernel = rows(1), Polynomial(degree=2, coef0=1.0, gamma=0.1)
    features = kernel.features(X)
    model, plain = KernelPCA(4, kernel=kernel).fit(X), PCA(4).fit(features)
    np.testing.assert_allclose(model.eigenvalues_, plain.singular_values_**2, rtol=1e-8)
    same_up_to_sign(model.transform(X), plain.transform(features), atol=1e-7)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("linear", {"kernel": "linear"}),
        (Gaussian(gamma=0.1), {"kernel": "rbf", "gamma": 0.1}),
        (
            Polynomial(degree=3, coef0=2.0, gamma=0.1),
            {"kernel": "poly", "degree": 3, "coef0": 2.0, "gamma": 0.1},
        ),
    ],
)
def test_it_is_scikit_learns_with_the_way_back(ours, theirs):
    X, Q = rows(2, n=40), rows(3)
    model = KernelPCA(3, kernel=ours, fit_inverse_transform=True, alpha=0.3).fit(X)
    rival = Rival(3, fit_inverse_transform=True, alpha=0.3, eigen_solver="dense", **theirs).fit(X)
    np.testing.assert_allclose(model.eigenvalues_, rival.eigenvalues_, rtol=1e-9)
    same_up_to_sign(model.transform(Q), rival.transform(Q), atol=1e-8)
    same_up_to_sign(model.eigenvectors(), rival.eigenvectors_, atol=1e-8)
    back = rival.inverse_transform(rival.transform(Q))
    np.testing.assert_allclose(model.inverse_transform(model.transform(Q)), back, atol=1e-6)


# --- what scores are ----------------------------------------------------------------------------------------


@laws
@given(seeds, st.sampled_from([Gaussian(gamma=0.2), 2.0 * Linear() + 1.0, Gaussian(gamma=0.05) + Linear()]))
def test_all_scores_keep_the_distances_of_the_features(seed, kernel):
    X = rows(seed, n=8)
    z, K = KernelPCA(kernel=kernel).fit(X).transform(X), kernel(X)
    square = np.diagonal(K)
    distance = square[:, None] + square - 2.0 * K
    np.testing.assert_allclose(np.square(z[:, None] - z).sum(axis=2), distance, atol=1e-7 * max(1.0, distance.max()))


@laws
@given(seeds)
def test_scores_have_mean_zero_their_eigenvalue_and_no_correlation(seed):
    X = rows(seed)
    model = KernelPCA(4, kernel=Gaussian(gamma=0.1)).fit(X)
    z = model.transform(X)
    np.testing.assert_allclose(z.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(z.T @ z, np.diag(model.eigenvalues_), atol=1e-8 * model.eigenvalues_[0])
    np.testing.assert_allclose(model.eigenvectors().T @ model.eigenvectors(), np.eye(4), atol=1e-9)
    assert (z[np.abs(z).argmax(axis=0), np.arange(4)] > 0.0).all()


@laws
@given(seeds, st.sampled_from([Linear(), Gaussian(gamma="scale")]))
def test_weights_are_repetitions(seed, kernel):
    X = rows(seed, n=10)
    weight = np.random.default_rng(seed).integers(0, 4, len(X))
    weight[:4] = 1, 2, 1, 3
    again = np.repeat(np.arange(len(X)), weight)
    one = KernelPCA(2, kernel=kernel, fit_inverse_transform=True).fit(X, sample_weight=weight)
    other = KernelPCA(2, kernel=kernel, fit_inverse_transform=True).fit(X[again])
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(one.explained_variance_ratio_, other.explained_variance_ratio_, rtol=1e-8)
    z = one.transform(X)
    np.testing.assert_allclose(z, other.transform(X), atol=1e-6 * np.abs(z).max())
    back = one.inverse_transform(z)
    np.testing.assert_allclose(back, other.inverse_transform(z), atol=1e-5 * np.abs(back).max())


# --- kinds of rows, files, work -----------------------------------------------------------------------------


def test_sparse_rows_and_a_precomputed_matrix_give_the_same():
    X, weight, kernel = rows(4), np.arange(20) % 3, Gaussian(gamma=0.2)
    X[np.abs(X) < 0.5] = 0.0
    model = KernelPCA(3, kernel=kernel).fit(X, sample_weight=weight)
    thin = KernelPCA(3, kernel=kernel).fit(sparse.csr_matrix(X), sample_weight=weight)
    given_matrix = KernelPCA(3, kernel=Precomputed()).fit(kernel(X), sample_weight=weight)
    np.testing.assert_allclose(thin.transform(sparse.csr_matrix(X)), model.transform(X), atol=1e-9)
    np.testing.assert_allclose(given_matrix.transform(kernel(X)), model.transform(X), atol=1e-9)


def test_a_file_brings_it_back(tmp_path):
    X, known = rows(5), {"kernel-pca": KernelPCA}
    model = KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(X)
    save(model, tmp_path / "m.nova", registry=known)
    loaded = load(tmp_path / "m.nova", registry=known)
    np.testing.assert_array_equal(model.transform(X), loaded.transform(X))
    np.testing.assert_array_equal(model.inverse_transform(X[:, :2]), loaded.inverse_transform(X[:, :2]))


def test_columns_are_named_and_frames_come_out_as_asked():
    model = KernelPCA(2).fit(rows(5))
    assert model.get_feature_names_out().tolist() == ["kernelpca0", "kernelpca1"]
    pytest.importorskip("pandas")
    assert list(model.set_output(transform="pandas").transform(rows(5)).columns) == ["kernelpca0", "kernelpca1"]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_work_comes_to_what_the_model_says(weighted):
    X = rows(6)
    model = KernelPCA(kernel=Gaussian(gamma=0.1)).fit(X, sample_weight=np.arange(20) % 3 if weighted else None)
    check_equations(model)
    check_equations(model, X[:3])
    assert any(step.figure for step in model.work())


def test_no_more_directions_than_rows_vary_along():
    with pytest.warns(DataWarning, match="vary along 3 directions only"):
        model = KernelPCA(5).fit(rows(7))
    assert model.transform(rows(7)).shape == (20, 3)


def test_what_cannot_be_is_refused():
    X = rows(8)
    with pytest.raises(DataError, match="no direction"):
        KernelPCA().fit(np.ones((5, 2)))
    with pytest.raises(ParameterError, match="no features"):
        KernelPCA(kernel=Multiquadric()).fit(X)
    with pytest.raises(ParameterError, match="fit_inverse_transform=True"):
        KernelPCA(2).fit(X).inverse_transform(X[:, :2])
    with pytest.raises(DataError, match="X has 3 columns, but there are 2 components"):
        KernelPCA(2, fit_inverse_transform=True).fit(X).inverse_transform(X)
    with pytest.raises(ParameterError, match="compares scores"):
        KernelPCA(2, kernel=Linear().on([0]), fit_inverse_transform=True).fit(X)
    with pytest.raises(DataError, match=r"3 matrices of 10,001 × 10,001 numbers, 2\.4 GB"):
        KernelPCA().fit(np.zeros((10_001, 1)))


def test_a_matrix_that_overflows_is_refused():
    rows = np.array([[1e140, -1e140], [-1e140, 1e140], [0.0, 1e140]])
    with pytest.raises(DataError, match=r"no finite solution: column 'x0' reaches 1e\+140 in size; divide it"):
        KernelPCA(1, kernel="linear").fit(rows, sample_weight=np.full(3, 1e49))


@pytest.mark.parametrize("size", [0.1, 1e140])
def test_what_rounding_leaves_of_equal_rows_is_no_direction(size):
    """The shares of the directions were negative."""
    rows = np.full((30, 5), size) * [1.0, -1.0, -1.0, 1.0, -1.0]
    with pytest.raises(DataError, match="do not differ in the features of the kernel"):
        KernelPCA(1, kernel="linear").fit(rows)
    with pytest.raises(DataError, match="do not differ in the features of the kernel"):
        KernelPCA().fit(rows[:6])  # of which rounding leaves negative eigenvalues too
