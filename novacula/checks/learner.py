"""`check_learner`: everything that a learner of this library promises, in one call.

scikit-learn's own suite, then: the same model in every cut and at every scale, a file that comes back as it was, a
model that shows itself at once, a derivation whose arithmetic is right, the same seed for the same model, weights that
are repetitions, any frame, clear answers to missing values, new categories and hostile names, and what a study needs.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin

from novacula.checks.admission import check_admission, refusal_of
from novacula.checks.display import check_display
from novacula.checks.fitted import fitted_arrays
from novacula.checks.samples import NASTY_NAMES, CheckSample, sample
from novacula.checks.scales import answers, check_chunking, check_scales, close, identical, same_model
from novacula.checks.state import check_declaration
from novacula.checks.study import check_study
from novacula.checks.verdict import require
from novacula.checks.work import check_work
from novacula.errors import UnseenCategoryWarning
from novacula.learner.base import Learner
from novacula.learner.files import load


def check_learner(learner: Learner, client: Any = None) -> None:
    """Run every check on a learner; the first that fails raises an AssertionError with a sentence."""
    for _, check in learner_checks(learner, client):
        check()


def learner_checks(learner: Learner, client: Any = None) -> Iterator[tuple[str, Callable[[], None]]]:
    """The checks that apply to a learner, by name, each a call without arguments."""
    yield "scikit_learn", lambda: check_scikit_learn(learner)
    yield "chunking", lambda: check_chunking(learner)
    yield "scales", lambda: check_scales(learner, client)
    yield "file", lambda: check_file(learner)
    yield "state", lambda: check_declaration(learner)
    yield "display", lambda: check_display(learner)
    yield "work", lambda: check_derivation(learner)
    yield "reproducible", lambda: check_reproducible(learner)
    if learner.card.task != "sequence":  # there a weight belongs to a whole sequence
        yield "weights", lambda: check_weights(learner)
    yield "frames", lambda: check_frames(learner)
    yield "missing", lambda: check_missing(learner)
    yield "admission", lambda: check_admission(learner, client)
    yield "nasty_names", lambda: check_nasty_names(learner)
    yield "study", lambda: check_study(learner)
    if "categorical" in learner.card.takes and hasattr(learner, "predict"):
        yield "unseen", lambda: check_unseen(learner)


def check_scikit_learn(learner: Learner) -> None:
    """scikit-learn's suite must pass, except for what the card explains."""
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the suite uses data that a learner may well warn about
        check_estimator(clone(learner), expected_failed_checks=dict(learner.card.expected_failures), on_skip=None)


def _fitted(learner: Learner, data: CheckSample) -> Any:
    return clone(learner).fit(data.X, data.target)


def check_file(learner: Learner) -> None:
    """A saved model must come back with the same parameters and answers, and be the same file again."""
    data = sample(learner.card)
    model = _fitted(learner, data)
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder) / "model.nova", Path(folder) / "again.nova"
        model.save(path)
        loaded = load(path)
        loaded.save(again)
        require(path.read_bytes() == again.read_bytes(), "a model that was loaded and saved again is another file")
    same_model(model, loaded, data, "loaded from its file")
    for a, b in zip(answers(model, data.X), answers(loaded, data.X), strict=True):
        require(identical(a, b), "a loaded model predicts otherwise")
    if hasattr(model, "partial_fit"):
        same_model(
            model.partial_fit(data.X, data.target),
            loaded.partial_fit(data.X, data.target),
            data,
            "loaded and fitted on",
        )


def check_derivation(learner: Learner) -> None:
    """The work of the model and of its predictions must come to the numbers of the model."""
    data = sample(learner.card)
    model = _fitted(learner, data)
    check_work(model)
    check_work(model, data.take(np.arange(3)).X)


