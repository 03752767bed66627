"""`python -m benchmarks.before_after OLD [--only a,b] [--quick]`: our times in another checkout and in this one.

Each race runs in two processes, one per checkout, which take turns call by call, so that what slows the machine slows
both. The ratio is the median over rounds of the time after over the time before: above 1, it became slower.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.timing import FULL, QUICK, Rounds, median_ratio
from benchmarks.workload import Growth, Race, Size, describe, find_workloads, select

HERE = Path(__file__).parent
SLOWER = 1.05
"""The ratio above which a row is marked."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse, measure, and print one row per race."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.before_after", description="Ours, before and after.")
    parser.add_argument("old", type=Path, help="a checkout of the code before")
    parser.add_argument("--only", default="", help="workloads, by name or file, with commas between them")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds")
    chosen = parser.parse_args(arguments)
    words = [word.strip() for word in chosen.only.split(",") if word.strip()]
    print("| workload | size | before (s) | after (s) | after / before |\n|---|---|---|---|---|", flush=True)
    for race in select(find_workloads(), words):
        if isinstance(race, Race) and not isinstance(race, Growth):
            for size in race.quick if chosen.quick else race.full:
                row = compare(chosen.old, HERE.parent, race.name, size, QUICK if chosen.quick else FULL)
                print(f"| {race.name} | {describe(size)} | {row} |", flush=True)


def compare(old: Path, new: Path, name: str, size: Size, rounds: Rounds) -> str:
    """The cells of one row: seconds before and after, and their ratio; or why there are none."""
    try:
        with ExitStack() as stack:
            before, after = (stack.enter_context(timed_calls(checkout, name, size)) for checkout in (old, new))
            times = take_turns(before, after, rounds)
    except (ChildError, OSError) as error:
        return f"{error} | | "
    ratio = median_ratio(times[1], times[0])
    mark = "**" if ratio > SLOWER else ""
    return f"{median(times[0]):.4g} | {median(times[1]):.4g} | {mark}{ratio:.3f}{mark}"


class ChildError(RuntimeError):
    """A process ended before it answered."""


@contextmanager
def timed_calls(checkout: Path, name: str, size: Size) -> Iterator[Callable[[], float]]:
    """A process that runs our contender with the code of a checkout; each call gives the seconds that it took."""
    with TemporaryDirectory(prefix=f"{name}-") as folder:
        command = [sys.executable, "-P", str(HERE / "timed_child.py"), name, json.dumps(dict(size)), folder]
        environment = os.environ | {"PYTHONPATH": str(checkout.resolve())}
        pipe = subprocess.PIPE
        child = subprocess.Popen(command, cwd=checkout, env=environment, stdin=pipe, stdout=pipe, text=True)
        assert child.stdin is not None
        assert child.stdout is not None
        stdin, stdout = child.stdin, child.stdout

        def answer() -> str:
            if not (line := stdout.readline()):
                raise ChildError(f"the process of {checkout} ended with exit code {child.wait()}")
            return line

        def call() -> float:
            stdin.write("\n")
            stdin.flush()
            return float(answer())

        try:
            answer()  # it is ready
            yield call
        finally:
            stdin.close()
            stdout.close()
            child.terminate()
            child.wait()


def take_turns(
    before: Callable[[], float], after: Callable[[], float], rounds: Rounds
) -> tuple[list[float], list[float]]:
    """Seconds of both, round by round; the one that goes first changes from round to round."""
    times: tuple[list[float], list[float]] = ([], [])
    while len(times[0]) < rounds.least or (len(times[0]) < rounds.most and sum(map(sum, times)) < rounds.seconds):
        for place in (0, 1) if len(times[0]) % 2 == 0 else (1, 0):
            times[place].append((before, after)[place]())
    return times


if __name__ == "__main__":
    main()
