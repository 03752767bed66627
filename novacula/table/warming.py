"""Compiled loops on a machine that has none yet: all of them at once, on all cores, before anything is timed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from novacula.compiling import compile_kernel, find_kernels, kernel_files, stamp
from novacula.table.crew import crew
from novacula.table.progress import tracked


def cold_kernels() -> list[str]:
    """The names of the kernels that nobody has compiled here.

    Where kernels are kept beside their sources, none of them is imported to see that they are.
    """
    package = Path(__file__).parent.parent
    sources, files = stamp(package.name).encode(), kernel_files(package)
    wanted = sum(path.read_bytes().count(b"\n@kernel(") for path in files)
    folders = {path.parent / "__pycache__" for path in files}
    kept = sum(sources in index.read_bytes() for folder in folders for index in folder.glob("*.nbi"))
    if kept >= wanted:
        return []
    return [kernel.name for kernel in find_kernels() if not kernel.is_kept]


def compile_kernels(names: Sequence[str], places: int | None = None, show: bool | None = None) -> None:
    """Compile kernels in so many processes, as many as there are cores unless said; `show` a bar as `tracked` does."""
    with crew(None, places) as helpers:
        jobs = [helpers.submit(compile_kernel, name) for name in names]
        for job in tracked(iter(jobs), len(jobs), "Compiling loops, once on this machine", show):
            job.result()
