"""The work of a kernel: its arithmetic comes to the kernel, for any kernel, and hostile names do no harm."""

import numpy as np
import pandas as pd
import pytest

from novacula.checks import check_equations
from novacula.checks.samples import NASTY_NAMES
from novacula.checks.work import html_fault
from novacula.errors import ParameterError
from novacula.kernel.algebra import Constant, Custom, Gaussian, Linear, Multiquadric, Polynomial, Precomputed

rng = np.random.default_rng(0)
KERNELS = [
    Linear(),
    Constant(2.0),
    Polynomial(2, coef0=0),
    Polynomial(4, 0.5, 0.1),
    Gaussian(0.2),
    Gaussian(width=1e-3),
    Multiquadric(),
    Custom(lambda x, y: float(x @ y)),
    2.0 * Linear().on([3]) + Polynomial(2).on([0, 1]).normalized(),
    Linear().exp(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_products_of_the_features_shown_are_the_kernel(kernel):
    X = 0.3 * rng.normal(size=(50, 4))
    check_equations(kernel, X)
    check_equations(kernel, X, detail="full")
    values = [equation.value for equation in kernel.work(X).equations if equation.left == "k(x, y)"]
    assert values[0] == pytest.approx(kernel(X)[0, 1], rel=1e-9)
    own = kernel.work()
    assert [equation.fault() for equation in own.equations] == [None] * len(list(own.equations))
    assert "The Gram matrix" in own.to_text()


def test_k_of_the_gaussian_is_k_and_not_what_its_series_grows_with():
    [value] = [e for e in Gaussian(1.0).work([[0.0], [1.0]]).equations if len(e.right) == 2]
    assert value.left == "k(x, y)"
    assert value.value == pytest.approx(np.exp(-1.0))


@pytest.mark.parametrize("how", [{"digits": 0}, {"notation": "bishop"}, {"iteration": 1}, {"rows": 0}])
def test_what_cannot_be_asked_of_a_kernel(how):
    with pytest.raises(ParameterError, match=next(iter(how))):
        Linear().work(**how)


def test_the_series_of_the_gaussian_comes_near_it():
    x = np.array([[0.3, 0.4], [0.5, 0.1]])
    [table] = [step.table for step in Gaussian(1.0).work(x) if step.title == "The power series"]
    assert table.rows[-1][2] == pytest.approx(np.exp(-((x[0] - x[1]) ** 2).sum()), abs=1e-4)


def test_numbers_for_words_are_reported():
    X = rng.normal(size=(40, 2))
    notes = " ".join(Gaussian().work(X).notes)
    assert f"gamma={Gaussian().resolved(X).gamma!r}" in notes
    assert "The first 30 of 40 rows" in notes


def test_hostile_names_do_no_harm():
    frame = pd.DataFrame(rng.normal(size=(3, len(NASTY_NAMES))), columns=list(NASTY_NAMES))
    work = Polynomial(2).on(list(NASTY_NAMES[:3])).work(frame)
    page = work.to_html()
    assert "<script" not in page
    assert html_fault(page) is None


def test_a_precomputed_matrix_is_judged():
    work = Precomputed().work(Gaussian(0.5)(rng.normal(size=(4, 2))))
    assert "positive semi-definite" in next(step for step in work if step.title == "The Gram matrix").note
    assert [step.title for step in Precomputed().work(np.ones((2, 3)))] == ["Features"]
