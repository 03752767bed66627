"""A page from a study: sections in order, written by one template, into one self-contained file.

No script, no font, no image from elsewhere. The page forbids them to the browser in its security policy, so that
nothing in a table could run or be fetched even if it were not escaped.
"""

from __future__ import annotations

import os
import warnings
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


def write_report(study: Study | Exploration, path: str | os.PathLike[str]) -> None:
    """Write the report of a study, or of a table without a target, to a file; it is there whole or not at all."""
    place = Path(path)
    if not place.parent.is_dir():
        raise DataError(f"there is no folder {str(place.parent)!r} to write the report to: make it first")
    page = render(study)
    try:
        replace_file(place, page.encode())
    except WriteError:
        raise
    except OSError as error:
        raise DataError(f"the report cannot be written to {str(place)!r}: {error.strerror}") from error


def render(study: Study | Exploration) -> str:
    """Give the report as HTML."""
    # The warnings of learners are on the leaderboard; here they are fitted again, on parts of the same rows.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return page_html(_page(study))


def _page(study: Any) -> Page:
    if isinstance(study, Study):
        return study_page(study)
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
