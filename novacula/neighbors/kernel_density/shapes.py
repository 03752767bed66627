"""The shapes of kernels: profiles k(r) that fall from 1 at r = 0, and what is known of each in d dimensions.

    ∫ k(‖u‖) du = S_d · I_{d−1}       I_m = ∫ rᵐ k(r) dr       S_d = 2 π^(d/2) / Γ(d/2), the area of the unit sphere

so that k / (S_d I_{d−1}) is a density, whose deviation along any axis is √(I_{d+1} / (d · I_{d−1})).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from novacula.table.chunk import Floats


@dataclass(frozen=True, slots=True)
class Shape:
    """One kernel, known by its name; `code` is its number among the compiled loops."""

    name: str
    code: int
    formula: str  # k(u), as `novacula.mathematics` reads it
    end: float  # beyond it the profile is 0, or for those without an end no more than 1e-17 of its top
    log_profile: Callable[[Floats], Floats]  # r ↦ ln k(r)
    log_moment: Callable[[int], float]  # m ↦ ln I_m
    radius: Callable[[np.random.Generator, int, int], Floats]  # (rng, n, d) ↦ n lengths with density ∝ r^(d−1) k(r)
    slope: float  # the steepest |k′|; infinite where k jumps
    bend: float  # the sharpest |k″|; infinite where k has a corner

    def __reduce__(self) -> tuple[Callable[[str], Shape], tuple[str]]:
        return shape_of, (self.name,)

    def profile(self, r: Floats) -> Floats:
        """k(r)."""
        return np.asarray(np.exp(self.log_profile(r)))

    def log_norm(self, d: int) -> float:
        """−ln ∫ k(‖u‖) du over d dimensions."""
        log_area = math.log(2.0) + 0.5 * d * math.log(math.pi) - float(gammaln(0.5 * d))
        return -log_area - self.log_moment(d - 1)

    def deviation(self, d: int) -> float:
        """The standard deviation of the kernel along any axis of d dimensions."""
        return math.exp(0.5 * (self.log_moment(d + 1) - self.log_moment(d - 1) - math.log(d)))

    def bin_error(self, step: float) -> float:
        """How far linear interpolation between points `step` apart can be from k."""
        return min(step * step / 8.0 * self.bend, step / 2.0 * self.slope)

    @property
    def endless(self) -> bool:
        """Whether k is positive everywhere."""
        return self.end > 1.0


def _cosine_moment(m: int) -> float:
    """ln ∫ rᵐ cos(πr/2) dr from 0 to 1, by the cosine's power series."""
    squared = (0.5 * math.pi) ** 2
    terms = [(-squared) ** k / math.factorial(2 * k) / (m + 2 * k + 1) for k in range(16)]
    return math.log(math.fsum(terms))


def _cosine_radius(rng: np.random.Generator, n: int, d: int) -> Floats:
    """By rejection from the linear kernel: cos(πr/2) is at most π/2 times 1 − r, so that two of three are kept."""
    radii = np.empty(0)
    while len(radii) < n:
        r = rng.beta(d, 2, n)
        kept = rng.random(n) * (0.5 * np.pi) * (1.0 - r) <= np.cos(0.5 * np.pi * r)
        radii = np.concatenate([radii, r[kept]])
    return radii[:n]


def _inside(profile: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """The logarithm of a profile that is 0 from r = 1 on."""

    def log_profile(r: Floats) -> Floats:
        inside = r < 1.0
        return np.log(profile(np.where(inside, r, 0.0)), out=np.full(r.shape, -np.inf), where=inside)

    return log_profile


_ALL = (
    Shape(
        name="gaussian",
        code=0,
        formula="exp(-u**2 / 2)",
        end=9.0,
        log_profile=lambda r: -0.5 * r**2,
        log_moment=lambda m: 0.5 * (m - 1) * math.log(2.0) + float(gammaln(0.5 * (m + 1))),
        radius=lambda rng, n, d: np.sqrt(rng.chisquare(d, n)),
        slope=math.exp(-0.5),
        bend=1.0,
    ),
    Shape(
        name="exponential",
        code=1,
        formula="exp(-u)",
        end=40.0,
        log_profile=lambda r: -r,
        log_moment=lambda m: float(gammaln(m + 1)),
        radius=lambda rng, n, d: rng.gamma(d, size=n),
        slope=1.0,
        bend=math.inf,
    ),
    Shape(
        name="epanechnikov",
        code=2,
        formula="1 - u**2 if u < 1 else 0",
        end=1.0,
        log_profile=_inside(lambda r: 1.0 - r**2),
        log_moment=lambda m: math.log(2.0 / ((m + 1) * (m + 3))),
        radius=lambda rng, n, d: np.sqrt(rng.beta(0.5 * d, 2, n)),
        slope=2.0,
        bend=math.inf,
    ),
    Shape(
        name="tophat",
        code=3,
        formula="1 if u < 1 else 0",
        end=1.0,
        log_profile=_inside(np.ones_like),
        log_moment=lambda m: -math.log(m + 1),
        radius=lambda rng, n, d: rng.beta(d, 1, n),
        slope=math.inf,
        bend=math.inf,
    ),
    Shape(
        name="linear",
        code=4,
        formula="1 - u if u < 1 else 0",
        end=1.0,
        log_profile=_inside(lambda r: 1.0 - r),
        log_moment=lambda m: -math.log((m + 1) * (m + 2)),
        radius=lambda rng, n, d: rng.beta(d, 2, n),
        slope=1.0,
        bend=math.inf,
    ),
    Shape(
        name="cosine",
        code=5,
        formula="cos(π * u / 2) if u < 1 else 0",
        end=1.0,
        log_profile=_inside(lambda r: np.cos(0.5 * np.pi * r)),
        log_moment=_cosine_moment,
        radius=_cosine_radius,
        slope=0.5 * math.pi,
        bend=math.inf,
    ),
)
SHAPES = {shape.name: shape for shape in _ALL}


def shape_of(name: str) -> Shape:
    """The shape of this name: what is kept of one when it is pickled."""
    return SHAPES[name]
