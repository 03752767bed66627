"""Results as JSON and as Markdown: one row a rival, with everything that is needed to doubt it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import describe

Result = dict[str, Any]
KINDS = ("races", "growths", "probes")

_READ_ME = """\
# Benchmarks

`make bench` measures this page anew, `make bench ONLY=ridge,csv_stream` some rows of it, and `make bench
QUICK=1` tries small sizes.

All contenders of a workload run in one process and take turns; times are medians after a warm-up. The ratio
is the median over rounds of the rival's time over ours: **above 1, Novacula is ahead**. A time counts only
if the answers agree. Peak memory is that of a fresh process that loads the data and does the work once; in
brackets, what it held before the work began. The last column is how many times longer ours takes than this
machine needs to read the bytes once, or to do the arithmetic at the speed of its matrix product. A *bound*
does a part of the work that cannot be left out.
"""


def merge(old: Result, new: Result) -> Result:
    """Put new results in the place of old ones by name, if both are of one machine and the same versions."""
    same = all(old.get(key) == new[key] for key in ("versions", "quick")) and _facts(old) == _facts(new)
    if not same:
        return new
    merged = dict(new)
    for kind in KINDS:
        fresh = {result["name"] for result in new[kind]}
        kept = [result for result in old[kind] if result["name"] not in fresh]
        merged[kind] = sorted(kept + new[kind], key=lambda result: result["name"])
    return merged


def _facts(results: Result) -> list[Any]:
    return [results.get("machine", {}).get(name) for name in ("cpu", "cores", "memory")]


def write(results: Result, json_path: Path, markdown_path: Path) -> Result:
    """Write both files, keeping what an earlier run measured of other workloads."""
    if json_path.exists():
        results = merge(json.loads(json_path.read_text("utf-8")), results)
    for path in (json_path, markdown_path):
        path.parent.mkdir(parents=True, exist_ok=True)
    json_path.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", "utf-8")
    markdown_path.write_text(markdown(results), "utf-8")
    return results


def markdown(results: Result) -> str:
    """The whole page."""
    parts = [_READ_ME, _machine(results)]
    if results["races"]:
        parts += ["## Rivals\n", race_table(results["races"])]
        parts += ["## First call in a fresh process, imports included\n", first_calls(results["races"])]
    if results["growths"]:
        parts += ["## Growth\n", growth_table(results["growths"])]
    if results["probes"]:
        parts += ["## Figures and goals\n", figure_table(results["probes"])]
    return "\n".join(parts)


def _machine(results: Result) -> str:
    machine, small = results["machine"], " Small sizes (`QUICK=1`)." if results["quick"] else ""
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    return (
        f"Machine: {machine['cpu']}, {machine['cores']} cores, {machine['memory'] / 2**30:.0f} GiB; "
        f"it reads {machine['bandwidth'] / 1e9:.0f} GB/s and multiplies matrices at "
        f"{machine['flops'] / 1e9:.0f} Gflop/s.{small}\n"
        f"Versions: {versions}.\n"
    )


def race_table(races: Sequence[Result]) -> str:
    """One row a rival."""
    head = (
        "workload",
        "rival",
        "ratio",
        "ours, s",
        "rival, s",
        "ours, MB",
        "rival, MB",
        "quality",
        "÷ limit",
    )
    rows = []
    for race in races:
        title = f"{race['title']}: {describe(race['size'])}"
        if not race["standings"]:
            rows.append((title, race["note"], *["–"] * 7))
            continue
        ours, *rivals = race["standings"]
        for rival in rivals:
            name = f"*bound:* {rival['name']}" if rival["bound"] else rival["name"]
            quality = (ours["note"] and f"ours {ours['note']}") or rival["note"] or rival["quality"] or "–"
            times = [_seconds(ours), _seconds(rival), _memory(ours), _memory(rival)]
            rows.append((title, name, _ratio(rival), *times, quality, _distance(race)))
    return _table(head, rows)


def first_calls(races: Sequence[Result]) -> str:
    """Cold starts, one row a contender: the first call in a fresh process, with all that it imports."""
    head = ("workload", "contender", "first call, s", "median, s")
    rows = [
        (race["title"], standing["name"], f"{standing['first_call']:.2f}", _seconds(standing))
        for race in races
        for standing in race["standings"]
        if "first_call" in standing and not standing["bound"]
    ]
    return _table(head, rows)


def growth_table(growths: Sequence[Result]) -> str:
    """One row a size, then the exponents in words."""
    head = ("workload", "size", "seconds", "peak, MB")
    rows, words = [], []
    for growth in growths:
        for step in growth["steps"]:
            ours = step["standings"][0] if step["standings"] else {"note": step["note"], "seconds": None}
            size = describe(step["size"])
            rows.append((growth["title"], size, ours["note"] or _seconds(ours), _memory(ours)))
        if "memory_exponent" in growth:
            goal = growth["memory_goal"]
            promised = "" if goal is None else f" (promised: at most {goal:g})"
            words.append(
                f"{growth['title']}: time grows as {growth['along']}^{growth['time_exponent']:.2f}, "
                f"peak memory as {growth['along']}^{growth['memory_exponent']:.2f}{promised}.\n"
            )
    return "\n".join([_table(head, rows), *words])


def figure_table(probes: Sequence[Result]) -> str:
    """One row a figure."""
    head = ("what", "measured", "goal", "met")
    rows = []
    for probe in probes:
        if probe["note"]:
            rows.append((probe["title"], probe["note"], "–", "–"))
        for figure in probe["figures"]:
            unit, goal = figure["unit"], figure["goal"]
            wanted = (
                ("–", "–") if goal is None else (f"≤ {goal:g} {unit}".rstrip(), "yes" if figure["met"] else "**no**")
            )
            rows.append((figure["name"], f"{figure['value']:.3g} {unit}".rstrip(), *wanted))
    return _table(head, rows)


def _ratio(rival: Result) -> str:
    return "–" if rival["ratio"] is None else f"**{rival['ratio']:.2f}**"


def _seconds(standing: Result) -> str:
    return "–" if standing["seconds"] is None else f"{standing['seconds']:.3g}"


def _memory(standing: Result) -> str:
    if "peak" not in standing:
        return "–"
    return f"{standing['peak'] / 1e6:.0f} ({standing['baseline'] / 1e6:.0f})"


def _distance(race: Result) -> str:
    seconds = race["standings"][0]["seconds"]
    return "–" if seconds is None else f"{seconds / race['limit']:.1f} ({race['limit_by']})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
