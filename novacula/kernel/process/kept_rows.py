"""What the learners here share: they keep the rows of the fit, and answer with sums of k(x, xᵢ) over them.

The rows are kept as they came, in `examples_`: a row of weight 2 and two rows are different rows, and the same model.
Rows without weight are not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from novacula.errors import DataError, ModelFileError
from novacula.kernel.algebra import KERNELS, Kernel, as_kernel, gram, require_resolved
from novacula.kernel.algebra.rows import Rows
from novacula.kernel.chunk_rows import rows_of
from novacula.learner.base import Learner
from novacula.state import Form, State, any_record, floats, indices, keyed, one_of, optional, rows
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats
from novacula.table.parallel import map_ordered, one_blas_thread

BLOCK_BYTES = 1 << 23
"""The part of a matrix k(x, xᵢ) that is held at once takes no more than this."""
TARGETS = one_of(floats("examples", "targets"), floats("examples"))
"""The form of the targets of a fit: one, or several side by side."""


def kept(target: Form, **more: Form) -> State:
    """The declaration of a learner that keeps its rows with targets of this form, and `more` beside them.

    With a precomputed kernel the rows are those of its matrix, and `places` the columns that belong to them.
    """
    examples = {
        "rows": rows("examples", "any"),
        "weight": floats("examples", above=0.0),
        "target": target,
        "places": optional(indices("numbers", "examples")),
    }
    return {"examples_": keyed(examples | more)}


class KeepsRows(Learner):
    """A learner with a kernel that keeps its rows."""

    kept_rows: ClassVar[Mapping[str, tuple[str, ...]]] = {"examples_": ("weight", "dual", "coef", "way_back")}
    state_types: ClassVar[tuple[type, ...]] = KERNELS
    state: ClassVar[State] = {"kernel_": any_record(Kernel)}
    matrices: ClassVar[int]
    """How many n × n matrices a fit holds at once."""
    largest: ClassVar[int]
    """The number of rows up to which that is sensible."""
    instead: ClassVar[str]
    """What to do with more."""

    kernel: Any
    kernel_: Kernel
    examples_: dict[str, Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, (str, Kernel)) and as_kernel(self.kernel).precomputed
        return tags

    # --- fit ------------------------------------------------------------------------------------------------

    def _keep(self, table: Table, kernel: Kernel) -> None:
        """Store the rows that have weight, and the kernel with its words replaced by numbers."""
        chunk = table.to_chunk()
        places = np.flatnonzero(chunk.weight > 0.0)
        self._require_memory(len(places))
        rows, counted_rows = rows_of(chunk), chunk.counted()
        if kernel.precomputed:
            if rows.shape[0] != rows.shape[1]:
                raise DataError(f"with a precomputed kernel X is the square Gram matrix, and it has shape {rows.shape}")
            rows = rows[:, places]
        rows = rows[places]
        target = None if counted_rows.target is None else counted_rows.target.astype(np.float64, order="C")
        self.examples_ = {"rows": rows.copy(), "weight": counted_rows.weight.copy(), "target": target}
        if kernel.precomputed:
            self.examples_["places"] = places
        names = self.schema_.column_names() if not kernel.precomputed else None
        self.kernel_ = kernel.resolved(self.examples_["rows"], weight=counted_rows.weight, names=names)

    def _require_memory(self, n: int) -> None:
        if n > self.largest:
            raise DataError(
                f"{type(self).__name__} would hold {self.matrices} matrices of {n:,} × {n:,} numbers, "
                f"{8e-9 * self.matrices * n * n:.1f} GB, and is sensible up to {self.largest:,} rows: {self.instead}"
            )

    def _check_state(self) -> None:
        """What the declaration cannot say: the kernel decides how wide rows are, and there is at least one."""
        held, kernel, n = self.examples_, self.kernel_, len(self.examples_["weight"])
        if not 1 <= n <= self.largest:
            raise ModelFileError(f"its examples_ are {n:,} rows, where 1 to {self.largest:,} should be")
        if (
            held["rows"].shape[1] != (n if kernel.precomputed else self.n_features_in_)
            or ("places" in held) != kernel.precomputed
        ):
            raise ModelFileError("its examples_ are rows of other columns than its kernel_ takes")
        if held["target"] is not None and not self._targets.shape[1]:
            raise ModelFileError("its examples_ have no target")
        require_resolved(kernel, held["rows"].shape[1])

    @property
    def n_parameters_(self) -> int:
        """The values of the rows, which are kept, and their targets; what is solved from them is not counted again."""
        rows, target = self.examples_["rows"], self.examples_["target"]
        return int(rows.size + (0 if target is None else target.size))

    def _kernel_stays(self) -> bool:
        """Whether the kernel is the same without a row: none of its words became a number at fit."""
        stated, fitted = as_kernel(self.kernel), self.kernel_.get_params()
        words = [name for name, value in stated.get_params().items() if isinstance(value, str)]
        return not stated.precomputed and all(isinstance(fitted.get(name), str) for name in words)

    def _gram(self) -> Floats:
        """The kernel between the rows of the fit (n, n)."""
        return finite_matrix(gram(self.kernel_, self.examples_["rows"]), self.kernel_)

    @property
    def _targets(self) -> Floats:
        """The targets of the fit (n, k)."""
        return np.asarray(self.examples_["target"].reshape(len(self.examples_["weight"]), -1))

    @property
    def _flat(self) -> bool:
        """Whether the target was one array (n,), so that answers are (m,)."""
        return bool(self.examples_["target"].ndim == 1)

    def _shaped(self, answers: Floats) -> Floats:
        """Answers whose last axis is targets, without that axis if the target was one array (n,)."""
        return np.asarray(answers[..., 0] if self._flat else answers)

    # --- answers --------------------------------------------------------------------------------------------

    def _row_answers(self, X: Any, answer: Callable[[Rows], Floats]) -> Floats:
        """What `answer` says of blocks of rows, one array per row of X: (m, k)."""

        def quiet(block: Rows) -> Floats:
            with np.errstate(over="ignore", invalid="ignore"):  # values that are not finite are found at the end
                return answer(block)

        def of_chunk(chunk: Chunk) -> Floats:
            with one_blas_thread():  # blocks are what runs side by side
                return np.concatenate(list(map_ordered(quiet, self._blocks(self._query_rows(chunk)))))

        answers = np.asarray(self._answers(X, of_chunk))
        if not np.isfinite(answers).all():
            row = int(np.argmin(np.isfinite(answers).all(axis=1)))
            raise DataError(f"the answer for row {row + 1} is not finite: the row is too far from all rows of the fit")
        return answers

    def _blocks(self, rows: Rows) -> Iterator[Rows]:
        step = max(1, BLOCK_BYTES // (8 * len(self.examples_["weight"])))
        return (rows[start : start + step] for start in range(0, rows.shape[0], step))

    def _query_rows(self, chunk: Chunk) -> Rows:
        """Rows to answer for, as the kernel takes them."""
        rows = rows_of(chunk)
        return rows[:, self.examples_["places"]] if "places" in self.examples_ else rows

    def _all_query_rows(self, X: Any) -> Rows:
        """All rows of X at once."""
        return self._query_rows(self._query(X).to_chunk())

    def _first_query_rows(self, X: Any, most: int) -> tuple[Rows, bool]:
        """The rows of X whose answers are derived, and whether there are more."""
        chunk, cut = self._first_rows(X, most)
        return self._query_rows(chunk), cut


def finite_matrix(matrix: Floats, kernel: Kernel) -> Floats:
    """A Gram matrix as it is; numbers that overflowed raise, with their rows."""
    if not np.isfinite(matrix).all():
        i, j = (int(place) for place in np.argwhere(~np.isfinite(matrix))[0])
        raise DataError(f"{kernel!r} is not finite between rows {i + 1} and {j + 1}: scale the columns")
    return matrix
