"""The work of features that approximate a kernel: what one is, with numbers, and how near their products come."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.kernel.algebra import Gaussian, Kernel, gram
from novacula.kernel.algebra.rows import dense
from novacula.kernel.chunk_rows import rows_of
from novacula.kernel.expansion.figures import agreement_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.table import Chunk
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.kernel.nystroem import Nystroem
    from novacula.kernel.random_fourier_features import RandomFourierFeatures

TERMS = 6
"""Terms of a sum that are written out; the others are one number."""
SHOWN = 6
"""Landmarks, columns and features of a table."""


# --- random Fourier features --------------------------------------------------------------------------------


def derive_fourier(model: RandomFourierFeatures, chunk: Chunk | None) -> Work:
    """The work of drawn directions, or of the features of rows."""
    notes = [f"D = {len(model.random_offset_)} features; products differ from the kernel by about 1/√D."]
    if chunk is None:
        return Work("Random Fourier features", _fourier_steps(model), notes)
    steps = chain(_fourier_features(model, chunk), _agreement(model, Gaussian(model.gamma_), chunk))
    return Work("Random Fourier features of rows", steps, notes)


def _fourier_steps(model: RandomFourierFeatures) -> Iterator[Step]:
    yield Step("What is approximated", formula="exp(−γ ‖x − y‖²) = E cos(wᵀ(x − y)),  w normal with variance 2γ")
    yield Step(
        "How large a feature can be",
        formula="a = √(2/D)",
        expression="sqrt(2 / D)",
        values={"D": len(model.random_offset_)},
        of=("amplitude_",),
    )
    yield Step(
        "How far directions reach",
        formula=f"σ = √(2γ){_how(model.gamma)}",
        expression="sqrt(2 * γ)",
        values={"γ": model.gamma_},
    )
    d, count = model.random_weights_.shape
    rows = [
        (f"{j + 1}", *model.random_weights_[:SHOWN, j].tolist(), float(model.random_offset_[j]))
        for j in range(min(SHOWN, count))
    ]
    names = model.schema_.column_names(range(min(SHOWN, d)))
    more = "" if d <= SHOWN and count <= SHOWN else f"the first of {count} directions and {d} columns"
    yield Step("The directions w and offsets b", table=WorkTable(("", *names, "b"), tuple(rows), more))


def _how(gamma: Any) -> str:
    """Where γ comes from, where a word was given."""
    return {"scale": ",  γ = 1/(d·var(X))", "auto": ",  γ = 1/d"}.get(gamma, "") if isinstance(gamma, str) else ""


def _fourier_features(model: RandomFourierFeatures, chunk: Chunk) -> Iterator[Step]:
    """The first direction seen by the first row, and the cosine and the sine of the angle."""
    x, w = dense(rows_of(chunk.rows(0, 1)))[0], model.random_weights_[:, 0]
    angle = float(x @ w)
    total, values = written_sum("w", w, "x", x)
    yield Step("Row 1 along direction 1", formula="wᵀx = Σ w_i x_i", expression=total, values=values, result=angle)
    for j, offset in enumerate(model.random_offset_[:2].tolist()):
        yield Step(
            f"Row 1, feature {j + 1}",
            formula="z = a cos(wᵀx + b)",
            expression="a * c",
            values={"a": model.amplitude_, "c": np.cos(angle + offset)},
            labels={"c": f"cos({angle:.6g} {'−' if offset < 0.0 else '+'} {abs(offset):.6g})"},
            of=("transform", 0, j),
        )


# --- Nyström ------------------------------------------------------------------------------------------------


def derive_nystroem(model: Nystroem, chunk: Chunk | None) -> Work:
    """The work of the normalisation, or of the features of rows."""
    m = len(model.components_)
    notes = [f"{m} landmarks; {model.rank_} of the {m} eigenvalues of K_mm are kept."]
    if chunk is None:
        return Work("Nyström features", _nystroem_steps(model), notes)
    similar = model._map().similarities(rows_of(chunk))
    steps = [_nystroem_feature(model, similar, j) for j in range(min(2, m))]
    return Work("Nyström features of rows", [*steps, *_agreement(model, model.kernel_, chunk)], notes)


def _nystroem_steps(model: Nystroem) -> Iterator[Step]:
    yield Step("What is sought", formula="z(x) = N k_m(x),  N = K_mm^(−½) = Σ v vᵀ/√λ")
    names = model.schema_.column_names(range(min(SHOWN, model.components_.shape[1])))
    rows = [(f"{i + 1}", *row[:SHOWN].tolist()) for i, row in enumerate(model.components_[:SHOWN])]
    caption = f"the first of {len(model.components_)}" if len(model.components_) > SHOWN else ""
    yield Step("The landmarks", table=WorkTable(("", *names), tuple(rows), caption))
    values, vectors = model.eigenvalues_, _eigenvectors(model)
    yield Step(
        "The eigenvalues of K_mm",
        table=WorkTable(("", "λ"), tuple((f"{i + 1}", float(v)) for i, v in enumerate(values[:SHOWN]))),
        note=f"The sum of all {len(values)} is {values.sum():.6g}, and the smallest is {values[-1]:.3g}.",
    )
    squares = vectors[0] ** 2
    total, known = written_sum("s", squares, "r", 1.0 / np.sqrt(values[: model.rank_]))
    yield Step(
        "The first entry of N",
        formula="N_11 = Σ s r,  s = v_1²,  r = 1/√λ",
        expression=total,
        values=known,
        result=float(model.normalization_[0, 0]),
        of=("normalization_", 0, 0),
    )


def _eigenvectors(model: Nystroem) -> Floats:
    from novacula.kernel.nystroem import spectrum

    return spectrum(model.kernel_, model.components_)[1][:, : model.rank_]


def _nystroem_feature(model: Nystroem, similar: Floats, j: int) -> Step:
    total, values = written_sum("k", similar[0], "n", model.normalization_[:, j])
    return Step(
        f"Row 1, feature {j + 1}",
        formula=f"z_{j + 1} = Σ k(x, l_i) N_i{j + 1}",
        expression=total,
        values=values,
        of=("transform", 0, j),
    )


# --- both ---------------------------------------------------------------------------------------------------


def _agreement(model: Nystroem | RandomFourierFeatures, kernel: Kernel, chunk: Chunk) -> Iterator[Step]:
    """Products of features and the kernel, for the first rows."""
    z = model._map()(chunk)
    exact, near = gram(kernel, rows_of(chunk)), z @ z.T
    if len(z) > 1:
        total, values = written_sum("z", z[0], "u", z[1])
        yield Step(
            "Rows 1 and 2",
            formula="k(x, y) ≈ Σ z_i(x) z_i(y)",
            expression=total,
            values=values,
            result=float(near[0, 1]),
            note=f"The kernel itself is {exact[0, 1]:.6g}.",
        )
    above = np.triu_indices(len(z))
    gap = np.abs(near - exact)[above]
    yield Step(
        f"All pairs of the first {len(z)} rows",
        figure=agreement_figure(exact[above], near[above]),
        note=f"Products differ from the kernel by {gap.mean():.3g} on average, and by {gap.max():.3g} at most.",
    )


def written_sum(one: str, left: Floats, other: str, right: Floats) -> tuple[str, dict[str, float]]:
    """Σ left·right as an expression: its largest terms with the numbers put in, the others as one number."""
    terms = left * right
    largest = np.sort(np.argsort(-np.abs(terms), kind="stable")[:TERMS])
    values: dict[str, float] = {}
    for i in map(int, largest):
        values |= {f"{one}_{i + 1}": float(left[i]), f"{other}_{i + 1}": float(right[i])}
    text = " + ".join(f"{one}_{i + 1} * {other}_{i + 1}" for i in largest)
    if len(terms) > TERMS:
        values["rest"] = float(np.delete(terms, largest).sum())
        text += " + rest"
    return text, values
