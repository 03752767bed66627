"""Gibbs sampling: one node after the other is drawn again, given all others, in many chains at once.

    P(x | all others) ∝ P(x | parents) Π over children of P(child | its parents)        the Markov blanket decides

Draws of a chain depend on each other, so errors come from the means of batches and of whole chains. Where tables hold
zeros a chain may be unable to leave the states that it started in; then a warning says which node shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from novacula.errors import DataWarning, ParameterError, warn_user
from novacula.graph.families import LOG_2PI, GaussianFamily
from novacula.graph.inference.distribution import Estimate, MeanEstimate
from novacula.graph.inference.sampling import at_least, estimate, weighted_draws
from novacula.table.chunk import Floats
from novacula.words import listed

if TYPE_CHECKING:
    from novacula.graph.inference.evidence import NodeEvidence
    from novacula.graph.network import Network

STARTS = 100
"""Weighted draws per chain, from which it picks where to start."""

State = dict[int, npt.NDArray[Any]]
"""Codes or values of each node in all chains."""


def gibbs(
    network: Network,
    nodes: Sequence[int],
    evidence: NodeEvidence,
    n_samples: int = 10_000,
    n_chains: int = 20,
    burn_in: int = 500,
    random_state: Any = None,
) -> Estimate | MeanEstimate:
    """P(asked | evidence) from `n_samples` draws of `n_chains` chains, after `burn_in` rounds of each."""
    rng, chains = check_random_state(random_state), at_least(n_chains, "n_chains", 2)
    rounds, unused = -(-at_least(n_samples, "n_samples", 1) // chains), at_least(burn_in, "burn_in", 0)
    state = _start(network, nodes, evidence, chains, rng)
    hidden = [place for place in state if place not in evidence.codes and place not in evidence.values]
    scan = [(place, _conditional(network, place, state)) for place in hidden]
    frozen: set[int] = set()
    draws = np.empty((rounds, chains, len(nodes)))
    for k in range(-unused, rounds):
        for place, redraw in scan:
            state[place], stuck = redraw(state, rng)
            if stuck:
                frozen.add(place)
        if k >= 0:
            draws[k] = np.column_stack([state[place] for place in nodes])
    if frozen:
        names = listed(network.nodes[place] for place in sorted(frozen))
        warn_user(
            f"given the others, the state of {names} is certain in some draws: chains may not reach all states, "
            "and the errors may be too small; compare method='likelihood_weighting' or an exact one",
            DataWarning,
        )
    return _summary(network, nodes, draws)


def _start(
    network: Network, nodes: Sequence[int], evidence: NodeEvidence, chains: int, rng: np.random.RandomState
) -> State:
    """Where each chain starts: drawn among weighted draws by their weights, so that it is possible."""
    drawn, weight = weighted_draws(network, nodes, evidence, STARTS * chains, rng)
    picked = rng.choice(len(weight), size=chains, p=weight)
    return {place: values[picked] for place, values in drawn.items()}


def _conditional(
    network: Network, place: int, state: State
) -> Callable[[State, np.random.RandomState], tuple[npt.NDArray[Any], bool]]:
    """The function that draws a node given the others, and says whether some draw was certain."""
    children = [child for child in state if place in network.parent_places[child]]
    if network.cards[place]:
        terms = [_term(network, place, place), *(_term(network, child, place) for child in children)]
        chains = len(state[place])
        return lambda state, rng: _draw_state([term(state) for term in terms], chains, rng)
    pulls = [_pull(network, child, place) for child in children]
    own = _Line.of(network, place)
    return lambda state, rng: _draw_value(own, [pull(state) for pull in pulls], state, rng)


def _draw_state(terms: Sequence[Floats], chains: int, rng: np.random.RandomState) -> tuple[npt.NDArray[Any], bool]:
    """A code per chain from the logarithms of factors, each (chains, states) or the same for all (states,)."""
    log = sum(terms, np.zeros((chains, 1)))
    odds = np.exp(log - log.max(axis=1, keepdims=True))
    levels = np.cumsum(odds, axis=1)
    certain = bool((np.count_nonzero(odds, axis=1) == 1).any()) and odds.shape[1] > 1
    return (rng.random_sample(len(odds))[:, None] * levels[:, -1:] >= levels).sum(axis=1), certain


def _term(network: Network, child: int, place: int) -> Callable[[State], Floats]:
    """log P(child | its parents) for each state of a discrete node, given the others: (chains, states) or (states,)."""
    family = network.families[child]
    parents = network.parent_places[child]
    if isinstance(family, GaussianFamily):
        return _gaussian_term(family, parents, child, place)
    axes = (*parents, child)
    others = [node for node in axes if node != place]
    with np.errstate(divide="ignore"):
        log = np.moveaxis(np.log(family.table), axes.index(place), -1)
    return lambda state: log[tuple(state[node] for node in others)]


def _gaussian_term(family: GaussianFamily, parents: Sequence[int], child: int, place: int) -> Callable[[State], Floats]:
    discrete, regressors = parents[: len(family.parents)], parents[len(family.parents) :]
    _require_variance(family)
    axis = discrete.index(place)
    others = [node for node in discrete if node != place]
    intercept, variance = (np.moveaxis(a, axis, -1) for a in (family.intercept, family.variance))
    weights = np.moveaxis(family.weights, axis, -2)

    def term(state: State) -> Floats:
        at = tuple(state[node] for node in others)
        mean, spread = intercept[at], variance[at]
        for j, regressor in enumerate(regressors):
            mean = mean + weights[..., j][at] * state[regressor][:, None]
        return -0.5 * ((state[child][:, None] - mean) ** 2 / spread + np.log(spread) + LOG_2PI)

    return term


@dataclass(frozen=True)
class _Line:
    """A continuous node given its parents, read off the states of the chains."""

    family: GaussianFamily
    discrete: tuple[int, ...]
    regressors: tuple[int, ...]

    @classmethod
    def of(cls, network: Network, place: int) -> _Line:
        family = cast("GaussianFamily", network.families[place])
        _require_variance(family)
        parents = network.parent_places[place]
        return cls(family, parents[: len(family.parents)], parents[len(family.parents) :])

    def at(self, state: State, without: int = -1) -> tuple[Floats, Floats, Floats]:
        """Mean with one regressor at zero, the weight of that regressor, and the variance, in each chain."""
        config = tuple(state[node] for node in self.discrete)
        mean, slope = self.family.intercept[config], np.zeros(())
        for j, regressor in enumerate(self.regressors):
            weight = self.family.weights[..., j][config]
            if regressor == without:
                slope = weight
            else:
                mean = mean + weight * state[regressor]
        return np.asarray(mean), slope, np.asarray(self.family.variance[config])


def _pull(network: Network, child: int, place: int) -> Callable[[State], tuple[Floats, Floats]]:
    """What a child says of a continuous node: precision, and precision times the value that it speaks for."""
    line = _Line.of(network, child)

    def pull(state: State) -> tuple[Floats, Floats]:
        mean, slope, variance = line.at(state, place)
        return slope**2 / variance, slope * (state[child] - mean) / variance

    return pull


def _draw_value(
    own: _Line, pulls: Sequence[tuple[Floats, Floats]], state: State, rng: np.random.RandomState
) -> tuple[npt.NDArray[Any], bool]:
    mean, _, variance = own.at(state)
    precision = 1.0 / variance + sum(p for p, _ in pulls)
    centre = (mean / variance + sum(v for _, v in pulls)) / precision
    n = len(next(iter(state.values())))
    return centre + rng.standard_normal(n) / np.sqrt(precision), False


def _require_variance(family: GaussianFamily) -> None:
    if (family.variance == 0.0).any():
        raise ParameterError(
            f"node {family.node!r} has variance zero, so that its neighbours cannot move: use method='elimination'"
        )


def _summary(network: Network, nodes: Sequence[int], draws: Floats) -> Estimate | MeanEstimate:
    """Shares or means of the draws (rounds, chains, d), and their errors."""
    if not network.cards[nodes[0]]:
        mean, std_error = draws.mean(axis=(0, 1)), _std_error(draws)
        cov = np.atleast_2d(np.cov(draws.reshape(-1, len(nodes)), rowvar=False, bias=True))
        names = tuple(network.nodes[place] for place in nodes)
        return MeanEstimate(names, mean, cov, std_error, _size(np.diagonal(cov), std_error, draws))
    shape = tuple(network.cards[place] for place in nodes)
    cell = np.ravel_multi_index(tuple(np.moveaxis(draws.astype(np.intp), -1, 0)), shape)
    hits = cell[..., None] == np.arange(int(np.prod(shape)))
    share, std_error = hits.mean(axis=(0, 1)), _std_error(hits)
    size = _size(share * (1.0 - share), std_error, hits)
    return estimate(network, nodes, share.reshape(shape), std_error.reshape(shape), size)


def _std_error(draws: npt.NDArray[Any]) -> Floats:
    """The larger of the errors by batches of √rounds and by chains: chains that are stuck differ only as wholes."""
    rounds, chains, cells = draws.shape
    length = int(np.sqrt(rounds))
    batches = draws[: rounds - rounds % length].reshape(-1, length, chains, cells).mean(axis=1).reshape(-1, cells)
    return np.maximum(*(means.std(axis=0, ddof=1) / np.sqrt(len(means)) for means in (batches, draws.mean(axis=0))))


def _size(variance: Floats, std_error: Floats, draws: npt.NDArray[Any]) -> float:
    """Independent draws with the same errors: of all cells the least, and no more than were drawn."""
    total = float(draws.shape[0] * draws.shape[1])
    sizes = np.divide(variance, std_error**2, out=np.full_like(variance, total), where=std_error > 0.0)
    return float(min(total, sizes.min()))
