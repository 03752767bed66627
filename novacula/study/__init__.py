"""The study: learners compared honestly on one table, and the simplest that is as good as the best chosen."""

from novacula.study.learning import learn
from novacula.study.study import Study

__all__ = ["Study", "learn"]
