"""Mixtures of every size and family compared: how many components, and of what shape?

BIC and AIC weigh the likelihood against the number of parameters; cross-validation measures rows that were left
out. For all of them, lower is better.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

from novacula.arguments import whole_number
from novacula.errors import DataError, ParameterError
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.render import table_lines
from novacula.learner.render_html import table_parts
from novacula.learner.work import WorkTable
from novacula.mixture.gaussian.covariance import CovarianceType
from novacula.mixture.leaderboard import score_cell, warning_note

if TYPE_CHECKING:
    from novacula.mixture.gaussian_mixture import GaussianMixture

CRITERIA = {"bic": "BIC", "aic": "AIC", "cv": "−ln p of rows left out"}
PRINTED = 40
"""Rows of a printed leaderboard."""


@dataclass(frozen=True, slots=True)
class MixtureCandidate:
    """One mixture that was tried: its score, lower is better, or in `note` why it has none, and what it warned of."""

    n_components: int
    covariance_type: str
    score: float
    log_likelihood: float
    n_parameters: int
    converged: bool
    note: str


@dataclass(frozen=True, slots=True, eq=False)
class MixtureSearch:
    """The leaderboard, best first, and the fitted mixture that leads it."""

    criterion: str
    leaderboard: tuple[MixtureCandidate, ...]
    best: GaussianMixture

    def table(self) -> WorkTable:
        """The leaderboard as a table."""
        header = ("components", "covariances", CRITERIA[self.criterion], "log-likelihood", "parameters", "note")
        rows = tuple(
            (
                c.n_components,
                c.covariance_type,
                *(score_cell(v) for v in (c.score, c.log_likelihood)),
                c.n_parameters,
                c.note,
            )
            for c in self.leaderboard[:PRINTED]
        )
        cut = f", the first {PRINTED} of {len(self.leaderboard)}" if len(self.leaderboard) > PRINTED else ""
        return WorkTable(header, rows, f"Mixtures by {CRITERIA[self.criterion]}, lower is better{cut}")

    def figure(self) -> Figure:
        """The score over the number of components, one curve per family; sizes that failed in one are left out."""
        scores = {(c.n_components, c.covariance_type): c.score for c in self.leaderboard}
        kinds = sorted({kind for _, kind in scores}, key=get_args(CovarianceType).index)
        sizes = sorted({k for k, _ in scores})
        whole = [k for k in sizes if all(math.isfinite(scores.get((k, kind), math.inf)) for kind in kinds)]
        if not whole:
            raise DataError("no number of components has a score in every family, so there is no curve to draw")
        return curve_figure(
            whole,
            {kind: [scores[k, kind] for k in whole] for kind in kinds},
            title="How many components?",
            xlabel="components",
            ylabel=f"{CRITERIA[self.criterion]} (lower is better)",
        )

    def __str__(self) -> str:
        return "\n".join(table_lines(self.table()))

    def _repr_html_(self) -> str:
        return "".join(table_parts(self.table()))


def search_mixtures(
    cls: type[GaussianMixture],
    X: Any,
    n_components: tuple[int, ...],
    covariance_types: tuple[CovarianceType, ...],
    criterion: str,
    folds: int,
    sample_weight: Any,
    parameters: dict[str, Any],
) -> MixtureSearch:
    """Fit and rank; the work behind `GaussianMixture.search`."""
    if criterion not in CRITERIA:
        raise ParameterError(f"criterion is {criterion!r}; it must be one of {', '.join(CRITERIA)}")
    whole_number(folds, "folds", 2)
    if not n_components or not covariance_types:
        raise ParameterError("a search needs at least one number of components and one type of covariance")
    tried: list[tuple[MixtureCandidate, GaussianMixture]] = []
    first_error: DataError | None = None
    for k, kind in product(n_components, covariance_types):
        model = cls(k, covariance_type=kind, **parameters)
        try:
            tried.append((_try(model, X, sample_weight, criterion, folds), model))
        except DataError as error:
            first_error = first_error or error
            tried.append((MixtureCandidate(k, kind, math.inf, -math.inf, 0, False, str(error)), model))
    tried.sort(key=lambda pair: (pair[0].score, pair[0].n_parameters))  # ties go to the smaller
    if first_error is not None and math.isinf(tried[0][0].score):
        raise first_error
    return MixtureSearch(criterion, tuple(candidate for candidate, _ in tried), tried[0][1])


def _try(model: GaussianMixture, X: Any, sample_weight: Any, criterion: str, folds: int) -> MixtureCandidate:
    """Fit one mixture; what it warns of becomes a note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, sample_weight=sample_weight)
        if criterion == "cv":
            score = model.cross_entropy(X, folds=folds, sample_weight=sample_weight)
        else:
            score = model.bic() if criterion == "bic" else model.aic()
    note = warning_note(caught)
    return MixtureCandidate(
        model.n_components, model.covariance_type, float(score), model.log_likelihood_, model.n_parameters_,
        model.converged_, note,
    )  # fmt: skip
