"""The work of kernel PCA: an entry about the mean, eigenvalues as sums, shares, and scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from novacula.kernel.algebra import Rows, gram
from novacula.kernel.algebra.rows import dense
from novacula.kernel.process.centred import Centre
from novacula.kernel.process.derivation.terms import CORNER, kernel_sum, nearest_equation, pair_equation
from novacula.learner.derivation import indexed_corner, only_first, only_first_rows
from novacula.learner.figure import COLOURS, FAINT, Figure, few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.kernel.kernel_pca import KernelPCA

DIRECTIONS = 3
"""Directions whose eigenvalues, shares and scores are derived, unless all are asked for."""


def derive_components(model: KernelPCA, options: WorkOptions) -> Work:
    """From the Gram matrix to eigenvalues and shares."""
    k = len(model.eigenvalues_)
    shown = k if options.is_full else min(k, DIRECTIONS)
    notes = [f"k = {model.kernel_!r}. The score of largest size along each direction is positive."]
    steps = _component_steps(model, shown)
    return Work("Kernel principal components", steps, [*notes, *only_first(shown, k, "direction")])


def _component_steps(model: KernelPCA, shown: int) -> Iterator[Step]:
    """Centring, then each of the first directions."""
    weight, rows = model.examples_["weight"], model.examples_["rows"]
    K = gram(model.kernel_, rows)
    yield Step("The Gram matrix ⟦K⟧", pair_equation(model.kernel_, rows), indexed_corner(K, CORNER))
    first = K[0].copy()
    centre, B = Centre.of(K, weight)
    yield Step("The first entry about the mean", tuple(_centring(first, centre, float(weight[0]), float(B[0, 0]))))
    alike = bool((weight == 1.0).all())
    about = "the kernels about the mean" if alike else "the kernels about the mean, times the roots of both weights"
    yield Step(f"The matrix ⟦B⟧, {about}", table=indexed_corner(B, CORNER))
    vectors = model.eigenvectors()
    for i in range(shown):
        yield Step(f"Direction {i + 1}", tuple(_direction(model, B, vectors[:, i], i)))
    if len(model.eigenvalues_) > 1:
        yield Step("The rows along the first two directions", figure=score_figure(model))


def _centring(first: Floats, centre: Centre, weight: float, entry: float) -> Iterator[Equation]:
    """B₁₁ from the first row of K and the means of all rows."""
    where = {"s": "the share of each row in the weight of all"}
    yield Equation("m[1]", "sum(s[j] * K[1, j] for j in _)", {"s": centre.share, "K[1, j]": first}, where=where)
    yield Equation("q", "sum(s[i] * m[i] for i in _)", {"s": centre.share, "m": centre.mean})
    values = {"K[1, 1]": float(first[0]), "m[1]": float(centre.mean[0]), "q": centre.square, "B[1, 1]": entry}
    formula = "K[1, 1] - 2 * m[1] + q"
    if weight == 1.0:
        yield Equation("B[1, 1]", formula, values)
    else:
        yield Equation("B[1, 1]", f"w[1] * ({formula})", {**values, "w[1]": weight})


def _direction(model: KernelPCA, B: Floats, u: Floats, i: int) -> Iterator[Equation]:
    """An eigenvalue, the equation that its vector fulfils, and its share."""
    place, value = f"[{i + 1}]", float(model.eigenvalues_[i])
    g = B @ u
    along = {"B[1, j]": B[0], "u": u, f"λ{place}": value}
    yield Equation("g[1]", ("sum(B[1, j] * u[j] for j in _)", f"λ{place} * u[1]"), along)
    yield Equation(
        f"λ{place}",
        "sum(u[i] * g[i] for i in _)",
        {"u": u, "g": g},
        of=("eigenvalues_", i),
        where={"u": "the direction, of length 1", "g": "⟦B @ u⟧"},
    )
    yield Equation(
        f"ρ{place}",
        f"λ{place} / sum(B[i, i] for i in _)",
        {f"λ{place}": value, "B[i, i]": B.diagonal()},
        of=("explained_variance_ratio_", i),
        where={f"ρ{place}": "its share of the variance"},
    )


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


def derive_scores(model: KernelPCA, rows: Rows, is_cut: bool, options: WorkOptions) -> Work:
    """Scores of rows, as sums over rows of the fit."""
    held, k = model.examples_, len(model.eigenvalues_)
    across = model.kernel_.block(rows, held["rows"])
    shown = k if options.is_full else min(k, DIRECTIONS)
    steps = []
    for r in range(len(across)):
        near = nearest_equation(model.kernel_, held["rows"], dense(rows[[r]])[0], across[r], held["coef"][:, 0])
        scores = [
            kernel_sum(
                f"z[{i + 1}]",
                "",
                "c",
                f" - o[{i + 1}]",
                across[r],
                held["coef"][:, i],
                ("transform", r, i),
                {f"o[{i + 1}]": float(held["offset"][i])},
            )
            for i in range(shown)
        ]
        steps.append(Step(f"Row {r + 1}, its scores", (*near, *scores)))
    notes = ["⟦c⟧ are the coefficients of a direction, and ⟦o⟧ is the score of the mean."]
    notes += [*only_first_rows(len(across), is_cut), *only_first(shown, k, "direction")]
    return Work("Scores of kernel principal components", steps, notes)
