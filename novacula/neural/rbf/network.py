"""What radial basis networks share: units placed by k-means, an output layer in closed form, and their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ModelFileError, RankWarning, warn_user
from novacula.learner.base import Learner
from novacula.learner.card import Extent
from novacula.learner.figure import Figure
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FewRows, FitPath
from novacula.learner.work import Work
from novacula.neural.rbf.basis import FUNCTIONS, RadialBasis
from novacula.neural.rbf.fine_tuning import fine_tune
from novacula.neural.rbf.output_layer import OutputLayer, solve_outputs
from novacula.neural.rbf.placement import measure_widths, place_centers
from novacula.neural.rbf.trace import TuningTrace
from novacula.state import State, flag, floats, one_of, optional, record, whole, word
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats

DRAWN = 500
"""Rows that a picture shows."""


def numbers_of_centers(extent: Extent) -> tuple[int, ...]:
    """Numbers of centres that a study tries: doubling, with some rows for each."""
    return tuple(k for k in (2, 4, 8, 16, 32, 64, 128) if k <= max(2, extent.n_rows // 4))


SHARED_CARD: Mapping[str, Any] = {
    "inductive_bias": "Rows near the same centres are alike: the function is smooth on the scale of the widths.",
    "search": "Centres by k-means, widths from their distances, weights exactly, by Cholesky or by singular values; "
    "with fine_tune centres and widths go down the gradient of the error (L-BFGS), to a local minimum.",
    "missing": "Not taken: a missing or infinite value raises, with its column.",
    "unseen": "Not taken: categories have to be encoded as numbers first.",
    "takes": ("numeric",),
    "scales": ("memory", "stream", "cluster"),
    "uses": "reduce",
    "interpretability": "Low to middling: each unit has a place, and the weights of units can be read.",
    "answer_cost": "K·d for each row.",
    "cost": "K-means, then one pass of n·K·(d + K) and K³ to solve, in memory for K² numbers; a second pass where "
    "units overlap so much that sums lose digits. A step of fine-tuning takes some passes more.",
    "cost_exponents": {"n": 1, "K": 2, "d": 1},
    "needs": ("scaled",),
    "size": "centers",
    "sizes": numbers_of_centers,
    "study_settings": {"alpha": 1e-6},
    "references": (
        "Broomhead and Lowe, Multivariable functional interpolation and adaptive networks (1988)",
        "Moody and Darken, Fast learning in networks of locally-tuned processing units (1989)",
        "Golub and Pereyra, The differentiation of pseudo-inverses (1973)",
    ),
}


class RadialNetwork(Learner):
    """A layer of radial units and a linear layer on top: o = b + Σ wₖφₖ(x)."""

    notations: ClassVar[Mapping[str, Mapping[str, str]]] = {"mitchell": {"b": "w_0", "ŷ": "f̂"}}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "centers": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "basis": [StrOptions(set(FUNCTIONS))],
        "width": [StrOptions({"mean_distance", "nearest"}), Interval(Real, 0, None, closed="neither"), "array-like"],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fine_tune": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
    }
    state_types: ClassVar[tuple[type, ...]] = (FewRows, TuningTrace, FitPath)
    state: ClassVar[State] = {
        "trace_": optional(one_of(record(FewRows), record(TuningTrace))),
        "centers_": floats("units", "numeric"),
        "widths_": floats("units", above=0.0),
        "feature_mean_": floats("units"),
        "solver_": word("interpolation", "cholesky", "qr", "svd"),
        "rank_": whole(most="units"),
        "history_": optional(floats("steps")),
        "n_iter_": optional(whole(), beside="history_"),
        "converged_": optional(flag(), beside="history_"),
    }

    centers_: Floats
    widths_: Floats
    coef_: Floats
    intercept_: Any
    feature_mean_: Floats
    target_mean_: Floats
    solver_: str
    rank_: int
    history_: Floats
    n_iter_: int
    converged_: bool
    trace_: FewRows | TuningTrace  # the equations of the weights, where units are few, and the way of fine-tuning

    def __init__(
        self,
        centers: Any = 20,
        *,
        basis: str = "gaussian",
        width: Any = "mean_distance",
        alpha: float = 0.0,
        fine_tune: int = 0,
        random_state: Any = 0,
    ) -> None:
        self.centers = centers
        self.basis = basis
        self.width = width
        self.alpha = alpha
        self.fine_tune = fine_tune
        self.random_state = random_state

    def _output_layer(self, table: Table, n_classes: int) -> OutputLayer:
        """Place the units, tune them if `fine_tune` says so, and solve for the output layer."""
        centers = place_centers(self.centers, table, self.random_state)
        basis = RadialBasis(self.basis, centers, measure_widths(self.width, centers))
        tuning = None
        if self.fine_tune:
            basis, result, tuning = fine_tune(table, basis, n_classes, self.alpha, self.fine_tune)
            self.history_, self.n_iter_, self.converged_ = result.values, result.n_iter, result.converged
        layer = solve_outputs(table, basis, n_classes, self.alpha)
        self.centers_, self.widths_ = basis.centers, basis.widths
        self.feature_mean_, self.target_mean_ = layer.feature_mean, layer.target_mean
        self.solver_, self.rank_ = layer.solver, layer.rank
        if tuning is not None:
            self.trace_ = replace(tuning, rows=layer.system)
        elif layer.system is not None:
            self.trace_ = FewRows(layer.system)
        if layer.rank < len(basis):
            warn_user(
                f"{type(self).__name__}: the answers of the {len(basis)} units span {layer.rank} directions, so "
                "several choices of weights fit equally well, and those of least norm are given: take fewer centres, "
                "narrower ones (width='nearest'), or alpha above 0",
                RankWarning,
            )
        return layer

    def activations(self, X: Any) -> Floats:
        """The answer φ of each unit to each row: (n, K)."""
        check_is_fitted(self)
        return np.asarray(self._answers(X, answers_of, self.radial_basis_))

    def figure(self, X: Any = None, y: Any = None) -> Figure:
        """Centres, widths and outputs over one or two columns, on rows if X is given, with their targets y."""
        from novacula.neural.rbf.figures import network_figure

        check_is_fitted(self)
        return network_figure(self, None if X is None else self._query(X).head(DRAWN).to_chunk().numeric, y)

    def _outputs(self, X: Any) -> Floats:
        """The outputs for each row: (n, k), or (n,) where `coef_` is one row."""
        check_is_fitted(self)
        return np.asarray(self._answers(X, outputs_of, self.radial_basis_, self.coef_.T, self.intercept_))

    def _derive(self, options: WorkOptions) -> Work:
        from novacula.neural.rbf.derivation import derive_network

        return derive_network(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        from novacula.neural.rbf.derivation import derive_rows

        drawn = self.figure(X) if len(self.schema_.features) <= 2 else None
        chunk, cut = self._first_rows(X, options.rows)
        return derive_rows(self, chunk.dense(), cut, drawn, options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        from novacula.neural.rbf.tuning_derivation import derive_tuning

        trace = getattr(self, "trace_", None)
        if not isinstance(trace, TuningTrace):
            return super()._derive_iteration(iteration, options)
        return derive_tuning(self, trace, iteration, options)

    @property
    def n_parameters_(self) -> int:
        """Centres, weights and biases; widths follow from the centres unless they were tuned."""
        check_is_fitted(self)
        tuned = len(self.widths_) if self.fine_tune else 0
        return int(self.centers_.size + tuned + self.coef_.size + np.size(self.intercept_))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    @property
    def radial_basis_(self) -> RadialBasis:
        """Function, centres and widths of the units."""
        return RadialBasis(self.basis, self.centers_, self.widths_)

    def _check_state(self) -> None:
        if not len(self.widths_):
            raise ModelFileError("its centers_ are none, but there has to be a unit")


def answers_of(chunk: Chunk, basis: RadialBasis) -> Floats:
    """φ of the rows of a chunk."""
    return basis.answers(chunk.numeric)


def outputs_of(chunk: Chunk, basis: RadialBasis, coef: Floats, intercept: Any) -> Floats:
    """b + Σ wₖφₖ of the rows of a chunk: coef (K,) or (K, k)."""
    return np.concatenate([basis.answers(piece.numeric) @ coef + intercept for piece in basis.blocks(chunk)])
