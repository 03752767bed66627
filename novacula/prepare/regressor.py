"""A regressor for tables as they are: numbers, categories, words and missing values become what it takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from novacula.learner.base import Regressor
from novacula.prepare.base import CardOfLearner, PreparedLearner
from novacula.prepare.classifier import PreparedClassifier
from novacula.table.chunk import Floats


class PreparedRegressor(Regressor, PreparedLearner):
    """Fits a regressor on columns that are prepared as its card asks, and prepares rows to be predicted the same way.

    `learner` is one of this library's; ridge regression unless another is given. The rest is as in
    `PreparedClassifier`.

    >>> import pandas as pd
    >>> rooms = pd.DataFrame({"kind": ["flat", "house", "house", "flat"], "size": [40.0, 90.0, 120.0, 60.0]})
    >>> PreparedRegressor().fit(rooms, [400.0, 900.0, 1200.0, 600.0]).predict(rooms).round().tolist()
    [471.0, 904.0, 1114.0, 611.0]
    """

    card: ClassVar[Any] = CardOfLearner(
        replace(
            PreparedClassifier.card,
            name="Prepared regressor",
            task="regression",
            summary="A regressor behind the encoding, scaling and filling in that its card asks for.",
        )
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PreparedClassifier._parameter_constraints,
        "learner": [None, Regressor],
    }

    def inner_learner(self) -> Any:
        """The learner behind the preparation; ridge regression if none was given."""
        from novacula.linear import Ridge

        return Ridge() if self.learner is None else self.learner

    def predict(self, X: Any) -> Floats:
        """Give the number, or numbers, of each row."""
        return self._answer("predict", X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.inner_learner().__sklearn_tags__().target_tags.multi_output
        return tags
