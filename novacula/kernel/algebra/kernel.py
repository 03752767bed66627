"""What every kernel is: a function k(x, y) of two rows, with parameters, that can be added, multiplied and compared.

    k(x, y) = φ(x)ᵀφ(y)        K = [k(xᵢ, xⱼ)] is positive semi-definite: cᵀKc = ‖Σ cᵢφ(xᵢ)‖² ≥ 0 for every c

Sums, products, powers, positive multiples, exponentials and normalised forms of kernels are kernels again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, ParameterError
from novacula.kernel.algebra.figures import lifted_figure
from novacula.kernel.algebra.gram import gram
from novacula.kernel.algebra.mercer import MercerSeries, mercer_series, warn_of_negative
from novacula.kernel.algebra.monomials import Monomial, no_map, require_small, variables
from novacula.kernel.algebra.parametric import Parametric
from novacula.kernel.algebra.rows import Columns, ColumnSpread, Rows, as_pair, as_rows, dense, listed
from novacula.kernel.algebra.verdict import PSDVerdict, judge
from novacula.learner.figure import Figure
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.learner.work import Work


@dataclass(eq=False, repr=False)
class Kernel(ShowsWork, Parametric):
    """A kernel: a dataclass whose fields are its parameters, kept as they were given.

    Learners use `resolved`, `block` and, to fit parameters, `free`, `log_parameters` and `gradients`; everything else
    is for people. Of two kernels, or of a kernel and a positive number, `+`, `*` and `**` make another kernel.

    A kernel of your own is a dataclass that derives from this class and defines `block`. It composes with all others,
    which call it by what is listed first below, on rows that were checked before. It may say more of itself:
    `positive` if its Gram matrices need not be positive semi-definite, `block_diagonal` where that is cheap,
    `n_features`, `feature_block` and `feature_terms` if it has a finite map, `free` and `gradient_blocks` if its
    parameters can be fitted, `validate` and `resolved_by` if they can be wrong, or words.

    >>> from novacula.kernel import Gaussian, Linear
    >>> k = 2.0 * Gaussian(gamma=0.5) + Linear()
    >>> k
    2.0 * Gaussian(gamma=0.5) + Linear()
    >>> k([[0.0, 1.0], [1.0, 1.0]]).round(4).tolist()
    [[3.0, 2.2131], [2.2131, 4.0]]
    """

    __array_ufunc__ = None  # so that a NumPy number times a kernel is for the kernel to answer

    # --- what a kind of kernel says of itself ---------------------------------------------------------------

    @property
    def positive(self) -> bool | None:
        """Whether every Gram matrix is positive semi-definite: True, False, or None where that is not known."""
        return True

    @property
    def precomputed(self) -> bool:
        """Whether rows are rows of a Gram matrix, so that there is nothing left to compute from columns."""
        return any(part.precomputed for _, part in self.parts())

    def block(self, A: Rows, B: Rows) -> Floats:
        """k(x, y) (n, m) for the rows of A and of B, which are not checked; on one thread."""
        raise NotImplementedError(f"{type(self).__name__} must define block")

    def block_diagonal(self, rows: Rows) -> Floats:
        """k(x, x) (n,) of rows that are not checked."""
        ones = (rows[i : i + 1] for i in range(rows.shape[0]))
        return np.array([self.block(one, one).item() for one in ones], np.float64)

    def n_features(self, d: int) -> int:
        """How many features rows of d columns have, or ParameterError where the map is not finite."""
        raise no_map(self, f"{type(self).__name__} defines none")

    def feature_block(self, X: Floats) -> Floats:
        """φ(x) (n, n_features) of dense rows that are not checked."""
        raise NotImplementedError(f"{type(self).__name__} must define feature_block")

    def feature_terms(self, names: Sequence[str]) -> list[Monomial]:
        """What each feature is in terms of the columns, given their names."""
        raise NotImplementedError(f"{type(self).__name__} must define feature_terms")

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """∂k(x, y)/∂ln θ (n, m) for each of `free`, of rows that are not checked; on one thread."""
        return iter(())

    def resolved_by(self, spread: ColumnSpread) -> Kernel:
        """A copy in which words such as gamma="scale" are the numbers that these columns give."""
        self.validate()
        parts = {name: part.resolved_by(spread) for name, part in self.parts()}
        return type(self)(**(self.get_params(deep=False) | parts))

    # --- the Gram matrix ------------------------------------------------------------------------------------

    def __call__(self, X: Any, Y: Any = None) -> Floats:
        """The Gram matrix (n, m) of the rows of X and of Y; of X with itself if Y is omitted."""
        if Y is None:
            (A, names), B = as_rows(X), None
        else:
            A, B, names = as_pair(X, Y)
        K = gram(self.resolved(A, names=names), A, B)
        if not np.isfinite(K).all():
            i, j = (int(place) for place in np.unravel_index(np.argmin(np.isfinite(K)), K.shape))
            raise DataError(f"{self!r} overflows between rows {i + 1} and {j + 1}: scale the columns")
        return K

    def diagonal(self, X: Any) -> Floats:
        """k(x, x) (n,) of each row, without the matrix."""
        rows, names = as_rows(X)
        return self.resolved(rows, names=names).finite_diagonal(rows)

    def finite_diagonal(self, rows: Rows) -> Floats:
        """The same of rows that were checked, by a kernel without open words."""
        with np.errstate(over="ignore"):
            values = self.block_diagonal(rows)
        if not np.isfinite(values).all():
            raise DataError(f"{self!r} overflows for row {int(np.argmin(np.isfinite(values))) + 1}: scale the columns")
        return values

    def resolved(self, X: Rows, *, weight: Floats | None = None, names: Sequence[str] | None = None) -> Kernel:
        """A copy in which words are numbers and names of columns are places, as the rows X say.

        gamma="scale" is 1/(d·v), where v is the variance of all entries of X, and "auto" is 1/d.
        """
        return self.resolved_by(ColumnSpread.of(X, weight, names))

    def check(self, X: Any, tol: float = 1e-9) -> PSDVerdict:
        """Compute the eigenvalues of the Gram matrix of X, and raise DataError if one is negative.

        An eigenvalue counts as negative below −tol times the largest: rounding alone makes some that are slightly so.
        """
        verdict = judge(self(X), tol)
        if not verdict.psd:
            raise DataError(f"{self!r} is not a kernel on these rows: {verdict}")
        return verdict

    def is_psd(self, X: Any, tol: float = 1e-9) -> bool:
        """Whether the Gram matrix of X has no eigenvalue below −tol times the largest."""
        return judge(self(X), tol).psd

    # --- features -------------------------------------------------------------------------------------------

    def features(self, X: Any) -> Floats:
        """φ(x) (n, p) of each row, where φ(x)ᵀφ(y) = k(x, y); ParameterError where no finite map exists.

        >>> from novacula.kernel import Polynomial
        >>> Polynomial(degree=2, coef0=0).features([[1.0, 3.0]]).round(4).tolist()
        [[1.0, 9.0, 4.2426]]
        """
        rows, names = as_rows(X)
        kernel = self.resolved(rows, names=names)
        require_small(repr(self), kernel.n_features(rows.shape[1]), rows.shape[0])
        return kernel.feature_block(dense(rows))

    def mercer(self, X: Any) -> MercerSeries:
        """λᵢ and ψᵢ of k(x, y) = Σ λᵢ ψᵢ(x) ψᵢ(y) on the rows of X, the largest λ first.

        >>> from novacula.kernel import Linear
        >>> Linear().mercer([[1.0], [-1.0]]).eigenvalues.round(6).tolist()
        [1.0]
        """
        series = mercer_series(self(X))
        warn_of_negative(series.eigenvalues, repr(self))
        return series

    def figure(self, X: Any, y: Any = None) -> Figure:
        """Rows of two columns beside their three features; y says their classes."""
        rows, names = as_rows(X)
        phi, labels = self.features(X), None if y is None else np.asarray(y).ravel()
        if rows.shape[1] != 2 or phi.shape[1] != 3:
            raise ParameterError(
                f"the picture is of two columns and three features, not of {rows.shape[1]} and {phi.shape[1]}"
            )
        if labels is not None and len(labels) != len(phi):
            raise DataError(f"X has {len(phi)} rows and y {len(labels)}: give one class for each")
        return lifted_figure(dense(rows), phi, labels, variables(names or 2), self.feature_names(names or 2))

    def feature_names(self, columns: int | Sequence[str]) -> list[str]:
        """What each feature is, given the number of columns or their names.

        >>> from novacula.kernel import Polynomial
        >>> Polynomial(degree=2, coef0=0).feature_names(2)
        ['x₁²', 'x₂²', '√2·x₁x₂']
        """
        names = variables(columns)
        require_small(repr(self), self.n_features(len(names)), 1)
        joint = "" if isinstance(columns, (int, np.integer)) else "·"
        return [term.text(joint) for term in self.feature_terms(names)]

    def _derive(self, options: WorkOptions) -> Work:
        """What its features are and how they multiply to k(x, y), on rows of its own."""
        return self._derive_answers(None, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The same on the first rows of X."""
        from novacula.kernel.algebra.derivation import derive_kernel

        return derive_kernel(self, X, options)

    # --- algebra --------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Kernel:
        from novacula.kernel.algebra.compositions import KernelSum

        return KernelSum(self, _operand(other)) if _is_operand(other) else NotImplemented

    def __radd__(self, other: Any) -> Kernel:
        from novacula.kernel.algebra.compositions import KernelSum

        return KernelSum(_operand(other), self) if _is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Kernel:
        from novacula.kernel.algebra.compositions import KernelProduct, Scaled

        if isinstance(other, Kernel):
            return KernelProduct(self, other)
        return Scaled(self, other) if _is_operand(other) else NotImplemented

    def __rmul__(self, other: Any) -> Kernel:
        return self * other

    def __pow__(self, exponent: Any) -> Kernel:
        from novacula.kernel.algebra.compositions import Power

        return Power(self, exponent)

    def exp(self) -> Kernel:
        """exp(k): its power series has positive terms, each of them a kernel."""
        from novacula.kernel.algebra.transforms import Exponential

        return Exponential(self)

    def normalized(self) -> Kernel:
        """k(x, y) / √(k(x, x) k(y, y)): features of length 1."""
        from novacula.kernel.algebra.transforms import Normalized

        return Normalized(self)

    def on(self, columns: Columns | npt.NDArray[Any]) -> Kernel:
        """The same kernel of some columns only, given by place or, for frames, by name."""
        from novacula.kernel.algebra.transforms import OnColumns

        return OnColumns(self, columns.tolist() if isinstance(columns, np.ndarray) else listed(columns))

    # --- slopes ---------------------------------------------------------------------------------------------

    def gradients(self, X: Rows, Y: Rows | None = None) -> Iterator[Floats]:
        """∂k(x, y)/∂ln θ (n, m) for the rows of X and of Y, or of X with itself, for each of `free` in order."""
        return self.gradient_blocks(X, X if Y is None else Y)


def _is_operand(value: Any) -> bool:
    """Whether something can be added to a kernel: another one or a number."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number or isinstance(value, Kernel)


def _operand(value: Any) -> Kernel:
    """A kernel as it is, a number as the kernel that is this everywhere."""
    from novacula.kernel.algebra.elementary import Constant

    return value if isinstance(value, Kernel) else Constant(value)
