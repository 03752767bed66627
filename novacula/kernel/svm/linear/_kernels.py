"""One pass of coordinate descent over the multipliers of a linear support vector machine.

Places read from the data are made unsigned, which spares the test for places counted from the end.
"""

from numba.types import Array, float64, int32, int64, uint64

from novacula.compiling import kernel

VALUES = Array(float64, 1, "C", readonly=True)
COLUMNS = Array(int32, 1, "C", readonly=True)
PLACES = Array(int64, 1, "C", readonly=True)
VECTOR = float64[::1]
FLAGS = Array(int64, 1, "C")


@kernel(float64(VALUES, COLUMNS, *[PLACES] * 3, *[VALUES] * 5, *[float64] * 3, PLACES, FLAGS, *[VECTOR] * 3))
def descend(
    data, columns, begin, begin_columns, length, target, low, high, bend, ridge, epsilon, stiffness, calm, order,
    active, beta, w, balance,
):  # fmt: skip
    """Each row of `order` in turn; gives the largest violation met.

    Row i holds data[begin[i] + p] in columns[begin_columns[i] + p], p < length[i]; target, low, high, bend (the
    curvature ‖x‖² + stiffness + ridge), ridge, active and beta are (n,), w is (d,). `balance` holds the multiplier of
    Σ β = 0, and Σ β. A row that is more than `calm` on the safe side of its bounds is made inactive.
    """
    worst = 0.0
    for i in order:
        here, there = uint64(begin[i]), uint64(begin_columns[i])
        count = uint64(length[i])
        old = beta[i]
        value = balance[0] + stiffness * balance[1] - target[i] + ridge[i] * old
        for p in range(count):
            value += data[here + p] * w[uint64(columns[there + p])]
        rise = value + (epsilon if old >= 0.0 else -epsilon)
        fall = value + (epsilon if old > 0.0 else -epsilon)
        may_rise, may_fall = old < high[i], old > low[i]
        violation = max(-rise if may_rise else 0.0, fall if may_fall else 0.0)
        if violation <= 0.0:
            if (not may_rise or rise > calm) and (not may_fall or fall < -calm):
                active[i] = 0
            continue
        worst = max(worst, violation)
        goal = bend[i] * old - value  # the minimum of the parabola, except for |β|, which draws it to zero by ε
        new = (goal - min(max(goal, -epsilon), epsilon)) / bend[i]
        new = min(max(new, low[i]), high[i])
        change = new - old
        beta[i] = new
        balance[1] += change
        for p in range(count):
            w[uint64(columns[there + p])] += change * data[here + p]
    return worst
