"""A regressor for tables as they are: numbers, categories, words and missing values become what it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ParameterError
from novacula.learner.base import Regressor
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.prepare.base import CardOfLearner, PreparedLearner
from novacula.prepare.classifier import PreparedClassifier
from novacula.prepare.interval import ResidualInterval
from novacula.prepare.sums import PreparationSums
from novacula.prepare.target import TRANSFORMS, TargetTransform
from novacula.state import State, nullable, record
from novacula.table import Table
from novacula.table.chunk import Floats


class PreparedRegressor(Regressor, PreparedLearner):
    """Fits a regressor on columns that are prepared as its card asks, and prepares rows to be predicted the same way.

    `learner` is one of this library's; ridge regression unless another is given. With `target_transform` it learns the
    "log", "log1p" or "sqrt" of the target, and what it predicts is brought back. The rest is as in
    `PreparedClassifier`.

    >>> import pandas as pd
    >>> rooms = pd.DataFrame({"kind": ["flat", "house", "house", "flat"], "size": [40.0, 90.0, 120.0, 60.0]})
    >>> PreparedRegressor().fit(rooms, [400.0, 900.0, 1200.0, 600.0]).predict(rooms).round().tolist()
    [471.0, 904.0, 1114.0, 611.0]

    A study gives its model an `interval_`: `predict_interval` says between which numbers nine of ten new targets are.
    """

    state_types: ClassVar[tuple[type, ...]] = (*PreparedLearner.state_types, ResidualInterval)
    state: ClassVar[State] = {"interval_": nullable(record(ResidualInterval))}

    interval_: ResidualInterval | None

    card: ClassVar[Any] = CardOfLearner(
        replace(
            PreparedClassifier.card,
            name="Prepared regressor",
            task="regression",
            summary="A regressor behind the encoding, scaling and filling in that its card asks for.",
        )
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: kinds
            for name, kinds in PreparedClassifier._parameter_constraints.items()
            if name not in ("costs", "class_weight")
        },
        "target_transform": [StrOptions(set(TRANSFORMS)), None],
        "learner": [None, Regressor],
    }

    def __init__(
        self,
        learner: Any = None,
        max_words: int = 300,
        unseen: str = "ignore",
        *,
        scale: str | None = None,
        fill: str | float | None = None,
        ordered: Sequence[str] | Mapping[str, Sequence[Any]] = (),
        target_transform: str | None = None,
    ) -> None:
        super().__init__(learner, max_words, unseen, scale=scale, fill=fill, ordered=ordered)
        self.target_transform = target_transform

    def inner_learner(self) -> Any:
        """The learner behind the preparation; ridge regression if none was given."""
        from novacula.linear import Ridge

        return Ridge() if self.learner is None else self.learner

    def _learn(self, table: Table) -> None:
        super()._learn(table)
        self.interval_ = None

    def set_interval(self, residuals: Any, level: float = 0.9) -> Self:
        """Find the prediction interval from residuals y − ŷ of rows that models like this one had not seen."""
        check_is_fitted(self)
        self.interval_ = ResidualInterval.of(residuals, level)
        return self

    def predict(self, X: Any) -> Floats:
        """Give the number, or numbers, of each row."""
        learned = self._answer("predict", X)
        return learned if self.target_transform is None else TargetTransform(self.target_transform).back(learned)

    def _on_target(self, sums: PreparationSums) -> TargetTransform | None:
        return None if self.target_transform is None else TargetTransform(self.target_transform)

    def _path(self, of: tuple[str | int, ...]) -> tuple[str | int, ...]:
        """Answers of the learner are this model's unless they are brought back to another scale."""
        return () if self.target_transform is not None and of and of[0] == "predict" else super()._path(of)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        work = super()._derive_answers(X, options)
        if self.target_transform is None:
            return work
        learned = self._answer("predict", X)[: options.rows].tolist()
        back = TRANSFORMS[self.target_transform].written
        equations = tuple(
            Equation(f"ŷ_{i}", back, {"u": u}, of=("predict", i - 1)) for i, u in enumerate(learned, start=1)
        )
        note = f"The learner predicts u = {self.target_transform}(y), and the model brings it back."
        return replace(work, steps=(*work.steps, Step("On the scale of the target", equations, note=note)))

    def predict_interval(self, X: Any) -> Floats:
        """Give the two ends between which the target of each row is expected, as often as `interval_.level` says."""
        check_is_fitted(self)
        if self.interval_ is None:
            raise ParameterError(
                "this model has no prediction interval: a study finds one, or set_interval(residuals) of rows that it "
                "had not seen"
            )
        return self.interval_.around(self.predict(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.inner_learner().__sklearn_tags__().target_tags.multi_output
        return tags
