"""Hidden Markov models: ten steps of Baum–Welch from one start, on symbols and on numbers, and Viterbi."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_labels, same_numbers

STEPS = 10
FULL: Size = {"sequences": 200, "steps": 2000, "states": 12, "symbols": 40}
QUICK: Size = {"sequences": 20, "steps": 1000, "states": 12, "symbols": 40}


def chain_data(size: Size) -> Data:
    """Sequences drawn at random, and a random chain to start from."""
    import numpy as np

    rng = np.random.default_rng(0)
    k, n = size["states"], size["sequences"] * size["steps"]
    return {
        "X": rng.integers(0, size["symbols"], (n, 1)),
        "lengths": np.full(size["sequences"], size["steps"]),
        "start": rng.dirichlet(np.ones(k)),
        "transition": rng.dirichlet(np.ones(k), k),
        "emission": rng.dirichlet(np.ones(size["symbols"]), k),
    }


def chain_limit(data: Data, passes: float) -> Limit:
    """Each pass over a step takes K² multiplications and additions."""
    n, k = len(data["X"]), len(data["start"])
    return Limit(passes * data["X"].nbytes, passes * 2.0 * n * k * k)


def fit_symbols(data: Data) -> dict[str, Any]:
    """Forward and backward passes in one compiled loop each, on threads."""
    from novacula.graph.hmm import CategoricalHMM

    init = {name: data[name] for name in ("start", "transition", "emission")}
    model = CategoricalHMM(len(data["start"]), init=init, tol=0.0, max_iter=STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ten steps are not meant to converge
        model.fit(data["X"], lengths=data["lengths"])
    return {"transition": model.transition_, "emission": model.emission_}


def hmmlearn_symbols(data: Data) -> dict[str, Any]:
    """The same start, with scaling, which is its fast way."""
    model = hmmlearn_chain("CategoricalHMM", data, n_iter=STEPS)
    model.emissionprob_ = data["emission"]
    model.fit(data["X"], data["lengths"])
    return {"transition": model.transmat_, "emission": model.emissionprob_}


def hmmlearn_chain(kind: str, data: Data, **more: Any) -> Any:
    """A model of hmmlearn's that starts where ours does."""
    import logging

    from hmmlearn import hmm

    logging.getLogger("hmmlearn").setLevel(logging.ERROR)
    model = getattr(hmm, kind)(len(data["start"]), implementation="scaling", init_params="", tol=-1e300, **more)
    model.startprob_, model.transmat_ = data["start"], data["transition"]
    return model


class ChainRace(Race):
    """A race on sequences of symbols, from a random chain."""

    full = (FULL,)
    quick = (QUICK,)

    def data(self, size: Size, folder: Path) -> Data:
        """Symbols and a chain."""
        return chain_data(size)


class Symbols(ChainRace):
    """From sequences of symbols to transitions and emissions."""

    name = "hmm_symbols"
    title = "Hidden Markov model of symbols, 10 iterations"

    def contenders(self) -> Sequence[Contender]:
        """Hmmlearn, from the same start."""
        return [
            Contender("Novacula", "novacula", fit_symbols),
            Contender("hmmlearn CategoricalHMM", "hmmlearn", hmmlearn_symbols, goal=4.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same parameters after the same number of steps."""
        return same_numbers(ours, theirs, 1e-8)

    def limit(self, data: Data) -> Limit:
        """Forward, backward and the sums of transitions."""
        return chain_limit(data, 3.0 * (STEPS + 1))


def fit_numbers(data: Data) -> dict[str, Any]:
    """The kernels of Gaussian mixtures for densities and moments."""
    from novacula.graph.hmm import GaussianHMM

    init = {name: data[name] for name in ("start", "transition", "means", "covariances")}
    model = GaussianHMM(len(data["start"]), init=init, reg_covar=0.0, tol=0.0, max_iter=STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data["X"], lengths=data["lengths"])
    return {"transition": model.transition_, "means": model.means_}


def hmmlearn_numbers(data: Data) -> dict[str, Any]:
    """The same start, without its priors."""
    prior = {"covars_prior": 0.0, "covars_weight": 0.0, "min_covar": 0.0}
    model = hmmlearn_chain("GaussianHMM", data, covariance_type="full", n_iter=STEPS, **prior)
    model.means_, model.covars_ = data["means"], data["covariances"]
    model.fit(data["X"], data["lengths"])
    return {"transition": model.transmat_, "means": model.means_}


class Numbers(Race):
    """From sequences of numbers to transitions, means and full covariances."""

    name = "hmm_numbers"
    title = "Hidden Markov model of numbers, 10 iterations"
    full = ({**FULL, "columns": 4},)
    quick = ({**QUICK, "columns": 4},)

    def data(self, size: Size, folder: Path) -> Data:
        """Normal deviates, and rows to start from."""
        import numpy as np

        rng = np.random.default_rng(1)
        data, k, d = chain_data(size), size["states"], size["columns"]
        X = rng.normal(size=(len(data["X"]), d)) + 3.0 * rng.integers(0, 2, (len(data["X"]), 1))
        return {**data, "X": X, "means": X[:k].copy(), "covariances": np.tile(np.eye(d), (k, 1, 1))}

    def contenders(self) -> Sequence[Contender]:
        """Hmmlearn, from the same start."""
        return [
            Contender("Novacula", "novacula", fit_numbers),
            Contender("hmmlearn GaussianHMM", "hmmlearn", hmmlearn_numbers, goal=4.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same parameters after the same number of steps."""
        return same_numbers(ours, theirs, 1e-6)

    def limit(self, data: Data) -> Limit:
        """The passes, and densities and moments of d² operations per state and step each."""
        chain, (n, d) = chain_limit(data, 3.0 * (STEPS + 1)), data["X"].shape
        return Limit(chain.bytes, chain.flops + (STEPS + 1) * n * len(data["start"]) * 2.0 * d * (d + 1.0))


PREPARED = (
    "Of one call 50 % is the compiled loop; the rest makes codes of symbols and cuts sequences into blocks. To find "
    "states on the way back rather than keep pointers took 0.15 s of processor time instead of 0.04 s."
)
"""What bounds Viterbi."""


def best_path(data: Data) -> Any:
    """Viterbi on threads."""
    from novacula.graph.hmm import CategoricalHMM

    model = CategoricalHMM.from_parameters(data["start"], data["transition"], data["emission"])
    path, log_probability = model.decode(data["X"], data["lengths"])
    return {"ln p": log_probability, "path": path}


def hmmlearn_path(data: Data) -> Any:
    """Viterbi by hmmlearn."""
    model = hmmlearn_chain("CategoricalHMM", data)
    model.emissionprob_ = data["emission"]
    log_probability, path = model.decode(data["X"], data["lengths"])
    return {"ln p": log_probability, "path": path}


class Viterbi(ChainRace):
    """From sequences of symbols to the most probable states."""

    name = "hmm_viterbi"
    title = "Viterbi"

    def contenders(self) -> Sequence[Contender]:
        """Hmmlearn, with the same chain."""
        return [
            Contender("Novacula", "novacula", best_path),
            Contender("hmmlearn CategoricalHMM", "hmmlearn", hmmlearn_path, goal=3.0, because=PREPARED),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """Paths of the same probability: where two are equally good to the last digits, either will do."""
        best = same_numbers({"ln p": ours["ln p"]}, theirs, 1e-13)
        return Agreement(best.close, f"ln p {best.words}; {same_labels(ours['path'], theirs['path']).words}")

    def limit(self, data: Data) -> Limit:
        """One pass."""
        return chain_limit(data, 1.0)
