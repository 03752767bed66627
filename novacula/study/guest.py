"""Learners that are given to a study rather than named: ours with parameters of their own, or those of scikit-learn.

One of another library stands behind the same preparation as ours, and is given plain numbers. A pipeline prepares its
columns itself, so it is given a frame of them as they are.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from novacula.errors import InputTypeError, ModelFileError, ParameterError
from novacula.learner.base import Classifier, Learner, Regressor
from novacula.learner.card import Admits, Card
from novacula.learner.parameter_count import n_parameters
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.table import Chunk, Schema, Table
from novacula.table.answering import unbounded
from novacula.table.chunk import Floats
from novacula.table.chunk_source import ChunkSource
from novacula.words import shortened

NUMBER_BYTES = 8
"""Bytes of a pickle that count as one parameter, of models whose parameters nobody can count."""
IN_THE_MODEL = "Another library's: see its documentation."


class CardOfGuest:
    """The card of a learner of another library, as far as it is known."""

    def __get__(self, guest: Guest | None, kind: type) -> Card:
        estimator = None if guest is None else guest.estimator
        prepares = hasattr(estimator, "steps")
        return Card(
            name="Guest" if estimator is None else label(estimator),
            task="regression" if issubclass(kind, Regressor) else "classification",
            summary="A learner of another library, on the same folds as ours.",
            hypothesis_space=IN_THE_MODEL,
            inductive_bias=IN_THE_MODEL,
            objective=IN_THE_MODEL,
            search=IN_THE_MODEL,
            noise=IN_THE_MODEL,
            missing="As they are, for a pipeline; otherwise mean or mode, and a column that says so.",
            admits=Admits(missing=prepares),
            unseen="As missing ones, for a pipeline; otherwise none of the known categories.",
            takes=("numeric", "categorical", "text") if prepares else ("numeric",),
            needs=() if prepares else ("scaled",),
            uses="arrays",
            cost=IN_THE_MODEL,
            cost_exponents={"n": 1},
            in_studies=False,
        )


class Guest(Learner):
    """A learner of another library as one that a study can fit, ask and compare; only Python's pickle can hold it."""

    card: ClassVar[Any] = CardOfGuest()

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def _learn(self, table: Table) -> None:
        chunk = table.to_chunk()
        target = self._target(chunk)
        weights: dict[str, Floats] = {}
        if not (chunk.weight == 1.0).all():
            weights[self._weight_name()] = chunk.weight
        self.estimator_ = clone(self.estimator).fit(rows_of(chunk, self.schema_, self.estimator), target, **weights)

    def _target(self, chunk: Chunk) -> Any:
        return chunk.target

    def _weight_name(self) -> str:
        """What `fit` calls the weights of rows."""
        step, last = getattr(self.estimator, "steps", [("", self.estimator)])[-1]
        if not has_fit_parameter(last, "sample_weight"):
            raise ParameterError(f"{type(last).__name__} takes no weights of rows, which these rows have")
        return f"{step}__sample_weight" if step else "sample_weight"

    @property
    def n_parameters_(self) -> int:
        """As many as ours of the same kind would have; of others the bytes of their pickle, eight to a number."""
        import cloudpickle

        try:
            return n_parameters(self.estimator_)
        except InputTypeError:
            return math.ceil(len(cloudpickle.dumps(self.estimator_)) / NUMBER_BYTES)

    def _asked(self, method: str, X: Any) -> Any:
        return self._answers(X, answers_of, self.schema_, self.estimator_, method, unseen="ignore")

    def _derive(self, options: WorkOptions) -> Work:
        return Work(self.card.name, [Step("The model", note="A learner of another library, which derives nothing.")])

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        return self._derive(options)

    def _check_storable(self) -> None:
        name = type(self.estimator).__name__
        raise ModelFileError(
            f"a .nova file holds learners of this library only, and {name} is another's; keep it with pickle or joblib"
        )


def _has(method: str) -> Any:
    def check(guest: Guest) -> bool:
        return hasattr(getattr(guest, "estimator_", guest.estimator), method)

    return check


