"""Compiled search for the best test of a node, and growth of whole subtrees.

A node holds its examples as lists of entries. List 0 has them in row order, and one list for each numeric column has
them sorted by value. An entry is a row number with two flags: TIE, the value equals that of the entry before; GONE,
the value is missing, which sends the entry to the end. To split a node is to deal its lists out, in order, so nothing
is sorted twice, and no value is read but those next to a chosen threshold.

Columns of codes (categories, intervals, bins) are counted instead, into a table of (code, class).

Scores that differ by NOISE of their size are equal, and gains below TINY are none, because sums may have been added in
another order.

    arguments     what a kernel is given: examples and settings, without Numba
    inlined       how functions inside kernels are compiled; rows of matrices
    judging       impurity, and whether a test is better than another
    sorted_lists  the best threshold of a sorted list
    desk          scratch that is made once for all nodes
    code_counts   the counts of a node's codes
    code_tests    the best test on a column of codes
    deciding      the test of a node, its branches and its threshold
    writing       the tree so far, as arrays that grow
    dealing       the examples of a node dealt out to its branches
    drivers       what callers call: `grow` and `split`
"""
