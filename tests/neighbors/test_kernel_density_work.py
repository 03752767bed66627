"""The derivation of widths and densities, the pictures, files, and tables in pieces."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

import novacula as nv
from novacula.checks import check_equations, check_work
from novacula.neighbors import KernelDensity

SETTINGS = [
    {},
    {"bandwidth": [0.5, 0.7], "kernel": "cosine"},
    {"bandwidth": 0.5, "spread": "full"},
    {"bandwidth": "scott"},
    {"bandwidth": "silverman", "kernel": "exponential", "spread": "full"},
    {"bandwidth": "isj", "kernel": "linear"},
    {"bandwidth": "cv_ml", "kernel": "epanechnikov"},
    {"bandwidth": "scott", "rtol": 0.05},
    {"bandwidth": 0.4, "boundary": "reflect", "bounds": [(-9, 9), (None, 8)]},
]


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_work_comes_to_what_the_model_says(options, weighted):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(120, 2)), rng.uniform(0.5, 2.0, 120)
    model = KernelDensity(**options).fit(X, sample_weight=weight if weighted else None)
    check = check_work if weighted else check_equations
    check(model)
    check(model, np.vstack([X[:2], [[4.0, 4.0], [7.9, -8.0]]]))


def test_the_work_in_the_tails_and_beyond_the_kernel():
    X = np.random.default_rng(0).normal(size=(50, 1))
    far = [[900.0], [-50.0]]
    check_work(KernelDensity(0.2).fit(X), far)
    check_work(KernelDensity(0.2, atol=1e-3).fit(X), far)
    check_work(KernelDensity(0.2, atol=1e-290).fit(X), far)
    check_work(KernelDensity(0.2, kernel="tophat").fit(X), far)
    check_work(KernelDensity(0.2, algorithm="grid").fit(X), [[0.1], [900.0]])
    check_work(KernelDensity(0.2, boundary="reflect", bounds=(-4, 4)).fit(X), [[-4.0], [5.0]])
    check_work(KernelDensity(0.2).fit(X), [[1e160]])
    assert "beyond bounds" in str(KernelDensity(0.2, boundary="reflect", bounds=(-4, 4)).fit(X).work([[5.0]]))


def test_an_approximation_is_held_to_its_bound():
    X = np.random.default_rng(0).normal(size=(5000, 1))
    model = KernelDensity(0.2, rtol=0.3).fit(X)
    assert any(equation.sign == "≤" for equation in model.work([[0.1]]).equations)
    check_work(model, [[0.1]])


def test_terms_of_many_rows_are_summed_from_the_rows():
    X = np.random.default_rng(0).normal(size=(5000, 1))
    model = KernelDensity("scott").fit(X)
    check_work(model)
    check_work(model, X[:2])
    [density] = [equation for equation in model.work(X[:1]).equations if equation.of]
    assert density.rest["i"] > 0.0


def test_few_rows_are_derived_and_the_work_says_so():
    model = KernelDensity().fit([[0.0], [1.0]])
    assert "first 3 rows" in str(model.work(np.zeros((6, 1))))
    assert "first 6 rows" not in str(model.work(np.zeros((6, 1)), rows=6))


@pytest.mark.parametrize("d", [1, 2])
def test_pictures_under_hostile_names(d):
    names = ["$\\bad$", "<script>alert(1)</script>" * 9][:d]
    X = np.random.default_rng(0).normal(size=(700, d))
    model = KernelDensity("scott").fit(pa.table(dict(zip(names, X.T, strict=True))))
    figure = model.work()[-1].figure
    assert figure.png().startswith(b"\x89PNG")
    assert "<script" not in model.work().to_html()


@pytest.mark.parametrize("kernel", ["gaussian", "tophat"])
@pytest.mark.parametrize("width", [1e-5, 1e4])
def test_pictures_of_hills_too_narrow_or_too_wide_to_see(kernel, width):
    for d in (1, 2):
        model = KernelDensity(width, kernel=kernel).fit(np.random.default_rng(0).normal(size=(20, d)))
        assert model.work()[-1].figure.png().startswith(b"\x89PNG")


def test_three_columns_have_no_picture():
    assert KernelDensity().fit(np.eye(3)).work()[-1].figure is None


@pytest.mark.parametrize("kernel", ["gaussian", "cosine"])
def test_a_model_that_was_asked_can_be_pickled_and_saved(kernel, tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 1))
    model = KernelDensity("cv_ml", kernel=kernel, boundary="reflect", bounds=(-9, None)).fit(X)
    scores = model.score_samples(X)
    model.save(tmp_path / "model.nova")
    for other in (pickle.loads(pickle.dumps(model)), nv.load(tmp_path / "model.nova")):
        assert np.array_equal(other.score_samples(X), scores)
        assert np.array_equal(other.sample(3, random_state=0), model.sample(3, random_state=0))


def test_the_model_keeps_rows_of_its_own():
    X = np.zeros((3, 1))
    model = KernelDensity().fit(X)
    before = model.score_samples([[0.5]])
    X[:] = 100.0
    assert model.score_samples([[0.5]]) == before
    assert KernelDensity().fit(X).score_samples([[0.5]]) < before


def test_a_second_fit_forgets_the_first():
    model = KernelDensity("cv_ml", algorithm="grid").fit(np.random.default_rng(0).normal(size=(30, 1)))
    model.density_on_grid()
    model.set_params(bandwidth=0.1).fit([[50.0]])
    assert not hasattr(model, "trial_")
    assert model.density_on_grid(11).x[5] == 50.0


def test_a_table_from_files(tmp_path):
    X = np.random.default_rng(0).normal(size=(500, 2)).round(3)
    path = tmp_path / "rows.csv"
    np.savetxt(path, X, delimiter=",", header="a,b", comments="", fmt="%.3f")
    table = nv.read(str(path))
    model = KernelDensity("scott").fit(table)
    memory = KernelDensity("scott").fit(X)
    np.testing.assert_allclose(model.score_samples(table), memory.score_samples(X), rtol=1e-9)
