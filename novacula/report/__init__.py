"""The report: what a study found, as one page that needs nothing else."""

from novacula.report.page import render, write_report

__all__ = ["render", "write_report"]
