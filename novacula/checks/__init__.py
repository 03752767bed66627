"""Public check suites: run them on your own learners and statistics, as the library runs them on its own."""

from novacula.checks.admission import check_admission
from novacula.checks.learner import check_learner, learner_checks
from novacula.checks.scales import check_chunking, check_scales
from novacula.checks.statistic import check_statistic
from novacula.checks.study import check_study
from novacula.checks.work import check_work

__all__ = [
    "check_admission",
    "check_chunking",
    "check_learner",
    "check_scales",
    "check_statistic",
    "check_study",
    "check_work",
    "learner_checks",
]