class GuestClassifier(Guest, Classifier):
    """A classifier of another library; it learns the numbers of the classes, from 0."""

    def _target(self, chunk: Chunk) -> Any:
        return np.asarray(chunk.target).astype(np.intp)

    def predict(self, X: Any) -> Any:
        """Give the class of each row."""
        return self.classes_[np.asarray(self._asked("predict", X)).astype(np.intp)]

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of each class."""
        return np.asarray(self._asked("predict_proba", X), np.float64)

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Give the decision values."""
        return np.asarray(self._asked("decision_function", X), np.float64)


class GuestRegressor(Guest, Regressor):
    """A regressor of another library."""

    def predict(self, X: Any) -> Floats:
        """Give the number of each row."""
        return np.asarray(self._asked("predict", X), np.float64)


@unbounded
def answers_of(chunk: Chunk, schema: Schema, estimator: Any, method: str) -> Any:
    """What a method of an estimator says of the rows of a chunk, one answer a row."""
    said = np.asarray(getattr(estimator, method)(rows_of(chunk, schema, estimator)))
    return said[:, 0] if said.ndim == 2 and said.shape[1] == 1 else said


def rows_of(chunk: Chunk, schema: Schema, estimator: Any) -> Any:
    """Rows as an estimator takes them: a frame for a pipeline, else an array."""
    if not hasattr(estimator, "steps"):
        return chunk.numeric
    return Table(ChunkSource(chunk, schema), schema, unseen="ignore", progress=False).to_pandas()


# --- who was given -----------------------------------------------------------------------------------------------


def label(estimator: Any) -> str:
    """An estimator in one short line, with the parameters that are not as usual; of a pipeline those of the last step.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> label(make_pipeline(StandardScaler(), SVC(C=10)))
    'StandardScaler → SVC(C=10)'
    """
    if hasattr(estimator, "steps"):
        *before, last = (step for _, step in estimator.steps)
        return " → ".join([*(type(step).__name__ for step in before), label(last)])
    return shortened(" ".join(repr(estimator).split()), 60)


def guests(given: Sequence[Any] | None, task: str, seed: int) -> tuple[list[str] | None, Mapping[str, Learner]]:
    """The names of the learners that were named or given, and those that were given, by their names."""
    if given is None:
        return None, {}
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ParameterError(f"learners is {given!r}; it must be a list, such as ['decision-tree', 'naive-bayes']")
    names, known = [], dict[str, Learner]()
    for one in given:
        estimator = imported(one) if isinstance(one, str) and "." in one else one
        if isinstance(estimator, str):
            names.append(estimator)
            continue
        _require_learner(estimator, task)
        estimator = _seeded(estimator, seed)
        name = f"{type(estimator).__name__}-{_digest(estimator)}"
        kind = GuestClassifier if task == "classification" else GuestRegressor
        known[name] = estimator if isinstance(estimator, Learner) else kind(estimator)
        names.append(name)
    return names, known


def imported(path: str) -> Any:
    """An estimator as it comes, by where its class stands: "sklearn.ensemble.RandomForestClassifier"."""
    module, _, name = path.rpartition(".")
    try:
        kind = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ParameterError(
            f"there is no learner {path!r}: a name with dots is a class of a library that is installed, such as "
            "sklearn.ensemble.RandomForestClassifier"
        ) from error
    try:
        return kind()
    except TypeError as error:
        raise ParameterError(f"{path!r} cannot be made as it comes: {error}") from error


def _require_learner(estimator: Any, task: str) -> None:
    if isinstance(estimator, type) or not all(hasattr(estimator, name) for name in ("fit", "predict", "get_params")):
        raise ParameterError(
            f"learners holds {shortened(repr(estimator))}; it takes names of learners, and estimators such as "
            "RandomForestClassifier()"
        )
    if not (is_classifier(estimator) if task == "classification" else is_regressor(estimator)):
        raise ParameterError(f"{label(estimator)} is no learner for {task}")


def _seeded(estimator: Any, seed: int) -> Any:
    """The estimator, with the seed of the study wherever it would draw otherwise each time."""
    parameters = estimator.get_params()
    drawn = [name for name in parameters if re.search(r"(^|__)random_state$", name) and parameters[name] is None]
    return clone(estimator).set_params(**dict.fromkeys(drawn, seed))


def _digest(estimator: Any) -> str:
    """What tells two estimators of one class apart."""
    import cloudpickle

    return hashlib.sha256(cloudpickle.dumps(estimator)).hexdigest()[:8]
