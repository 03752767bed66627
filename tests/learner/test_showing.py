"""What can be asked of a work, what is refused in one sentence, and that the base applies it."""

import warnings
from typing import ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_iris

from novacula.errors import DataError, ParameterError
from novacula.kernel import SVC, KernelPCA, KernelRidge
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Step, Work
from novacula.linear import LogisticRegression, Perceptron
from novacula.mathematics import Equation
from novacula.mixture import KMeans
from novacula.neural import RBFNetworkRegressor


class Shown(ShowsWork):
    notations: ClassVar = {"mitchell": {"b": "w_0"}}

    def _derive(self, options):
        values = {"b": 1 / 3, "x": np.arange(1, 13)}
        return Work("A sum", [Step("s", Equation("y", "b + sum(x[j] for j in _)", values))] * (1 + options.is_full))

    def _derive_answers(self, X, options):
        return Work("Answers", [Step(f"row {i + 1}") for i in range(len(X))][: options.rows])


class Iterative(Shown):
    def _derive_iteration(self, iteration, options):
        return Work(f"Iteration {iteration}", [])


def test_the_base_applies_digits_terms_and_notation():
    text = str(Shown().work(digits=3, terms=2, notation="mitchell"))
    assert "y = w₀ + Σⱼ xⱼ" in text
    assert "= 0.333 + 11 + 12 + [10 more: 55] = 78.3" in text
    assert "y = b + Σⱼ xⱼ" in str(Shown().work(notation="aima"))  # which has no symbols of its own here
    assert str(Shown().work(terms=12)).count(" + ") == 13


def test_rows_and_detail_reach_the_derivation():
    assert len(Shown().work([1, 2, 3, 4, 5])) == 3
    assert len(Shown().work([1, 2, 3, 4, 5], rows=4)) == 4
    assert len(Shown().work(detail="full")) == 2
    assert Iterative().work(iteration=4).title == "Iteration 4"


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"rows": 0}, "rows is 0; it must be a whole number of at least 1"),
        ({"rows": 2.5}, "rows is 2.5; it must be a whole number of at least 1"),
        ({"rows": True}, "rows is True; it must be a whole number of at least 1"),
        ({"terms": -1}, "terms is -1; it must be a whole number of at least 1"),
        ({"terms": None}, "terms is None; it must be a whole number of at least 1"),
        ({"digits": 0}, "digits is 0; it must be a whole number from 1 to 17"),
        ({"digits": 18}, "digits is 18; it must be a whole number from 1 to 17"),
        ({"digits": "six"}, "digits is 'six'; it must be a whole number from 1 to 17"),
        ({"detail": "all"}, "detail is 'all'; it must be 'brief' or 'full'"),
        ({"detail": None}, "detail is None; it must be 'brief' or 'full'"),
        ({"notation": "bishop"}, "notation is 'bishop'; it must be None, 'mitchell' or 'aima'"),
        ({"notation": 3}, "notation is 3; it must be None, 'mitchell' or 'aima'"),
        ({"iteration": 1}, "Shown keeps no iterations, so it has no iteration 1 to show"),
        ({"X": [1], "iteration": 1}, "work takes X or iteration, not both: an iteration belongs to the fit"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(how, message):
    with pytest.raises(ParameterError) as refused:
        Shown().work(**how)
    assert str(refused.value) == message


def test_numpys_whole_numbers_are_whole_numbers():
    assert WorkOptions(rows=np.int64(2)).rows == 2


# --- answers that are not finite ----------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [LogisticRegression(), Perceptron(max_iter=5), KernelRidge(), KernelPCA()])
def test_a_work_refuses_rows_in_the_words_of_the_answers(learner):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few passes
        model = learner.fit(*load_iris(return_X_y=True))
    with pytest.raises(DataError, match=r"^the answer for row 1 of X is not finite: its largest value is 1e\+308"):
        model.work([[1e308] * 4])


@pytest.mark.parametrize("learner", [SVC(), RBFNetworkRegressor(), KMeans(2, random_state=0)])
def test_squares_that_overflow_are_infinite_in_a_work(learner):
    model = learner.fit(*load_iris(return_X_y=True))
    assert "10³⁰⁸" in str(model.work([[1e308] * 4]))
