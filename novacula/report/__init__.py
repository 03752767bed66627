"""The report: what a study found, as one self-contained page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.lazy import load_when_used

if TYPE_CHECKING:
    from novacula.report.page import render, write_report

_HOME = {
    "render": "page",
    "write_report": "page",
}

__all__ = ["render", "write_report"]

__getattr__, __dir__ = load_when_used(__name__, _HOME)
