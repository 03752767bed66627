"""`python -m benchmarks [--only a,b] [--quick] [--out path]`: measure, write JSON and a page, print it."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.runner import run
from benchmarks.workload import find_workloads, select

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "latest.json"
PAGE = HERE.parent / "docs" / "benchmarks.md"
QUICK_RESULTS = HERE / "results" / "quick.json"


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse, run, write."""
    workloads = find_workloads()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Novacula and its rivals.")
    parser.add_argument("--only", default="", help="workloads, by name or file, with commas between them")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds; the page in docs stays")
    parser.add_argument("--out", type=Path, help="JSON file to write; the page goes next to it as Markdown")
    parser.add_argument("--page", action="store_true", help="write the page from what was measured before, and stop")
    parser.add_argument("--list", action="store_true", help="name the workloads and stop")
    asked = parser.parse_args(arguments)
    if asked.list:
        print("\n".join(f"{workload.name:32} {workload.title}" for workload in workloads))
        return
    try:
        chosen = select(workloads, [word.strip() for word in asked.only.split(",") if word.strip()])
    except ValueError as error:
        parser.error(str(error))
    json_path, page = where(asked.out, asked.quick)
    if asked.page:
        report.write(report.read(json_path), json_path, page)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that large files are removed then too
    for results in run(chosen, asked.quick, lambda line: print(line, flush=True)):
        report.write(results, json_path, page)  # each time: a run that is stopped loses nothing
    print(f"\n{page.read_text('utf-8')}\nwritten to {json_path} and {page}")


def where(out: Path | None, quick: bool) -> tuple[Path, Path]:
    """The files of results: quick runs stay away from the page that is kept."""
    if out is not None:
        return out, out.with_suffix(".md")
    return (QUICK_RESULTS, QUICK_RESULTS.with_suffix(".md")) if quick else (RESULTS, PAGE)


if __name__ == "__main__":
    main()
