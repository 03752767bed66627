"""The run: data are made, races run and memory is measured, each in a process of its own."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.machine import Machine
from benchmarks.race import Standing
from benchmarks.report import KINDS
from benchmarks.tasks import TaskError, in_new_process, in_process_of
from benchmarks.timing import exponent
from benchmarks.workload import Growth, Limit, Probe, Race, Size, Survey, Workload, describe

DATA = Path(__file__).parent / "data"
Say = Callable[[str], None]
Result = dict[str, Any]

_REPORTED = (
    *("numpy", "scipy", "scikit-learn", "numba", "pyarrow", "pandas", "polars"),
    *("celer", "faiss-cpu", "hmmlearn", "kdepy", "lightgbm", "pgmpy", "pybnesian", "skglm", "torch", "xgboost"),
)


def run(workloads: Sequence[Workload], quick: bool, say: Say) -> Iterator[Result]:
    """Measure workloads one after the other and give the results after each; one that fails says so."""
    say("measuring the machine")
    machine = Machine(**in_new_process("machine"))
    say(f"  {machine.bandwidth / 1e9:.0f} GB/s, {machine.flops / 1e9:.0f} Gflop/s")
    results: Result = {"machine": asdict(machine), "versions": _versions(), "quick": quick, **{k: [] for k in KINDS}}
    for workload in workloads:
        for kind, result in _measure(workload, quick, machine, say):
            results[kind].append(result)
            yield results


def _measure(workload: Workload, quick: bool, machine: Machine, say: Say) -> Iterator[tuple[str, Result]]:
    """The kind of each result of a workload, and the result."""
    if isinstance(workload, Probe):
        yield "probes", _probed(workload, quick, say)
    elif isinstance(workload, Survey):
        for subject in workload.subjects(quick):
            yield workload.kind, _surveyed(workload, subject, quick, say)
    elif isinstance(workload, Growth):
        yield "growths", _grown(workload, quick, machine, say)
    elif isinstance(workload, Race):
        for size in workload.quick if quick else workload.full:
            yield "races", _raced(workload, size, quick, machine, say)


def _raced(race: Race, size: Size, quick: bool, machine: Machine, say: Say) -> Result:
    """One race; a quick one shares its process, and goes without peaks unless they are what it is about."""
    say(f"{race.name}: {describe(size)}")
    with_peaks = not quick or isinstance(race, Growth)
    run_task = in_new_process if with_peaks else partial(in_process_of, race.file)
    result: Result = {"name": race.name, "title": race.title, "size": dict(size), "standings": []}
    try:
        with _folder(race.name) as folder:
            if with_peaks:
                in_new_process("prepare", workload=race.name, size=dict(size), folder=folder)
            raced = run_task("race", workload=race.name, size=dict(size), folder=folder, quick=quick)
            seconds, part = machine.seconds(Limit(**raced["limit"]))
            result |= {"limit": seconds, "limit_by": part, "standings": raced["standings"]}
            for standing in result["standings"]:
                if standing["times"] and with_peaks:
                    contender = standing["name"]
                    standing |= in_new_process("peak", workload=race.name, contender=contender, folder=folder)
                say("  " + _line(standing))
    except TaskError as error:
        note = f"failed: {error}"
        standings = result["standings"] or [asdict(Standing.of(contender)) for contender in race.contenders()]
        result["standings"] = [s if s["note"] or "peak" in s else s | {"note": note} for s in standings]
        say("  " + note)
    return result


def _line(standing: Result) -> str:
    if standing["seconds"] is None:
        return f"{standing['name']}: {standing['note']}"
    line = f"{standing['name']}: {standing['seconds']:.3f} s, ratio {standing['ratio']:.2f}"
    if "peak" in standing:
        line += f", peak {standing['peak'] / 1e6:.0f} MB, first call {standing['first_call']:.2f} s"
    return f"{line}; {standing['quality']}"


def _grown(growth: Growth, quick: bool, machine: Machine, say: Say) -> Result:
    sizes = growth.quick if quick else growth.full
    steps = [_raced(growth, size, quick, machine, say) for size in sizes]
    result: Result = {"name": growth.name, "title": growth.title, "along": growth.along, "steps": steps}
    ours = [step["standings"][0] for step in steps if "peak" in step["standings"][0]]
    if len(ours) == len(sizes):
        n = [size[growth.along] for size in sizes]
        result["time_exponent"] = exponent(n, [standing["seconds"] for standing in ours])
        result["memory_exponent"] = exponent(n, [standing["peak"] for standing in ours])
        result["memory_goal"] = growth.memory_exponent
        say(f"  time ∝ n^{result['time_exponent']:.2f}, peak memory ∝ n^{result['memory_exponent']:.2f}")
    return result


def _probed(probe: Probe, quick: bool, say: Say) -> Result:
    say(probe.name)
    result: Result = {"name": probe.name, "title": probe.title, "figures": [], "note": ""}
    try:
        result["figures"] = in_new_process("probe", workload=probe.name, quick=quick)
    except TaskError as error:
        result["note"] = f"failed: {error}"
        say("  " + result["note"])
    for figure in result["figures"]:
        say(f"  {figure['name']}: {figure['value']:.3f} {figure['unit']}")
    return result


def _surveyed(survey: Survey, subject: str, quick: bool, say: Say) -> Result:
    result: Result = {"name": subject, "note": ""}
    try:
        measured = in_new_process("survey", workload=survey.name, subject=subject, quick=quick)
        result |= measured
        say(f"{survey.name}, {subject}: {survey.line(measured)}")
    except TaskError as error:
        result["note"] = f"failed: {error}"
        say(f"{survey.name}, {subject}: {result['note']}")
    return result


@contextmanager
def _folder(name: str) -> Iterator[str]:
    """A folder of its own for the data of a workload, removed at the end, even after an error."""
    DATA.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f"{name}-", dir=DATA) as folder:
        yield folder


def _versions() -> dict[str, str]:
    versions = {"Python": platform.python_version()}
    for name in ("novacula", *_REPORTED):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
