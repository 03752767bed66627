"""One race in one process: warm up, compare the answers, then time in rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import Any, Self

from benchmarks.timing import Rounds, interleave, median_ratio
from benchmarks.workload import Contender, Data, Race


@dataclass(slots=True)
class Standing:
    """How a contender came out; `note` says why it has no time, `ratio` is its time over ours."""

    name: str
    bound: bool
    goal: float | None
    because: str
    version: str = ""
    note: str = ""
    quality: str = ""
    times: list[float] = field(default_factory=list)
    seconds: float | None = None
    ratio: float | None = None

    @classmethod
    def of(cls, contender: Contender) -> Self:
        """A contender before the race."""
        return cls(contender.name, contender.bound, contender.goal, contender.because)


def contend(race: Race, data: Data, rounds: Rounds) -> list[Standing]:
    """Run a race; only contenders whose answer agrees with ours are timed."""
    contenders = race.contenders()
    standings = [Standing.of(contender) for contender in contenders]
    calls: dict[str, Callable[[], object]] = {}
    ours: Any = None
    for contender, standing in zip(contenders, standings, strict=True):
        first = standing is standings[0]
        call, answer = _warm_up(contender, standing, data)
        if call is None or not (first or _may_count(race, ours, answer, standing, bool(calls))):
            continue
        calls[contender.name] = call
        ours = answer if first else ours
        del answer
    return _with_times(standings, interleave(calls, rounds))


def _warm_up(contender: Contender, standing: Standing, data: Data) -> tuple[Callable[[], object] | None, Any]:
    """The call to time and the answer of a first run, which no median contains."""
    try:
        standing.version = version(contender.package)
    except PackageNotFoundError:
        standing.note = f"{contender.package} is not installed"
        return None, None
    try:
        call = partial(contender.run, contender.ready(data))
        return call, call()
    except Exception as error:  # a rival that breaks is a row that says so
        standing.note = f"failed: {type(error).__name__}: {(str(error) or '–').splitlines()[0]}"
        return None, None


def _may_count(race: Race, ours: Any, theirs: Any, standing: Standing, ours_ran: bool) -> bool:
    if not ours_ran:
        standing.note = "there is no answer of ours to compare with"
        return False
    if standing.bound:
        return True
    agreement = race.agree(ours, theirs)
    standing.quality = agreement.words
    if not agreement.close:
        standing.note = f"the answers differ: {agreement.words}"
    return agreement.close


def _with_times(standings: Sequence[Standing], times: dict[str, list[float]]) -> list[Standing]:
    ours = times.get(standings[0].name, [])
    for standing in standings:
        standing.times = times.get(standing.name, [])
        if standing.times:
            standing.seconds = median(standing.times)
            standing.ratio = median_ratio(standing.times, ours)
    return list(standings)
