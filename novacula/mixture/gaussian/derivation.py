"""The work of a mixture: an iteration of EM from rows and sums, and the responsibilities for rows written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import ModelFileError, ParameterError
from novacula.learner.derivation import TABLE_ROWS, cut_table, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.mixture.gaussian.density import GaussianComponents, MixtureDensity
from novacula.mixture.gaussian.figures import climb_figure, density_figure, ellipse_figure, path_figure
from novacula.mixture.gaussian.m_step import GaussianStep, Path, is_small
from novacula.mixture.gaussian.row_derivation import COMPONENTS, row_steps
from novacula.mixture.gaussian.trace import shares_of_rows
from novacula.table.chunk import Floats
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.mixture.gaussian_mixture import GaussianMixture

AT_START = "No step was made, as max_iter=0 asks: this is the start."
COLUMNS = 3
"""Written out, unless everything is asked for."""
SHARES = [(i, k) for i in ("i", *range(1, TABLE_ROWS + 1)) for k in ("k", *range(COMPONENTS))]
NOTATIONS: Mapping[str, Mapping[str, str]] = {
    "mitchell": {f"p[{i}, {k}]": f"E(z[{i}, {k}])" for i, k in SHARES},
    "aima": {f"p[{i}, {k}]": f"p[{k}, {i}]" for i, k in SHARES},
}
E_STEP = (
    Equation("p(x)", "sum(w[k] * N(x, μ[k], Σ[k]) for k in _)"),
    Equation(
        "p[i, k]", "w[k] * N(x[i], μ[k], Σ[k]) / p(x[i])", where={"p[i, k]": "E: the share of component k in row i"}
    ),
    Equation("n[k]", "sum(p[i, k] for i in _)"),
)
"""The model and the E-step."""
NEW_WEIGHT = Equation("w[k]", "n[k] / n", sign="←")
NEW_MEAN = Equation("μ[k]", "sum(p[i, k] * x[i] for i in _) / n[k]", sign="←")
NEW_COVARIANCE = {
    "full": Equation("Σ[k]", "sum(p[i, k] * (x[i] - μ[k]) @ (x[i] - μ[k]).T for i in _) / n[k]", sign="←"),
    "tied": Equation("Σ", "sum(sum(p[i, k] * (x[i] - μ[k]) @ (x[i] - μ[k]).T for i in _) for k in _) / n", sign="←"),
    "diag": Equation("σ[k, j]**2", "sum(p[i, k] * (x[i, j] - μ[k, j])**2 for i in _) / n[k]", sign="←"),
    "spherical": Equation("σ[k]**2", "sum(p[i, k] * norm(x[i] - μ[k])**2 for i in _) / (n[k] * d)", sign="←"),
}
"""The M-step, by the family of the covariances."""


def rules_of(model: GaussianMixture) -> tuple[Equation, ...]:
    """The step that EM repeats, without what the model is told."""
    weight = () if model.weights == "equal" else (NEW_WEIGHT,)
    covariance = (NEW_COVARIANCE[model.covariance_type],) if isinstance(model.variance, str) else ()
    return (*E_STEP, *weight, NEW_MEAN, *covariance)


def derive_model(model: GaussianMixture, options: WorkOptions) -> Work:
    """The last iteration, the climb to it, and a picture."""
    components, names = components_of(model), tuple(model.schema_.column_names())
    table = _table(components, names, "Where it ended")
    note = model.outcome_ if model.n_iter_ or model.converged_ else AT_START
    steps = [Step("The model, and the step that EM repeats", rules_of(model), table, note=note)]
    if model.n_iter_ == 0:
        steps += _expectation_steps(model, components, options)
    else:
        try:
            steps += _iteration_steps(model, model.n_iter_, options, is_last=True)
        except ParameterError as error:  # the states of a large mixture are not all kept
            steps.append(Step("The last M-step", note=f"It is not derived: {error}."))
        steps.append(_path_step(model, names))
    steps += _covariance_step(components, names)
    total, last = float(model.moments_.weight.sum()), len(model.history_) - 1
    likelihood = {"log(L)": model.log_likelihood_, "n": total}
    mean = Equation("L̄", "log(L) / n", likelihood, ("history_", last))
    steps.append(Step("Mean log-likelihood of a row", mean, figure=climb_figure(model.history_)))
    bic = Equation(
        "BIC", "q * log(n) - 2 * log(L)", {"q": model.n_parameters_, **likelihood}, where={"q": "parameters"}
    )
    steps.append(Step("Bayesian information criterion", bic))
    rows = model.trace_.rows.x
    picture = density_figure(components, names[0]) if len(names) == 1 else ellipse_figure(components, names, rows)
    steps.append(Step("The components", figure=picture))
    return Work(f"A mixture of {counted(len(components.weights), 'Gaussian')} by EM", steps, _left(model, options))


def derive_iteration(model: GaussianMixture, iteration: int, options: WorkOptions) -> Work:
    """One iteration: what went in, shares of the first rows, sums, and what came out."""
    steps = [Step("The step that EM repeats", rules_of(model))]
    steps += _iteration_steps(model, iteration, options, is_last=False)
    title = f"Iteration {iteration} of a mixture of {counted(model.n_components, 'Gaussian')}"
    return Work(title, steps, _left(model, options))


def components_of(model: GaussianMixture) -> GaussianComponents:
    """The components of a fitted mixture."""
    covariances = model.family(model.floor_).expanded(model.covariances_, len(model.weights_))
    return GaussianComponents(model.weights_, model.means_, np.ascontiguousarray(covariances))


def _left(model: GaussianMixture, options: WorkOptions) -> list[str]:
    if options.is_full:
        return []
    k, d = model.means_.shape
    return only_first(min(k, COMPONENTS), k, "component") + only_first(min(d, COLUMNS), d, "column")


def _table(components: GaussianComponents, names: tuple[str, ...], caption: str, n: Floats | None = None) -> Any:
    variances = np.diagonal(components.matrices(), axis1=1, axis2=2)
    both = np.stack([components.means, variances], axis=2)[:, :COLUMNS].reshape(len(variances), -1)
    counts = () if n is None else ("⟦n⟧",)
    moments = (f"{what} of {name}" for name in names[:COLUMNS] for what in ("mean", "variance"))
    rows = [
        (k, *(() if n is None else (float(n[k]),)), float(w), *map(float, both[k]))
        for k, w in enumerate(components.weights)
    ]
    return cut_table(("component", *counts, "⟦w⟧", *moments), rows, len(rows), caption)


def _path_step(model: GaussianMixture, names: tuple[str, ...]) -> Step:
    """Where the means were after each iteration that was kept."""
    k, d = model.means_.shape
    path = model.trace_.path
    means = path.states[:, k : k + k * d].reshape(-1, k, d)
    shown = [(c, j) for c in range(min(k, COMPONENTS)) for j in range(min(d, COLUMNS))]
    header = ("iteration", *(f"{names[j]} of {c}" if d > 1 else f"⟦μ[{c}]⟧" for c, j in shown))
    rows = [(int(i), *(float(state[c, j]) for c, j in shown)) for i, state in zip(path.iterations, means, strict=True)]
    table = cut_table(header, rows, len(rows), "The means of the components, from the start on.")
    return Step("The path of the means", table=table, figure=path_figure(path.iterations, means, names))


def _covariance_step(components: GaussianComponents, names: tuple[str, ...]) -> list[Step]:
    """Of several columns the whole covariance, the logarithm of its determinant, and its inverse."""
    matrices = components.matrices()
    if len(names) < 2 or not is_small(matrices.shape[1:]):
        return []
    pairs = [(i, j) for j in range(len(names)) for i in range(j + 1)]
    entries = tuple(f"⟦{{}}[{i + 1}, {j + 1}]⟧" for i, j in pairs)
    try:
        inverse = np.linalg.inv(matrices)
    except np.linalg.LinAlgError:
        raise ModelFileError("its covariances_ have no inverse") from None
    rows = [
        (
            c,
            *(float(matrix[pair]) for pair in pairs),
            float(np.linalg.slogdet(matrix)[1]),
            *(float(inverse[c][pair]) for pair in pairs),
        )
        for c, matrix in enumerate(matrices)
    ]
    header = ("component", *(e.format("Σ") for e in entries), "⟦log(det(Σ))⟧", *(e.format("Λ") for e in entries))
    first = {"Σ[0]": matrices[0]}
    equations = (
        Equation("δ[0]", "log(det(Σ[0]))", first),
        Equation("Λ[0]", "inv(Σ[0])", first, where={"Λ[0]": "the inverse of the covariance of component 0"}),
    )
    table = cut_table(header, rows, len(rows), f"Rows and columns: {', '.join(names)}.")
    return [Step("The covariances, their determinants and inverses", equations, table=table)]


# --- an iteration -------------------------------------------------------------------------------------------


def _iteration_steps(model: GaussianMixture, iteration: int, options: WorkOptions, is_last: bool) -> Iterator[Step]:
    trace, names = model.trace_, tuple(model.schema_.column_names())
    shape = components_of(model).covariances.shape
    trace.path.step(iteration, (trace.path.states.shape[1],))  # says why, where it was not kept
    before, after = (trace.components(i, shape) for i in (iteration - 1, iteration))
    density = MixtureDensity.of(before)
    shares = shares_of_rows(trace.rows, density)
    others = None if trace.others is None else trace.sums_of_others(iteration, shape)
    step = GaussianStep(shares, trace.rows.weight, others, before.means, after.means, names)
    yield Step("What went in", table=_table(before, names, f"Iteration {iteration - 1}"))
    yield from _shares_steps(model, density, shares.share, options, are_rows_shown=options.is_full or not is_last)
    ties = _Ties(model, int(np.searchsorted(trace.path.iterations, iteration)), shape, is_last)
    yield from _m_steps(model, step, after, ties, options)


def _expectation_steps(model: GaussianMixture, start: GaussianComponents, options: WorkOptions) -> Iterator[Step]:
    """Where no step was made, the E-step of the start."""
    density = MixtureDensity.of(start)
    share = shares_of_rows(model.trace_.rows, density).share
    yield from _shares_steps(model, density, share, options, are_rows_shown=True)


def _shares_steps(
    model: GaussianMixture, density: MixtureDensity, share: Floats, options: WorkOptions, are_rows_shown: bool
) -> Iterator[Step]:
    rows, names = model.trace_.rows, tuple(model.schema_.column_names())
    for i in range(min(options.rows, len(rows)) if are_rows_shown else 0):
        yield from row_steps(i, rows.x[i], density, names, options, tied=False)
    yield _share_table(rows.x, share, names, rows.is_all)


def _share_table(x: Floats, share: Floats, names: tuple[str, ...], is_all: bool) -> Step:
    shown = range(min(share.shape[1], COMPONENTS))
    header = ("row", *names[:COLUMNS], *(f"⟦p[i, {c}]⟧" for c in shown))
    rows = [(i + 1, *("" if v != v else float(v) for v in x[i, :COLUMNS]), *map(float, share[i, : len(shown)]))
            for i in range(len(x))]  # fmt: skip
    caption = "All rows." if is_all else "The first rows; the others are one number in each sum."
    return Step("E: the shares of the components in the rows", table=cut_table(header, rows, len(rows), caption))


class _Ties:
    """Where the model keeps what an iteration came to: in its attributes if it was the last, else in its path."""

    def __init__(self, model: GaussianMixture, place: int, shape: tuple[int, ...], is_last: bool) -> None:
        self.place, self.shape, self.is_last = place, shape, is_last
        self.kind = model.covariance_type

    def weight(self, c: int) -> Path:
        return ("weights_", c) if self.is_last else self._path(c)

    def mean(self, c: int, j: int) -> Path:
        k, _, d = self.shape
        return ("means_", c, j) if self.is_last else self._path(k + c * d + j)

    def covariance(self, c: int, j: int, i: int) -> Path:
        k, rows, d = self.shape
        if not self.is_last:
            return self._path(k + k * d + (c * rows + (i if rows > 1 else 0)) * d + j)
        places = {"full": (c, i, j), "tied": (i, j), "diag": (c, j), "spherical": (c,)}
        return ("covariances_", *places[self.kind])

    def count(self, c: int) -> Path:
        return ("moments_", "weight", c) if self.is_last else ()

    def _path(self, place: int) -> Path:
        return ("trace_", "path", "states", self.place, place)


def _m_steps(
    model: GaussianMixture, step: GaussianStep, after: GaussianComponents, ties: _Ties, options: WorkOptions
) -> Iterator[Step]:
    """One table of what all components came to, and the sums of the first, or of each if everything is asked for."""
    k, d = after.means.shape
    columns = range(d if options.is_full else min(d, COLUMNS))
    table = _table(after, step.names, "What came out", step.n)
    for c in range(k if options.is_full else 1):
        equations, note = _component(model, step, after, c, columns, ties, options)
        title = f"M: component {c}" + ("" if options.is_full or k == 1 else "; the others are alike")
        yield Step(title, equations, table=table if c == 0 else None, note=note)


def _component(
    model: GaussianMixture,
    step: GaussianStep,
    after: GaussianComponents,
    c: int,
    columns: range,
    ties: _Ties,
    options: WorkOptions,
) -> tuple[tuple[Equation, ...], str]:
    """The weight, means and covariance of a component, and what is to be said of them."""
    equations = [step.count(c, ties.count(c))]
    if model.weights == "equal":
        equations.append(Equation(f"w[{c}]", "1 / K", {"K": len(step.n)}, ties.weight(c)))
    else:
        counts = {f"n[{c}]": step.n[c], "n[k]": step.n}
        equations.append(Equation(f"w[{c}]", f"n[{c}] / sum(n[k] for k in _)", counts, ties.weight(c)))
    if step.n[c] <= 0.0:
        return tuple(equations), "No row belongs to it, so it keeps its place and shape."
    equations += [step.mean(c, j, ties.mean(c, j)) for j in columns]
    if not isinstance(model.variance, str):
        return tuple(equations), ""
    if model.family(model.floor_).on_floor(after.covariances[c]):
        return tuple(equations), "Its variance is held at the floor of reg_covar, so it is no plain mean of squares."
    return (*equations, *_covariances(model.covariance_type, step, c, columns, ties, options)), ""


def _covariances(
    kind: str, step: GaussianStep, c: int, columns: range, ties: _Ties, options: WorkOptions
) -> Iterator[Equation]:
    d, k = len(step.names), len(step.n)
    if kind in ("full", "diag"):
        pairs = [(j, j) for j in columns]
        if kind == "full":
            inside = [(i, j) for j in columns for i in range(j)]
            pairs += inside if options.is_full else inside[:1]
        for i, j in pairs:
            left = f"{step.symbol('σ', c, j)}**2" if i == j else step.symbol("Σ", c, i, j)
            yield step.covariance(left, c, i, j, ties.covariance(c, j, i))
    elif kind == "spherical":  # one variance for all columns
        yield from (step.covariance(step.symbol("S", c, j), c, j, j, over=False) for j in columns)
        values = {f"S[{c}, j]": [step.squares(c, j) for j in range(d)], f"n[{c}]": step.n[c], "d": d}
        right = f"sum(S[{c}, j] for j in _) / (n[{c}] * d)"
        yield Equation(f"σ[{c}]**2", right, values, ties.covariance(c, 0, 0))
    elif c == 0:  # one covariance for all components
        for j in columns:
            yield from (step.covariance(step.symbol("S", b, j), b, j, j, over=False) for b in range(min(k, COMPONENTS)))
            values = {"S[k]": [step.squares(b, j) if step.n[b] > 0.0 else 0.0 for b in range(k)], "n[k]": step.n}
            right = "sum(S[k] for k in _) / sum(n[k] for k in _)"
            yield Equation(f"σ[{j + 1}]**2", right, values, ties.covariance(0, j, j))


# --- rows ---------------------------------------------------------------------------------------------------


def derive_predictions(model: GaussianMixture, x: Floats, cut: bool, options: WorkOptions) -> Work:
    """Joint densities, responsibilities and the log density of each row."""
    density, names = MixtureDensity.of(components_of(model)), tuple(model.schema_.column_names())
    steps = [Step("The density of a mixture", E_STEP[:2])]
    for i, row in enumerate(x):
        steps += row_steps(i, row, density, names, options, tied=True)
    notes = [f"The first {len(x)} rows are derived; more are alike."] if cut else []
    return Work("Responsibilities of the components", steps, notes)
