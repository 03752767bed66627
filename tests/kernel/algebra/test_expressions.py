"""Laws of kernels, for random expressions: positive semi-definite, differentiable, written and read back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from novacula.errors import ParameterError
from novacula.kernel.algebra import (
    Constant,
    Exponential,
    Gaussian,
    Kernel,
    KernelProduct,
    KernelSum,
    Linear,
    Multiquadric,
    Normalized,
    OnColumns,
    Polynomial,
    Power,
    Scaled,
    gram,
)

laws = settings(deadline=None)
NAMES = {
    kind.__name__: kind
    for kind in (
        Constant,
        Gaussian,
        Linear,
        Multiquadric,
        Polynomial,
        KernelSum,
        KernelProduct,
        Power,
        Scaled,
        Normalized,
        OnColumns,
    )
}
COLUMNS = 3

positive = st.floats(0.1, 2.0).map(lambda value: round(value, 3))
finite_maps = st.one_of(
    st.just(Linear()),
    st.builds(Constant, positive),
    st.builds(Polynomial, st.integers(1, 3), st.one_of(st.just(0.0), positive), positive),
)
leaves = st.one_of(finite_maps, st.builds(Gaussian, positive), positive.map(lambda width: Gaussian(width=width)))


def made_of(parts, exponentials=True):
    """One more step of the algebra; what is exponentiated is normalised, lest it overflow."""
    kinds = [
        st.builds(lambda a, b: a + b, parts, parts),
        st.builds(lambda a, b: a * b, parts, parts),
        st.builds(lambda a, c: c * a, parts, positive),
        st.builds(lambda a, n: a**n, parts, st.integers(1, 2)),
        st.builds(Kernel.normalized, parts),
        st.builds(
            Kernel.on, parts, st.lists(st.integers(0, COLUMNS - 1), min_size=COLUMNS, max_size=COLUMNS, unique=True)
        ),
    ]
    if exponentials:
        kinds.append(st.builds(lambda a: a.normalized().exp(), parts))
    return st.one_of(kinds)


kernels = st.recursive(leaves, made_of, max_leaves=4)
mapped = st.recursive(finite_maps, lambda parts: made_of(parts, exponentials=False), max_leaves=3)


@st.composite
def rows(draw, most=8):
    n = draw(st.integers(2, most))
    return np.random.default_rng(draw(st.integers(0, 2**32 - 1))).uniform(-1.0, 1.0, (n, COLUMNS))


# --- the algebra is closed ----------------------------------------------------------------------------------


@laws
@given(kernels, rows())
def test_every_expression_of_kernels_is_positive_semi_definite(kernel, X):
    assert kernel.positive is True
    K = kernel(X)
    values = np.linalg.eigvalsh(K)
    assert values[0] >= -1e-9 * values[-1]
    assert np.array_equal(K, K.T)
    assert kernel.is_psd(X)
    assert kernel.check(X).smallest == pytest.approx(values[0], abs=1e-9 * values[-1])


@laws
@given(kernels, rows(), rows())
def test_parts_of_a_gram_matrix_are_gram_matrices(kernel, X, Y):
    resolved = kernel.resolved(X)
    both = np.vstack([X, Y])
    whole = gram(resolved, both)
    size = np.abs(whole).max()
    np.testing.assert_allclose(whole[: len(X), len(X) :], resolved(X, Y), atol=1e-12 * size)
    np.testing.assert_allclose(np.diagonal(whole), resolved.diagonal(both), atol=1e-12 * size)


@laws
@given(leaves, leaves, positive, st.integers(1, 4), rows())
def test_operators_act_entry_by_entry(a, b, c, n, X):
    A, B = a(X), b(X)
    cases = [
        (a + b, A + B),
        (a * b, A * B),
        (a**n, A**n),
        (c * a, c * A),
        (a * c, c * A),
        (np.float64(c) * a, c * A),
        (a + np.float64(c), A + c),
        (a + c, A + c),
        (c + a, c + A),
        ((0.01 * a).exp(), np.exp(0.01 * A)),
        (a.normalized(), A / np.sqrt(np.outer(np.diagonal(A), np.diagonal(A)))),
    ]
    for kernel, expected in cases:
        np.testing.assert_allclose(kernel(X), expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max())


# --- features -----------------------------------------------------------------------------------------------


@laws
@given(mapped, rows(4), rows(4))
def test_products_of_features_are_the_kernel(kernel, X, Y):
    if kernel.resolved(X).n_features(COLUMNS) > 3000:
        return
    K = kernel(X, Y)
    phi, psi = kernel.features(X), kernel.features(Y)
    assert phi.shape[1] == len(kernel.feature_names(COLUMNS)) == kernel.n_features(COLUMNS)
    np.testing.assert_allclose(phi @ psi.T, K, atol=1e-10 * max(1.0, np.abs(phi).max() * np.abs(psi).max()))


# --- parameters ---------------------------------------------------------------------------------------------


@laws
@given(st.recursive(st.one_of(leaves, st.builds(Multiquadric, positive)), made_of, max_leaves=4), rows(6))
def test_gradients_are_central_differences(kernel, X):
    resolved = kernel.resolved(X)
    theta, step = resolved.log_parameters, 1e-5
    found = list(resolved.gradients(X))
    assert len(found) == len(resolved.free) == len(theta)
    size = np.abs(gram(resolved, X)).max()
    for i, gradient in enumerate(found):
        shift = step * (np.arange(len(theta)) == i)
        up, down = (gram(resolved.with_log_parameters(theta + s), X) for s in (shift, -shift))
        np.testing.assert_allclose(gradient, (up - down) / (2.0 * step), rtol=1e-5, atol=1e-6 * size)


@laws
@given(kernels, rows(6), rows(4))
def test_gradients_between_rows_are_a_part_of_those_of_all(kernel, X, Y):
    both = np.vstack([X, Y])
    resolved = kernel.resolved(both)
    for part, whole in zip(resolved.gradients(X, Y), resolved.gradients(both), strict=True):
        np.testing.assert_allclose(part, whole[: len(X), len(X) :], rtol=1e-9, atol=1e-12 * np.abs(whole).max())


@laws
@given(kernels)
def test_what_is_written_is_read_back(kernel):
    assert eval(repr(kernel), dict(NAMES)) == kernel
    assert repr(eval(repr(kernel), dict(NAMES))) == repr(kernel)


@laws
@given(kernels, rows())
def test_parameters_can_be_read_set_and_cloned(kernel, X):
    copied = clone(kernel, safe=False)
    assert copied == kernel
    assert copied is not kernel
    before = kernel.get_params()
    for name in kernel.free:
        copied.set_params(**{name: 2.5})
        assert copied.get_params()[name] == 2.5
        assert kernel.get_params()[name] == before[name]
    with pytest.raises(ParameterError, match="has no parameter 'nothing'"):
        kernel.set_params(nothing=1.0)
    theta = kernel.log_parameters
    again = kernel.with_log_parameters(theta)
    np.testing.assert_allclose(again(X), kernel(X), rtol=1e-9)


@given(kernels, kernels)
@laws
def test_equal_kernels_are_written_alike(one, other):
    assert (one == other) == (repr(one) == repr(other))


def test_every_composition_is_among_the_expressions():
    found = (Linear() + Gaussian()) * (2.0 * Linear() ** 2).exp().normalized().on([0])
    assert isinstance(found, KernelProduct)
    assert isinstance(found.right, OnColumns)
    assert isinstance(found.right.kernel, Normalized)
    assert isinstance(found.right.kernel.kernel, Exponential)
    assert isinstance(found.right.kernel.kernel.kernel, Scaled)
    assert isinstance(found.right.kernel.kernel.kernel.kernel, Power)
