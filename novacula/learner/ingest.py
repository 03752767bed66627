"""Arrays, frames and tables through one door, with scikit-learn's checks and messages.

What `fit` is given becomes a `Table` whose schema the model keeps; what `predict` is given becomes a table
laid out by that schema, so that codes always mean what they meant at fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import _check_feature_names, _check_n_features, _num_samples

from novacula.advice import step
from novacula.errors import DataError, InputTypeError, SchemaError, warn_user
from novacula.learner.in_our_words import in_our_words
from novacula.learner.labels import TARGET, class_array, named_classes
from novacula.learner.plain_arrays import checked_numbers, checked_rows, require_same_length
from novacula.table import Column, Schema, Table, read
from novacula.table.chunk import Chunk, Floats
from novacula.table.encode import require_weights
from novacula.table.memory import ArraySource, MemorySource, SparseSource
from novacula.table.source import Unseen
from novacula.table.survey import survey


@in_our_words()
def columns_of(learner: Any, X: Any, *, reset: bool) -> MemorySource:
    """Check the form of X as scikit-learn does and give it as a source; what its values may be is the card's to say.

    Frames of mixed columns go in as they are if the learner takes them.
    """
    from scipy.sparse import csr_matrix, issparse

    X = frame_of(learner, X, reset=reset)
    kinds, sparse = learner.card.takes, issparse(X)
    if not sparse and (mixed := _mixed_frame(X, kinds)) is not None:
        from novacula.table.frames import FrameSource

        names = mixed.column_names if _has_names(X) else None
        _check_feature_names(learner, X if names is not None else np.empty((1, mixed.num_columns)), reset=reset)
        _check_n_features(learner, np.empty((1, mixed.num_columns)), reset=reset)
        if mixed.num_rows == 0 or mixed.num_columns == 0:
            shape = f"(shape=({mixed.num_rows}, {mixed.num_columns}))"
            raise DataError(f"found no rows or no columns {shape} while a minimum of 1 is required")
        return FrameSource(mixed if reset else _renamed(learner, mixed), name="X")
    array = _native_numbers(checked_rows(learner, X, "sparse" in kinds, reset))
    if sparse if reset else learner.schema_.of_kind("sparse"):  # rows to predict take the form of those of the fit
        return SparseSource(csr_matrix(array).astype(np.float64, copy=False), name="X")
    if sparse:
        array = array.toarray()
    if array.dtype.kind == "b" and "categorical" not in kinds:
        array = array.astype(np.float64)
    names = getattr(learner, "feature_names_in_", None) if reset else _fitted_names(learner)
    return ArraySource(array, names=None if names is None else [str(name) for name in names], name="X")


def frame_of(learner: Any, X: Any, *, reset: bool) -> Any:
    """A frame whose columns scikit-learn can check by name: those of the fit, in their order, where they are all there.

    Others are left out. Where one is missing, the frame stays as it is, for scikit-learn to say so.
    """
    from novacula.table.frames import columns_of_frame, is_frame, one_table

    if isinstance(X, np.ndarray) or not is_frame(X):
        return X
    X = one_table(X)
    known = None if reset else getattr(learner, "feature_names_in_", None)
    if known is None:
        return X
    names, wanted = list(X.column_names if hasattr(X, "column_names") else X.columns), list(map(str, known))
    if names == wanted or len(set(names)) < len(names) or not set(wanted) <= set(names):
        return X
    return columns_of_frame(X, wanted)


def _native_numbers(array: Any) -> Any:
    """Numbers as this machine reads them, in at most 64 bits; dates and other things that are not numbers raise."""
    kind = array.dtype
    if kind.kind not in "biuf":
        raise InputTypeError(f"X holds values of type {kind}, which are not numbers: encode them, or leave them out")
    return array if kind.isnative and kind.itemsize <= 8 else array.astype(np.float64)


def _fitted_names(learner: Any) -> list[str] | None:
    names = [column.name for column in learner.schema_.features if column.kind != "sparse"]
    return names or None


def _renamed(learner: Any, table: Any) -> Any:
    """Columns under the names of the fit: scikit-learn has checked that they are the same, or warned."""
    return table.rename_columns([column.name for column in learner.schema_.features])


def _has_names(X: Any) -> bool:
    return hasattr(X, "columns") or hasattr(X, "column_names")


def _mixed_frame(X: Any, kinds: Sequence[str]) -> Any:
    """X as an Arrow table if it is a frame, or an array of strings, with more than numbers in it; else None."""
    if isinstance(X, np.ndarray) and X.dtype.kind not in "OUS":
        return None
    from novacula.table.frames import arrow_table, is_frame, object_table

    numbers_only = not {"categorical", "text"} & set(kinds)
    if is_frame(X):
        _check_names(X)
        if _all_numbers(X, numbers_only):
            return None
        frame = arrow_table(X)
    else:
        array = np.asarray(X, dtype=object) if isinstance(X, (list, tuple)) else X
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "OUS" or array.ndim != 2:
            return None
        if not any(isinstance(value, str) for value in array[:1000].ravel().tolist()):
            return None
        frame = object_table(array)
    return _numbers_of_booleans(frame) if numbers_only else frame


def _check_names(frame: Any) -> None:
    """Refuse a frame without columns, and one that has two of one name."""
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    if not names:
        raise DataError(f"found no columns (shape={tuple(frame.shape)}) while a minimum of 1 is required")
    seen = set[Any]()
    for name in names:
        if name in seen:
            raise SchemaError(f"the frame has more than one column {name!r}: rename or drop all but one")
        seen.add(name)


def _all_numbers(frame: Any, booleans: bool) -> bool:
    """Whether scikit-learn can make numbers of a frame; `booleans`: where they cannot be categories."""
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    if isinstance(frame, (pa.Table, pa.RecordBatch)):
        return False  # scikit-learn would lose its column names
    kinds = nw.from_native(frame, eager_only=True).schema.values()
    return all(kind.is_numeric() or (booleans and kind == nw.Boolean) for kind in kinds)


def _numbers_of_booleans(frame: Any) -> Any:
    """The frame with 0 and 1 for false and true; words are refused, with their column."""
    import pyarrow as pa

    from novacula.table.source import kind_of_type

    flags = [pa.types.is_boolean(field.type) for field in frame.schema]
    fields = [f.with_type(pa.int8()) if flag else f for f, flag in zip(frame.schema, flags, strict=True)]
    for field in fields:
        if kind_of_type(field.type) != "numeric":
            raise SchemaError(
                f"column {field.name!r} is not numeric and this learner takes numbers only: could not "
                "convert string to float; encode it (OneHotEncoder) or leave it out"
            )
    return frame.cast(pa.schema(fields))


@in_our_words()
def numbers_of(y: Any, X: Any) -> Floats:
    """A regression target, one column or several."""
    y = checked_numbers(y)
    if y.ndim > 2:
        raise DataError(f"the target has {y.ndim} dimensions; it can have 1 or 2")
    require_same_length(X, y)
    return np.ascontiguousarray(y, np.float64)


@in_our_words()
def weights_of(sample_weight: Any, X: Any) -> Floats | None:
    """Weights of rows, checked; None where every row counts once."""
    if sample_weight is None:
        return None
    n = _num_samples(X)
    weight = np.asarray(
        np.full(n, sample_weight, np.float64)
        if isinstance(sample_weight, Real)
        else check_array(
            sample_weight, ensure_2d=False, dtype=np.float64, ensure_all_finite=False, input_name="sample_weight"
        )
    )
    if weight.shape != (n,):
        raise DataError(f"sample_weight has shape {weight.shape}, but there are {n} rows: give one weight per row")
    require_weights(weight, lambda row: f"row {row + 1} of X", "sample_weight")
    return np.ascontiguousarray(weight)


def memory_table(source: MemorySource, targets: Sequence[Column]) -> Table:
    """A table of rows in memory with their target."""
    if isinstance(source, ArraySource) and source.array.dtype.kind in "iuf":  # there is nothing to find out
        columns = tuple(Column(name, "numeric") for name in source.names)
        schema = Schema(columns, missing=(), n_rows=source.n_rows)
    else:
        fields = tuple(Column(field.name, "ignored") for field in source.arrow_schema())
        schema = survey(source, Schema((*source.blocks(), *fields), missing=()), {}, progress=False)
    layout = replace(schema, columns=(*schema.columns, *targets), target=tuple(t.name for t in targets))
    return Table(source, layout, progress=False)


def target_names(source: MemorySource, y: Any) -> list[str]:
    """Names for target columns that no feature has."""
    taken = set(source.names if isinstance(source, ArraySource) else source.arrow_schema().names)
    width = 1 if y.ndim == 1 else y.shape[1]
    names = []
    for k in range(width):
        name = TARGET if width == 1 else f"{TARGET}{k}"
        while name in taken:
            name += "_"
        names.append(name)
    return names


def as_table(X: Any, y: Any, sample_weight: Any) -> Table | None:
    """X as a table if it is one (or a Dask frame), with the target that y names; None if it is rows in memory."""
    if hasattr(X, "to_delayed") and hasattr(X, "_meta"):
        X = read(X)
    if not isinstance(X, Table):
        return None
    if sample_weight is not None:
        raise InputTypeError("a Table holds its weights itself: read it with weight='column' instead of sample_weight")
    if y is not None and not isinstance(y, (str, list, tuple)):
        raise InputTypeError("with a Table, y is the name of its target column")
    return X if y is None else X.with_target(y)


def number_columns(source: MemorySource) -> list[Column]:
    """The columns of a target of numbers that is with rows in memory."""
    return [Column(name, "numeric", missing=0) for name in target_names(source, source.target)]


def no_target(learner: str) -> SchemaError:
    """The error of rows without a target, with the words that scikit-learn's checks look for."""
    return SchemaError(
        f"{learner} needs a target, so it requires y to be passed, but the target y is None: give y, or name a column "
        f"of the table with {step('target')}"
    )


