"""Kernel PCA: principal components of the features of a kernel, without ever making them.

    K̃ = K − 1mᵀ − m1ᵀ + t,  m = Kπ,  t = πᵀKπ,  π = w/N
    W^½ K̃ W^½ u = λu        z(x) = Σ cᵢ k̃(x, xᵢ),  c = W^½u/√λ

The products of features about their mean are sums of products of features. A direction in their space is a sum of rows,
and so are the scores along it.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, DataWarning, ModelFileError, ParameterError, warn_user
from novacula.kernel.algebra import Kernel, OnColumns, as_kernel, gram
from novacula.kernel.algebra.rows import Rows, dense
from novacula.kernel.process.centred import Centre, leading
from novacula.kernel.process.derivation.components import derive_components, derive_scores
from novacula.kernel.process.dual_ridge import solve_dual
from novacula.kernel.process.kept_rows import TARGETS, KeepsRows, kept
from novacula.learner.base import Unsupervised
from novacula.learner.card import Card
from novacula.learner.in_our_words import in_our_words
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.projection.spectrum import signed
from novacula.state import State, floats, nullable, optional
from novacula.table import Table
from novacula.table.chunk import Floats


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Unsupervised, KeepsRows):
    """Principal components in the space of a kernel's features.

    Parameters
    ----------
    n_components : int, default=None
        How many directions to keep; by default all whose eigenvalue is above 1e-12 of the largest. Directions below
        that are never kept: they are rounding.
    kernel : Kernel or str, default="linear"
        The kernel: any expression, or a word such as "rbf", which is Gaussian("scale"). "linear" is `PCA`.
    fit_inverse_transform : bool, default=False
        Whether to learn the way back from scores to rows, by kernel ridge regression with the same kernel.
    alpha : float, default=1.0
        The penalty of that regression.

    Weights are repetitions.

    Attributes
    ----------
    eigenvalues_, explained_variance_ratio_ : arrays (k,)
        λ, the sum of squared scores of the rows along each direction, and its share of the whole.
    kernel_ : Kernel
        The kernel with all its parameters.
    examples_ : dict
        The rows, weights and coefficients.

    Examples
    --------
    >>> from novacula.kernel import Gaussian, KernelPCA
    >>> model = KernelPCA(2, kernel=Gaussian(width=1.0)).fit([[0.0], [1.0], [3.0], [4.0]])
    >>> model.transform([[0.5], [3.5]]).round(4).tolist()
    [[0.6943, 0.0192], [-0.6943, 0.0192]]
    """

    card: ClassVar[Card] = Card(
        name="Kernel principal components",
        task="transform",
        summary="The directions along which rows vary most in the space of a kernel's features.",
        hypothesis_space="Linear subspaces of the kernel's features, spanned by the rows.",
        inductive_bias="What varies most among the kernel's features matters most; the units of columns matter.",
        objective="The variance of the scores, largest.",
        search="Exact: an eigenvalue decomposition of the centred Gram matrix.",
        noise="Left in the directions that are not kept; squares make it prone to outliers.",
        missing="Not taken: a missing or infinite value raises, with its column and row.",
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric", "sparse"),
        scales=("memory",),
        uses="arrays",
        interpretability="Low: a component is a sum over all rows.",
        answer_cost="n·(d + k) for each row.",
        cost="n²·d and n³ to fit, in memory for three n × n matrices; n·(d + k) for each row to transform. Sensible up "
        "to 10,000 rows; beyond, Nystroem and PCA.",
        cost_exponents={"n": 3, "d": 1},
        needs=("scaled",),
        size="n_components",
        references=("B. Schölkopf, A. Smola and K.-R. Müller, Kernel principal component analysis, 1997",),
    )
    state: ClassVar[State] = {
        "eigenvalues_": floats("directions", above=0.0),
        "explained_variance_ratio_": floats("directions", least=0.0),
        **kept(
            nullable(TARGETS),
            coef=floats("examples", "directions"),
            offset=floats("directions"),
            scores=floats("examples", "directions"),
            way_back=optional(floats("examples", "numbers")),
        ),
    }
    matrices: ClassVar[int] = 3
    largest: ClassVar[int] = 10_000
    instead: ClassVar[str] = "fit a sample of the rows, or make_pipeline(Nystroem(kernel), PCA())"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "kernel": [Kernel, str],
        "fit_inverse_transform": ["boolean"],
        "alpha": [Interval(Real, 0, None, closed="left")],
    }

    eigenvalues_: Floats
    explained_variance_ratio_: Floats

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Kernel | str = "linear",
        fit_inverse_transform: bool = False,
        alpha: float = 1.0,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.fit_inverse_transform = fit_inverse_transform
        self.alpha = alpha

    # --- fit ------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Find the directions."""
        kernel = as_kernel(self.kernel)
        if kernel.positive is False:
            raise ParameterError(f"{kernel!r} is not positive semi-definite, so it has no features: take another one")
        self._require_way_back(kernel)
        self._keep(table, kernel)
        weight = self.examples_["weight"]
        centre, matrix = Centre.of(self._gram(), weight)
        total = float(np.trace(matrix))
        if total <= np.finfo(np.float64).eps * centre.square * weight.sum() < np.inf:
            raise self._no_direction()
        values, vectors = leading(matrix, self.n_components)
        self._warn_of_fewer(len(values))
        directions = signed(np.ascontiguousarray((vectors / np.sqrt(weight)[:, None]).T))
        unit = np.ascontiguousarray(directions.T)  # scores over √λ (n, k), as a file gives them back
        self.eigenvalues_, self.explained_variance_ratio_ = values, values / total
        self.examples_ |= centre.coefficients(weight[:, None] * unit / np.sqrt(values))
        self.examples_["scores"] = unit * np.sqrt(values)
        if self.fit_inverse_transform:
            scores, rows = self.examples_["scores"], dense(self.examples_["rows"])
            way_back = solve_dual(gram(self.kernel_, scores), weight, float(self.alpha), rows, type(self).__name__)
            self.examples_["way_back"] = np.ascontiguousarray(way_back)  # as a file gives it back, so for the same bits

    def _require_way_back(self, kernel: Kernel) -> None:
        if not self.fit_inverse_transform:
            return
        if not compares_any_columns(kernel):
            raise ParameterError(
                f"fit_inverse_transform compares scores by the kernel too, and {kernel!r} cannot: leave it out"
            )

    def _no_direction(self) -> DataError:
        n = len(self.examples_["weight"])
        return DataError(f"n_samples={n} do not differ in the features of the kernel: there is no direction to find")

    def _warn_of_fewer(self, n_directions: int) -> None:
        if not n_directions:
            raise self._no_direction()
        if self.n_components is not None and n_directions < self.n_components:
            warn_user(
                f"KernelPCA: n_components is {self.n_components}, but the rows vary along {n_directions} "
                "directions only, which were kept",
                DataWarning,
            )

    def _check_state(self) -> None:
        super()._check_state()
        if "way_back" in self.examples_ and not compares_any_columns(self.kernel_):
            raise ModelFileError("its kernel_ cannot compare scores, so there is no way back from them")

    # --- rows to scores and back ----------------------------------------------------------------------------

    def transform(self, X: Any) -> Floats:
        """The scores of each row along the directions (m, k)."""
        check_is_fitted(self)
        return self._row_answers(X, self._scores)

    def _scores(self, queries: Rows) -> Floats:
        held = self.examples_
        return np.asarray(self.kernel_.block(queries, held["rows"]) @ held["coef"] - held["offset"])

    def inverse_transform(self, X: Any) -> Floats:
        """Rows (m, d) whose scores are about X (m, k), as kernel ridge regression predicts them."""
        check_is_fitted(self)
        if "way_back" not in self.examples_:
            raise ParameterError("the way back was not learned: fit with fit_inverse_transform=True")
        with in_our_words():
            scores = np.ascontiguousarray(check_array(X, dtype=np.float64, input_name="X"))
        if scores.shape[1] != len(self.eigenvalues_):
            raise DataError(f"X has {scores.shape[1]} columns, but there are {len(self.eigenvalues_)} components")
        return np.asarray(gram(self.kernel_, scores, self.examples_["scores"]) @ self.examples_["way_back"])

    def eigenvectors(self) -> Floats:
        """u (n, k), orthonormal, of the rows that have weight: the largest score along each direction is positive."""
        check_is_fitted(self)
        held = self.examples_
        return np.asarray(held["scores"] * np.sqrt(held["weight"])[:, None] / np.sqrt(self.eigenvalues_))

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    def _derive(self, options: WorkOptions) -> Work:
        """Centring, eigenvalues and shares."""
        return derive_components(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The scores of the first rows of X."""
        return derive_scores(self, *self._first_query_rows(X, options.rows), options)


def compares_any_columns(kernel: Kernel) -> bool:
    """Whether a kernel can compare rows of any columns, and so scores too."""
    parts = [kernel, *kernel.get_params().values()]
    return not kernel.precomputed and not any(isinstance(part, OnColumns) for part in parts)
