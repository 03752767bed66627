"""A page from a study: sections in order, written by one template, into one self-contained file.

No script, no font, no image from elsewhere. The page forbids them to the browser in its security policy, so that
nothing in a table could run or be fetched even if it were not escaped.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from novacula.errors import DataError, InputTypeError, WriteError
from novacula.report.blocks import Page, plain
from novacula.report.exploration import exploration_page
from novacula.report.outlines import share_outlines
from novacula.report.study import study_page
from novacula.study import Study
from novacula.study.exploration import Exploration
from novacula.writing import replace_file


def write_report(study: Study | Exploration, path: str | os.PathLike[str], budget: float | None = None) -> None:
    """Write the report of a study, or of a table without a target, to a file; it is there whole or not at all.

    `budget` is how many seconds it may take, what is left of the study's own if None. Where Ctrl-C comes while it is
    made, what was made stays, what takes long is left out, and `KeyboardInterrupt` is raised when the file is written.
    """
    place = Path(path)
    if not place.parent.is_dir():
        raise DataError(f"there is no folder {str(place.parent)!r} to write the report to: make it first")
    page = _page(study, budget)
    try:
        content = page_html(page)
    except KeyboardInterrupt:  # what was made is not lost, and this takes no time
        page = replace(page, interrupted=True)
        content = page_html(page)
    try:
        replace_file(place, content.encode())
    except WriteError:
        raise
    except OSError as error:
        raise DataError(f"the report cannot be written to {str(place)!r}: {error.strerror}") from error
    if page.interrupted:
        raise KeyboardInterrupt


def render(study: Study | Exploration, budget: float | None = None) -> str:
    """Give the report as HTML."""
    page = _page(study, budget)
    if page.interrupted:
        raise KeyboardInterrupt
    return page_html(page)


def _page(study: Any, budget: float | None) -> Page:
    # The warnings of learners are on the leaderboard; here they are fitted again, on parts of the same rows.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(study, Study):
            return study_page(study, budget)
        if isinstance(study, Exploration):
            return exploration_page(study)
    raise InputTypeError(f"a report is made from what novacula.learn returns, and this is a {type(study).__name__}")


def page_html(page: Page) -> str:
    """A page as HTML."""
    environment = Environment(
        loader=PackageLoader("novacula.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = plain
    style = environment.loader.get_source(environment, "style.css")[0] if environment.loader else ""
    return share_outlines(environment.get_template("page.html").render(page=page, style=style))
