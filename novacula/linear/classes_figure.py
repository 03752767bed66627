"""Rows of two columns by class, and the regions that planes give to the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.learner.figure import COLOURS, INK, Figure, literal
from novacula.learner.labels import labels_of
from novacula.table.chunk import Codes, Floats
from novacula.words import listed, quoted, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRID = 300
"""Points along each side of a picture."""
POINTS = 1000
"""Rows that are drawn, about as many of each class."""
ROOM = 0.08
"""How far beyond the rows a picture goes, in their range."""
MARKERS = "osD^vPX*"


def classes_figure(model: Any, rows: Floats, labels: Any) -> Figure:
    """Rows (n, d) by their labels, evenly chosen within each class where they are many."""
    if rows.shape[1] != 2:
        raise ParameterError(f"rows by class are drawn over two columns, and this model has {rows.shape[1]}")
    known, codes = labels_of(labels, rows)
    place = {label: k for k, label in enumerate(model.classes_.tolist())}
    strange = [label for label in known.tolist() if label not in place]
    if strange:
        raise DataError(f"y holds {quoted(strange[0])}, which is none of the classes of the fit")
    codes = np.array([place[label] for label in known.tolist()], np.int32)[codes]
    most = max(POINTS // len(model.classes_), 1)
    kept = np.concatenate([evenly(np.flatnonzero(codes == k), most) for k in range(len(model.classes_))])
    return regions_figure(model, rows[kept], codes[kept], f"{len(kept)} of {len(rows)} rows by class")


def evenly(places: Any, most: int) -> Any:
    """At most so many of some places, from the first to the last."""
    return places if len(places) <= most else places[np.linspace(0, len(places) - 1, most).astype(np.intp)]


def regions_figure(
    model: Any, rows: Floats, codes: Codes, about: str, seen: tuple[Floats, Floats] | None = None
) -> Figure:
    """Rows (n, 2) with the codes of their classes over the regions of the classes; `about` says which rows.

    `seen` are the least and the largest values of the columns that are drawn; else they are those of the rows.
    """
    low, high = (rows.min(axis=0), rows.max(axis=0)) if seen is None else seen
    room = ROOM * np.where(high > low, high - low, 1.0)
    across, up = (np.linspace(low[j] - room[j], high[j] + room[j], GRID) for j in range(2))
    grid = np.stack(np.meshgrid(across, up), axis=-1)
    values = grid @ np.atleast_2d(model.coef_).T + model.intercept_
    regions = values.argmax(axis=2) if values.shape[2] > 1 else (values[..., 0] > 0.0).astype(int)

    def draw(axes: Axes) -> None:
        for k in range(len(model.classes_)):
            own = regions == k
            if own.any():
                axes.contourf(across, up, own, levels=[0.5, 1.5], colors=[COLOURS[k % len(COLOURS)]], alpha=0.12)
            if own.any() and not own.all():
                axes.contour(across, up, own, levels=[0.5], colors=INK, linewidths=0.8)
        for k in range(len(model.classes_)):  # also those without rows, whose regions have their colours
            label = literal(shortened(str(model.classes_[k])))
            marker, colour = MARKERS[k % len(MARKERS)], COLOURS[k % len(COLOURS)]
            axes.plot(*rows[codes == k].T, marker, color=colour, markersize=5, label=label)
        names = model.schema_.column_names(range(2))
        axes.set_xlabel(literal(shortened(names[0])))
        axes.set_ylabel(literal(shortened(names[1])))
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))

    alt = f"The regions that the planes give to the classes, and {about}."
    return Figure(draw, alt, f"Where the classes meet, and {about}")


def first_rows(model: Any, codes: Codes) -> str:
    """What the first rows of a fit are called, and which classes they lack, as those of a sorted table do."""
    lacking = [str(label) for k, label in enumerate(model.classes_) if k not in codes]
    if not lacking:
        return f"the first {len(codes)} rows"
    more = ": figure(X, y) draws rows of every class" if model.n_features_in_ == 2 else ""
    return f"the first {len(codes)} rows, none of them of {listed(lacking, 3)}{more}"
