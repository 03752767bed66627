"""`check_study`: what a study needs of a learner, and whether `left_out` answers as a refit does.

A study clones the learner with the settings of its card, puts it behind the preparation that the card asks for, fits
every size on every fold, and prefers what has fewer parameters. A card that names a parameter wrongly, or a number of
parameters that is missing, would show in a study only, as one failed row of its leaderboard.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from novacula.checks.samples import CheckSample, sample
from novacula.checks.verdict import require
from novacula.evaluate import n_parameters
from novacula.learner.base import Learner
from novacula.learner.card import Extent
from novacula.prepare import PreparedClassifier, PreparedClusterer, PreparedRegressor

ROWS = 60
LEFT_OUT_ROWS = 30
PREPARED: dict[str, Any] = {
    "classification": PreparedClassifier,
    "regression": PreparedRegressor,
    "clustering": PreparedClusterer,
}
"""What a study puts in front of a learner, by its task; the others are fitted as they are."""
RTOL = 1e-6
"""How far answers of a formula may be from those of a refit, as a share of the largest."""


def check_study(learner: Learner) -> None:
    """A learner must fit and answer with its card's study settings, at every size, and count its parameters.

    Behind its preparation the count must be the same, and `left_out`, unless it is None, must answer as a refit does.
    """
    for size in study_sizes(learner):
        check_size(learner, size)
    check_left_out(learner)


def study_sizes(learner: Learner) -> Iterator[dict[str, Any]]:
    """The parameters of each size on the card, with the study's settings; each must be one that the learner takes."""
    card, name = learner.card, type(learner).__name__
    own_parameters = learner.get_params(deep=False)
    for parameter in card.study_settings:
        require(
            parameter in own_parameters,
            f"the card of {name} has {parameter!r} in study_settings, which is not one of its parameters",
        )
    require(
        card.size is None or card.size in own_parameters,
        f"the card of {name} has size={card.size!r}, which is not one of its parameters: {', '.join(own_parameters)}",
    )
    settings = dict(card.study_settings)
    _require_valid(learner, settings, "study_settings")
    path = card.size_path(Extent(ROWS, 8, n_classes=3))
    require(isinstance(path, tuple), f"the sizes of {name} must be a tuple, or a function that gives one")
    for value in path:
        _require_valid(learner, settings | {str(card.size): value}, "sizes")
        yield settings | {str(card.size): value}
    if not path:
        yield settings


def _require_valid(learner: Learner, parameters: dict[str, Any], what: str) -> None:
    changed = clone(learner).set_params(**parameters)
    if hasattr(changed, "_parameter_constraints"):
        try:
            changed._validate_params()
        except Exception as error:  # a learner's own check may raise anything
            raise AssertionError(f"{type(learner).__name__} does not take the {what} of its card: {error}") from error


def check_size(learner: Learner, parameters: dict[str, Any]) -> None:
    """With these parameters the learner must fit, answer and count its parameters, as a study asks it to."""
    card, name = learner.card, type(learner).__name__
    inner: Any = clone(learner).set_params(**parameters)
    if "random_state" in inner.get_params():
        inner.set_params(random_state=0)
    settings = ", ".join(f"{key}={value!r}" for key, value in parameters.items()) or "its defaults"
    prepared = card.task in PREPARED
    # Behind its preparation a learner gets any table: with categories and empty cells, even if it takes neither. But a
    # concept with missing cells is no longer a conjunction.
    study_card = replace(card, takes=("numeric", "categorical")) if prepared else card
    data = sample(study_card, n=ROWS, missing=prepared and not card.conjunctive)
    model = PREPARED[card.task](inner) if prepared else inner
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a study keeps warnings for its reader
        try:
            model.fit(data.X, data.target)
            if hasattr(model, "predict"):
                model.predict(data.X)
        except Exception as error:  # an error would be a failed row of the leaderboard
            where = " behind its preparation" if prepared else ""
            raise AssertionError(f"{name} with {settings} fails{where}: {error}") from error
        own = parameter_count(model.model_ if prepared else model)
        require(
            parameter_count(model) == own, f"{name} with {settings} has another n_parameters_ behind its preparation"
        )
        require(n_parameters(model) == own, f"evaluate.n_parameters differs from n_parameters_ of {name}")


def parameter_count(model: Any) -> int:
    """`n_parameters_` of a fitted model, which must be a whole number of at least 0."""
    name = type(model).__name__
    try:
        count = model.n_parameters_
    except (AttributeError, NotImplementedError) as error:
        raise AssertionError(f"{name} does not say how many parameters it has in n_parameters_: {error}") from error
    whole = isinstance(count, Integral) and not isinstance(count, bool) and int(count) >= 0
    require(whole, f"n_parameters_ of {name} is {count!r}; it must be a whole number of at least 0")
    return int(count)


def check_left_out(learner: Learner) -> None:
    """Answers without a row must be those of a model that was fitted without it, where the learner trusts them."""
    data = sample(learner.card, n=LEFT_OUT_ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        left_out = clone(learner).fit(data.X, data.target).left_out(data.X, data.target)
        if left_out is None:
            return
        name, n = type(learner).__name__, len(data)
        shapes = np.shape(left_out.predictions)[:1] == np.shape(left_out.trusted) == (n,)
        require(shapes, f"left_out of {name} must give an answer and a flag for each of {n} rows")
        require(bool(left_out.method.strip()), f"left_out of {name} does not name its method")
        refitted = [_answer_without(learner, data, i) for i in range(n)]
    for i in np.flatnonzero(left_out.trusted):
        same = _same_answer(left_out.predictions[i], refitted[i], refitted)
        require(
            same,
            f"left_out of {name} says {left_out.predictions[i]} of row {i + 1}, and a model that was fitted without it "
            f"says {refitted[i]}",
        )


def _answer_without(learner: Learner, data: CheckSample, row: int) -> Any:
    rest = data.take(np.delete(np.arange(len(data)), row))
    model: Any = clone(learner).fit(rest.X, rest.target)
    return model.predict(data.take(np.array([row])).X)[0]


def _same_answer(mine: Any, theirs: Any, everyone: list[Any]) -> bool:
    if not np.issubdtype(np.asarray(theirs).dtype, np.floating):
        return bool(np.all(mine == theirs))
    scale = max(1.0, float(np.abs(everyone).max()))
    return bool(np.all(np.abs(np.asarray(mine) - theirs) <= RTOL * scale))
