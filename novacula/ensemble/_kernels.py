"""Compiled loops over rows that ensembles of trees share."""

from numba import from_dtype, int32, njit, uint64
from numba.types import Array, float64, int64, void

from novacula.compiling import BORROWED, kernel
from novacula.ensemble.constants import NODE, WORD

NODES = Array(from_dtype(NODE), 1, "C", readonly=True)
ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
CODES = Array(int32, 1, "C", readonly=True)
CODE_ROWS = Array(int32, 2, "C", readonly=True)
LONGS = Array(int64, 1, "C", readonly=True)
WORDS = Array(uint64, 1, "C", readonly=True)
BLOCK = 2048
"""Rows that go down one tree after the other: so many that it is worth fetching a large tree, yet few enough to stay
close by."""
SIDE = 8
"""Rows that go down a tree side by side: steps of one row wait for each other, those of several do not."""


@njit(nogil=True, **BORROWED)
def _next(node, row, numeric, codes, nodes, words):
    """The node below a node that a row takes; the node itself if it is a leaf."""
    step = nodes[node]
    if step.child < 0:
        return node
    if step.column >= 0:
        value = numeric[row, step.column]
        branch = 1 - int(value <= step.threshold) if value == value else step.child & 1
    else:
        code = codes[row, -1 - step.column]
        branch = step.child & 1
        if code >= 0:
            word = words[int64(step.threshold) + code // WORD]
            branch = 1 - int((word >> uint64(code % WORD)) & uint64(1))
    return (step.child >> 1) + branch


@kernel(void(ROWS, CODE_ROWS, NODES, WORDS, LONGS, LONGS, ROWS, Array(float64, 2, "C")))
def add_leaves(numeric, codes, nodes, words, start, output, values, answers):
    """Add to answers (n, K) the values (m, k) of each row's leaf in each tree, from column output (T,) on.

    The root of tree t is node start[t]; numbers (n, d) and codes (n, C) are those of the rows.
    """
    n, k = len(answers), values.shape[1]
    for begin in range(0, n, BLOCK):
        end = min(begin + BLOCK, n)
        for t in range(len(output)):
            row = begin
            while row < end:
                size = min(SIDE, end - row)
                _add_side_by_side(row, size, start[t], output[t], numeric, codes, nodes, words, values, k, answers)
                row += size


@njit(nogil=True, **BORROWED)
def _add_side_by_side(row, size, root, first, numeric, codes, nodes, words, values, k, answers):
    """Add the leaves of `size` rows from `row` on in one tree."""
    a = b = c = d = e = f = g = h = root
    if size == SIDE:
        while True:
            before = a + b + c + d + e + f + g + h
            a = _next(a, row, numeric, codes, nodes, words)
            b = _next(b, row + 1, numeric, codes, nodes, words)
            c = _next(c, row + 2, numeric, codes, nodes, words)
            d = _next(d, row + 3, numeric, codes, nodes, words)
            e = _next(e, row + 4, numeric, codes, nodes, words)
            f = _next(f, row + 5, numeric, codes, nodes, words)
            g = _next(g, row + 6, numeric, codes, nodes, words)
            h = _next(h, row + 7, numeric, codes, nodes, words)
            if a + b + c + d + e + f + g + h == before:  # children come after their node, so sums only rise
                break
        for j in range(k):
            answers[row, first + j] += values[a, j]
            answers[row + 1, first + j] += values[b, j]
            answers[row + 2, first + j] += values[c, j]
            answers[row + 3, first + j] += values[d, j]
            answers[row + 4, first + j] += values[e, j]
            answers[row + 5, first + j] += values[f, j]
            answers[row + 6, first + j] += values[g, j]
            answers[row + 7, first + j] += values[h, j]
        return
    for i in range(size):
        node = root
        while nodes[node].child >= 0:
            node = _next(node, row + i, numeric, codes, nodes, words)
        for j in range(k):
            answers[row + i, first + j] += values[node, j]


@kernel(void(ROWS, CODE_ROWS, NODES, WORDS, LONGS, Array(int32, 2, "C")))
def find_leaves(numeric, codes, nodes, words, start, leaves):
    """The leaf of each row in each tree, as a node of the whole: leaves (n, T)."""
    for row in range(len(leaves)):
        for t in range(leaves.shape[1]):
            node = start[t]
            while nodes[node].child >= 0:
                node = _next(node, row, numeric, codes, nodes, words)
            leaves[row, t] = node


@njit(nogil=True, **BORROWED)
def mixed(x):
    """A 64-bit number whose every bit depends on every bit of x: the last step of SplitMix64."""
    x = (x ^ (x >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> uint64(27))) * uint64(0x94D049BB133111EB)
    return x ^ (x >> uint64(31))


@njit(nogil=True, **BORROWED)
def uniform(key, stream):
    """A number from 0 to below 1 that a key has in a stream of random numbers."""
    bits = mixed(key + uint64(0x9E3779B97F4A7C15) * (stream + uint64(1)))
    return float64(bits >> uint64(11)) * (1.0 / 9007199254740992.0)


@kernel(void(Array(uint64, 2, "C", readonly=True), CODE_ROWS, Array(uint64, 1, "C")))
def hash_rows(bits, codes, keys):
    """A key (n,) for each row from the bits (n, d) of its numbers and from its codes (n, C): equal rows, equal keys."""
    for row in range(len(keys)):
        key = uint64(0x9E3779B97F4A7C15)
        for j in range(bits.shape[1]):
            key = mixed(key * uint64(3) + bits[row, j])
        for j in range(codes.shape[1]):
            key = mixed(key * uint64(3) + uint64(int64(codes[row, j]) + int64(2)))
        keys[row] = key


@kernel(void(WORDS, uint64, VALUES, Array(float64, 1, "C")))
def draw_counts(keys, stream, upto, counts):
    """How often each key is drawn in a stream: the first i whose share upto[i] of all draws is above its number."""
    for row in range(len(keys)):
        number, count = uniform(keys[row], stream), 0
        while count < len(upto) and number >= upto[count]:
            count += 1
        counts[row] = float64(count)
