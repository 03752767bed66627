"""`check_declaration`: a learner must declare what its fitted models hold, and hold what it declares."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from novacula.checks.samples import sample
from novacula.checks.verdict import require
from novacula.learner.base import Learner
from novacula.learner.fitted_state import check_fitted_state, fitted_attributes
from novacula.state import StateError


def check_declaration(learner: Learner) -> None:
    """A fitted model must be as its class declares in `state`, and an array of other dimensions must not."""
    model: Any = None
    for missing in (False, True) if learner.card.admits.missing else (False,):
        data = sample(learner.card, missing=missing)
        model = clone(learner).fit(data.X, data.target)
        error = mismatch(model)
        require(not error, f"a fitted model is not as its class declares in `state`: {error}")
    for name, value in fitted_attributes(model).items():
        if isinstance(value, np.ndarray):
            forged = clone(model)
            vars(forged).update(fitted_attributes(model) | {name: value[..., None]})
            require(bool(mismatch(forged)), f"{name} may have any dimensions: declare them in `state`")


def mismatch(model: Any) -> str:
    """What of a fitted model is not as declared; empty where all is."""
    try:
        check_fitted_state(model)
    except StateError as error:
        return str(error)
    return ""
