"""The room's own statistics obey the laws, and hold what their names say."""

import numpy as np
import pytest
import scipy.sparse

from novacula.checks import check_statistic
from novacula.projection.em import ExpectedMoments
from novacula.projection.gaussian import Normal, condition
from novacula.projection.pairs import PairMoments
from novacula.projection.ranking import RankingPlan, observe, observe_groups
from novacula.projection.sums import FeatureSpread, ScatterProduct, observe_scatter
from novacula.statistics import Bundle, ClassMoments, CoMoments
from novacula.table import Chunk


def dense(gaps=0.0, target=None, seed=0):
    rng = np.random.default_rng(seed)
    x = np.where(rng.random((60, 4)) < gaps, np.nan, rng.normal(size=(60, 4)))
    codes = rng.integers(-1, 3, (60, 2)).astype(np.int32)
    y = {None: None, "numbers": rng.normal(size=60), "classes": rng.integers(0, 3, 60).astype(np.int32)}[target]
    return Chunk(x, codes, np.ones(60), target=y)


def sparse(density=0.05):
    x = scipy.sparse.random(60, 12, density, format="csr", random_state=1)
    return Chunk(np.empty((60, 0)), np.empty((60, 0), np.int32), np.ones(60), sparse=x)


@pytest.mark.parametrize("chunk", [dense(), sparse(), sparse(0.6)])
def test_spread_and_scatter(chunk):
    d = chunk.dense().shape[1]
    check_statistic(FeatureSpread.observe, chunk, FeatureSpread.zero(d), unmoved=["ssd"])
    check_statistic(observe_scatter, chunk, CoMoments.zero(d))
    x = chunk.dense()
    np.testing.assert_allclose(FeatureSpread.observe(chunk).ssd, x.var(axis=0) * len(x))
    np.testing.assert_allclose(observe_scatter(chunk).scatter, np.cov(x.T, bias=True) * len(x), atol=1e-12)


def test_sparse_scatter_does_not_cancel():
    """Columns far from 0 are centred before they are multiplied, though that makes them dense."""
    x = np.zeros((50, 20))
    x[:, 3] = 1e8 + np.arange(50)
    chunk = Chunk(np.empty((50, 0)), np.empty((50, 0), np.int32), np.ones(50), sparse=scipy.sparse.csr_matrix(x))
    assert observe_scatter(chunk).scatter[3, 3] == pytest.approx(np.arange(50).var() * 50, rel=1e-12)


@pytest.mark.parametrize("chunk", [dense(), sparse()])
def test_products(chunk):
    x = chunk.dense()
    mean, q = x.mean(axis=0), np.random.default_rng(0).normal(size=(x.shape[1], 2))
    check_statistic(lambda c: ScatterProduct.observe(c, mean, q), chunk, ScatterProduct.zero(x.shape[1], 2))
    z = x - mean
    np.testing.assert_allclose(ScatterProduct.observe(chunk, mean, q).product, z.T @ z @ q, atol=1e-12)


def test_expected_moments():
    normal = Normal(np.zeros(4), np.eye(4) + 0.5)
    check_statistic(lambda c: ExpectedMoments.observe(c, normal), dense(gaps=0.3), ExpectedMoments.zero(4))


def test_conditioning_by_the_formula():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(4, 4))
    normal = Normal(rng.normal(size=4), A @ A.T)
    x = dense(gaps=0.4).numeric
    found = condition(x, np.ones(len(x)), normal)
    spread = np.zeros((4, 4))
    for row, filled in zip(x, found.filled, strict=True):
        o, m = ~np.isnan(row), np.isnan(row)
        bridge = normal.covariance[np.ix_(m, o)] @ np.linalg.inv(normal.covariance[np.ix_(o, o)])
        np.testing.assert_allclose(filled[m], normal.mean[m] + bridge @ (row[o] - normal.mean[o]), atol=1e-9)
        np.testing.assert_array_equal(filled[o], row[o])
        left = normal.covariance[np.ix_(m, m)] - bridge @ normal.covariance[np.ix_(o, m)]
        spread[np.ix_(m, m)] += left
    np.testing.assert_allclose(found.spread, spread, atol=1e-9)


def test_pairs():
    chunk = dense(gaps=0.3, target="numbers")
    check_statistic(PairMoments.observe, chunk, PairMoments.zero(4), unmoved=["xx", "xy", "yy"])
    pairs = PairMoments.observe(chunk)
    for j in range(4):
        known = ~np.isnan(chunk.numeric[:, j])
        C = np.cov(chunk.numeric[known, j], chunk.target[known], bias=True) * known.sum()
        np.testing.assert_allclose([pairs.xx[j], pairs.xy[j], pairs.yy[j]], [C[0, 0], C[0, 1], C[1, 1]])


@pytest.mark.parametrize("score", ["correlation", "mutual_information", "gain"])
@pytest.mark.parametrize("target", ["numbers", "classes"])
def test_what_a_ranking_counts(score, target):
    chunk = dense(gaps=0.2, target=target)
    informs = score != "correlation"
    edges = np.array([-0.5, 0.5]) if target == "numbers" and informs else None
    plan = RankingPlan(score, 0 if target == "numbers" and not informs else 3, (3, 3), edges)
    check_statistic(lambda c: observe(c, plan), chunk, observe(chunk.rows(0, 0), plan))


def test_groups_of_a_numeric_target():
    chunk = dense(target="numbers")
    groups = observe_groups(chunk, 0, 3)
    for code in range(3):
        y = chunk.target[chunk.codes[:, 0] == code]
        np.testing.assert_allclose([groups.weight[code, 0], groups.mean[code, 0]], [len(y), y.mean()])
    assert isinstance(groups, ClassMoments)
    assert isinstance(observe(chunk, RankingPlan("anova", 0, (3, 3))), Bundle)
