"""The picture of a radial basis network: its outputs over one or two columns, its centres, and a width around each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.learner.figure import COLOURS, INK, LINES, Figure, few_digits, literal
from novacula.neural.derivation.landscape import Landscape
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.neural.rbf.network import RadialNetwork

LINE = 400
"""Points along a curve."""
NAMED = 5
"""Centres that the words for a picture name."""
STRIP = 0.2
"""The share of the height of a picture over one column in which the widths are drawn."""


def network_figure(model: RadialNetwork, rows: Floats | None, y: Any = None) -> Figure:
    """Outputs, centres and widths; rows (n, d) with their targets y, where there are any, are drawn on top."""
    names = tuple(column.name for column in model.schema_.features)
    if len(names) > 2:
        raise ParameterError(f"a network over {len(names)} columns cannot be drawn: one or two have a picture")
    centers, widths = model.centers_, model.widths_
    points = np.vstack([centers] if rows is None else [centers, rows])
    land = Landscape(
        outputs=lambda x: _outputs(model, x),
        names=names,
        outcomes=_outcomes(model),
        classes=hasattr(model, "classes_"),
        points=points,
        rows=rows,
        targets=None if y is None or rows is None else _targets(model, y, len(rows)),
    )
    places = "; ".join(
        f"{', '.join(map(few_digits, centers[k]))} with width {few_digits(widths[k])}"
        for k in range(min(NAMED, len(centers)))
    )
    more = f"; and {len(centers) - NAMED} more" if len(centers) > NAMED else ""
    alt = f"Outputs of a radial basis network over {' and '.join(names)}; centres at {places}{more}."
    return land.figure(f"{len(centers)} centres, and a width around each", alt, lambda axes: _units(axes, model))


def bumps_figure(model: RadialNetwork, output: int = 0) -> Figure:
    """The weighted answer of each unit over one column, the bias, and their sum, which is the output."""
    if model.centers_.shape[1] != 1:
        raise ParameterError(f"bumps are drawn over one column, not over {model.centers_.shape[1]}")
    reach = model.widths_.max()
    x = np.linspace(model.centers_.min() - reach, model.centers_.max() + reach, LINE)
    bias = float(np.atleast_1d(model.intercept_)[output])
    bumps = model.radial_basis_.answers(x[:, None]) * np.atleast_2d(model.coef_)[output]
    name = _outcomes(model)[output]

    def draw(axes: Axes) -> None:
        drawn = axes.plot(x, bumps, color=COLOURS[0], linewidth=0.9)
        drawn[0].set_label("weight times answer of a unit")
        axes.axhline(bias, color=COLOURS[2], linestyle=LINES[1], linewidth=1.0, label="bias")
        axes.plot(x, bias + bumps.sum(axis=1), color=COLOURS[1], linewidth=2.0, label="their sum, the output")
        axes.set_xlabel(literal(shortened(model.schema_.features[0].name)))
        axes.set_ylabel(literal(shortened(name)))
        axes.grid()
        axes.legend()

    alt = (
        f"{len(model.widths_)} bumps, one of each unit, a bias of {few_digits(bias)}, and their sum, {shortened(name)}."
    )
    return Figure(draw, alt, f"{shortened(name)}: the bumps and their sum")


def _units(axes: Axes, model: RadialNetwork) -> None:
    """Draw centres and widths: bars on a strip below the curves, or circles in the plane."""
    centers, widths = model.centers_, model.widths_
    if centers.shape[1] == 1:
        low, high = axes.get_ylim()
        axes.set_ylim(low - STRIP / (1.0 - STRIP) * (high - low), high)
        heights = STRIP * (0.1 + 0.8 * np.argsort(np.argsort(centers[:, 0])) / len(centers))
        strip = axes.get_xaxis_transform()
        axes.hlines(heights, centers[:, 0] - widths, centers[:, 0] + widths, INK, alpha=0.5, lw=1, transform=strip)
        axes.plot(centers[:, 0], heights, "X", color=INK, markeredgecolor="white", markersize=7, transform=strip)
        return
    from matplotlib.patches import Ellipse

    for center, width in zip(centers, widths, strict=True):
        axes.add_patch(Ellipse(center, 2.0 * width, 2.0 * width, fill=False, edgecolor=INK, alpha=0.4, linewidth=0.8))
    axes.plot(*centers.T, "X", color=INK, markeredgecolor="white", markersize=8)


def _outputs(model: RadialNetwork, x: Floats) -> Floats:
    outputs = model.radial_basis_.answers(x) @ model.coef_.T + model.intercept_
    return np.asarray(outputs[:, None] if outputs.ndim == 1 else outputs)


def _outcomes(model: RadialNetwork) -> tuple[str, ...]:
    return tuple(str(name) for name in getattr(model, "classes_", getattr(model, "target_names_", ())))


def _targets(model: RadialNetwork, y: Any, n: int) -> Any:
    """The targets of the first n rows: classes by number, or numbers (n, k)."""
    values = np.asarray(y)
    if len(values) < n:
        raise DataError(f"y has {len(values)} targets for {n} rows")
    if hasattr(model, "classes_"):
        return (values[:n, None] == model.classes_).argmax(axis=1)
    return values[:n].astype(np.float64).reshape(n, -1)
