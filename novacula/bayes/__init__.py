"""Bayesian learning: naive Bayes on mixed tables and on text."""

from novacula.bayes.naive_bayes import NaiveBayes
from novacula.bayes.text import TextNaiveBayes

__all__ = ["NaiveBayes", "TextNaiveBayes"]
