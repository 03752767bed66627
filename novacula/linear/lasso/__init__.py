"""The lasso and the elastic net."""

from novacula.linear.lasso.path import LassoPath
from novacula.linear.lasso.regression import Lasso

__all__ = ["Lasso", "LassoPath"]
