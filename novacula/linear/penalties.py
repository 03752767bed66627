"""Penalties as they are given, checked: α, grids of it, and how much of it each column pays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.table import Schema
from novacula.table.chunk import Floats


def as_penalties(alpha: Any, name: str) -> Floats:
    """Numbers that are finite and not negative."""
    try:
        values = np.asarray(alpha, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{name} is {alpha!r}; it must hold numbers") from None
    if not (np.isfinite(values) & (values >= 0.0)).all():
        raise ParameterError(f"{name} is {alpha!r}; penalties must be finite and not negative")
    return values


def as_grid(alphas: Any) -> Floats:
    """The penalties to choose from."""
    grid = as_penalties(alphas, "alphas")
    if grid.ndim != 1 or not len(grid):
        raise ParameterError(f"alphas is {alphas!r}; it must be a list of at least one number")
    return grid


def one_per_target(alpha: Any, n_targets: int) -> Floats:
    """The penalty of each target (k,), from one number or from as many."""
    penalties = as_penalties(alpha, "alpha")
    if penalties.shape not in ((), (n_targets,)):
        raise ParameterError(
            f"alpha has shape {penalties.shape}; it must be one number, or one for each of {n_targets} targets"
        )
    return np.broadcast_to(penalties, n_targets)


def as_factors(factor: Any, schema: Schema, n_features: int) -> Floats:
    """The factor of each column (d,), from none, from a list, or from a mapping that names some columns."""
    if factor is None:
        return np.ones(n_features)
    if isinstance(factor, Mapping):
        names = schema.column_names()
        for name in factor:
            if name not in names:
                raise ParameterError(f"penalty_factor names the column {name!r}, which is not there")
        penalties = as_penalties(list(factor.values()), "penalty_factor")
        values = np.ones(n_features)
        values[[names.index(name) for name in factor]] = penalties
        return values
    values = as_penalties(factor, "penalty_factor")
    if values.shape != (n_features,):
        raise ParameterError(
            f"penalty_factor has shape {values.shape}; it must have one number for each of {n_features} columns, "
            "or be a mapping from their names"
        )
    return values
