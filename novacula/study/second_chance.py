"""Time that is left over: what was given up since time was short comes back, the most promising first.

Times are guessed before a race, and on a busy machine guessed badly. So nothing is given up for good: when the race has
nothing else to run, a learner that was left out or got fewer rows begins again with more, and sizes come back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from novacula.study.contender import TIME_SHORT, Contender, fewer_rows
from novacula.study.plan import WANTED


@dataclass(frozen=True)
class SecondChance:
    """Sizes that a contender may run after all, on how many rows of a fold (None: all), and how long that takes."""

    contender: Contender
    seconds: dict[int, float]  # of a cell of each size
    rows: int | None
    in_all: float

    def take(self) -> None:
        """Have them run."""
        self.contender.come_back(self.seconds, self.rows)


def second_chances(contenders: Sequence[Contender], n_rows: int, seconds: float) -> list[SecondChance]:
    """Those that fit into so many seconds of all workers together."""
    chances = []
    for contender in sorted(contenders, key=_error):
        chance = next((one for one in _of(contender, n_rows, seconds) if one.seconds), None)
        if chance is not None:
            chances.append(chance)
            seconds -= chance.in_all
    return chances


def _error(contender: Contender) -> float:
    """The mean error so far of its best size; of one that was not measured the worst."""
    errors = contender.fold_errors()
    return float(np.nanmean(errors)) if not np.isnan(errors).all() else np.inf


def _of(contender: Contender, n_rows: int, seconds: float) -> Iterator[SecondChance]:
    """What a contender could run, the best first: its best sizes on more rows, then those that were given up."""
    is_out = contender.obstacle.startswith(TIME_SHORT)
    if contender.obstacle and not is_out:
        return
    best = contender.best_first()
    if is_out or contender.rows is not None:
        measured = contender.rows if contender.rows is not None and not is_out else 0
        for rows in (None, *(step for step in fewer_rows(n_rows) if step > measured)):
            yield _affordable(contender, best[:WANTED], rows, n_rows, seconds)
    if not is_out:
        late = [size for size in best if size in contender.dropped]
        yield _affordable(contender, late, contender.rows, n_rows, seconds)


def _affordable(
    contender: Contender, sizes: Sequence[int], rows: int | None, n_rows: int, seconds: float
) -> SecondChance:
    """As many of the sizes, in their order, as the time allows and were not brought back before."""
    taken, needed = {}, 0.0
    for size in sizes:
        cost = contender.seconds_on(size, rows, n_rows)
        if (rows, size) not in contender.came_back and needed + contender.n_folds * cost <= seconds:
            taken[size] = cost
            needed += contender.n_folds * cost
    return SecondChance(contender, taken, rows, needed)
