"""What a worker of a study loads before its first job: every learner, the preparation, the first compiled loops."""

import numpy as np

from novacula.bayes import NaiveBayes
from novacula.learner.registry import learners
from novacula.prepare import PreparedClassifier
from novacula.study.cell import run

LOADED = run, learners(), PreparedClassifier(NaiveBayes()).fit(np.eye(4), ["a", "a", "b", "b"])
