"""Model files that are forged or damaged: they are refused at load, or answer, or refuse in the library's words.

NOVACULA_FUZZ_LEARNERS names the learners to forge, with commas between their ids; all, unless it is set. With
NOVACULA_FUZZ_QUICK these are forged as they come, and in the variants of inputs that hurt once.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fuzz import forging
from fuzz.specimens import Specimen, read_specimens, write_specimens
from fuzz.target import FuzzTarget, is_ours, kept_inputs, pick
from novacula.checks.scales import answers
from novacula.errors import ModelFileError
from novacula.learner.files import load

KINDS = {
    "attribute": 8,
    "manifest": 5,
    "shape": 3,
    "numbers": 6,
    "damaged": 1,
}
"""How often each kind of change is made."""
ASKED = 5
"""Rows that a model is asked about."""


class Target(FuzzTarget):
    """Model files."""

    def __init__(self, prepared: Path | None = None) -> None:
        super().__init__(prepared)
        self.specimens = {} if prepared is None else read_specimens(prepared)
        self.models: dict[str, Any] = {}  # the specimens, loaded
        self.draw = [kind for kind, times in KINDS.items() for _ in range(times)]

    @staticmethod
    def prepare(folder: Path) -> None:
        """Fit the specimens: kernels of fits need not be compiled again with checks of bounds."""
        chosen = os.environ.get("NOVACULA_FUZZ_LEARNERS")
        few = {name_of(path) for path in kept_inputs("models")} if "NOVACULA_FUZZ_QUICK" in os.environ else None
        write_specimens(folder, set(chosen.split(",")) if chosen else None, few)

    def ready(self) -> None:
        """Use every specimen as it is: kernels are compiled, and what is imported late is."""
        for specimen in self.specimens.values():
            with TemporaryDirectory() as folder:
                path = Path(folder) / f"{specimen.name}.whole.nova"
                path.write_bytes(specimen.content)
                self.models[specimen.name] = load(path)
                if self.attempt(path) == "refused at load":  # later refusals may be right, as of a partial_fit
                    raise RuntimeError(f"{specimen.name} cannot be loaded as it is")

    def write(self, random: np.random.Generator, folder: Path) -> Path:
        """A specimen, changed in one way."""
        specimen = pick(random, list(self.specimens.values()))
        kind = pick(random, self.draw)
        if kind == "attribute":
            content = forging.forged_attribute(self.models[specimen.name], specimen.content, random)
        elif kind == "damaged":
            content = forging.damaged(specimen.content, random)
        else:
            content = getattr(forging, f"forged_{kind}")(specimen.content, random)
        path = folder / f"{specimen.name}.{kind}.nova"
        path.write_bytes(content)
        return path

    def attempt(self, path: Path) -> str:
        """Load it, ask it, derive it, teach it more."""
        specimen = self.specimens.get(name_of(path))
        if specimen is None:
            return "kept, of a learner that is not tried now"
        try:
            model = load(path)
        except ModelFileError:
            return "refused at load"
        outcomes = [attempted(use, model, specimen) for use in (ask, derive, derive_rows, teach)]
        return "refused later" if "refused" in outcomes else "answered"


def name_of(path: Path) -> str:
    """The name of the specimen that a file was made from."""
    return path.name.split(".")[0].split("~")[-1]


def attempted(use: Callable[[Any, Specimen], None], model: Any, specimen: Specimen) -> str:
    """Whether a use of a model ends well or in an error of the library; others get out."""
    try:
        use(model, specimen)
    except Exception as error:
        if not is_ours(error):
            raise
        return "refused"
    return "answered"


def ask(model: Any, specimen: Specimen) -> None:
    """All answers for a few rows."""
    answers(model, first(specimen.rows))


def derive(model: Any, _specimen: Specimen) -> None:
    """The derivation of the model."""
    str(model.work())


def derive_rows(model: Any, specimen: Specimen) -> None:
    """The derivation of answers."""
    str(model.work(first(specimen.rows)))


def teach(model: Any, specimen: Specimen) -> None:
    """More of the same rows."""
    if hasattr(model, "partial_fit"):
        model.partial_fit(specimen.rows, specimen.target)


def first(rows: Any) -> Any:
    """The first rows, of an array or a frame."""
    return rows[:ASKED] if not hasattr(rows, "slice") else rows.slice(0, ASKED)
