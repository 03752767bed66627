"""Linear models: a weighted sum of the columns and an intercept."""

from novacula.linear.least_squares import LinearRegression
from novacula.linear.ridge import Ridge, RidgePath
from novacula.linear.summary import RegressionSummary

__all__ = ["LinearRegression", "RegressionSummary", "Ridge", "RidgePath"]
