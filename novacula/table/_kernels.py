"""A compiled loop over the bytes of delimited text that holds no quotes: numbers to floats, words to views.

A number is m · 10^e with whole m and e. Where m and the power of ten are floats, one operation rounds rightly
(Clinger). Otherwise the power stands as a sum of two floats, and so does the product; it counts only where its
error cannot change how it rounds (Ziv). What is then still open is not taken for a number here.

Text ends in a newline, at which every inner loop stops. Places in it are unsigned, which spares the test for places
counted from the end, and no references to it are counted, which took longer than all else. Digits are read eight at a
time as one number of 64 bits, whose low byte is the first of them as on all machines that Numba serves, and how many of
the eight are digits is found without a branch.
"""

import numpy as np
from llvmlite import ir
from numba import njit
from numba.extending import intrinsic
from numba.types import Array, boolean, float64, int8, int32, int64, uint8, uint64, void

from novacula.compiling import BORROWED, kernel
from novacula.table.chunk import UNSEEN

BYTES = Array(uint8, 1, "C", readonly=True)
PLACES = Array(int64, 1, "C", readonly=True)
INTEGERS = Array(int64, 2, "C", readonly=True)
POWERS = Array(float64, 2, "C", readonly=True)

SPACE, NEWLINE, RETURN, POINT, PLUS, MINUS, ZERO, LOWER_E = map(ord, " \n\r.+-0e")
ONE, EIGHT = np.uint64(1), np.uint64(8)
TENS = 10 ** np.arange(9)
LOWER_CASE = 32  # the bit by which small letters differ from capitals
TOGETHER = 1 << 10  # rows whose columns are processed one after the other
DIGITS = 18  # of a whole number that always fits into 64 bits
EXACT = 1 << 53  # whole numbers up to here are floats
EXACT_POWER = 22  # and so are powers of ten up to here
HALVES = 134217729.0  # 2²⁷ + 1 cuts a float into halves whose products are exact
DOUBT = 2.0**-100  # relative; the error of a product of sums of two floats is below 2⁻¹⁰³


@njit(nogil=True, inline="always")
def _is_digit(byte):
    return uint8(byte - ZERO) < 10


def _in_each_byte(byte):
    return np.uint64(int.from_bytes(bytes([byte]) * 8))


ZEROS, TOP_BITS, LOWER_BITS = _in_each_byte(ZERO), _in_each_byte(0x80), _in_each_byte(0x7F)
ABOVE_NINE = _in_each_byte(0x80 - 10)  # what is 10 or more gets its top bit by adding this
PAIRS, FOURS, LOWER_HALF = (np.uint64(mask) for mask in (0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0xFFFFFFFF))


@intrinsic
def _eight_bytes(context, text, i):  # noqa: ARG001  (Numba passes it)
    """The eight bytes of text from i on as one number; there must be as many."""

    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(place, align=1)

    return uint64(text, uint64), generate


@intrinsic
def _trailing_zeros(context, number):  # noqa: ARG001  (Numba passes it)
    """Zero bits below the lowest one that is set, or 64."""

    def generate(context, builder, signature, arguments):  # noqa: ARG001  (Numba passes them)
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return uint64(uint64), generate


@njit(nogil=True, inline="always")
def _digits(text, i, m):
    """Append digits to m; the place after them."""
    count = EIGHT
    while count == EIGHT and i + EIGHT <= uint64(len(text)):
        eight = _eight_bytes(text, i) ^ ZEROS
        count = _trailing_zeros((((eight & LOWER_BITS) + ABOVE_NINE) | eight) & TOP_BITS) >> uint64(3)
        half = uint64(32) - uint64(4) * count
        eight = eight << half << half  # the digits last, and zeros in front; a shift by 64 at once would not be one
        eight = (eight * uint64(10) + (eight >> EIGHT)) & PAIRS
        eight = (eight * uint64(100) + (eight >> uint64(16))) & FOURS
        eight = (eight * uint64(10000) + (eight >> uint64(32))) & LOWER_HALF
        m = m * TENS[count] + int64(eight)
        i += count
    while count == EIGHT and _is_digit(text[i]):  # at the end of the text
        m = m * 10 + int64(text[i] - ZERO)
        i += ONE
    return m, i


