"""Hidden Markov models of counts: P(xₜ | zₜ = k) is a Poisson distribution with the rate λₖ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.graph.hmm.base import IN_TIME, HiddenMarkovModel
from novacula.graph.hmm.derivation.emissions import EmissionStep, RateStep
from novacula.graph.hmm.emissions.poisson import PoissonEmission, PoissonOverview
from novacula.graph.hmm.parameters import numeric_columns
from novacula.graph.hmm.sequences import Sequences
from novacula.learner.card import Admits, Card
from novacula.state import State, floats, optional
from novacula.table import Chunk
from novacula.table.chunk import Floats


class PoissonHMM(HiddenMarkovModel):
    """A chain of hidden states, each of which shows counts at a rate of its own.

    Parameters
    ----------
    n_states : int, default=None
        None means as many as `y` names, and 2 without y.
    init : {"kmeans", "random"} or dict, default=None
        Where EM starts: clusters of the steps, random steps, or a dict with any of "start" (K,), "transition" (K, K)
        and "rates" (K, d), for one column also (K,). None is "kmeans".
    n_init, m, tol, max_iter, transition_mask, random_state
        As those of `CategoricalHMM`; m counts as m more steps in each state, at the rate of all steps.

    Attributes
    ----------
    start_, transition_, rates_
        What was learned: P(z₁) (K,), P(zₜ₊₁ | zₜ) (K, K) and λ (K, d).
    emission_counts_ : array (2, K, d)
        Expected steps in each state, and the expected sum of their counts.
    states_, start_counts_, transition_counts_, log_likelihood_, history_, n_iter_, converged_, outcome_, restarts_
    n_steps_, n_free_
        As those of `CategoricalHMM`.

    Examples
    --------
    >>> calls = [2, 1, 3, 2, 9, 11, 8, 10, 2, 1, 2, 3, 9, 12]
    >>> model = PoissonHMM(2).fit(calls)
    >>> sorted(model.rates_.ravel().round(1).tolist())
    [2.0, 9.7]
    >>> model.predict_next(calls).mean.round(1).tolist()
    [[8.2]]
    """

    card: ClassVar[Card] = Card(
        name="Hidden Markov model of counts",
        task="sequence",
        summary="A chain of hidden states, each of which shows counts at a rate of its own.",
        hypothesis_space="Starts, transitions and rates of K states.",
        inductive_bias="What comes depends on the present state alone; given the state, a count varies by √λ.",
        objective="Likelihood of the counts, times a prior if m > 0.",
        search="Baum–Welch (EM), which never falls, from one start or several; counting where states are known.",
        noise="Averages out in the rates; counts that vary more than Poisson's take more states.",
        missing="Integrated out: a step without a count says nothing, but time goes on.",
        admits=Admits(missing=True),
        unseen="Not taken: categories are not counts.",
        takes=("numeric",),
        counts=True,
        uses="arrays",
        interpretability="Middling: rates of each state can be read, the path of states is inferred.",
        answer_cost="K² + K·d for each step of a sequence.",
        cost="n·K² + n·K·d per iteration.",
        cost_exponents={"n": 1, "K": 2, "d": 1},
        size="n_states",
        references=("Zucchini, MacDonald and Langrock, Hidden Markov Models for Time Series (2016)",),
        expected_failures=IN_TIME,
    )
    discrete: ClassVar[bool] = True
    emission_step: ClassVar[type[EmissionStep]] = RateStep
    emission_names: ClassVar[tuple[str, ...]] = ("rates",)
    state: ClassVar[State] = {
        "rates_": floats("states", "numeric", least=0.0),
        "emission_counts_": optional(floats(2, "states", "numeric", least=0.0), beside="history_"),
    }

    rates_: Floats
    emission_counts_: Floats

    @classmethod
    def from_parameters(
        cls,
        start: Any,
        transition: Any,
        rates: Any,
        *,
        states: Sequence[Any] | None = None,
        columns: Sequence[str] | None = None,
        **parameters: Any,
    ) -> Self:
        """A model of known parameters, of which questions can be asked without a fit."""
        table = as_rates(rates, None, None)
        k, d = table.shape
        features = numeric_columns(columns, d, "rates")
        return cls(k, **parameters).set_parameters(start, transition, PoissonEmission(table), features, states)

    # --- what an emission adds ---------------------------------------------------------------------------------

    def _values(self, chunk: Chunk) -> Floats:
        return chunk.numeric

    def _require_admitted(self, chunk: Chunk, sequences: Sequences) -> None:
        super()._require_admitted(chunk, sequences)
        below = (chunk.numeric < 0.0) & (chunk.weight > 0.0)[:, None]
        if below.any():
            row, column = (int(place) for place in np.argwhere(below)[0])
            raise DataError(
                f"column {self.schema_.features[column].name!r} is {chunk.numeric[row, column]:g} in "
                f"{sequences.row_name(row)}, which is not a count: Negative values in data passed to a model of counts "
                "cannot be explained"
            )

    def _overview(self, values: Floats, weight: Floats, seed: int) -> PoissonOverview:
        self._require_known(values, "count")
        return PoissonOverview.of(values, weight, seed)

    def _given_emission(self, given: Mapping[str, Any], n_states: int) -> PoissonEmission:
        return PoissonEmission(as_rates(given["rates"], n_states, len(self.schema_.features)))

    def _emission(self) -> PoissonEmission:
        return PoissonEmission(self.rates_)

    def _keep_emission(self, emission: PoissonEmission, sums: Any) -> None:
        self.rates_ = emission.rate
        if sums is not None:
            self.emission_counts_ = sums

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def as_rates(values: Any, n_states: int | None, n_columns: int | None) -> Floats:
    """Rates (K, d) that were given, checked; for one column (K,) will do."""
    try:
        rates = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"rates is {values!r}; it must hold numbers") from None
    rates = rates[:, None] if rates.ndim == 1 else rates
    wanted = (n_states or rates.shape[0], n_columns or rates.shape[-1])
    if rates.shape != wanted:
        raise ParameterError(f"rates has shape {rates.shape}, but {wanted} is needed")
    if not ((rates >= 0.0) & (rates < np.inf)).all():
        raise ParameterError("rates holds a number that is not a rate: rates are 0 or more, and finite")
    return rates
