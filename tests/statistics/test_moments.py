"""ClassMoments against exact rational arithmetic and pandas."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from novacula.statistics import ClassMoments


def exact_moments(values, weights):
    """Weight, mean and squared deviations in rational arithmetic, rounded once at the end."""
    pairs = [(Fraction(v), Fraction(w)) for v, w in zip(values, weights, strict=True) if v == v and w > 0]
    total = sum(w for _, w in pairs)
    mean = sum(w * v for v, w in pairs) / total
    return float(total), float(mean), float(sum(w * (v - mean) ** 2 for v, w in pairs))


@pytest.mark.parametrize(("mean", "rtol"), [(0.0, 1e-12), (1e8, 1e-7), (-3e11, 1e-4)])
def test_equals_rational_arithmetic_however_far_from_zero(chunk_of, rng, mean, rtol):
    n, d, n_classes = 1500, 3, 4  # several blocks, none of them full at the end
    x = rng.normal(mean, 1.0, size=(n, d))
    x[rng.random((n, d)) < 0.1] = np.nan
    code, weight = rng.integers(0, n_classes, n).astype(np.int32), rng.integers(0, 4, n) / 4
    seen = ClassMoments.observe(chunk_of(x, weight=weight, target=code), n_classes)
    for k in range(n_classes):
        for j in range(d):
            total, middle, ssd = exact_moments(x[code == k, j], weight[code == k])
            assert seen.weight[k, j] == total
            assert seen.mean[k, j] == pytest.approx(middle, rel=1e-15, abs=1e-15)
            assert seen.ssd[k, j] == pytest.approx(ssd, rel=rtol)


@pytest.mark.parametrize("kind", ["rising", "an outlier first", "a light outlier first", "heavier and heavier"])
def test_no_order_of_rows_costs_digits(chunk_of, rng, kind):
    """Squares are taken about the mean of earlier rows, which must not be one that lies far off and weighs little."""
    x, weight = rng.normal(5.0, 1.0, 1500), np.ones(1500)
    if kind == "rising":
        x.sort()
    elif kind == "heavier and heavier":
        x, weight = x + np.arange(1500) // 256 * 1e6, 16.0 ** (np.arange(1500) // 256)
    else:
        x[0], weight[0] = 1e9, 1.0 if kind == "an outlier first" else 1e-30
    seen = ClassMoments.observe(chunk_of(x[:, None], weight=weight))
    total, middle, ssd = exact_moments(x, weight)
    assert seen.weight.item() == pytest.approx(total, rel=1e-15)
    assert seen.mean.item() == pytest.approx(middle, rel=1e-14)
    assert seen.ssd.item() == pytest.approx(ssd, rel=1e-13)


@pytest.mark.parametrize(("n_classes", "d"), [(700, 2), (3, 30), (2, 32), (3, 33), (2, 70)])
def test_equals_pandas_however_many_classes_and_columns(chunk_of, rng, n_classes, d):
    n = 5000  # 700 classes are more than a block has rows
    x, code = rng.normal(size=(n, d)), rng.integers(0, n_classes, n).astype(np.int32)
    seen = ClassMoments.observe(chunk_of(x, target=code), n_classes)
    groups = pd.DataFrame(x).groupby(code)
    present = groups.size().index.to_numpy()
    np.testing.assert_array_equal(seen.weight[present], groups.count())
    np.testing.assert_allclose(seen.mean[present], groups.mean(), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(seen.ssd[present], groups.var(ddof=0).mul(groups.size(), axis=0), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(seen.low[present], groups.min())
    np.testing.assert_array_equal(seen.high[present], groups.max())


def test_a_cell_without_values_is_empty(chunk_of):
    seen = ClassMoments.observe(chunk_of([[np.nan], [1.0]], target=np.array([0, 0], np.int32)), n_classes=2)
    assert seen.weight.tolist() == [[1.0], [0.0]]
    assert (seen.mean[1, 0], seen.ssd[1, 0], seen.low[1, 0], seen.high[1, 0]) == (0.0, 0.0, np.inf, -np.inf)


def test_one_class_does_not_look_at_the_target(chunk_of):
    seen = ClassMoments.observe(chunk_of([[1.0], [3.0]], target=[0.5, 0.7]))
    assert (seen.weight.item(), seen.mean.item(), seen.ssd.item()) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize("values", [[1.0, np.inf], [-np.inf, 1.0], [np.inf, -np.inf], [np.inf, np.inf]])
def test_infinite_values_surface_in_the_mean_quietly(chunk_of, values):
    x = np.column_stack([np.repeat(values, 300), np.ones(600)])
    chunk = chunk_of(x)
    seen = ClassMoments.observe(chunk)
    parts = ClassMoments.observe(chunk.rows(0, 200)) + ClassMoments.observe(chunk.rows(200, 600))
    zero = ClassMoments.zero(1, 2)
    for moments in (seen, parts, zero + seen, seen + zero):
        assert np.isfinite(moments.mean).tolist() == [[False, True]]
        assert (moments.mean[0, 1], moments.ssd[0, 1]) == (1.0, 0.0)
    assert (zero + seen).departure(seen) == (seen + zero).departure(seen) == ""
