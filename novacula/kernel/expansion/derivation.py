"""The work of features that approximate a kernel: what one is, with numbers, and how near their products come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from novacula.kernel.algebra import Gaussian, Kernel, gram
from novacula.kernel.algebra.formula import kernel_equation
from novacula.kernel.algebra.rows import Rows, dense
from novacula.kernel.expansion.figures import agreement_figure
from novacula.learner.derivation import SHOWN, cut_table, only_first_rows
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.state import State, floats
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.kernel.nystroem import Nystroem
    from novacula.kernel.random_fourier_features import RandomFourierFeatures

FEATURES = 2
"""Features of a row that are derived, unless all are asked for."""


@dataclass(frozen=True)
class SpreadTrace:
    """What gamma="scale" was found from: 2d numbers."""

    state: ClassVar[State] = {"mean": floats("numbers"), "variance": floats("numbers", least=0.0)}

    mean: Floats  # (d,): of each column
    variance: Floats  # (d,)


class Expanded(NamedTuple):
    """Rows and their features, of which the first `derived` are derived and all are compared."""

    rows: Rows
    features: Floats  # (n, p)
    derived: int
    is_cut: bool

    def notes(self) -> list[str]:
        """What is to be said of what is left out."""
        return only_first_rows(self.derived, self.is_cut)


# --- random Fourier features --------------------------------------------------------------------------------


def derive_directions(model: RandomFourierFeatures, options: WorkOptions) -> Work:
    """The work of drawn directions."""
    d, count = model.random_weights_.shape
    steps = [
        Step(
            "What is approximated",
            Equation("exp(-γ * norm(x - y)**2)", "E(cos(dot(w, x - y)))"),
            note="⟦w⟧ is normal with mean 0 and variance ⟦2 * γ⟧ in each column.",
        ),
        *_gamma_steps(model),
        Step("How far directions reach", Equation("σ", "sqrt(2 * γ)", {"γ": model.gamma_})),
        Step(
            "How large a feature can be",
            Equation("a", "sqrt(2 / D)", {"D": count}, of=("amplitude_",), where={"D": "features"}),
        ),
    ]
    shown = d if options.is_full else min(d, SHOWN)
    rows = ((j + 1, *model.random_weights_[:shown, j].tolist(), float(model.random_offset_[j])) for j in range(count))
    header = ("direction", *model.schema_.column_names(range(shown)), "⟦b⟧")
    caption = "" if shown == d else f"The first {shown} of {d} columns."
    table = cut_table(header, rows, count, caption, most=count if options.is_full else SHOWN)
    steps.append(Step("The directions ⟦W⟧ and offsets ⟦b⟧", table=table))
    return Work("Random Fourier features", steps, _draw_note(count))


def _draw_note(count: int) -> list[str]:
    return [f"Products of {count} features differ from the kernel by about ⟦1 / sqrt({count})⟧."]


def _gamma_steps(model: RandomFourierFeatures) -> Iterator[Step]:
    """γ from a word."""
    d = len(model.random_weights_)
    if model.gamma == "auto":
        yield Step("The rate", Equation("γ", "1 / d", {"d": d}, of=("gamma_",), where={"d": "columns"}))
    elif model.gamma == "scale" and model.trace_ is not None:
        known = {"d": d, "m": model.trace_.mean}
        middle = Equation("m̄", "sum(m[j] for j in range(d)) / d", known, where={"m": "the mean of each column"})
        values = {**known, "s": model.trace_.variance, "m̄": middle.value}
        spread = Equation(
            "v",
            "sum(s[j] + (m[j] - m̄)**2 for j in range(d)) / d",
            values,
            where={"s": "the variance of each column", "v": "the variance of all entries", "d": "columns"},
        )
        equations = [middle, spread]
        if spread.value > 0.0:
            equations.append(Equation("γ", "1 / (d * v)", {"d": d, "v": spread.value}, of=("gamma_",)))
        yield Step("The rate", tuple(equations))


def derive_waves(model: RandomFourierFeatures, expanded: Expanded, options: WorkOptions) -> Work:
    """The work of the features of rows."""
    steps, count = list[Step](), len(model.random_offset_)
    for r, x in enumerate(dense(expanded.rows[: expanded.derived])):
        waves = tuple(
            Equation(
                f"z[{j + 1}]",
                f"a * cos(sum(W[i, {j + 1}] * x[i] for i in _) + b[{j + 1}])",
                {
                    "a": model.amplitude_,
                    f"W[i, {j + 1}]": model.random_weights_[:, j],
                    "x": x,
                    f"b[{j + 1}]": float(model.random_offset_[j]),
                },
                of=("transform", r, j),
            )
            for j in range(count if options.is_full else min(count, FEATURES))
        )
        steps.append(Step(f"Row {r + 1}, its first features" if len(waves) < count else f"Row {r + 1}", waves))
    steps += _agreement(Gaussian(model.gamma_), expanded)
    return Work("Random Fourier features of rows", steps, [*_draw_note(count), *expanded.notes()])


# --- Nyström ------------------------------------------------------------------------------------------------


def derive_normalization(model: Nystroem, vectors: Floats, options: WorkOptions) -> Work:
    """The work of the normalisation; `vectors` are the eigenvectors of K_mm (m, m)."""
    m, d = model.components_.shape
    shown, values = d if options.is_full else min(d, SHOWN), model.eigenvalues_
    rule = (
        Equation("z(x)", "N @ k_m(x)"),
        Equation("N", "sum(v[i] @ v[i].T / sqrt(λ[i]) for i in range(r))", where={"r": "eigenvalues that are kept"}),
    )
    marks = ((i + 1, *row[:shown].tolist()) for i, row in enumerate(model.components_))
    header = ("landmark", *model.schema_.column_names(range(shown)))
    K = gram(model.kernel_, model.components_)
    largest = {"v[1]": vectors[:, 0], "K_mm": K}
    first = Equation("λ[1]", "dot(v[1], K_mm @ v[1])", largest, of=("eigenvalues_", 0))
    entry = Equation(
        "N[1, 1]",
        "sum(V[1, i]**2 / sqrt(λ[i]) for i in range(r))",
        {"V[1, i]": vectors[0, : model.rank_], "λ": values, "r": model.rank_},
        of=("normalization_", 0, 0),
        where={"V[1, i]": "the first entry of each eigenvector"},
    )
    landmarks = cut_table(header, marks, m, most=m if options.is_full else SHOWN)
    pair = (_pair(model.kernel_, model.components_, "ℓ"),) if m > 1 else ()
    steps = [
        Step("What is sought", rule, note="⟦k_m(x)⟧ are the kernels of a row and each landmark."),
        Step(
            "The landmarks, and the kernel of the first two",
            pair,
            landmarks,
        ),
        Step(
            "The eigenvalues of ⟦K_mm⟧",
            first,
            cut_table(("", "⟦λ⟧"), enumerate(values.tolist(), 1), m, most=m if options.is_full else SHOWN),
        ),
        Step("The first entry of ⟦N⟧", entry),
    ]
    notes = [f"{m} landmarks; {model.rank_} of the {m} eigenvalues of ⟦K_mm⟧ are kept."]
    return Work("Nyström features", steps, notes)


def derive_similarities(model: Nystroem, similar: Floats, expanded: Expanded, options: WorkOptions) -> Work:
    """The work of the features of rows, from their kernels `similar` (n, m) with the landmarks."""
    steps, m = list[Step](), len(model.components_)
    for r, x in enumerate(dense(expanded.rows[: expanded.derived])):
        most = int(np.argmax(np.abs(similar[r])))
        landmark = f"ℓ[{most + 1}]"
        near = kernel_equation(model.kernel_, x, model.components_[most], f"k(x, {landmark})", ("x", landmark))
        features = tuple(
            Equation(
                f"z[{j + 1}]",
                f"sum(k(x, ℓ[i]) * N[i, {j + 1}] for i in _)",
                {"k(x, ℓ[i])": similar[r], f"N[i, {j + 1}]": model.normalization_[:, j]},
                of=("transform", r, j),
                where={"ℓ[i]": "the landmarks"},
            )
            for j in range(m if options.is_full else min(m, FEATURES))
        )
        steps.append(Step(f"Row {r + 1}, the kernel with the landmark that is most like it", near))
        steps.append(Step(f"Row {r + 1}, its first features" if len(features) < m else f"Row {r + 1}", features))
    steps += _agreement(model.kernel_, expanded)
    return Work("Nyström features of rows", steps, expanded.notes())


# --- both ---------------------------------------------------------------------------------------------------


def _pair(kernel: Kernel, rows: Any, letter: str = "x") -> Equation:
    """The kernel of the first two rows."""
    one, other = dense(rows[:2])
    names = (f"{letter}[1]", f"{letter}[2]")
    return kernel_equation(kernel, one, other, f"k({names[0]}, {names[1]})", names)


def _agreement(kernel: Kernel, expanded: Expanded) -> Iterator[Step]:
    """Products of features and the kernel, for the first rows."""
    z = expanded.features
    exact, near = gram(kernel, expanded.rows), z @ z.T
    if len(z) > 1:
        names = {"z(x[1])": z[0], "z(x[2])": z[1]}
        product = Equation("z(x[1]).T @ z(x[2])", "sum(z(x[1])[i] * z(x[2])[i] for i in _)", names)
        gap = Equation(
            "Δ", "z_12 - k_12", {"z_12": product.value, "k_12": float(exact[0, 1])}, where={"Δ": "how far it is off"}
        )
        yield Step(
            "Rows 1 and 2: the kernel, and the product of features", (_pair(kernel, expanded.rows), product, gap)
        )
    above = np.triu_indices(len(z))
    off = np.abs(near - exact)[above]
    yield Step(
        f"All pairs of the first {len(z)} rows",
        figure=agreement_figure(exact[above], near[above]),
        note=f"Products differ from the kernel by ⟦{off.mean():.3g}⟧ on average, and by ⟦{off.max():.3g}⟧ at most.",
    )