@njit(nogil=True)
def _rounded(m, power, rest):
    """m · (power + rest), rounded to the nearest float; NaN where that is not certain."""
    a = float(m)
    left = float(m - int64(a))
    product = a * power
    t = HALVES * a
    a1 = t - (t - a)
    a2 = a - a1
    t = HALVES * power
    b1 = t - (t - power)
    b2 = power - b1
    error = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2
    error += a * rest + left * power
    low, high = product + (error - DOUBT * product), product + (error + DOUBT * product)
    return low if low == high else float("nan")


@njit(nogil=True, inline="always")
def _scaled(m, e, powers):
    """m · 10^e, rounded to the nearest float; NaN where that is not certain. powers (2·top + 1, 2)."""
    top = len(powers) // 2
    if m == 0 or e == 0:
        return float(m)
    if m <= EXACT and 0 < e <= EXACT_POWER:
        return m * powers[top + e, 0]
    if m <= EXACT and -EXACT_POWER <= e < 0:
        return m / powers[top - e, 0]
    if -top <= e <= top:
        return _rounded(m, powers[top + e, 0], powers[top + e, 1])
    return float("nan")


@njit(nogil=True, inline="always")
def _number(text, i, powers):
    """The number that begins at i and the place after it; NaN where none begins or it is too long."""
    negative = text[i] == MINUS
    i += uint64(negative or text[i] == PLUS)
    first = i
    m, i = _digits(text, i, int64(0))
    count, e = int64(i - first), int64(0)
    if text[i] == POINT:
        point = i + ONE
        m, i = _digits(text, point, m)
        e = -int64(i - point)
        count -= e
    if count == 0:
        return float("nan"), i
    if count > DIGITS:
        while text[first] == ZERO or text[first] == POINT:  # zeros in front do not count
            count -= text[first] == ZERO
            first += ONE
        if count > DIGITS:
            return float("nan"), i
    if text[i] | LOWER_CASE == LOWER_E:
        i += ONE
        down = text[i] == MINUS
        i += uint64(down or text[i] == PLUS)
        first = i
        power, i = _digits(text, i, int64(0))
        if not 0 < int64(i - first) <= DIGITS:
            return float("nan"), i
        e += -power if down else power
    value = _scaled(m, e, powers)
    return -value if negative else value, i


@njit(nogil=True, inline="always")
def _spaces(text, i):
    while text[i] == SPACE:
        i += ONE
    return i


@njit(nogil=True, inline="always")
def _field_end(text, i, delimiter):
    while text[i] != delimiter and text[i] != NEWLINE and text[i] != RETURN:
        i += ONE
    return i


@njit(nogil=True)
def _is_marker(text, start, stop, markers, ends):
    """Whether the bytes from start to stop, without the spaces at the end, are one of the markers."""
    while start < stop and text[stop - ONE] == SPACE:
        stop -= ONE
    length, begin = int64(stop - start), 0
    for end in ends:
        k = 0
        if end - begin == length:
            while k < length and markers[begin + k] == text[start + uint64(k)]:
                k += 1
            if k == length:
                return True
        begin = end
    return False


@njit(nogil=True)
def _write_view(text, start, stop, view):
    """Arrow's view of a string (16,): its length, and the bytes or, of more than 12, four of them and where it is.

    False of bytes beyond ASCII, which somebody would have to check.
    """
    length, place = int64(stop - start), int64(start)
    view[:] = 0
    for k in range(length):
        byte = text[start + uint64(k)]
        if byte > 127:
            return False
        if length <= 12 or k < 4:
            view[4 + k] = byte
    for k in range(4):
        view[k] = (length >> 8 * k) & 255
        if length > 12:
            view[12 + k] = (place >> 8 * k) & 255
    return True


@kernel(int64(BYTES, uint8, PLACES, BYTES, PLACES, POWERS, float64[:, ::1], boolean[::1], uint8[:, :, ::1]), **BORROWED)
def plain_records(text, delimiter, place, markers, ends, powers, numbers, gaps, words):
    """Records of text, which ends in a newline, into numbers (columns, rows) and words (columns, rows, 16).

    place (fields,) is j for numbers[j], -1 - j for words[j], and beyond these for a field to pass over. A missing
    number is NaN, and sets gaps (columns,). Gives the count of rows, or -1 where something is not plain.
    """
    i, row = uint64(0), 0
    while i < len(text):
        line = i + uint64(text[i] == RETURN)
        if text[line] == NEWLINE:  # a blank line is not a row
            i = line + ONE
            continue
        for j in range(len(place)):
            column = place[j]
            if 0 <= column < len(numbers):
                start = _spaces(text, i)
                value, i = _number(text, start, powers)
                i = _spaces(text, i)
                if value != value or not (text[i] == delimiter or text[i] == NEWLINE or text[i] == RETURN):
                    i = _field_end(text, start, delimiter)
                    if not _is_marker(text, start, i, markers, ends):
                        return -1
                    value, gaps[column] = float("nan"), True
                numbers[column, row] = value
            else:
                start, i = i, _field_end(text, i, delimiter)
                if -len(words) <= column < 0 and not _write_view(text, start, i, words[-1 - column, row]):
                    return -1
            if j == len(place) - 1:
                i += uint64(text[i] == RETURN)
                if text[i] != NEWLINE:
                    return -1
            elif text[i] != delimiter:
                return -1
            i += ONE
        row += 1
    return row


