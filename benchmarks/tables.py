"""Results as tables of Markdown: one row per rival, learner or figure, with everything that is needed to doubt it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from benchmarks.workload import describe, short

Result = dict[str, Any]

STEEPER = 0.3
"""How far a measured exponent may be above that of the card before it is marked: caches end, and logarithms grow."""


def goal_rows(races: Sequence[Result]) -> Iterator[tuple[Result, Result]]:
    """Each race with each of its rivals that has a goal."""
    for race in races:
        for rival in race["standings"][1:]:
            if rival.get("goal") is not None:
                yield race, rival


def reached(rival: Result) -> bool:
    """Whether a rival's ratio is at its goal; False where there is no goal."""
    goal, ratio = rival.get("goal"), rival["ratio"]
    return goal is not None and ratio is not None and ratio >= goal


def race_table(races: Sequence[Result]) -> str:
    """One row per rival."""
    head = (
        *("workload", "rival", "ratio", "goal", "ours, s", "rival, s"),
        *("ours, MB", "rival, MB", "quality", "÷ limit"),
    )
    rows = []
    for race in races:
        ours, *rivals = race["standings"]
        for rival in rivals:
            name = f"*bound:* {rival['name']}" if rival["bound"] else rival["name"]
            quality = (ours["note"] and f"ours {ours['note']}") or rival["note"] or rival["quality"] or "–"
            goal = "–" if rival.get("goal") is None else f"{rival['goal']:g}"
            times = [_seconds(ours), _seconds(rival), _memory(ours), _memory(rival)]
            rows.append((_place(race), name, _ratio(rival), goal, *times, quality, _distance(race)))
    return _table(head, rows)


def behind_list(races: Sequence[Result]) -> str:
    """One item per rival whose goal is missed, with the reason that its workload gives."""
    items = []
    for race, rival in goal_rows(races):
        if not reached(rival):
            state = rival["note"] or "ours has no time" if rival["ratio"] is None else f"ratio {rival['ratio']:.2f}"
            because = rival["because"] or "no reason given"
            items.append(f"- {_place(race)}, {rival['name']}: {state}, goal {rival['goal']:g}. {_sentence(because)}\n")
    return "".join(items) or "None.\n"


def first_calls(races: Sequence[Result]) -> str:
    """One row per race: the first call of each contender in a fresh process, with all that it imports."""
    rows = []
    for race in races:
        ours, *rivals = (s for s in race["standings"] if not s["bound"])
        theirs = [f"{rival['name']} {rival['first_call']:.2f}" for rival in rivals if "first_call" in rival]
        if "first_call" in ours:
            rows.append((_place(race), f"{ours['first_call']:.2f}", " · ".join(theirs) or "–"))
    return _table(("workload", "ours, s", "rivals, s"), rows)


def start_table(starts: Sequence[Result]) -> str:
    """One row per learner or command, kernels cached or not."""
    rows = []
    for start in starts:
        name = f"`{start['name']}`{_elsewhere(start)}"
        if start["note"]:
            rows.append((name, start["note"], "–", "–"))
        else:
            uncached = "–" if start["uncached"] is None else f"{start['uncached']:.2f} (1)"
            cached = f"{start['cached']:.2f} ({start['rounds']})"
            rows.append((name, cached, uncached, _number(start["kernels"], "d")))
    return _table(("what", "cached, s (runs)", "uncached, s (runs)", "kernels"), rows)


def curve_table(curves: Sequence[Result]) -> str:
    """One row per learner and axis."""
    head = (
        *("learner", "along", "sizes", "seconds", "extra MB"),
        *("time exponent", "at the top", "card", "memory exponent"),
    )
    rows = []
    for curve in curves:
        name = f"`{curve['name']}`{_elsewhere(curve)}"
        if curve["note"]:
            rows.append((name, curve["note"], *["–"] * 7))
            continue
        for axis in curve["axes"]:
            other = "d" if axis["along"] == "n" else "n"
            sizes = f"{_joined(map(short, axis['sizes']))}; {other} = {short(axis['held'])}"
            seconds = _joined(f"{value:.2g}" for value in axis["seconds"])
            extra = _joined("–" if value is None else f"{value / 1e6:.0f}" for value in axis["extra"])
            measured = (f"{axis['time_exponent']:.2f}", _top(axis), _number(axis["card"], "g"))
            rows.append(
                (name, axis["along"], sizes, seconds, extra, *measured, _number(axis["memory_exponent"], ".2f"))
            )
    return _table(head, rows)


def growth_table(growths: Sequence[Result]) -> str:
    """One row per size, then the exponents in words."""
    head = ("workload", "size", "seconds", "peak, MB")
    rows, words = [], []
    for growth in growths:
        for step in growth["steps"]:
            ours = step["standings"][0]
            size = describe(step["size"])
            rows.append((growth["title"] + _elsewhere(growth), size, ours["note"] or _seconds(ours), _memory(ours)))
        if "memory_exponent" in growth:
            goal = growth["memory_goal"]
            promised = "" if goal is None else f" (promised: at most {goal:g})"
            words.append(
                f"{growth['title']}: time grows as {growth['along']}^{growth['time_exponent']:.2f}, "
                f"peak memory as {growth['along']}^{growth['memory_exponent']:.2f}{promised}.\n"
            )
    return "\n".join([_table(head, rows), *words])


def figure_table(probes: Sequence[Result]) -> str:
    """One row per figure."""
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
            rows.append((figure["name"] + _elsewhere(probe), f"{figure['value']:.3g} {unit}".rstrip(), *wanted))
    return _table(head, rows)


def _place(race: Result) -> str:
    return f"{race['title']}: {describe(race['size'])}{_elsewhere(race)}"


def _elsewhere(result: Result) -> str:
    """The machine of a result, where it is not the one that the page is about."""
    return f" ({result['elsewhere']})" if "elsewhere" in result else ""


def _ratio(rival: Result) -> str:
    if rival["ratio"] is None:
        return "–"
    return f"**{rival['ratio']:.2f}**" if reached(rival) else f"{rival['ratio']:.2f}"


def _seconds(standing: Result) -> str:
    return "–" if standing["seconds"] is None else f"{standing['seconds']:.3g}"


def _memory(standing: Result) -> str:
    if "peak" not in standing:
        return "–"
    return f"{standing['peak'] / 1e6:.0f} ({standing['baseline'] / 1e6:.0f})"


def _distance(race: Result) -> str:
    seconds = race["standings"][0]["seconds"]
    return "–" if seconds is None else f"{seconds / race['limit']:.1f} ({race['limit_by']})"


def _top(axis: Result) -> str:
    steep = axis["card"] is not None and axis["top_exponent"] > axis["card"] + STEEPER
    return f"**{axis['top_exponent']:.2f}**" if steep else f"{axis['top_exponent']:.2f}"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _joined(words: Iterable[str]) -> str:
    return " · ".join(words)


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:] + ("" if words.endswith(".") else ".")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
