"""Nyström's approximation: features from the similarity to a few landmarks, for any kernel.

    z(x) = K_mm^(−½) k_m(x),   k_m(x) = [k(x, l₁), …, k(x, l_m)]        z(x)ᵀz(y) = k_m(x)ᵀ K_mm⁻¹ k_m(y)

This is the kernel of the rows projected on the landmarks' features: exact for the landmarks themselves, and where all
rows are landmarks exact for all. Directions in which the landmarks do not differ (eigenvalues of K_mm that are 0, up to
rounding) are left out.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from novacula.errors import DataError, ParameterError
from novacula.kernel.algebra import KERNELS, Kernel, as_kernel, gram, require_resolved
from novacula.kernel.expansion.derivation import derive_normalization, derive_similarities
from novacula.kernel.expansion.expander import Expander
from novacula.kernel.expansion.landmarks import draw_landmarks
from novacula.kernel.expansion.maps import NystroemMap
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, any_record, floats, whole
from novacula.table import Table
from novacula.table.chunk import Floats

CUT = 1e-10
"""Eigenvalues below this share of the largest are left out: their roots would make noise of rounding."""
DIGITS = 9
"""Significant digits of a gamma found in rows, so that the rounding of sums, which K_mm^(−½) would amplify, is gone."""


class Nystroem(Expander):
    """Columns whose products approximate a kernel, by the similarity of rows to landmarks among them.

    Parameters
    ----------
    kernel : Kernel or str, default="rbf"
        Any kernel that is positive semi-definite, or "rbf", "linear" or "poly".
    n_components : int, default=100
        How many landmarks to draw: all distinct rows, where there are fewer.
    random_state : int, RandomState or None, default=0
        What landmarks are drawn by; None draws others at each fit.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with numbers for words such as gamma="scale".
    components_ : array (m, d)
        The landmarks: distinct rows, drawn by their weight.
    normalization_ : array (m, m)
        K_mm^(−½), without the directions that are left out.
    eigenvalues_ : array (m,)
        Of K_mm, falling.
    rank_ : int
        How many of them are kept.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.kernel import Gaussian
    >>> iris = nv.datasets.load("iris")
    >>> model = Nystroem(Gaussian(gamma=0.5), n_components=20).fit(iris)
    >>> model.components_.shape, model.rank_
    ((20, 4), 20)
    >>> model.transform(iris)
    Table('iris', 21 columns, target='target')
    """

    card: ClassVar[Card] = Card(
        name="Nyström features",
        task="transform",
        summary="The similarity of rows to a few landmarks among them, so scaled that products approximate a kernel.",
        hypothesis_space="Functions in the span of k(·, l) for m landmarks l.",
        inductive_bias="That of the kernel; what the landmarks do not show is not seen.",
        objective="z(x)ᵀz(y) = k(x, y) for rows among the landmarks.",
        search="Landmarks are drawn by their weight; the rest is an eigendecomposition.",
        noise="That of the draw: the error falls as the eigenvalues of the kernel do.",
        missing="Not taken: a missing or infinite value raises, with its column.",
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric", "sparse"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="Low: columns become likenesses to chosen rows.",
        answer_cost="m·(d + m) for each row.",
        cost="Two passes of n·d and m³ to solve; n·m·(d + m) to transform. 8·m·d numbers are held.",
        cost_exponents={"n": 1, "d": 1},
        needs=("scaled",),
        size="n_components",
        references=(
            "C. Williams and M. Seeger, Using the Nyström method to speed up kernel machines, 2001",
            "P. Efraimidis and P. Spirakis, Weighted random sampling with a reservoir, 2006",
        ),
    )
    state_types: ClassVar[tuple[type, ...]] = KERNELS
    state: ClassVar[State] = {
        "kernel_": any_record(Kernel),
        "components_": floats("landmarks", "numbers"),
        "normalization_": floats("landmarks", "landmarks"),
        "eigenvalues_": floats("landmarks"),
        "rank_": whole(least=1, most="landmarks"),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [str, Kernel],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    kernel_: Kernel
    components_: Floats
    normalization_: Floats
    eigenvalues_: Floats
    rank_: int

    def __init__(self, kernel: str | Kernel = "rbf", n_components: int = 100, *, random_state: Any = 0) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.random_state = random_state

    def _learn(self, table: Table) -> None:
        """Draw landmarks among the rows."""
        kernel = usable(as_kernel(self.kernel))
        self.kernel_ = few_digits(kernel, kernel.resolved_by(self._spread(table)))
        seed = int(check_random_state(self.random_state).randint(2**31))
        self.components_ = draw_landmarks(table, self.n_components, seed)
        self._solve()

    def _solve(self) -> None:
        """K_mm^(−½) = V Λ^(−½) Vᵀ, over the eigenvalues that are kept."""
        values, vectors = spectrum(self.kernel_, self.components_)
        self.rank_ = int((values > CUT * values[0]).sum())
        self.eigenvalues_ = values
        kept = vectors[:, : self.rank_]
        self.normalization_ = (kept / np.sqrt(values[: self.rank_])) @ kept.T

    def _check_state(self) -> None:
        """What the declaration cannot say: the kernel is one of rows and landmarks."""
        require_resolved(usable(self.kernel_), self.components_.shape[1])

    def _map(self) -> NystroemMap:
        return NystroemMap(self.kernel_, self.components_, self.normalization_)

    @property
    def n_parameters_(self) -> int:
        """The values of the landmarks, from which the normalisation follows."""
        return self.components_.size

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _derive(self, options: WorkOptions) -> Work:
        """The landmarks and the normalisation."""
        return derive_normalization(self, spectrum(self.kernel_, self.components_)[1], options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Features of rows, and how near their products come."""
        expanded = self._expanded(X, options)
        return derive_similarities(self, self._map().similarities(expanded.rows), expanded, options)


def usable(kernel: Kernel) -> Kernel:
    """The kernel, unless landmarks make no sense of it."""
    if kernel.precomputed:
        raise ParameterError(f"{kernel!r} cannot be computed between rows and landmarks: give a kernel of columns")
    if kernel.positive is False:
        raise ParameterError(f"{kernel!r} is not positive semi-definite, so no features have its values for products")
    return kernel


def few_digits(stated: Kernel, resolved: Kernel) -> Kernel:
    """The resolved kernel, with few digits of the numbers that were stated as a word."""
    words = {name for name, value in stated.get_params().items() if isinstance(value, str)}
    numbers = {name: value for name, value in resolved.get_params().items() if isinstance(value, float)}
    return resolved.set_params(**{name: float(f"{v:.{DIGITS}g}") for name, v in numbers.items() if name in words})


def spectrum(kernel: Kernel, landmarks: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues of K_mm, falling, and eigenvectors; DataError where one is negative or all are 0."""
    from scipy.linalg import eigh

    K = gram(kernel, landmarks)
    if not np.isfinite(K).all():
        raise DataError(f"{kernel!r} overflows between landmarks: scale the columns")
    values, vectors = eigh(0.5 * K + 0.5 * K.T)  # half before the sum, which may overflow
    if not values[-1] > 0.0 or values[0] < -1e-9 * values[-1]:
        raise DataError(
            f"{kernel!r} has the eigenvalues {values[0]:.6g} to {values[-1]:.6g} between landmarks: no features have "
            "such products; give a kernel that is positive semi-definite and not 0 on these rows"
        )
    return np.ascontiguousarray(values[::-1]), np.asarray(vectors[:, ::-1])
