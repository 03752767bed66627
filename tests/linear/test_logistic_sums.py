"""The sums of logistic regression: laws of statistics, and finite differences for every gradient and Hessian."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, log_softmax

from novacula.checks import check_statistic
from novacula.linear.logistic.columns import ClassColumns
from novacula.linear.logistic.separation import Leads
from novacula.linear.logistic.sums import Frame, LogisticSums
from novacula.table import Chunk

laws = settings(deadline=None, max_examples=20)


def make(seed, classes, sparse=False, n=40):
    """Rows of three dense and maybe two sparse columns, a frame and parameters."""
    rng = np.random.default_rng(seed)
    chunk = Chunk(
        rng.normal(size=(n, 3)),
        np.empty((n, 0), np.int32),
        rng.integers(0, 3, n).astype(float),
        scipy.sparse.random(n, 2, 0.5, format="csr", random_state=seed % 1000) if sparse else None,
        target=rng.integers(0, classes, n).astype(np.int32),
    )
    d = 5 if sparse else 3
    centre = np.append(rng.normal(size=3), np.zeros(d - 3))
    frame = Frame(centre, True, rng.uniform(0.5, 2.0, classes))
    return chunk, frame, rng.normal(size=(1 if classes == 2 else classes, d + 1))


def by_hand(chunk, frame, w, loss="cross_entropy"):
    """The sum of losses, written out."""
    x = np.column_stack([chunk.dense() - frame.centre, np.ones(len(chunk))])
    weight = chunk.weight * frame.factor[chunk.target]
    m = x @ w.T
    if loss == "squared":
        return 0.5 * weight @ (chunk.target - expit(m[:, 0])) ** 2
    m = np.column_stack([np.zeros(len(x)), m]) if m.shape[1] == 1 else m
    return -weight @ log_softmax(m, axis=1)[np.arange(len(x)), chunk.target]


seeds = st.integers(0, 2**32 - 1)


@laws
@given(seeds, st.sampled_from([2, 3]), st.booleans())
def test_the_laws_of_statistics(seed, classes, sparse):
    chunk, frame, w = make(seed, classes, sparse)
    curved = np.arange(w.shape[1], dtype=np.int32)
    zero = LogisticSums.zero(*w.shape, len(curved))
    check_statistic(lambda piece: LogisticSums.observe(piece, w, frame, "cross_entropy", curved), chunk, zero)
    check_statistic(lambda piece: LogisticSums.observe(piece, w, frame), chunk, LogisticSums.zero(*w.shape))
    check_statistic(lambda piece: Leads.observe(piece, w, frame), chunk, Leads.zero())
    columns = ClassColumns.zero(classes, len(frame.centre))
    unmoved = () if sparse else ("ssd",)
    check_statistic(lambda piece: ClassColumns.observe(piece, classes), chunk, columns, unmoved=unmoved)


@laws
@given(seeds, st.sampled_from([2, 3, 4]), st.booleans(), st.sampled_from(["cross_entropy", "squared"]))
def test_losses_and_gradients(seed, classes, sparse, loss):
    classes = 2 if loss == "squared" else classes
    chunk, frame, w = make(seed, classes, sparse)
    sums = LogisticSums.observe(chunk, w, frame, loss)
    assert sums.loss == pytest.approx(by_hand(chunk, frame, w, loss), rel=1e-12)
    for place in np.ndindex(w.shape):
        move = np.zeros_like(w)
        move[place] = 1e-6
        ahead, behind = by_hand(chunk, frame, w + move, loss), by_hand(chunk, frame, w - move, loss)
        assert sums.gradient[place] == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-6)


@laws
@given(seeds, st.sampled_from([2, 3]), st.booleans())
def test_hessians_of_all_and_of_some_columns(seed, classes, sparse):
    chunk, frame, w = make(seed, classes, sparse)
    every = np.arange(w.shape[1], dtype=np.int32)
    sums = LogisticSums.observe(chunk, w, frame, "cross_entropy", every)
    for i, place in enumerate(np.ndindex(w.shape)):
        move = np.zeros_like(w)
        move[place] = 1e-5
        ahead, behind = (LogisticSums.observe(chunk, w + sign * move, frame).gradient for sign in (1, -1))
        np.testing.assert_allclose(sums.hessian[i], ((ahead - behind) / 2e-5).ravel(), rtol=1e-5, atol=1e-6)
    some = every[[0, 2, -1]]
    part = LogisticSums.observe(chunk, w, frame, "cross_entropy", some).hessian
    chosen = (np.arange(len(w))[:, None] * w.shape[1] + some).ravel()
    np.testing.assert_allclose(part, sums.hessian[np.ix_(chosen, chosen)], atol=1e-12)


@pytest.mark.parametrize("size", [1.0, 30.0, 800.0, 1e6])
def test_margins_of_any_size_give_finite_sums(size):
    chunk, frame, w = make(0, 2)
    sums = LogisticSums.observe(chunk, size * w, frame)
    assert sums.loss == pytest.approx(by_hand(chunk, frame, size * w), rel=1e-12)
    assert np.isfinite(sums.gradient).all()


def test_kernels_reach_the_digits_of_the_library():
    from novacula.linear.logistic._kernels import logistic_losses, softmax_losses

    m = np.concatenate([np.linspace(-745.0, 745.0, 4001), np.logspace(-18, 1, 200)])
    code, weight, root = (np.arange(len(m)) % 2).astype(np.int32), np.ones(len(m)), np.empty(len(m))
    residual = m.copy()
    total = logistic_losses(residual, code, weight, root)
    np.testing.assert_allclose(residual, expit(m) - code, rtol=1e-14, atol=1e-300)
    inside = np.abs(m) < 690
    np.testing.assert_allclose(root[inside] ** 2, (expit(m) * expit(-m))[inside], rtol=1e-13)
    assert total == pytest.approx(np.logaddexp(0.0, np.where(code, -m, m)).sum(), rel=1e-13)
    rows = np.random.default_rng(0).normal(size=(500, 7)) * 50
    code = np.arange(500, dtype=np.int32) % 7
    probability, residual = rows.copy(), np.empty_like(rows)
    total = softmax_losses(probability, code, np.full(500, 2.0), residual)
    known = log_softmax(rows, axis=1)
    np.testing.assert_allclose(probability, np.exp(known), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(residual, 2.0 * (probability - np.eye(7)[code]), atol=1e-15)
    assert total == pytest.approx(-2.0 * known[np.arange(500), code].sum(), rel=1e-13)