def require_one_target(table: Table, learner: str) -> None:
    """Refuse a table that has no target, or several."""
    if not table.layout.target:
        raise no_target(learner)
    if len(table.layout.target) > 1:
        raise SchemaError(f"{learner} learns one target; name it with {step('target')}")


def require_one_number(table: Table, learner: str) -> None:
    """Refuse several targets of numbers; warn in scikit-learn's words of one that is given as a table of one column."""
    k = len(table.layout.target)
    if k > 1:
        raise SchemaError(f"{learner} learns one target, and there are {k}: fit one model for each")
    target = getattr(table.source, "target", None)
    if target is not None and target.ndim == 2:
        from sklearn.exceptions import DataConversionWarning

        words = "A column-vector y was passed when a 1d array was expected; its one column was taken: use y.ravel()"
        warn_user(words, DataConversionWarning)


def with_numbers(table: Table, learner: str) -> Table:
    """A table with a target of one or more columns of numbers."""
    if not table.layout.target:
        raise no_target(learner)
    for column in table.layout.target_columns:
        if column.kind != "numeric":
            raise SchemaError(f"the target {column.name!r} is {column.kind}, not numeric")
    return table


def with_classes(table: Table, learner: str, classes: Any = None) -> Table:
    """A table with a categorical target, whose categories are the classes; `classes`: the only ones that may occur."""
    require_one_target(table, learner)
    column = table.layout.target_columns[0]
    if classes is not None:
        return table.with_types({column.name: named_classes(classes).tolist()})
    if column.kind == "numeric":
        table = table.with_types({column.name: "categorical"})
        labels = table.layout.target_columns[0].categories
        if any(isinstance(label, float) and not label.is_integer() for label in labels):
            raise DataError(f"the target {column.name!r} is continuous: classes must be whole numbers or words")
    elif column.kind == "text":
        raise SchemaError(f"the target {column.name!r} has too many distinct values to be classes")
    return table


def target_values(table: Table) -> Any:
    """The target of every row: labels or numbers."""
    values = table.map(_targets)
    column = table.layout.target_columns[0]
    return class_array(column.categories)[values] if column.kind == "categorical" else values


def weight_values(table: Table) -> Any:
    """The weight of every row, None where the table has no such column."""
    return None if table.layout.weight is None else table.map(_weights)


def _targets(chunk: Chunk) -> Any:
    if chunk.target is None:
        raise DataError("the table has no target: name one with with_target")
    return chunk.target


def _weights(chunk: Chunk) -> Any:
    return chunk.weight


def unseen_policy(unseen: str) -> Unseen:
    """Check the policy for categories that were not there at fit."""
    if unseen not in ("ignore", "error"):
        raise InputTypeError(f"unseen is {unseen!r}; it must be 'ignore' or 'error'")
    return unseen  # type: ignore[return-value]
