"""The counts of a node's codes by class, on the desk.

Loops over rows take the arrays of data and desk out first: to do so at every row, with a count of references each time,
takes longer than the counting.
"""

from novacula.tree.constants import ROW
from novacula.tree.growing._kernels.inlined import inner, row_sum, zero_row


@inner
def count_codes(rows, mass, data, desk):
    """Count the codes of a node by class; the seen codes of each column are put in rising order."""
    unit, C = len(mass) == 0, len(data.offsets) - 1
    y, codes, offsets, table, gone = data.y, data.codes, data.offsets, desk.table, desk.gone
    for j in range(C):
        zero_row(gone, j)
    for p in range(len(rows)):
        row = rows[p] & ROW
        k = y[row]
        w = 1.0 if unit else mass[row]
        for j in range(C):
            code = codes[row, j]
            if code >= 0:
                table[offsets[j] + code, k] += w
            else:
                gone[j, k] += w
    for j in range(C):
        start, size = data.offsets[j], data.offsets[j + 1] - data.offsets[j]
        if 4 * len(rows) >= size:
            list_codes(start, size, j, desk)
        else:
            gather_codes(rows, start, j, data, desk)


@inner
def list_codes(start, size, j, desk):
    """The codes of a column that have any weight, rising."""
    t, table, seen = 0, desk.table, desk.seen
    for code in range(size):
        if row_sum(table, start + code) > 0.0:
            seen[start + t] = code
            t += 1
    desk.n_seen[j] = t


@inner
def gather_codes(rows, start, j, data, desk):
    """The same where the rows are fewer than the codes."""
    t, codes, seen = 0, data.codes, desk.seen
    for p in range(len(rows)):
        code = codes[rows[p] & ROW, j]
        if code >= 0:
            at = t
            while at > 0 and seen[start + at - 1] > code:
                at -= 1
            if at > 0 and seen[start + at - 1] == code:
                continue
            for i in range(t, at, -1):
                seen[start + i] = seen[start + i - 1]
            seen[start + at] = code
            t += 1
    desk.n_seen[j] = t


@inner
def clear_codes(data, desk):
    """Make the table zero again."""
    for j in range(len(data.offsets) - 1):
        for i in range(desk.n_seen[j]):
            zero_row(desk.table, data.offsets[j] + desk.seen[data.offsets[j] + i])
