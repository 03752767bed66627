"""Functions that are typed in as expressions, for `novacula work`: optimisers find their derivatives by rule.

Where Python takes a function, an expression such as "x**2 + 3*y" is typed, or a list of them for a function that
gives several numbers. The coordinates of a point are the names in the order in which they first stand there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.cli.calling import Settings, called, taken
from novacula.errors import ParameterError

if TYPE_CHECKING:
    from novacula.arguments import Floats
    from novacula.mathematics.calculus import SmoothFunction


@dataclass(frozen=True)
class SeveralFunctions:
    """Expressions of the same names as one function of a point, with its Jacobian."""

    parts: tuple[SmoothFunction, ...]

    def __call__(self, x: Floats) -> Floats:
        """The values (m,)."""
        return np.array([part(x) for part in self.parts])

    def jacobian(self, x: Floats) -> Floats:
        """The slopes (m, d)."""
        return np.array([part.gradient(x) for part in self.parts])

    def curvature(self, x: Floats, weights: Floats) -> Floats:
        """Σ wᵢ times the Hessian of each."""
        pairs = zip(self.parts, weights, strict=True)
        return sum((w * part.hessian(x) for part, w in pairs), start=np.zeros((len(x), len(x))))


def _several(sources: Any, names: Sequence[str]) -> SeveralFunctions:
    from novacula.mathematics.calculus import SmoothFunction

    return SeveralFunctions(tuple(SmoothFunction(source, names) for source in _listed(sources)))


def _listed(sources: Any) -> list[str]:
    return [str(source) for source in (sources if isinstance(sources, list) else [sources])]


def _function(name: str, settings: Settings, key: str = "f") -> SmoothFunction:
    from novacula.mathematics.calculus import SmoothFunction

    return SmoothFunction(str(taken(name, settings, key)))


# --- optimisers ---------------------------------------------------------------------------------------------


def optimum(function: Callable[..., Any], settings: Settings) -> Any:
    """Newton, descent and their like: f and where to start."""
    name = function.__name__
    f, start = _function(name, settings), taken(name, settings, "start")
    given = {"f": f, "gradient": f.gradient, "x0": start}
    if name != "lbfgs":
        given["hessian"] = f.hessian
    return called(function, given | settings)


def searched_line(function: Callable[..., Any], settings: Settings) -> Any:
    """A line search: f, x and direction."""
    f = _function(function.__name__, settings)
    return called(function, {"f": f, "gradient": f.gradient} | settings)


def least_squares(function: Callable[..., Any], settings: Settings) -> Any:
    """Levenberg–Marquardt: a list of residuals and where to start."""
    from novacula.mathematics.calculus import names_in

    name = function.__name__
    sources, start = _listed(taken(name, settings, "residuals")), taken(name, settings, "start")
    residuals = _several(sources, names_in(*sources))
    return called(function, {"residuals": residuals, "jacobian": residuals.jacobian, "x0": start} | settings)


def held_to_equalities(function: Callable[..., Any], settings: Settings) -> Any:
    """Lagrange: f, where g(x) = 0, one or a list, and where to start."""
    name = function.__name__
    f, start = _function(name, settings), taken(name, settings, "start")
    g = _several(taken(name, settings, "g"), f.names)
    given = {"objective": f, "equalities": g, "x0": start, "gradient": f.gradient, "jacobian": g.jacobian}
    given["hessian"] = lambda x, alpha: f.hessian(x) - g.curvature(x, alpha)
    return called(function, given | settings)


def held_to_inequalities(function: Callable[..., Any], settings: Settings) -> Any:
    """Sequential quadratic programs: f, inequalities g(x) ≥ 0, equalities e(x) = 0 and where to start."""
    name = function.__name__
    f, start = _function(name, settings), taken(name, settings, "start")
    g, e = (_several(settings.pop(key, []), f.names) for key in ("inequalities", "equalities"))
    if not g.parts and not e.parts:
        raise ParameterError(f'{name} needs a constraint: say --set inequalities=["…"] or --set equalities=["…"]')
    given = {"f": f, "gradient": f.gradient, "x0": start, "inequalities": None}
    if g.parts:
        given |= {"inequalities": g, "jacobian": g.jacobian}
    if e.parts:
        given |= {"equalities": e, "equality_jacobian": e.jacobian}
    given["hessian"] = lambda x, z, alpha: f.hessian(x) - g.curvature(x, z) - e.curvature(x, alpha)
    return called(function, given | settings)


def quadratic(function: Callable[..., Any], settings: Settings) -> Any:
    """A quadratic program: q, and P, G, h, A, b where there are any."""
    return called(function, {"P": None} | settings)


def checked_gradient(function: Callable[..., Any], settings: Settings) -> Any:
    """A function, its derivative as a list of expressions, one for each name, and the point x."""
    name = function.__name__
    f = _function(name, settings, "function")
    return called(
        function, {"function": f, "derivative": _several(taken(name, settings, "derivative"), f.names)} | settings
    )


def checked_conditions(function: Callable[..., Any], settings: Settings) -> Any:
    """A quadratic program as it is solved, a point x, and multipliers."""
    from novacula.optimize import QuadraticProgram

    arrays = {key: settings.pop(key) for key in ("P", "q", "G", "h", "A", "b") if key in settings}
    return called(function, {"problem": called(QuadraticProgram, {"P": None} | arrays)} | settings)


# --- densities ----------------------------------------------------------------------------------------------


def sampled(function: Callable[..., Any], settings: Settings) -> Any:
    """Draws from a density of one or two names, within bounds."""
    from novacula.mathematics.calculus import ElementwiseFunction, names_in

    source = str(taken(function.__name__, settings, "density"))
    return called(function, {"density": ElementwiseFunction(source, names_in(source))} | settings)


def gridded(kind: Callable[..., Any], settings: Settings) -> Any:
    """A posterior on a grid: the prior f, the likelihood with one name more, that of the datum, bounds and data."""
    from novacula.mathematics.calculus import ElementwiseFunction, names_in

    prior, likelihood = (str(taken(kind.__name__, settings, key)) for key in ("f", "likelihood"))
    names = names_in(prior)
    others = [name for name in names_in(likelihood) if name not in names]
    if not names or len(others) != 1:
        raise ParameterError(
            f"f={prior} is of one or two names, and likelihood={likelihood} of these and one more, the datum's"
        )
    functions = {
        "f": ElementwiseFunction(prior, names),
        "likelihood": ElementwiseFunction(likelihood, (*names, *others)),
    }
    return believed(kind, functions | settings)


def believed(kind: Callable[..., Any], settings: Settings) -> Any:
    """A prior, and what is believed after the data, where there are any."""
    data = settings.pop("data", None)
    prior = called(kind, settings)
    return prior if data is None else prior.update(data)
