"""A page of what was seen in a model: importance, dependence, interaction, contributions, a surrogate."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from novacula.explain.result import SeenResult
from novacula.report.blocks import Page, Section
from novacula.report.page import page_html
from novacula.report.sections.seeing import blocks_of
from novacula.writing import replace_file


def write_seen(results: Sequence[tuple[str, SeenResult]], path: str | os.PathLike[str], model: str) -> None:
    """Write results with their titles to one self-contained page."""
    sections = tuple(
        Section(f"part-{i}", title, tuple(blocks_of(result))) for i, (title, result) in enumerate(results, start=1)
    )
    replace_file(Path(path), page_html(Page(f"Seeing into {model}", "What it looks at.", (), sections)).encode())
