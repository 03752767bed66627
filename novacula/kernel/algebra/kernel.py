"""What every kernel is: a function k(x, y) of two rows, with parameters, that can be added, multiplied and compared.

    k(x, y) = φ(x)ᵀφ(y)        K = [k(xᵢ, xⱼ)] is positive semi-definite: cᵀKc = ‖Σ cᵢφ(xᵢ)‖² ≥ 0 for every c

Sums, products, powers, positive multiples, exponentials and normalised forms of such kernels are such kernels again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, ParameterError
from novacula.kernel.algebra.gram import gram
from novacula.kernel.algebra.monomials import Monomial, require_small, variables
from novacula.kernel.algebra.rows import Columns, ColumnSpread, Rows, as_pair, as_rows, dense, listed
from novacula.kernel.algebra.verdict import PSDVerdict, judge
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.learner.work import Work


@dataclass(eq=False, repr=False)
class Kernel:
    """A kernel: a dataclass whose fields are its parameters, kept as they were given.

    Learners use `resolved`, `block` and, to fit parameters, `free`, `log_parameters` and `gradients`; everything else
    is for people. Of two kernels, or of a kernel and a positive number, `+`, `*` and `**` make another kernel.

    >>> from novacula.kernel import Gaussian, Linear
    >>> k = 2.0 * Gaussian(gamma=0.5) + Linear()
    >>> k
    2.0 * Gaussian(gamma=0.5) + Linear()
    >>> k([[0.0, 1.0], [1.0, 1.0]]).round(4).tolist()
    [[3.0, 2.2131], [2.2131, 4.0]]
    """

    __array_ufunc__ = None  # so that a NumPy number times a kernel is for the kernel to answer

    def __post_init__(self) -> None:
        self._validate()

    # --- what a kind of kernel says of itself ---------------------------------------------------------------

    @property
    def positive(self) -> bool | None:
        """Whether every Gram matrix is positive semi-definite: True, False, or None where that is not known."""
        return True

    @property
    def precomputed(self) -> bool:
        """Whether rows are rows of a Gram matrix, so that there is nothing left to compute from columns."""
        return any(part.precomputed for _, part in self._parts())

    def block(self, A: Rows, B: Rows) -> Floats:
        """k(x, y) (n, m) for the rows of A and of B, which are not checked; on one thread."""
        raise NotImplementedError(f"{type(self).__name__} must define block")

    def _diagonal(self, rows: Rows) -> Floats:
        """k(x, x) (n,)."""
        raise NotImplementedError(f"{type(self).__name__} must define _diagonal")

    def _features(self, X: Floats) -> Floats:
        """φ(x) (n, p), for kernels that have `_terms`."""
        raise NotImplementedError(f"{type(self).__name__} must define _features")

    def _terms(self, names: Sequence[str]) -> list[Monomial]:
        """What each feature is, or ParameterError where the map is not finite."""
        raise NotImplementedError(f"{type(self).__name__} must define _terms")

    def _n_features(self, d: int) -> int:
        """How many features rows of d columns have, or ParameterError where the map is not finite."""
        raise NotImplementedError(f"{type(self).__name__} must define _n_features")

    def _validate(self) -> None:
        """Raise ParameterError where a parameter makes no sense."""

    def resolved_by(self, spread: ColumnSpread) -> Kernel:
        """A copy in which words such as gamma="scale" are the numbers that these columns give."""
        self._validate()
        parts = {name: part.resolved_by(spread) for name, part in self._parts()}
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
            raise DataError(f"{self!r} overflows between rows {i} and {j}: scale the columns")
        return K

    def diagonal(self, X: Any) -> Floats:
        """k(x, x) (n,) of each row, without the matrix."""
        rows, names = as_rows(X)
        with np.errstate(over="ignore"):
            found = self.resolved(rows, names=names)._diagonal(rows)
        if not np.isfinite(found).all():
            raise DataError(f"{self!r} overflows for row {int(np.argmin(np.isfinite(found)))}: scale the columns")
        return found

    def resolved(self, X: Rows, *, weight: Floats | None = None, names: Sequence[str] | None = None) -> Kernel:
        """A copy in which words are numbers and names of columns are places, as the rows X say.

        gamma="scale" is 1/(d·v), where v is the variance of all entries of X, and "auto" is 1/d.
        """
        return self.resolved_by(ColumnSpread.of(X, weight, names))

    def check(self, X: Any, tol: float = 1e-9) -> PSDVerdict:
        """Look at the eigenvalues of the Gram matrix of X, and raise DataError if one is negative.

        An eigenvalue counts as negative below −tol times the largest: rounding alone makes some that are slightly so.
        """
        verdict = judge(self(X), tol)
        if not verdict.psd:
            raise DataError(f"{self!r} is no kernel on these rows: {verdict}")
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
        require_small(repr(self), kernel._n_features(rows.shape[1]), rows.shape[0])
        return kernel._features(dense(rows))

    def feature_names(self, columns: int | Sequence[str]) -> list[str]:
        """What each feature is, given the number of columns or their names.

        >>> from novacula.kernel import Polynomial
        >>> Polynomial(degree=2, coef0=0).feature_names(2)
        ['x₁²', 'x₂²', '√2·x₁x₂']
        """
        names = variables(columns)
        require_small(repr(self), self._n_features(len(names)), 1)
        joint = "" if isinstance(columns, (int, np.integer)) else "·"
        return [term.text(joint) for term in self._terms(names)]

    def work(self, X: Any = None) -> Work:
        """What its features are and how they multiply to k(x, y), on the first rows of X or on rows of its own."""
        from novacula.kernel.algebra.derivation import derive_kernel

        return derive_kernel(self, X)

    # --- algebra --------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Kernel:
        from novacula.kernel.algebra.compositions import Sum

        return Sum(self, _operand(other)) if _is_operand(other) else NotImplemented

    def __radd__(self, other: Any) -> Kernel:
        from novacula.kernel.algebra.compositions import Sum

        return Sum(_operand(other), self) if _is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Kernel:
        from novacula.kernel.algebra.compositions import Product, Scaled

        if isinstance(other, Kernel):
            return Product(self, other)
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

    # --- parameters -----------------------------------------------------------------------------------------

    @classmethod
    def _names(cls) -> list[str]:
        return [field.name for field in fields(cls) if field.init]

    def _parts(self) -> list[tuple[str, Kernel]]:
        """The kernels that it is made of, by name."""
        held = ((name, getattr(self, name)) for name in self._names())
        return [(name, value) for name, value in held if isinstance(value, Kernel)]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with `deep` those of its parts too, as in left__gamma."""
        params: dict[str, Any] = {name: getattr(self, name) for name in self._names()}
        if deep:
            for name, part in self._parts():
                params |= {f"{name}__{inner}": value for inner, value in part.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, also those of parts, in place."""
        inner: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in self._names() or (rest and not isinstance(params.get(name, getattr(self, name)), Kernel)):
                raise ParameterError(
                    f"{self!r} has no parameter {key!r}: it has {', '.join(self.get_params()) or 'none'}"
                )
            if rest:
                inner.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, values in inner.items():
            getattr(self, name).set_params(**values)
        self._validate()
        return self

    @property
    def free(self) -> tuple[str, ...]:
        """Its positive continuous parameters, those of its parts under dotted names as in `get_params`."""
        return tuple(f"{name}__{inner}" for name, part in self._parts() for inner in part.free)

    @property
    def log_parameters(self) -> Floats:
        """ln θ of each of `free`."""
        params = self.get_params()
        words = [name for name in self.free if isinstance(params[name], str)]
        if words:
            raise ParameterError(f"{words[0]}={params[words[0]]!r} has no number yet: use resolved(X) first")
        return np.log(np.array([params[name] for name in self.free], np.float64))

    def with_log_parameters(self, values: Any) -> Kernel:
        """A copy whose `free` parameters have these logarithms."""
        values = np.asarray(values, np.float64)
        if values.shape != (len(self.free),):
            raise ParameterError(f"{self!r} has {len(self.free)} free parameters, and {values.shape} values were given")
        return self._copy().set_params(**dict(zip(self.free, np.exp(values).tolist(), strict=True)))

    def _copy(self) -> Kernel:
        parts = {name: part._copy() for name, part in self._parts()}
        return type(self)(**(self.get_params(deep=False) | parts))

    def gradients(self, X: Rows, Y: Rows | None = None) -> Iterator[Floats]:
        """∂k(x, y)/∂ln θ (n, m) for the rows of X and of Y, or of X with itself, for each of `free` in order."""
        return self._changes(X, X if Y is None else Y)

    def _changes(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """The same of rows that are not checked, on one thread, as `block`."""
        return iter(())

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(bool(getattr(self, name) == getattr(other, name)) for name in self._names())

    __hash__ = None  # type: ignore[assignment]  # parameters can be set

    def __repr__(self) -> str:
        stated = ((f.name, getattr(self, f.name), f.default) for f in fields(self) if f.init)
        return f"{type(self).__name__}({', '.join(f'{n}={_shown(v)}' for n, v, default in stated if v != default)})"


def _is_operand(value: Any) -> bool:
    """Whether something can stand beside a kernel: another one or a number."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number or isinstance(value, Kernel)


def _operand(value: Any) -> Kernel:
    """A kernel as it is, a number as the kernel that is this everywhere."""
    from novacula.kernel.algebra.elementary import Constant

    return value if isinstance(value, Kernel) else Constant(value)


def _shown(value: Any) -> str:
    """A parameter as it is written in Python, a NumPy number as a plain one."""
    return repr(value.item() if isinstance(value, np.generic) else value)
