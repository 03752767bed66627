"""A classifier for tables as they are: numbers, categories, words and missing values become what it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Integral, Interval, Real, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ModelFileError, ParameterError
from novacula.learner.base import Classifier
from novacula.learner.card import Admits, Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.prepare.base import CardOfLearner, PreparedLearner, answers_with
from novacula.prepare.calibration import Sureness
from novacula.prepare.choice import SCALES
from novacula.prepare.costs import AnswerCosts
from novacula.prepare.sums import PreparationSums
from novacula.prepare.target import ClassFactors
from novacula.state import State, nullable, record
from novacula.table import Table
from novacula.table.chunk import Floats


def _has_probabilities(prepared: PreparedLearner) -> bool:
    """Whether the learner has probabilities, or the model was told how sure its decision values should make it."""
    return getattr(prepared, "sureness_", None) is not None or bool(answers_with("predict_proba")(prepared))


class PreparedClassifier(Classifier, PreparedLearner):
    """Fits a classifier on columns that are prepared as its card asks, and prepares rows to be predicted the same way.

    `learner` is one of this library's; logistic regression unless another is given. `max_words` of a text column are
    counted for learners that take no text. A category that was not there at fit is reported (`unseen="ignore"`) or
    refused ("error"). Fitted: `model_`, `preparation_`, `classes_`.

    `scale` brings numbers to mean 0 and deviation 1 ("standard"), to [0, 1] ("range"), or the numbers of each row
    together to length 1 ("unit"), or leaves them ("none"); without it the card decides. `fill` is what missing numbers
    become, "mean" or a number; without it the mean, for learners that take none. `ordered` names columns whose
    categories are in order: they become numbers, 0 for the first, or from 0 to 1 where numbers are scaled. The order is
    that of the schema, which is alphabetical unless the data state it, or the one that `{"size": ["small", "large"]}`
    gives.

    `costs` says what each answer costs where the truth is a class: `{"ham": {"ham": 0, "spam": 10}, "spam": {"ham": 1,
    "spam": 0}}`. Then `predict` gives the answer with the least expected cost by the learner's probabilities, which may
    be another than every class, such as "ask somebody". `class_weight` multiplies the weights of the rows of a class;
    "balanced" gives all classes the same in all. A study gives its model a `sureness_` where it is too sure of
    its answers, or not sure enough: `predict_proba` follows it.

    >>> import pandas as pd
    >>> from novacula.linear import LogisticRegression
    >>> weather = pd.DataFrame({"sky": ["sunny", "rain", "rain", "sunny"], "wind": [3.0, None, 9.0, 5.0]})
    >>> model = PreparedClassifier(LogisticRegression()).fit(weather, ["play", "stay", "stay", "play"])
    >>> model.predict(weather).tolist()
    ['play', 'stay', 'stay', 'play']
    >>> [column.name for column in model.model_.schema_.features]
    ['wind', 'wind is missing', 'sky = sunny']
    """

    state_types: ClassVar[tuple[type, ...]] = (*PreparedLearner.state_types, Sureness)
    state: ClassVar[State] = {"sureness_": nullable(record(Sureness))}

    sureness_: Sureness | None

    card: ClassVar[Any] = CardOfLearner(
        Card(
            name="Prepared classifier",
            task="classification",
            summary="A classifier behind the encoding, scaling and filling in that its card asks for.",
            hypothesis_space="The learner's.",
            inductive_bias="The learner's, on prepared columns.",
            objective="The learner's.",
            search="The learner's.",
            noise="As the learner.",
            missing="As they are if the learner takes them; otherwise mean or mode, and a column that says so.",
            admits=Admits(missing=True),
            unseen="Treated as none of the known categories, with a warning, or refused (unseen='error').",
            takes=("numeric", "categorical", "text", "sparse"),
            scales=("memory", "stream", "cluster"),
            uses="reduce",
            interpretability="The learner's, of columns as they were prepared.",
            answer_cost="The learner's, and the preparation of each row.",
            cost="The learner's, and a pass over the rows.",
            cost_exponents={"n": 1, "d": 1},
            in_studies=False,  # a study puts every learner behind its preparation
        )
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "learner": [None, Classifier],
        "max_words": [Interval(Integral, 1, None, closed="left")],
        "unseen": [StrOptions({"ignore", "error"})],
        "scale": [StrOptions(set(SCALES)), None],
        "fill": [StrOptions({"mean", "median"}), Interval(Real, None, None, closed="neither"), None],
        "ordered": ["array-like", dict],
        "costs": [Mapping, None],
        "class_weight": [StrOptions({"balanced"}), Mapping, None],
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
        costs: Mapping[Any, Mapping[Any, float]] | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
    ) -> None:
        super().__init__(learner, max_words, unseen, scale=scale, fill=fill, ordered=ordered)
        self.costs = costs
        self.class_weight = class_weight

    def inner_learner(self) -> Any:
        """The learner behind the preparation; logistic regression if none was given."""
        from novacula.linear import LogisticRegression

        return LogisticRegression() if self.learner is None else self.learner

    def _check_state(self) -> None:
        super()._check_state()
        if not np.array_equal(self.model_.classes_, self.classes_):
            raise ModelFileError("its model_ has other classes than its classes_")
        has_probabilities = hasattr(self.model_, "predict_proba")
        if self.sureness_ is not None and (
            self.sureness_.of_decision == has_probabilities
            or not (has_probabilities or hasattr(self.model_, "decision_function"))
        ):
            raise ModelFileError("its sureness_ is not of what its model_ answers")
        try:
            self._require_costs()
        except ParameterError as error:
            raise ModelFileError(str(error)) from error

    def _learn(self, table: Table) -> None:
        super()._learn(table)
        self.classes_ = self.model_.classes_
        self.sureness_ = None
        self._require_costs()

    def set_sureness(self, answers: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find out how sure of its answers the model should be, from rows that models like this one had not seen.

        `answers` are their probabilities, or decision values of a learner that has no probabilities; it has them then.
        """
        check_is_fitted(self)
        codes = np.searchsorted(self.classes_, np.asarray(y))
        self.sureness_ = Sureness.of(answers, codes, not hasattr(self.model_, "predict_proba"), sample_weight)
        return self

    def _path(self, of: tuple[str | int, ...]) -> tuple[str | int, ...]:
        """Answers of the learner are this model's unless costs or its sureness change them."""
        changed = {"predict"} if self.costs is not None else set()
        if self.sureness_ is not None:
            changed |= {"predict_proba", "predict_log_proba"}
        return () if of and of[0] in changed else super()._path(of)

    def _prepared(self, inner: Work, options: WorkOptions) -> Work:
        work = super()._prepared(inner, options)
        more = []
        if self.sureness_ is not None:
            a, scores = self.sureness_.factor, "decision values" if self.sureness_.of_decision else "ln P"
            words = f"P(k) is exp(a·s) over the sum of that of all classes, where s are the learner's {scores}"
            more.append(
                Step(
                    "How sure the model says it is",
                    Equation("a", "a", {"a": a}, of=("sureness_", "factor")),
                    note=f"{words}: found on rows that the model had not seen.",
                )
            )
        if self.costs is not None:
            costs = AnswerCosts.of(self.costs, self.classes_.tolist())
            rows = tuple((str(label), *row) for label, row in zip(self.classes_, costs.matrix.tolist(), strict=True))
            more.append(
                Step(
                    "The answer of least expected cost",
                    table=WorkTable(("truth", *map(str, costs.answers)), rows),
                    note="Each answer costs, on average, the sum over the classes of P(class) · cost.",
                )
            )
        return replace(work, steps=(*work.steps, *more))

    def _require_costs(self) -> None:
        """Refuse costs that do not price every answer where the truth is a class of the fit."""
        if self.costs is not None:
            if not hasattr(self.model_, "predict_proba"):
                name = self.model_.card.name
                raise ParameterError(f"{name} gives no probabilities, by which costs could be weighed: leave costs out")
            AnswerCosts.of(self.costs, self.classes_.tolist())

    def _classes_with_rows(self, sums: PreparationSums) -> list[Any]:
        return self.classes_[sums.classes > 0].tolist()

    def _on_target(self, sums: PreparationSums) -> ClassFactors | None:
        if self.class_weight is None:
            return None
        return ClassFactors.of(self.class_weight, self._classes_with_rows(sums), sums.classes[sums.classes > 0])

    def predict(self, X: Any) -> Any:
        """Give the class of each row, or the answer of least expected cost."""
        if self.costs is None:
            return self._answer("predict", X)
        return AnswerCosts.of(self.costs, self.classes_.tolist()).cheapest(self.predict_proba(X))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of each class."""
        check_is_fitted(self)
        sureness = self.sureness_
        if sureness is None:
            return self._answer("predict_proba", X)
        return sureness.apply(self._answer("decision_function" if sureness.of_decision else "predict_proba", X))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Floats:
        """Give the logarithm of the probability of each class."""
        check_is_fitted(self)
        if self.sureness_ is None and hasattr(self.model_, "predict_log_proba"):
            return self._answer("predict_log_proba", X)
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(answers_with("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Give the decision values."""
        return self._answer("decision_function", X)
