"""Numbers that the kernels of trees and those who call them both know, and layouts of arrays that pass between them.

None of it needs Numba. An edit here compiles every kernel again.
"""

import numpy as np

NOISE = 1e-9
"""Sums that differ by less than this share of their size are equal: they may have been added in another order."""
TINY = 1e-12
"""A gain below this is none."""

ROW, TIE, GONE = np.uint32(0x3FFFFFFF), np.uint32(0x80000000), np.uint32(0x40000000)
"""Of an entry in a list of examples: its row, whether its value equals that of the entry before, or is missing."""
SORTED, NOMINAL, ORDERED = range(3)
"""Kinds of features: a sorted list, codes without order, codes in order."""

ENTROPY, GINI = range(2)
SQUARED, ABSOLUTE = range(2)
"""Of numbers, whose impurity is the mean squared or absolute deviation."""
LINEAR, SQUARE, EXPONENTIAL = range(3)
FRACTIONAL, MOST_COMMON, MOST_COMMON_IN_CLASS, BETTER = range(4)
MULTIWAY, SUBSET = range(2)
NO_RATIO, RATIO_ABOVE_MEAN, RATIO_OF_ALL = range(3)
"""Whether gains are compared by split information: not, among tests of at least the mean gain, or among all."""
IMPURITY, STRATEGY, GROUPING, RATIO, SHAPE, MAX_DEPTH, RELEASE_8 = range(7)
"""Places of the rules: for all but the last two, one of the constants above."""
MIN_SPLIT, MIN_LEAF, MIN_GAIN = range(3)
"""Places of the limits."""
WEIGHT, MEAN, SQUARES = range(3)
"""Of numbers: their weight, their mean, and the sum of their squared deviations from it; or the median and the sum of
absolute ones. In sums about a point, the place of the mean has the sum of deviations from that point."""
PURE = 1e-30
"""Numbers between −1 and 1 whose mean squared deviation is below this are equal but for rounding."""

FEATURE, CHILD, ARITY, DEFAULT, OTHERWISE, ARM, ARMS = range(7)
"""Columns of nodes; their arms are those from ARM on, ARMS of them."""
THRESHOLD, GAIN = range(2)
"""Columns of a node's numbers."""

STEP = np.dtype([("threshold", np.float64), ("child", np.int32), ("column", np.int32)])
"""What a row needs at a node, side by side in memory: `column` is one of numbers, or −1 − one of codes."""
