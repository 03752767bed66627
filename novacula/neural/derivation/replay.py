"""Updates of a network as its training made them, worked out again from what the fit kept, in double precision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from novacula.errors import ParameterError
from novacula.linear.online.passes import rate
from novacula.neural.derivation.passage import RowPassage
from novacula.neural.derivation.priced import price_gradient
from novacula.optimize.updates import Adam
from novacula.table.chunk import Floats
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.neural.multilayer import MultilayerNetwork

RULE = Adam()
"""β₁, β₂ and ε of Adam, as training has them."""


@dataclass(frozen=True, eq=False)
class Update:
    """One update: the weights before it, what the rule remembers, and the showings of its batch."""

    model: MultilayerNetwork
    epoch: int
    number: int  # within the epoch, from 1
    count: int  # of all updates so far, this one among them
    theta: Floats  # (P,)
    memory: tuple[Floats, ...]  # of (P,): the last change, or the means of gradients and of their squares
    rows: Floats  # (m, d)
    targets: Floats  # (m, k)
    slopes: Floats | None  # (m, k, d)
    shares: Floats  # (m,)
    divisor: float
    rest: Floats  # (P,) or (0,): what other showings of the batch add to the sums
    rates: Floats  # (layers,)
    persistence: float  # the share of the last change that is made again

    @cached_property
    def passage(self) -> RowPassage:
        """The showings on their way."""
        return RowPassage.of(self.model.architecture_, self.theta, self.rows)

    @cached_property
    def deltas(self) -> list[Floats]:
        """δ of every layer."""
        return self.passage.deltas(self.targets, loss_of(self.model))

    @cached_property
    def price(self) -> Floats:
        """The slope of the mean prices of derivatives of the rows here (P,)."""
        rows = self.rows, self.targets, self.shares
        return price_gradient(self.model, loss_of(self.model), self.theta, rows, self.slopes) / self.divisor

    @cached_property
    def gradient(self) -> Floats:
        """The slope of the mean loss, with those of weight decay and prices of derivatives (P,)."""
        sums = self.passage.sums(self.deltas, self.shares) + (self.rest if len(self.rest) else 0.0)
        weights = np.where(self.model.architecture_.is_weight, self.theta, 0.0)
        return np.asarray(-sums / self.divisor + self.price + 2.0 * self.model.weight_decay * weights)

    @cached_property
    def rate_of_each(self) -> Floats:
        """The rate of each weight (P,)."""
        rates = np.empty_like(self.theta)
        for (W, b), eta in zip(self.model.architecture_.layers(rates), self.rates, strict=True):
            W[...], b[...] = eta, eta
        return rates

    @cached_property
    def after(self) -> tuple[Floats, ...]:
        """Weights and memory after the update."""
        if self.model.solver != "adam":
            change = -self.rate_of_each * self.gradient
            if self.memory:
                change = change + self.persistence * self.memory[0]
            return self.theta + change, change
        mean = RULE.beta1 * self.memory[0] + (1.0 - RULE.beta1) * self.gradient
        square = RULE.beta2 * self.memory[1] + (1.0 - RULE.beta2) * self.gradient**2
        bias = np.sqrt(1.0 - RULE.beta2**self.count) / (1.0 - RULE.beta1**self.count)
        return self.theta - self.rate_of_each * bias * mean / (np.sqrt(square) + RULE.epsilon), mean, square


def updates_of(model: MultilayerNetwork, epoch: int) -> Iterator[Update]:
    """The updates of an epoch, of which the first alone may be known, or the iteration of a solver of all rows."""
    trace, p = model.trace_, model.architecture_.n_parameters
    parts = trace.path.at(epoch - 1, (trace.path.states.shape[1] // p, p))
    theta, memory = parts[0], tuple(parts[1:])
    n, rates, persistence = len(trace.rows), rates_of(model, epoch), float(model.momentum)
    order = np.arange(n)
    if len(trace.orders):
        order = trace.orders[int(np.searchsorted(trace.path.iterations, epoch))]
    batch = trace.batch if trace.by_epoch else n
    count = updates_before(model, epoch)
    if model.solver == "batch":
        memory, persistence = last_change(model, epoch)
    for number, start in enumerate(range(0, n, batch), start=1):
        chosen = order[start : start + batch]
        shares = trace.shares[chosen]
        divisor = (len(chosen) if trace.by_epoch else trace.batch) * trace.share
        if model.solver not in ("sgd", "adam"):
            divisor = float(shares.sum())
        rows, targets = trace.rows[chosen], trace.wanted(model.n_outputs_)[chosen]
        given = trace.slopes(model.n_outputs_)
        slopes = None if given is None else given[chosen]
        update = Update(
            model, epoch, number, count + number, theta, memory, rows, targets, slopes, shares, divisor, trace.rest,
            rates, persistence,
        )  # fmt: skip
        if model.solver == "batch" and leads_uphill(update):
            update = replace(update, memory=(), persistence=0.0)
        yield update
        theta, *remembered = update.after
        memory = tuple(remembered)


def require_epoch(model: MultilayerNetwork, iteration: int) -> None:
    """Refuse an iteration that was not made or not kept, in a sentence."""
    trace = getattr(model, "trace_", None)
    if trace is None:
        raise ParameterError(f"this network was built, not learned, so it has no iteration {iteration!r} to show")
    if not isinstance(iteration, int) or isinstance(iteration, bool) or not 1 <= iteration <= model.n_iter_:
        made = counted(model.n_iter_, "iteration")
        raise ParameterError(f"iteration is {iteration!r}; the fit made {made}, counted from 1")
    if not len(trace.path.iterations):
        raise ParameterError(
            "this fit kept no iterations: those of small networks are kept, of at most 256 weights that are not tied"
        )
    first = int(trace.path.iterations[0]) + 1
    if not trace.by_epoch and iteration != first:
        raise ParameterError(
            f"iteration {iteration} was not kept: of a fit to more than 32 rows it is iteration {first} alone, "
            "and its first update"
        )
    shape = (trace.path.states.shape[1],)
    trace.path.step(iteration, shape)
    if model.solver == "batch" and model.momentum and iteration > 1:
        trace.path.at(iteration - 2, shape)  # the change before is part of this one


def rates_of(model: MultilayerNetwork, epoch: int) -> Floats:
    """The rate of each layer in an epoch: hidden layers see numeric targets in their unit s."""
    layers, scale = model.architecture_.n_layers, model.target_scale_
    with np.errstate(over="ignore"):
        hidden, output = (1.0, scale) if model.solver == "adam" else (float(np.float64(scale) ** -2.0), 1.0)
    if model.solver == "batch":
        eta = float(model.trace_.steps[int(np.searchsorted(model.trace_.path.iterations, epoch))])
    else:
        eta = 0.0 if model.eta_ is None else rate(model.eta_, model.schedule, epoch - 1)
    return np.array([*[eta * hidden] * (layers - 1), eta * output])


def updates_before(model: MultilayerNetwork, epoch: int) -> int:
    """How many updates were made before an epoch."""
    trace = model.trace_
    per_epoch = -(-len(trace.rows) // trace.batch)
    return trace.updates + (epoch - 1 - int(trace.path.iterations[0])) * per_epoch


def last_change(model: MultilayerNetwork, epoch: int) -> tuple[tuple[Floats, ...], float]:
    """The change before an iteration of gradient descent, and the share of it that is made again.

    A direction is −∇ + α·(last direction), and a change is η times that.
    """
    path, steps = model.trace_.path, model.trace_.steps
    place = int(np.searchsorted(path.iterations, epoch))
    if place < 2 or not model.momentum:
        return (), 0.0
    return (path.states[place - 1] - path.states[place - 2],), float(model.momentum * steps[place] / steps[place - 1])


def leads_uphill(update: Update) -> bool:
    """Whether the last direction would turn a search uphill, which then forgets it."""
    if not update.memory or not isinstance(update.model.eta0, str):
        return False
    pull = update.persistence * float(update.gradient @ update.memory[0])
    return pull >= float(update.rate_of_each @ update.gradient**2)


def loss_of(model: MultilayerNetwork) -> str:
    """The loss that "auto" stands for."""
    if model.loss != "auto":
        return model.loss
    return "squared" if model.architecture_.output == "linear" else "cross_entropy"
