"""The monoids: what learners need to know of the data, in a size that does not grow with the rows."""

from novacula.statistics.base import Statistic
from novacula.statistics.bundle import Bundle
from novacula.statistics.comoments import CoMoments
from novacula.statistics.contingency import Contingency
from novacula.statistics.histogram import Histogram
from novacula.statistics.moments import ClassMoments
from novacula.statistics.node_counts import NodeCounts, NodeSums
from novacula.statistics.quantiles import QuantileSketch
from novacula.statistics.totals import ClassTotals
from novacula.statistics.triangle import Triangle
from novacula.statistics.vocabulary import Vocabulary

__all__ = [
    "Bundle",
    "ClassMoments",
    "ClassTotals",
    "CoMoments",
    "Contingency",
    "Histogram",
    "NodeCounts",
    "NodeSums",
    "QuantileSketch",
    "Statistic",
    "Triangle",
    "Vocabulary",
]
