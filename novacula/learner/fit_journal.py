"""The passes of one fit, in their order, in files that are each written as a whole.

fit-1/fit.json          whose passes they are: learner, parameters, table, versions
fit-1/00000001.passes   records of passes, from the number that the name says on; a later file overrides an earlier
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from sklearn.utils import check_random_state

from novacula.errors import CheckpointError, CheckpointWarning, ModelFileError, warn_user
from novacula.learner.checkpoint_records import PassRecord, record_places
from novacula.learner.fingerprint import fingerprint, name_of, table_fingerprint
from novacula.version import __version__
from novacula.writing import replace_file

IDENTITY = "fit.json"
LARGE = 1 << 26
"""Bytes that wait to be written, at most."""
FORMAT = 1


class FitJournal:
    """Gives a fit what its passes came to before, and keeps what the others come to."""

    def __init__(self, path: Path, learner: Any, table: Any, more: Any, every: float) -> None:
        self.path, self.every = path, every
        self.name = type(learner).__name__
        self.roots = frozenset({__package__.partition(".")[0], type(learner).__module__.partition(".")[0]})
        self.n_passes = 0  # of this fit so far
        self.places: list[tuple[Path, int, int]] = []  # of records, by the number of their pass
        self.waiting: list[bytes] = []
        self.written = time.monotonic()
        self.is_usable = True
        self.warned: set[str] = set()
        self.seed = int(check_random_state(None).randint(2**31))
        """For what draws random numbers that no seed decides."""
        self._begin(identity_of(learner, table, more))

    # --- a pass ---------------------------------------------------------------------------------------------

    def give(self, function: Callable[..., Any], args: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
        """What a pass came to, or comes to now."""
        asks = fingerprint(name_of(function), args)
        record = self._find(asks, args) if self.n_passes < len(self.places) else None
        if record is not None:
            self.n_passes += 1
            return record.value if record.is_kept else compute()
        result = compute()
        self._keep(asks, args, result)
        return result

    def _find(self, asks: str, args: Any) -> PassRecord | None:
        """The record of the next pass; where it is damaged or of something else, it and the later ones are dropped."""
        path, start, size = self.places[self.n_passes]
        try:
            with path.open("rb") as file:
                file.seek(start)
                record = PassRecord.from_bytes(file.read(size), asks, self.roots, args)
        except (OSError, ModelFileError):
            record = None
        if record is None:
            self._warn(
                f"{self.name} goes on from pass {self.n_passes + 1} rather than {len(self.places) + 1}, since what its "
                f"checkpoint in {str(self.path)!r} holds of that pass is damaged or of another computation"
            )
            del self.places[self.n_passes :]
        return record

    def _keep(self, asks: str, args: Any, result: Any) -> None:
        try:
            record = PassRecord(asks, True, result).to_bytes(self.roots, args)
        except ModelFileError as error:
            self._warn(
                f"{self.name} repeats a pass when it goes on from its checkpoint, which cannot hold what it came to: "
                f"{error}"
            )
            record = PassRecord(asks, False).to_bytes(self.roots, args)
        self.n_passes += 1
        if self.is_usable:
            self.waiting.append(record)
            is_time = time.monotonic() - self.written >= self.every
            if is_time or sum(map(len, self.waiting)) > LARGE:
                self.flush()

    # --- files ----------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Write what waits; if that cannot be done, the fit goes on without."""
        if not self.waiting:
            return
        first = self.n_passes - len(self.waiting) + 1
        try:
            replace_file(self.path / f"{first:08d}.passes", self.waiting)
        except OSError as error:
            self._warn(
                f"{self.name} keeps no further checkpoint, since {str(self.path)!r} cannot be written to: {error}"
            )
            self.is_usable = False
        self.waiting.clear()
        self.written = time.monotonic()

    def remove(self) -> None:
        """Leave nothing behind: the fit is over."""
        for path in [*self.path.glob("*.passes"), *self.path.glob(".*.part"), self.path / IDENTITY]:
            with suppress(OSError):
                path.unlink()
        with suppress(OSError):
            self.path.rmdir()

    def _begin(self, identity: dict[str, Any]) -> None:
        place = self.path / IDENTITY
        try:
            known = json.loads(place.read_bytes())
        except FileNotFoundError:
            self.remove()  # passes of nobody
            self.path.mkdir(parents=True, exist_ok=True)
            replace_file(place, json.dumps({**identity, "seed": self.seed}, indent=1).encode())
            return
        except (ValueError, RecursionError) as error:
            raise CheckpointError(
                f"{str(place)!r} is not that of a checkpoint: choose another folder, or remove {str(self.path)!r}"
            ) from error
        for what, value in identity.items():
            if not isinstance(known, dict) or known.get(what) != value:
                raise CheckpointError(
                    f"the checkpoint in {str(self.path)!r} is of another fit, since {WHAT[what]} not the same: choose "
                    "another folder, or remove this one to begin again"
                )
        self.seed = int(known["seed"]) if isinstance(known.get("seed"), int) else self.seed
        self._index()

    def _index(self) -> None:
        for path in sorted(self.path.glob("*.passes")):
            first = int(path.stem) if path.stem.isdigit() else 0
            if not 1 <= first <= len(self.places) + 1:
                return  # a gap: what comes after it is of no use
            with path.open("rb") as file:
                self.places[first - 1 :] = [(path, *place) for place in record_places(file)]

    def _warn(self, sentence: str) -> None:
        if sentence not in self.warned:
            self.warned.add(sentence)
            warn_user(sentence, CheckpointWarning)


WHAT = {
    "format": "the format is",
    "versions": "the versions of Novacula, NumPy and SciPy are",
    "learner": "the learner is",
    "parameters": "the parameters are",
    "table": "the table is",
    "more": "what else the fit was given is",
}


def identity_of(learner: Any, table: Any, more: Any) -> dict[str, Any]:
    """What a fit depends on."""
    return {
        "format": FORMAT,
        "versions": [__version__, np.__version__, scipy.__version__],
        "learner": name_of(type(learner)),
        "parameters": fingerprint(learner.get_params(deep=False)),
        "table": table_fingerprint(table),
        "more": fingerprint(more),
    }
