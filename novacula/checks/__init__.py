"""Public check suites: run them on your own learners and statistics, as the library runs them on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.lazy import load_when_used

if TYPE_CHECKING:
    from novacula.checks.admission import check_admission
    from novacula.checks.display import check_display
    from novacula.checks.learner import check_learner, learner_checks
    from novacula.checks.scales import check_chunking, check_scales
    from novacula.checks.state import check_declaration
    from novacula.checks.statistic import check_statistic
    from novacula.checks.study import check_study
    from novacula.checks.work import check_equations, check_work

_HOME = {
    "check_admission": "admission",
    "check_chunking": "scales",
    "check_declaration": "state",
    "check_display": "display",
    "check_equations": "work",
    "check_learner": "learner",
    "check_scales": "scales",
    "check_statistic": "statistic",
    "check_study": "study",
    "check_work": "work",
    "learner_checks": "learner",
}

__all__ = [
    "check_admission",
    "check_chunking",
    "check_declaration",
    "check_display",
    "check_equations",
    "check_learner",
    "check_scales",
    "check_statistic",
    "check_study",
    "check_work",
    "learner_checks",
]

__getattr__, __dir__ = load_when_used(__name__, _HOME)
