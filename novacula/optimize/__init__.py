"""Optimisers to be seen, traced and trusted."""

from novacula.optimize.conjugate_gradient import conjugate_gradient
from novacula.optimize.differences import GradientCheck, check_gradient
from novacula.optimize.gradient_descent import gradient_descent
from novacula.optimize.kkt import ConstrainedResult, KKTResiduals, kkt_residuals
from novacula.optimize.lagrange import lagrange
from novacula.optimize.lbfgs import lbfgs
from novacula.optimize.levenberg_marquardt import levenberg_marquardt
from novacula.optimize.line_search import LineSearch, line_search
from novacula.optimize.newton import newton
from novacula.optimize.program import Quadratic, QuadraticProgram, SmoothProgram
from novacula.optimize.quadratic_program import quadratic_program
from novacula.optimize.result import Result
from novacula.optimize.sequential_quadratic import sequential_quadratic
from novacula.optimize.stochastic_gradient_descent import stochastic_gradient_descent

__all__ = [
    "ConstrainedResult",
    "GradientCheck",
    "KKTResiduals",
    "LineSearch",
    "Quadratic",
    "QuadraticProgram",
    "Result",
    "SmoothProgram",
    "check_gradient",
    "conjugate_gradient",
    "gradient_descent",
    "kkt_residuals",
    "lagrange",
    "lbfgs",
    "levenberg_marquardt",
    "line_search",
    "newton",
    "quadratic_program",
    "sequential_quadratic",
    "stochastic_gradient_descent",
]
