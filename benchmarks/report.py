"""Results as JSON and as a page: first what was reached, then the rows, then what explains them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from benchmarks import tables
from benchmarks.workload import Race, Workload, find_workloads

Result = dict[str, Any]
KINDS = ("races", "starts", "curves", "growths", "probes")

_READ_ME = """\
# Benchmarks

`make bench` installs the rivals and measures this page again, `make bench ONLY=ridge,knn` some rows of it
(`ONLY=growth` the growth curves), and `make bench QUICK=1` tries small sizes and leaves peaks out.

All contenders of a workload run in one process and take turns; times are medians after a warm-up. The ratio
is the median over rounds of the rival's time over ours: above 1, Novacula is ahead, and **bold** where the
goal is reached. A time counts only if the answers agree. Peak memory is that of a fresh process that loads
the data and does the work once; in brackets, what it held before the work began. The last column is how many
times longer ours takes than this machine needs to read the bytes once, or to do the arithmetic at the speed of
its matrix product. A *bound* does a part of the work that cannot be left out.
"""

_COLD_START = """\
Whole processes, from the start of the interpreter to its end after a first small fit. Uncached, every kernel is
compiled; cached, it is loaded. In brackets, how many runs the median is of.
"""

_CURVES = """\
Each learner fits at sizes that span two decades, n rows or d columns, with a fixed number of iterations where its
card speaks of one iteration. An exponent is fitted over all sizes, and once more over the last two, where
overheads weigh least; it is **bold** there if it is clearly above that of the card. Extra memory is the peak
beyond what the process held with the data; its exponent is over the sizes that take at least 1 MB. The attributes
of list-then-eliminate cannot span two decades, since its time is exponential in them. For text d is the number of
words in a text, and for categorical hidden Markov models the number of symbols.
"""


def merge(old: Result, new: Result) -> Result:
    """Replace old results by new ones of the same name, if both are of the same versions.

    Versions that only the new ones name do not contradict that. What was measured on another machine stays until it is
    measured on this one, and names it.
    """
    if old.get("quick") != new["quick"] or not old.get("versions", {}).items() <= new["versions"].items():
        return new
    merged, there = dict(new), {} if _facts(old) == _facts(new) else {"elsewhere": old["machine"]["cpu"]}
    for kind in KINDS:
        fresh = {result["name"] for result in new[kind]}
        kept = [there | result for result in old.get(kind, []) if result["name"] not in fresh]
        merged[kind] = sorted(kept + new[kind], key=lambda result: result["name"])
    return merged


def with_goals(results: Result, workloads: Iterable[Workload]) -> Result:
    """The results with the goals and reasons that the workloads state now."""
    stated = {
        (workload.name, contender.name): {"goal": contender.goal, "because": contender.because}
        for workload in workloads
        if isinstance(workload, Race)
        for contender in workload.contenders()
    }
    races = [
        race | {"standings": [rival | stated.get((race["name"], rival["name"]), {}) for rival in race["standings"]]}
        for race in results["races"]
    ]
    return results | {"races": races}


def _facts(results: Result) -> list[Any]:
    return [results.get("machine", {}).get(name) for name in ("cpu", "cores", "memory")]


def read(json_path: Path) -> Result:
    """What earlier runs measured."""
    return cast(Result, json.loads(json_path.read_text("utf-8")))


def write(results: Result, json_path: Path, markdown_path: Path) -> Result:
    """Write both files, keeping what an earlier run measured of other workloads."""
    if json_path.exists():
        results = merge(read(json_path), results)
    results = with_goals(results, find_workloads())
    for path in (json_path, markdown_path):
        path.parent.mkdir(parents=True, exist_ok=True)
    json_path.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", "utf-8")
    markdown_path.write_text(markdown(results), "utf-8")
    return results


def markdown(results: Result) -> str:
    """The whole page."""
    races, probes = results["races"], results["probes"]
    parts = [_READ_ME, _machine(results)]
    if races or probes:
        parts += ["## Goals\n", _summary(results)]
    if races:
        parts += ["## Rivals\n", tables.race_table(races)]
        parts += ["## Rows behind their goal\n", tables.behind_list(races)]
    if results["starts"]:
        parts += ["## Cold start\n", _COLD_START, tables.start_table(results["starts"])]
    if races:
        parts += ["## First call of each workload in a fresh process, imports included\n", tables.first_calls(races)]
    if results["curves"]:
        parts += ["## Growth with rows and columns\n", _CURVES, tables.curve_table(results["curves"])]
    if results["growths"]:
        parts += ["## Growth of streams\n", tables.growth_table(results["growths"])]
    if probes:
        parts += ["## Figures and goals\n", tables.figure_table(probes)]
    return "\n".join(parts)


def _summary(results: Result) -> str:
    rivals = [rival for _, rival in tables.goal_rows(results["races"])]
    figures = [figure for probe in results["probes"] for figure in probe["figures"] if figure["goal"] is not None]
    ahead, met = sum(map(tables.reached, rivals)), sum(figure["met"] for figure in figures)
    return f"{ahead} of {len(rivals)} rivals are at their goal, and {met} of {len(figures)} figures at theirs.\n"


def _machine(results: Result) -> str:
    machine, small = results["machine"], " Small sizes (`QUICK=1`)." if results["quick"] else ""
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    return (
        f"Machine: {machine['cpu']}, {machine['cores']} cores, {machine['memory'] / 2**30:.0f} GiB; "
        f"it reads {machine['bandwidth'] / 1e9:.0f} GB/s and multiplies matrices at "
        f"{machine['flops'] / 1e9:.0f} Gflop/s.{small} A row that names another machine was measured there.\n"
        f"Versions: {versions}.\n"
    )
