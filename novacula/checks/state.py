"""`check_declaration`: a learner must declare what its fitted models hold, and hold what it declares."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from novacula.checks.samples import sample
from novacula.checks.verdict import require
from novacula.errors import ModelFileError
from novacula.learner.base import Learner
from novacula.learner.files import load, save
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


def forged_file(model: Any, folder: Path, **attributes: Any) -> Path:
    """A file of the model with other attributes, as someone who forges it would write it."""
    vars(model).update(attributes)
    save(model, folder / "forged.nova", checked=False)
    return folder / "forged.nova"


def require_refused(model: Any, folder: Path, sentence: str, **attributes: Any) -> None:
    """A file of the model with other attributes must be refused, in a sentence that matches."""
    path = forged_file(model, folder, **attributes)
    try:
        load(path)
    except ModelFileError as error:
        require(re.search(sentence, str(error)) is not None, f"the file is refused for another reason: {error}")
        return
    require(False, f"a file that should be refused is loaded: {sentence}")
