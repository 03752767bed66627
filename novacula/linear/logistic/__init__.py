"""Logistic regression: probabilities of classes from weighted sums of the columns."""

from novacula.linear.logistic.logistic_regression import LogisticRegression
from novacula.linear.logistic.summary import LogisticSummary

__all__ = ["LogisticRegression", "LogisticSummary"]
