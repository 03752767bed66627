"""What the chosen model looks at: importance, dependence of the columns that matter, and a tree that stands for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from novacula.errors import DataError
from novacula.explain import Dependence, Importance, Surrogate, dependence, surrogate
from novacula.explain.result import SeenResult
from novacula.report.blocks import (
    Block,
    Code,
    FigureBlock,
    FigureRow,
    FoldedBlock,
    Fragment,
    Paragraph,
    TableBlock,
    number,
    plain,
)
from novacula.report.mattering import FEWEST, PATIENCE, ROWS
from novacula.report.reading import Reading
from novacula.report.sections.model import work_html
from novacula.report.sections.telling_words import telling_words
from novacula.report.wording import series
from novacula.study.leaderboard import with_interval
from novacula.study.question import subsample
from novacula.study.trouble.columns import percent
from novacula.table.names import name_of, quoted_name
from novacula.table.time_limit import TimeLimitError
from novacula.words import capitalised

DRAWN = 6
"""Columns whose dependence is drawn."""
LEAVES = 20
"""Leaves up to which a surrogate is drawn; larger ones are text."""
CATEGORIES = 12
"""Categories of a column that are drawn."""
GRID = 20
"""Values that a column is set to."""
TREES = 20
"""Predictions of as many rows that comparing trees with the model takes about."""
TELLING = 0.5
"""The part of what one answer for all rows misses that a tree must have right to be shown in place of the model."""
READABLE = (
    "novacula.tree.",
    "novacula.linear.",
    "novacula.concept.",
    "novacula.baseline.",
    "novacula.bayes.naive_bayes",
)
"""Where models are that people can read: no tree stands for them."""


def seeing(reading: Reading) -> Iterator[Block]:
    """Importance first, then the dependence of the columns that matter most, and where it helps a surrogate."""
    importance = reading.matters
    if isinstance(importance, str):
        yield Paragraph(importance)
    else:
        yield from _what_matters(reading, importance)
        yield from _dependences(reading, importance)
        yield from telling_words(reading)
    if not reading.blind and not type(reading.model.model_).__module__.startswith(READABLE):
        yield from _stand_in(reading)


def _what_matters(reading: Reading, importance: Importance) -> Iterator[Block]:
    """The importance of the columns; of one column in a sentence."""
    n_columns = len(reading.model.schema_.features)
    if n_columns == 1:
        rise = with_interval(*(float(ends[0]) for ends in (importance.rise, importance.low, importance.high)))
        yield Paragraph(
            f"It has one column, {quoted_name(importance.names[0])}: where its values are permuted over the rows, the "
            f"{importance.measure} rises from {number(importance.baseline)} by {rise}. Measured on {reading.asked[1]}."
        )
        return
    yield Paragraph(
        "A column matters if predictions get worse where its values are permuted over the rows. Measured on "
        f"{reading.asked[1]}; columns that say the same can stand in for each other, and then none of them seems to "
        "matter."
    )
    if len(importance.names) < n_columns:
        yield Paragraph(
            f"Of {n_columns:,} columns the {len(importance.names):,} that go most with the answers were permuted: "
            "all of them would take too long."
        )
    yield from blocks_of(importance)


def _stand_in(reading: Reading) -> Iterator[Block]:
    rows, _ = reading.asked
    time = min(PATIENCE, reading.left)
    many = int(min(5 * ROWS, time / reading.seconds_per_row))
    fewest = min(FEWEST, len(rows))
    seconds = TREES * fewest * reading.seconds_per_row
    if many < fewest or not reading.allows(seconds, PATIENCE):
        yield Paragraph(f"{capitalised(reading.chosen.name)} is hard to read. A tree that says nearly the same is "
                        f"{reading.too_long(seconds, PATIENCE)}.")  # fmt: skip
        return
    seed = reading.question.seed
    with reading.limited(PATIENCE):
        stands = surrogate(reading.model, subsample(rows, many, seed).X, random_state=seed)
    yield Paragraph(f"{reading.chosen.name} is hard to read. {introduction(stands)}")
    if stands.gain >= TELLING:
        yield from blocks_of(stands)


def introduction(stands: Surrogate) -> str:
    """How well a tree stands for the model: nearly as well, as well as any that was tried, or so badly that it is not
    shown.
    """
    if stands.gain >= TELLING:
        if stands.reached:
            return "Here is the smallest tree that says nearly the same."
        return "No small tree says nearly the same; this one comes nearest."
    if not stands.is_classes:
        return f"No small tree says nearly the same: the best explains {stands.fidelity:.0%} of what it says."
    return (
        f"No small tree says much of it: the best agrees with it on {percent(stands.fidelity)} of the rows, and the "
        f"same answer for all rows on {percent(stands.constant)}."
    )


def _dependences(reading: Reading, importance: Importance) -> Iterator[Block]:
    """The dependence of the columns that matter most, side by side."""
    rows, _ = reading.asked
    kinds = {column.name: column.kind for column in reading.model.schema_.features}
    first = [importance.names[j] for j in importance.order if importance.rise[j] > 0]
    names = [name for name in first if kinds[name] != "text"][:DRAWN]
    if not names:
        return
    a_row = reading.seconds_per_row * len(names) * GRID
    fewest = min(FEWEST, len(rows))
    if not reading.allows(a_row * fewest, PATIENCE):
        yield Paragraph(f"How its answers move with what matters most is {reading.too_long(a_row * fewest, PATIENCE)}.")
        return
    n = int(min(ROWS // 5, min(PATIENCE, reading.left) / a_row))
    few, pictures = subsample(rows, max(n, fewest), reading.question.seed).X, []
    for name in names:
        try:
            with reading.limited(PATIENCE):
                pictures.append(FigureBlock.of(_brief(dependence(reading.model, few, [name], grid=GRID)).figure()))
        except (DataError, TimeLimitError):  # such as a column that is empty in these rows
            continue
    if pictures:
        yield Paragraph(
            f"How its answers move with what matters most ({series([name_of(name) for name in names])}): means over "
            f"{len(few):,} rows, in each of which the column is set to a value and the others stay as they are."
        )
        yield FigureRow(tuple(pictures))


def _brief(result: Dependence) -> Dependence:
    """Of many categories those with the lowest and the highest answers, in that order."""
    axis = result.axes[0]
    if axis.is_numeric or len(axis.labels) <= CATEGORIES:
        return result
    order = np.argsort(result.mean[:, result.output()], kind="stable")
    ends = np.concatenate([order[: CATEGORIES // 2], order[-CATEGORIES // 2 :]])
    part = f", the lowest and the highest of {len(axis.labels)}"
    shown = replace(axis, part=part, values=axis.values[ends], labels=tuple(axis.labels[k] for k in ends))
    return replace(result, axes=(shown,), curves=result.curves[:, ends])


def blocks_of(result: SeenResult) -> Iterator[Block]:
    """A result as a page shows it: its figure, what has to be known of it, its table and its work."""
    notes = plain(" ".join(result.notes))
    if isinstance(result, Surrogate) and result.n_leaves > LEAVES:
        yield Paragraph(notes)
        yield FoldedBlock("The tree", (Code(result.to_text()),))
    else:
        yield FigureBlock.of(result.figure(), notes)
    inner = (TableBlock.of(result.table()), Fragment(work_html(result.work()), "The work"))
    yield FoldedBlock("As a table, and the work", inner)
