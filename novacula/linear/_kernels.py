"""Compiled loops of linear models that see sums rather than rows."""

from numba.types import Array, UniTuple, boolean, float64, int64

from novacula.compiling import kernel

MATRIX = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
VECTOR = float64[::1]


@kernel(UniTuple(float64, 2)(MATRIX, VALUES, boolean, VECTOR, VECTOR, float64, int64))
def descend_quadratic(hessian, l1, positive, w, gradient, tol, max_sweeps):
    """Minimise ½wᵀHw − cᵀw + Σ l1ⱼ|wⱼ| over w (d,) by coordinate descent, over w ≥ 0 only if `positive`.

    `w` and `gradient`, Hw − c (d,), are changed in place. A coordinate moves to the minimum along it; one without
    curvature stays. Sweeps alternate between all coordinates and, as long as these change, those that are not zero.
    It ends when in a sweep over all of them none moves by more than tol in units of the objective, |Δwⱼ|·√Hⱼⱼ.
    Gives the number of sweeps, and the largest move of the last one over all.
    """
    d = w.shape[0]
    everywhere = True
    sweeps = 0
    largest = 0.0
    while sweeps < max_sweeps:
        sweeps += 1
        largest = 0.0
        for j in range(d):
            curvature = hessian[j, j]
            old = w[j]
            if curvature <= 0.0 or (old == 0.0 and not everywhere):
                continue
            aim = curvature * old - gradient[j]
            if aim > l1[j]:
                new = (aim - l1[j]) / curvature
            elif aim < -l1[j] and not positive:
                new = (aim + l1[j]) / curvature
            else:
                new = 0.0
            change = new - old
            if change != 0.0:
                w[j] = new
                for i in range(d):
                    gradient[i] += change * hessian[j, i]
                move = abs(change) * curvature**0.5
                largest = move if move > largest else largest
        if largest <= tol:
            if everywhere:
                break
            everywhere = True
        else:
            everywhere = False
    return float(sweeps), largest
