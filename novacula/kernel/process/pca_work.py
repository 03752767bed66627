"""The work of kernel PCA: an entry about the mean, eigenvalues as sums, shares, and scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.kernel.process.centred import Centre
from novacula.kernel.process.process_work import matrix_step
from novacula.learner.figure import COLOURS, FAINT, Figure, few_digits
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work
from novacula.projection.derivation import product_sum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.kernel.kernel_pca import KernelPCA

DIRECTIONS = 3
"""Directions whose eigenvalues, shares and scores are derived."""


def derive_components(model: KernelPCA) -> Work:
    """From the Gram matrix to eigenvalues and shares."""
    notes = [f"k = {model.kernel_!r}. The score of largest size along each direction is positive."]
    k = len(model.eigenvalues_)
    if k > DIRECTIONS:
        notes.append(f"The first {DIRECTIONS} of {k} directions are derived.")
    return Work("Kernel principal components", component_steps(model), notes)


def component_steps(model: KernelPCA) -> Iterator[Step]:
    """Centring, then each of the first directions."""
    weight = model.examples_["weight"]
    raw = model._gram()
    yield matrix_step("The Gram matrix K", raw)
    first = float(raw[0, 0])
    centre, matrix = Centre.of(raw, weight)
    alike = bool((weight == 1.0).all())
    yield Step(
        "The first entry about the mean",
        formula="K̃₁₁ = K₁₁ − 2m₁ + t,  m = Kπ,  t = πᵀKπ",
        expression="K_11 - 2 * m_1 + t",
        values={"K_11": first, "m_1": float(centre.mean[0]), "t": centre.square},
        note="" if alike else "π are the weights' shares, 1/N for each repetition of a row.",
    )
    yield matrix_step("K̃" if alike else "W^½ K̃ W^½, W the weights", matrix)
    total = float(np.trace(matrix))
    for i, (value, u) in enumerate(zip(model.eigenvalues_[:DIRECTIONS], model.eigenvectors_.T, strict=False)):
        expression, values = product_sum("u", u, "y", matrix @ u)
        yield Step(
            f"Eigenvalue of direction {i + 1}",
            formula="λ = Σ uᵢyᵢ,  y = K̃u" if alike else "λ = Σ uᵢyᵢ,  y = W^½ K̃ W^½ u",
            expression=expression,
            values=values,
            of=("eigenvalues_", i),
        )
        yield Step(
            f"Share of direction {i + 1}",
            formula="λ / tr K̃" if alike else "λ / tr W^½ K̃ W^½",
            expression="lambda_ / total",
            values={"lambda_": float(value), "total": total},
            of=("explained_variance_ratio_", i),
        )
    if len(model.eigenvalues_) > 1:
        yield Step("The rows along the first two directions", figure=score_figure(model))


def score_figure(model: KernelPCA) -> Figure:
    """Rows as points along the first two directions."""
    z, share = model.examples_["scores"], model.explained_variance_ratio_

    def draw(axes: Axes) -> None:
        axes.plot(z[:, 0], z[:, 1], "o", color=COLOURS[0], alpha=0.6, markersize=4)
        axes.set_xlabel(f"direction 1, {share[0]:.1%} of the variance")
        axes.set_ylabel(f"direction 2, {share[1]:.1%} of the variance")
        axes.grid(color=FAINT)

    ends = (f"{few_digits(float(z[:, j].min()))} to {few_digits(float(z[:, j].max()))}" for j in range(2))
    return Figure(draw, f"{len(z)} rows along two directions, from {' and from '.join(ends)}.", "The rows as scores")


def derive_scores(model: KernelPCA, X: Any) -> Work:
    """Scores of the first rows of X, as sums over rows of the fit."""
    rows, cut = model._first_query_rows(X)
    held = model.examples_
    across = model.kernel_.block(rows, held["rows"])
    steps = []
    for r in range(len(across)):
        for i in range(min(DIRECTIONS, len(model.eigenvalues_))):
            total, values = product_sum("k", across[r], "c", held["coef"][:, i])
            steps.append(
                Step(
                    f"Row {r + 1}, score {i + 1}",
                    formula="z = Σ k(x, xᵢ) cᵢ − m·c",
                    expression=f"{total} - mc",
                    values={**values, "mc": float(held["offset"][i])},
                    of=("transform", r, i),
                )
            )
    notes = [f"Only the first {len(across)} rows are derived."] if cut else []
    return Work("Scores of kernel principal components", steps, notes)
