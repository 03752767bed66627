"""Linear models: a weighted sum of the columns and an intercept."""

from novacula.linear.any_exponent import PricedFit, fit_priced
from novacula.linear.bayesian import BayesianLinearRegression, PosteriorDraws, PosteriorSummary
from novacula.linear.lasso import Lasso, LassoPath
from novacula.linear.least_squares import LinearRegression
from novacula.linear.linear_unit import LinearUnit
from novacula.linear.logistic import LogisticRegression, LogisticSummary
from novacula.linear.penalty_figure import complexity, penalty_figure
from novacula.linear.perceptron import Perceptron
from novacula.linear.polynomial import PolynomialFit, fit_polynomial, polynomial_figure
from novacula.linear.ridge import Ridge, RidgePath
from novacula.linear.sigmoid_unit import SigmoidUnit, sigmoid_unit
from novacula.linear.summary import RegressionSummary

is_family = True
__all__ = [
    "BayesianLinearRegression",
    "Lasso",
    "LassoPath",
    "LinearRegression",
    "LinearUnit",
    "LogisticRegression",
    "LogisticSummary",
    "Perceptron",
    "PolynomialFit",
    "PosteriorDraws",
    "PosteriorSummary",
    "PricedFit",
    "RegressionSummary",
    "Ridge",
    "RidgePath",
    "SigmoidUnit",
    "complexity",
    "fit_polynomial",
    "fit_priced",
    "penalty_figure",
    "polynomial_figure",
    "sigmoid_unit",
]
