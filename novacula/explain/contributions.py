"""What each column adds to a prediction: base + Σ contributions = prediction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from novacula.arguments import whole_number
from novacula.errors import ParameterError
from novacula.evaluate.loss import Floats
from novacula.explain.additive.planes import divided_by_planes
from novacula.explain.additive.shapley import FEW, divided_by_orders, divided_by_subsets
from novacula.explain.additive.trees import divided_by_trees
from novacula.explain.additive.view import Division
from novacula.explain.answers import SeenAnswers, answers_of
from novacula.explain.derivation.contributions import derive_contributions
from novacula.explain.figures import row_figure, summary_figure
from novacula.explain.result import SeenResult
from novacula.explain.rows import SeenRows, drawn, said_once, seen_rows
from novacula.learner.derivation import cut_table
from novacula.learner.figure import Figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Work, WorkTable
from novacula.table.names import did_you_mean
from novacula.words import counted, quoted, shortened

BACKGROUND_ROWS = 50


@dataclass(frozen=True, eq=False)
class Contributions(SeenResult):
    """Contributions of d columns to k answers for n rows, and what they are contributions to.

    Each answer is that of the model for the row: `base[k] + values[i, :, k].sum() == prediction[i, k]`. `error` has
    standard errors where contributions were sampled, else None.
    """

    names: tuple[str, ...]
    outputs: tuple[str, ...]  # the class of each answer, "" of a number
    scale: str  # what is divided: a probability, log odds, a prediction
    values: Floats  # (n, d, k)
    base: Floats  # (k,)
    prediction: Floats  # (n, k)
    error: Floats | None  # (n, d, k)
    method: str
    rows: SeenRows

    def __len__(self) -> int:
        return len(self.values)

    def heading(self, k: int) -> str:
        """What the k-th answer is, in words."""
        return f"{self.scale} of {self.outputs[k]}" if self.outputs[k] else self.scale

    def output(self, which: Any = None, row: int | None = None) -> int:
        """The place of an answer by its class; by default the largest of the row, or the first."""
        if which is None:
            return 0 if row is None or len(self.outputs) == 1 else int(np.argmax(self.prediction[row]))
        if str(which) not in self.outputs:
            raise ParameterError(
                f"there are no contributions to {quoted(which)}{did_you_mean(str(which), self.outputs, 'classes')}"
            )
        return self.outputs.index(str(which))

    @property
    def strength(self) -> Floats:
        """The mean size of the contributions of each column to each answer (d, k)."""
        return np.asarray(np.abs(self.values).mean(axis=0))

    @property
    def notes(self) -> tuple[str, ...]:
        """How contributions were found, and on which scale they are."""
        words = f"Contributions to the {self.scale}: {self.method}."
        if self.error is None:
            return (words,)
        return words, f"Their largest standard error is {float(np.nanmax(self.error)):.3g}; they sum exactly."

    def table(self, output: Any = None) -> WorkTable:
        """Of one row its contributions, the largest first; of several the mean size by column."""
        if len(self) == 1:
            k = self.output(output, 0)
            order = np.argsort(-np.abs(self.values[0, :, k]), kind="stable")
            rows: list[tuple[Cell, ...]] = [("(base)", "", float(self.base[k]))]
            rows += [(shortened(self.names[j]), self.rows.cell(0, j), float(self.values[0, j, k])) for j in order]
            rows += [("(prediction)", "", float(self.prediction[0, k]))]
            return WorkTable(("column", "value", f"adds to the {self.heading(k)}"), tuple(rows))
        order = np.argsort(-self.strength.max(axis=1), kind="stable")
        rows = [(shortened(self.names[j]), *self.strength[j].tolist()) for j in order]
        header = ("column", *(f"{shortened(self.heading(k))}: mean size" for k in range(len(self.outputs))))
        return cut_table(header, rows, len(rows), f"The mean size of contributions over {counted(len(self), 'row')}.")

    def figure(self, row: int | None = None, output: Any = None) -> Figure:
        """Bars for one row, counted from 0, or where there are several a summary of all."""
        if row is None and len(self) > 1:
            return summary_figure(self, self.output(output))
        row = 0 if row is None else whole_number(row, "row")
        if row >= len(self):
            raise ParameterError(f"row is {row}, and there are contributions for {counted(len(self), 'row')}")
        return row_figure(self, row, self.output(output, row))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_contributions(self, options)


def contributions(
    model: Any, X: Any, *, background: Any = None, background_rows: int = BACKGROUND_ROWS, random_state: Any = 0
) -> Contributions:
    """Give what each column adds to the predictions for the rows of X.

    Trees and sums of trees are divided exactly, by the training weights of their nodes. Planes are divided by the
    distance from the means of `background`, rows as those of X, which are X itself by default. Any other model is asked
    about mixtures of a row with `background_rows` of the background: about all of them with up to ten columns, else
    about a sample, with standard errors.

    >>> import numpy as np
    >>> from novacula.linear import LinearRegression
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 4.0]])
    >>> result = contributions(LinearRegression().fit(X, X @ [1.0, 10.0]), X)
    >>> result.base.round(9).tolist(), result.values[2, :, 0].round(9).tolist(), float(result.prediction[2, 0].round(9))
    ([22.0], [2.0, 20.0], 44.0)
    """
    count = whole_number(background_rows, "background_rows", 1)
    rows, first = seen_rows(model, X), answers_of(model)
    first(rows)  # a model that cannot answer says so, and of categories that it does not know once
    with said_once():
        division = divided_by_trees(model, rows)
        if division is None:
            beside = rows if background is None else seen_rows(model, background)
            division = divided_by_planes(model, rows, beside) or _by_asking(first, rows, beside, count, random_state)
        answers = division.answers
        said = answers(rows)
    return Contributions(
        rows.names, answers.names, answers.scale, division.values, division.base, said, division.error,
        division.method, replace(rows),
    )  # fmt: skip


def _by_asking(answers: SeenAnswers, rows: SeenRows, beside: SeenRows, count: int, random_state: Any) -> Division:
    """The division of any model."""
    rng = np.random.default_rng(random_state)
    background = beside.take(drawn(len(beside), count, rng))
    if len(rows.names) <= FEW:
        return divided_by_subsets(answers, rows, background)
    return divided_by_orders(answers, rows, background, rng)
