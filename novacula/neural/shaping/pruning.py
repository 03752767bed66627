"""Weights taken out of a network one after the other, those first that matter least, with the loss before and after.

    size       |w|
    saliency   ½ (∂²E/∂w²) w², what setting the weight to 0 adds to E to second order (optimal brain damage)

Biases stay. The order is that of the network as it was given; nothing is taught in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from novacula.arguments import as_numbers, nonnegative_number, one_of, require_finite
from novacula.errors import DataError, InputTypeError
from novacula.learner.derivation import cut_table
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.neural.derivation.replay import loss_of
from novacula.neural.derivation.update import parameters_of
from novacula.neural.network import NetworkObjective
from novacula.table.chunk import Floats
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.neural.multilayer import MultilayerNetwork

WAYS = ("saliency", "size")
SHORT = 1e-4
"""Half the way over which a slope is compared to find the curvature."""
LISTED = 30
"""Removed weights that are listed, unless everything is asked for."""


@dataclass(frozen=True, eq=False)
class PrunedNetwork(ShowsWork):
    """A network with weights of 0, and what each that was taken out did to the loss."""

    model: MultilayerNetwork
    """The pruned network."""
    n_removed: int
    """Weights that were taken out."""
    by: str
    order: tuple[int, ...] = field(repr=False)
    """The places in θ of all weights that are not 0 anyway, in the order in which they would go."""
    weights: Floats = field(repr=False)
    """Theirs, before."""
    curvatures: Floats = field(repr=False)
    """∂²E/∂w² of each; empty by size."""
    saliencies: Floats = field(repr=False)
    """By what the order is made."""
    losses: Floats = field(repr=False)
    """The mean loss with none, one, two, … of them taken out."""
    allowed: float = field(repr=False)

    def figure(self) -> Figure:
        """The loss by the number of weights that are taken out."""
        lines = {"loss": self.losses, "what is allowed": np.full(len(self.losses), self.losses[0] + self.allowed)}
        return curve_figure(
            np.arange(len(self.losses)), lines, title="Loss by weights taken out", xlabel="weights taken out",
            ylabel="mean loss",
        )  # fmt: skip

    def _derive(self, options: WorkOptions) -> Work:
        steps = list(prune_steps(self, options.is_full))
        return Work(f"{counted(self.n_removed, 'weight')} of {len(self.order)} taken out", steps)


def prune_weights(
    model: MultilayerNetwork,
    X: Any,
    y: Any,
    *,
    by: Literal["saliency", "size"] = "saliency",
    allowed: float = 0.01,
) -> PrunedNetwork:
    """Take weights out of a fitted network as long as its mean loss on rows rises by no more than is allowed.

    Parameters
    ----------
    model : a network; it stays as it is, and the pruned one is another
    X, y : rows with their targets, on which the loss is measured: those of the training, or others
    by : "saliency", ½ (∂²E/∂w²) w², or "size", |w|; the smallest go first
    allowed : how much the mean loss may rise in all
    """
    if not hasattr(model, "coefs_"):
        raise InputTypeError(f"prune_weights takes a fitted network, not {type(model).__name__}")
    one_of(by, "by", WAYS)
    nonnegative_number(allowed, "allowed")
    rows, targets = as_numbers(X, "X", DataError), wanted(model, y)
    if rows.ndim != 2 or rows.shape[1] != model.n_features_in_ or len(rows) != len(targets) or not len(rows):
        raise DataError(
            f"X has shape {rows.shape} beside {len(targets)} targets; give a row of {model.n_features_in_} numbers for "
            "each target"
        )
    require_finite(rows, "X")
    require_finite(targets, "y")
    objective = NetworkObjective(model.architecture_, loss_of(model))
    theta = model.weights_.astype(np.float64)
    places = np.flatnonzero(model.architecture_.is_weight & (theta != 0.0))
    curvatures = np.empty(0)
    if by == "saliency":
        curvatures = np.array([curvature(objective, theta, int(place), rows, targets) for place in places])
    scores = np.abs(theta[places]) if by == "size" else 0.5 * curvatures * theta[places] ** 2
    ranks = np.argsort(scores, kind="stable")
    losses, left = [objective.value(theta, rows, targets)], theta.copy()
    for place in places[ranks]:
        left[place] = 0.0
        losses.append(objective.value(left, rows, targets))
    above = np.flatnonzero(np.array(losses) > losses[0] + allowed)
    removed = int(above[0]) - 1 if len(above) else len(places)
    kept = theta.copy()
    kept[places[ranks[:removed]]] = 0.0
    order = places[ranks]
    sharpness = curvatures[ranks] if len(curvatures) else curvatures
    return PrunedNetwork(
        model.with_weights(kept), removed, by, tuple(order.tolist()), theta[order], sharpness, scores[ranks],
        np.array(losses), float(allowed),
    )  # fmt: skip


def wanted(model: MultilayerNetwork, y: Any) -> Floats:
    """The outputs that are wanted for targets (n, k)."""
    k, classes = model.n_outputs_, getattr(model, "classes_", None)
    if classes is None or getattr(model, "multilabel_", False):
        numbers = as_numbers(y, "y", DataError)
        return numbers.reshape(len(numbers), k) if numbers.size == len(numbers) * k else numbers
    labels = np.asarray(y)
    unknown = [label for label in np.unique(labels).tolist() if label not in classes.tolist()]
    if unknown:
        raise DataError(f"y holds {unknown[0]!r}, which is none of the network's classes")
    return np.asarray(labels[:, None] == (classes[1:] if k == 1 else classes), np.float64)


def curvature(objective: NetworkObjective, theta: Floats, place: int, rows: Floats, targets: Floats) -> float:
    """∂²E/∂w² of one weight, from the slopes on both sides of it."""
    half = SHORT * max(1.0, abs(float(theta[place])))
    slopes = []
    for side in (half, -half):
        near = theta.copy()
        near[place] += side
        slopes.append(float(objective.value_and_gradient(near, rows, targets)[1][place]))
    return (slopes[0] - slopes[1]) / (2.0 * half)


def prune_steps(pruned: PrunedNetwork, is_full: bool) -> Iterator[Step]:
    """How weights are judged, each that would go, and how many did."""
    if pruned.by == "size":
        rule = Equation("s[j]", "abs(w[j])")
    else:
        rule = Equation("s[j]", "h[j] * w[j]**2 / 2", where={"h": "the curvature of the loss along a weight"})
    yield Step("What a weight is worth", rule)
    names = {p.place: f"⟦{p.symbol()}⟧" for p in parameters_of(pruned.model.architecture_.sizes)}
    if len(pruned.order):
        first = {"w[1]": float(pruned.weights[0])}
        right = "abs(w[1])"
        if pruned.by == "saliency":
            first, right = first | {"h[1]": float(pruned.curvatures[0])}, "h[1] * w[1]**2 / 2"
        worth = Equation("s[1]", right, first, ("saliencies", 0))
        rise = {"E_1": float(pruned.losses[1]), "E_0": float(pruned.losses[0])}
        yield Step("The first to go", (worth, Equation("rise", "E_1 - E_0", rise)),
                   note=f"It is {names[pruned.order[0]]}; ⟦E_0⟧ and ⟦E_1⟧ are the loss before and after.")  # fmt: skip
    rows = [
        (i + 1, names[place], float(pruned.weights[i]), float(pruned.saliencies[i]), float(pruned.losses[i]),
         float(pruned.losses[i + 1]), "yes" if i < pruned.n_removed else "")
        for i, place in enumerate(pruned.order)
    ]  # fmt: skip
    header = ("", "weight", "⟦w⟧", "⟦s⟧", "loss before", "loss after", "taken out")
    most = len(rows) if is_full else LISTED
    yield Step("One after the other", table=cut_table(header, rows, len(rows), most=most), figure=pruned.figure())
    values = {"E": float(pruned.losses[pruned.n_removed]), "E_0": float(pruned.losses[0]), "a": pruned.allowed}
    bound = Equation("E", "E_0 + a", values, sign="≤", where={"a": "the rise that is allowed"})
    yield Step(f"{counted(pruned.n_removed, 'weight')} can go", bound)
