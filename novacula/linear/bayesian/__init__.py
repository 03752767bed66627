"""Bayesian linear regression: a distribution over planes."""

from novacula.linear.bayesian.regression import BayesianLinearRegression, PosteriorDraws
from novacula.linear.bayesian.summary import PosteriorSummary

__all__ = ["BayesianLinearRegression", "PosteriorDraws", "PosteriorSummary"]