def check_reproducible(learner: Learner) -> None:
    """The same data and the same seed must give the same model to the bit, for any number of threads."""
    from novacula.table import threads

    data = sample(learner.card)
    seeded = clone(learner)
    if "random_state" in seeded.get_params():
        seeded.set_params(random_state=0)
    models = []
    for count in (1, 2, 3):
        with threads(count):
            models.append(_fitted(seeded, data))
    first = dict(fitted_arrays(models[0]))
    for other in models[1:]:
        for name, array in fitted_arrays(other):
            same = name in first and identical(first[name], array)
            require(same, f"the same seed gives another {name} on another number of threads")
        for a, b in zip(answers(models[0], data.X), answers(other, data.X), strict=True):
            require(identical(a, b), "the same seed gives other answers on another number of threads")


def check_weights(learner: Learner) -> None:
    """A row of weight 2 must count as two rows, one after the other, and one of weight 0 as none."""
    data = sample(learner.card)
    weight = np.random.default_rng(0).integers(0, 3, len(data))
    repeated = data.take(np.repeat(np.arange(len(data)), weight))
    weighted: Any = clone(learner)
    weighted.fit(data.X, data.target, sample_weight=weight.astype(float))
    same_model(_fitted(learner, repeated), weighted, data, "fitted with weights instead of repeated rows")


def check_frames(learner: Learner) -> None:
    """pandas, polars and PyArrow frames of the same rows must give the same model; those that are installed."""
    data = sample(learner.card)
    model = _fitted(learner, data)
    for library in filter(find_spec, ("pandas", "polars")):
        other = import_module(library).DataFrame({name: column.to_pylist() for name, column in data.columns.items()})
        same_model(model, clone(learner).fit(other, data.target), data, f"fitted on a {library} frame")
        for a, b in zip(answers(model, data.X), answers(model, other), strict=True):
            require(close(a, b), f"predictions for a {library} frame differ")


def check_missing(learner: Learner) -> None:
    """Missing values must be taken if the card says so, and refused with a sentence otherwise."""
    data = sample(learner.card, missing=True)
    if learner.card.admits.missing and isinstance(learner, SelectorMixin):
        _fitted(learner, data).transform(data.X)  # which passes missing values on
    elif learner.card.admits.missing:
        for answer in answers(_fitted(learner, data), data.X):
            sound = answer.dtype.kind != "f" or not np.isnan(answer).any()
            require(sound, "missing values make predictions NaN")
    else:
        taken = refusal_of(lambda: _fitted(learner, data)) is None
        require(not taken, "missing values are taken, though the card does not admit them")


def check_nasty_names(learner: Learner) -> None:
    """Hostile column names and categories must pass through fit, work and file unharmed."""
    data = sample(learner.card)
    names = dict(zip(data.columns, NASTY_NAMES, strict=False))
    nasty = data.renamed(names)
    model = _fitted(learner, nasty)
    page = model.work().to_html() + model.work(nasty.take(np.arange(2)).X).to_html()
    require("<script" not in page, "a column name became a script in the page of a work")
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.nova")
        same_model(model, load(Path(folder) / "model.nova"), nasty, "loaded from its file under hostile names")


def check_unseen(learner: Learner) -> None:
    """A category that was not there at fit must be reported or refused, as `unseen` says, and never crash."""
    import pyarrow as pa

    data = sample(learner.card)
    first = data.take(np.arange(2))
    strange = CheckSample({**first.columns, "colour": pa.array(["ultraviolet", "red"])}, first.target)
    model = _fitted(learner, data)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.predict(strange.X)
    reported = any(issubclass(w.category, UnseenCategoryWarning) for w in caught)
    require(reported, "an unseen category passes in silence")
    if "unseen" in model.get_params():
        strict = clone(learner).set_params(unseen="error").fit(data.X, data.target)
        sentence = str(refusal_of(lambda: strict.predict(strange.X)) or "")
        require(bool(sentence), "unseen='error' lets an unseen category pass")
        named = "ultraviolet" in sentence and "colour" in sentence
        require(named, f"the error names neither value nor column: {sentence}")
