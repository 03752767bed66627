"""A fit ends with finite numbers, or with a sentence that names what was too large or too small for it.

The numbers of the model are looked at, never the rows: only where one is not finite are these read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from novacula.errors import DataError, warn_user
from novacula.learner.fitted_state import check_fitted_state
from novacula.state import NotFiniteError, StateError
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats
from novacula.words import listed, shortened

NOT_FINITE = "array must not contain infs or NaNs"
"""How SciPy refuses a matrix in which something has overflowed."""


@contextmanager
def finite_model(learner: Any, table: Table) -> Iterator[None]:
    """Around the fit of a learner: what it sets must be finite, except for what it declares otherwise in `state`.

    What overflows on the way is not warned of where the fit is refused, since that says more.
    """
    lost = set[str]()
    try:
        with np.errstate(over="call", invalid="call", call=lambda what, _: lost.add(what)):
            yield
    except (ArithmeticError, np.linalg.LinAlgError, ValueError) as error:
        is_ours = type(error).__module__ == DataError.__module__
        if is_ours or (type(error) is ValueError and str(error) != NOT_FINITE):
            raise
        raise _too_extreme(learner, table, "its equations have no finite solution") from error
    try:
        check_fitted_state(learner)
    except NotFiniteError as error:
        raise _too_extreme(learner, table, str(error)) from error
    except StateError:  # of a learner that does not declare what it holds, which `save` and the checks refuse
        pass
    if lost:
        what = f"{type(learner).__name__} is fitted, but numbers on the way were not finite ({listed(sorted(lost))})"
        warn_user(f"{what}: bring columns, target and weights to sizes near 1 before you trust it", RuntimeWarning)


def _too_extreme(learner: Any, table: Table, what: str) -> DataError:
    """The error of numbers that are finite, but out of which a fit makes others that are not."""
    return DataError(f"{type(learner).__name__} cannot be fitted, since {what}: {_extreme_place(table)}")


def _extreme_place(table: Table) -> str:
    """The column, the target or the weights whose numbers are farthest from 1, in words."""
    sizes = table.map(_sizes).max(axis=0)
    layout = table.layout
    names = [f"column {shortened(column.name)!r}" for column in layout.of_kind("numeric")]
    names += [f"column {column.name!r}" for column in layout.of_kind("sparse")]
    names += ["the target"] * (len(sizes) - len(names) - 2)
    largest, least = sizes[:-1], sizes[-1]
    distance = np.abs(np.log10(np.where(largest > 0.0, largest, 1.0)))
    if least > distance.max():
        return f"the weights go down to {10.0**-least:.3g}; leave rows that hardly count out, or weigh them more"
    place = int(np.argmax(distance))
    if place == len(names):
        return f"the weights reach {largest[place]:.3g}; divide them by some unit"
    return f"{names[place]} reaches {largest[place]:.3g} in size; divide it by some unit"


def _sizes(chunk: Chunk) -> Floats:
    """(1, columns + targets + 2): the largest sizes of numbers and weights, and −log₁₀ of the least weight above 0."""
    counts = chunk.weight > 0.0
    blocks: list[Any] = [chunk.numeric[counts]]
    if chunk.sparse is not None:
        blocks.append(np.atleast_2d(np.abs(chunk.sparse[counts].data).max(initial=0.0)))
    if chunk.target is not None and chunk.target.dtype == np.float64:
        blocks.append(chunk.target[counts].reshape(int(counts.sum()), -1))
    weight = chunk.weight[counts]
    sizes = [np.abs(np.where(np.isfinite(block), block, 0.0)).max(axis=0, initial=0.0) for block in blocks]
    return np.concatenate([*sizes, [weight.max(initial=0.0)], [-np.log10(weight.min(initial=1.0))]])[None]
