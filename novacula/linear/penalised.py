"""What ridge and lasso share: a penalty α, given or chosen by rows left out, times the factor of each column."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.utils.metaestimators import available_if

from novacula.linear.model import LinearModel
from novacula.linear.penalties import as_factors
from novacula.state import State, floats, number, one_of
from novacula.table.chunk import Floats


class PenalisedModel(LinearModel):
    """A plane whose weights cost α times the factor of their column; a word for α leaves the choice to the rows."""

    remedy = "or raise alpha"

    state: ClassVar[State] = {"alpha_": one_of(number(least=0.0), floats("targets", least=0.0))}

    alpha: Any
    penalty_factor: Any
    alpha_: Any

    @available_if(lambda self: self._needs_sums_only())
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to the fit: the sums are those of all rows so far, and so is the model."""
        return self._fit_more(X, y, sample_weight)

    def _needs_sums_only(self) -> bool:
        if isinstance(self.alpha, str):
            raise AttributeError(
                f"alpha={self.alpha!r} leaves out rows, for which it needs all of them at once: use fit"
            )
        return True

    def column_factors(self) -> Floats:
        """The factor by which each column of the fit (d,) multiplies the penalty."""
        return as_factors(self.penalty_factor, self.schema_, self.n_features_in_)
