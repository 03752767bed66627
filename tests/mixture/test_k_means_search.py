"""How many clusters: silhouettes against scikit-learn's, BIC by its definition, the elbow, and what is printed."""

import numpy as np
import pytest
import sklearn.cluster
from scipy import stats
from sklearn.metrics import silhouette_samples

import novacula as nv
from novacula.errors import DataError, ParameterError
from novacula.mixture import KMeans
from novacula.mixture.lloyd import silhouette
from novacula.mixture.lloyd.search import elbow
from novacula.mixture.lloyd.silhouette import silhouettes


def blobs(seed, n=400, k=4, d=2):
    rng = np.random.default_rng(seed)
    corners = 10.0 * np.array([[i % 2, i // 2] + [0] * (d - 2) for i in range(k)])
    return corners[rng.integers(0, k, n)] + rng.normal(size=(n, d))


@pytest.mark.parametrize("seed", range(4))
def test_silhouettes_equal_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    label = rng.integers(0, 5, len(X))
    label[0] = 5  # the only one of its cluster
    found = silhouettes(X, np.ones(len(X)), label, 6)
    np.testing.assert_allclose(found, silhouette_samples(X, label), rtol=1e-9, atol=1e-12)


def test_weights_are_repetition_in_silhouettes():
    rng = np.random.default_rng(0)
    X, weight, label = rng.normal(size=(40, 2)), rng.integers(1, 4, 40), rng.integers(0, 3, 40)
    repeated = silhouette_samples(np.repeat(X, weight, axis=0), np.repeat(label, weight))
    found = silhouettes(X, weight.astype(float), label, 3)
    np.testing.assert_allclose(np.repeat(found, weight), repeated, atol=1e-7)  # its distance of copies is not quite 0


def test_every_criterion_finds_four_clusters():
    X = blobs(0)
    found = KMeans.search(X, range(1, 8), n_init=3)
    assert found.choices == {"silhouette": 4, "bic": 4, "elbow": 4}
    assert found.best.n_clusters == 4
    other = sklearn.cluster.KMeans(4, n_init=5, random_state=0).fit(X)
    size = found.sizes[3]
    assert size.inertia == pytest.approx(other.inertia_, rel=1e-9)
    assert size.silhouette == pytest.approx(silhouette_samples(X, other.labels_).mean(), rel=1e-9)
    assert found.best.silhouette(X) == (size.silhouette, True)
    assert np.isnan(found.sizes[0].silhouette)
    assert "–" in str(found)
    assert "silhouette, bic, elbow" in str(found)
    assert "<table" in found._repr_html_()
    assert found.figure().svg().startswith("<svg")


def test_bic_is_that_of_equal_spherical_gaussians():
    X = blobs(1)
    model = KMeans(3).fit(X)
    n, d = X.shape
    share = model.cluster_weight_ / n
    deviation = np.sqrt(model.inertia_ / (n * d))
    density = stats.norm(model.cluster_centers_[model.labels_], deviation).logpdf(X).sum(axis=1)
    log_likelihood = (np.log(share[model.labels_]) + density).sum()
    free = 3 * d + 2 + 1  # centres, shares but the last, and the variance
    assert model.bic() == pytest.approx(free * np.log(n) - 2 * log_likelihood, rel=1e-12)


def test_many_rows_have_silhouettes_of_centres(monkeypatch):
    X = blobs(2, 600)
    exact = KMeans.search(X, [4])
    monkeypatch.setattr(silhouette, "LARGEST", 500)
    found = KMeans.search(X, [4])
    assert exact.exact
    assert not found.exact
    assert "of centres" in str(found)
    distance = np.sort(found.best.transform(X), axis=1)
    assert found.sizes[0].silhouette == pytest.approx((1 - distance[:, 0] / distance[:, 1]).mean(), rel=1e-12)


def test_searches_a_table(tmp_path):
    X = blobs(3, 300)
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", header="a,b", comments="", fmt="%.17g")
    found = KMeans.search(nv.read(str(tmp_path / "x.csv")), [3, 4, 5])
    assert found.best.n_clusters == 4
    np.testing.assert_allclose(found.sizes[1].inertia, KMeans(4).fit(X).inertia_, rtol=1e-9)


def test_sizes_that_cannot_be_fitted_are_noted():
    found = KMeans.search([[0.0], [0.1], [5.0], [5.1]], [2, 4, 6])
    assert found.best.n_clusters == 2
    assert "distinct rows" in found.sizes[2].note
    assert np.isnan(found.sizes[1].bic)
    with pytest.raises(DataError, match="distinct rows"):
        KMeans.search([[0.0], [1.0]], [3, 4])


def test_elbow_is_farthest_below_the_line():
    assert elbow([1, 2, 3, 4, 5], [100.0, 50.0, 10.0, 8.0, 6.0]) == 3
    assert elbow([2, 4, 8], [30.0, 20.0, 0.0]) == 2


def test_bad_arguments_are_refused():
    X = blobs(0, 30)
    with pytest.raises(ParameterError, match="criterion is 'gap'"):
        KMeans.search(X, criterion="gap")
    with pytest.raises(ParameterError, match="at least one number"):
        KMeans.search(X, [])
    with pytest.raises(ParameterError, match="an elbow takes three sizes"):
        KMeans.search(X, [2, 3], criterion="elbow")