@njit(nogil=True)
def _mark_near(x, low, present):
    """The same where all numbers lie within 64 of each other: a bit for each, and a row at once."""
    n, d = x.shape
    first = present.shape[1] // 2 - 32
    bits, least, together = np.zeros(d, np.uint64), np.empty(d, np.int64), np.zeros(d, np.uint64)
    for j in range(d):
        least[j] = low[j] + first
    for start in range(0, n, TOGETHER):
        for i in range(start, min(start + TOGETHER, n)):
            for j in range(d):
                place = uint64(x[i, j] - least[j])
                together[j] |= place
                bits[j] |= ONE << (place & uint64(63))
        for j in range(d):
            if together[j] > 63:
                return False
    for j in range(d):
        for k in range(64):
            present[j, first + k] = (bits[j] >> uint64(k)) & ONE
    return True


@kernel(boolean(INTEGERS, PLACES, boolean[:, ::1]))
def mark_present(x, low, present):
    """Set present[j, x[i, j] - low[j]] for x (n, d); False if a number lies beyond present (d, r), r a power of 2.

    Column after column, of few enough rows to stay in the cache: stores to one table follow each other fast.
    """
    if _mark_near(x, low, present):
        return True
    n, d = x.shape
    last = uint64(present.shape[1] - 1)
    together = uint64(0)
    for start in range(0, n, TOGETHER):
        for j in range(d):
            least, marks = low[j], present[j]
            for i in range(start, min(start + TOGETHER, n)):
                place = uint64(x[i, j] - least)  # what lies below lies far above then
                together |= place
                marks[place & last] = True
        if together > last:
            return False
    return True


@kernel(boolean(INTEGERS, PLACES, PLACES, Array(int32, 1, "C", readonly=True), int32[:, ::1]))
def look_up(x, low, start, table, codes):
    """codes[i, j] = table[start[j] + x[i, j] - low[j]], or UNSEEN beyond start[j + 1], for x (n, d).

    Gives whether there was none of these. An empty table stands for numbers that follow each other without a gap: their
    codes are 0, 1, …
    """
    n, d = x.shape
    signs = int32(0)
    for i in range(n):
        if len(table) == 0:
            for j in range(d):
                gap = x[i, j] - low[j]
                code = int32(gap) if uint64(gap) < uint64(start[j + 1] - start[j]) else int32(UNSEEN)
                codes[i, j] = code
                signs |= code
            continue
        for j in range(d):
            gap = uint64(x[i, j] - low[j])  # what lies below lies far above then
            code = table[uint64(start[j]) + gap] if gap < uint64(start[j + 1] - start[j]) else int32(UNSEEN)
            codes[i, j] = code
            signs |= code
    return signs >= 0


@kernel(void(Array(int8, 2, "C", readonly=True), int32[:, ::1]))
def turn(columns, rows):
    """The first codes of columns (d, n or more) as rows (n, d)."""
    n, d = rows.shape
    for i in range(n):
        for j in range(d):
            rows[i, j] = columns[j, i]


@intrinsic
def _double(context, address, i):  # noqa: ARG001  (Numba passes it)
    """The i-th of the doubles that begin at an address, aligned or not."""

    def generate(context, builder, signature, arguments):  # noqa: ARG001  (Numba passes them)
        first = builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())
        return builder.load(builder.gep(first, [arguments[1]]), align=1)

    return float64(int64, int64), generate


@kernel(void(PLACES, float64[:, ::1]))
def turn_numbers(columns, rows):
    """Columns of n doubles each, given by the addresses (d,) of their first ones, as rows (n, d)."""
    n, d = rows.shape
    for i in range(n):
        for j in range(d):
            rows[i, j] = _double(columns[j], i)
