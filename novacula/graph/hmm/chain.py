"""A chain of hidden states whose parameters are known, and the questions one asks of it."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError, ParameterError
from novacula.graph.hmm.blocks import SequenceBlock, cut, map_blocks
from novacula.graph.hmm.forward_backward import filtered, scores, smoothed
from novacula.graph.hmm.parameters import Emission, Forecast, Parameters, stationary
from novacula.graph.hmm.sequences import Sequences
from novacula.graph.hmm.viterbi import best_paths
from novacula.learner.base import Unsupervised
from novacula.state import State, each, label, probabilities
from novacula.table import Chunk
from novacula.table.admission import first_fault
from novacula.table.admitting import refusal
from novacula.table.chunk import Codes, Floats


class Chain(Unsupervised):
    """States that follow each other, and show something at each step; what that is, an emission says."""

    discrete: ClassVar[bool] = False
    """Whether equal observations are common enough to be evaluated once."""
    discrete_codes: ClassVar[bool] = False
    """Whether observations are codes of symbols."""
    state: ClassVar[State] = {
        "states_": each(label(), "states"),
        "start_": probabilities("states"),
        "transition_": probabilities("states", "states"),
    }

    n_features_in_: int
    random_state: Any
    states_: tuple[Any, ...]
    start_: Floats
    transition_: Floats

    # --- what an emission adds ---------------------------------------------------------------------------------

    @abstractmethod
    def _values(self, chunk: Chunk) -> Any:
        """The observations (n, d) of a chunk."""

    @abstractmethod
    def _emission(self) -> Emission:
        """The emission that was learned."""

    def _observations(self, values: Any) -> Any:
        """Drawn observations as users know them."""
        return values

    # --- answers -----------------------------------------------------------------------------------------------

    def predict(self, X: Any, lengths: Any = None, *, sequence: str | None = None, time: str | None = None) -> Any:
        """The states of the most probable path, as `decode` gives it."""
        return self.decode(X, lengths, sequence=sequence, time=time)[0]

    def decode(
        self, X: Any, lengths: Any = None, *, sequence: str | None = None, time: str | None = None
    ) -> tuple[Any, float]:
        """Viterbi: the most probable path of each sequence, and ln p of paths and sequences, summed over sequences."""
        sequences, blocks = self._blocks(X, lengths, sequence, time)
        parts = list(map_blocks(partial(best_paths, parameters=self._parameters()), blocks))
        path: Codes = np.concatenate([path for path, _ in parts])
        labels = np.array(self.states_)[path]
        return sequences.shaped(labels), float(sum(score.sum() for _, score in parts))

    def filter(self, X: Any, lengths: Any = None, *, sequence: str | None = None, time: str | None = None) -> Any:
        """P(state at t | steps up to t), one row per step."""
        return self._stepwise(filtered, X, lengths, sequence, time)

    def smooth(self, X: Any, lengths: Any = None, *, sequence: str | None = None, time: str | None = None) -> Any:
        """P(state at t | all steps of the sequence), one row per step."""
        return self._stepwise(smoothed, X, lengths, sequence, time)

    def predict_next(
        self,
        X: Any,
        steps: int = 1,
        lengths: Any = None,
        *,
        sequence: str | None = None,
        time: str | None = None,
    ) -> Any:
        """What follows each sequence, 1 to `steps` steps after its end: a `Forecast`, or a list of them for several."""
        if not isinstance(steps, Integral) or steps < 1:
            raise ParameterError(f"steps is {steps!r}; it must be a whole number of at least 1")
        sequences, blocks = self._blocks(X, lengths, sequence, time)
        parts = map_blocks(partial(filtered, parameters=self._parameters()), blocks)
        ends = [alpha[block.bounds[1:] - 1] for alpha, block in zip(parts, blocks, strict=True)]
        found = [self._ahead(state, int(steps)) for state in np.concatenate(ends)]
        return found if sequences.listed or len(sequences) > 1 else found[0]

    def _ahead(self, state: Floats, steps: int) -> Forecast:
        rows = []
        for _ in range(steps):
            state = state @ self.transition_
            rows.append(state)
        return self._emission().forecast(np.array(rows))

    def score_sequences(
        self, X: Any, lengths: Any = None, *, sequence: str | None = None, time: str | None = None
    ) -> Floats:
        """ln p of each sequence, −∞ where the model rules it out."""
        _, blocks = self._blocks(X, lengths, sequence, time)
        return np.concatenate(list(map_blocks(partial(scores, parameters=self._parameters()), blocks)))

    def score(
        self, X: Any, y: Any = None, lengths: Any = None, *, sequence: str | None = None, time: str | None = None
    ) -> float:
        """ln p of all sequences: the sum, not the mean; y is ignored."""
        return float(self.score_sequences(X, lengths, sequence=sequence, time=time).sum())

    def sample(self, n_steps: int = 1, random_state: Any = None) -> tuple[Any, Any]:
        """Draw one sequence: observations (n, d) and states (n,)."""
        check_is_fitted(self)
        if not isinstance(n_steps, Integral) or n_steps < 1:
            raise ParameterError(f"n_steps is {n_steps!r}; it must be a whole number of at least 1")
        seed = check_random_state(self.random_state if random_state is None else random_state).randint(2**31)
        rng = np.random.default_rng(seed)
        reach, tickets = np.cumsum(self.transition_, axis=1), rng.random(int(n_steps))
        path = np.empty(int(n_steps), np.int64)
        row = np.cumsum(self.start_)
        for t, ticket in enumerate(tickets):
            path[t] = np.searchsorted(row, ticket * row[-1], side="right")
            row = reach[path[t]]
        return self._observations(self._emission().draw(path, rng)), np.array(self.states_)[path]

    @property
    def stationary_(self) -> Floats:
        """How often each state is visited in the long run, π = πA; where that depends on the start, one of them."""
        check_is_fitted(self)
        return stationary(self.transition_)

    def _check_state(self) -> None:
        if len(set(self.states_)) < len(self.states_):
            raise ModelFileError("its states_ hold a label twice")

    # --- sequences ---------------------------------------------------------------------------------------------

    def _parameters(self) -> Parameters:
        return Parameters(self.start_, self.transition_, self._emission())

    def _stepwise(self, what: Any, X: Any, lengths: Any, sequence: str | None, time: str | None) -> Any:
        sequences, blocks = self._blocks(X, lengths, sequence, time)
        return sequences.shaped(np.concatenate(list(map_blocks(partial(what, parameters=self._parameters()), blocks))))

    def _blocks(
        self, X: Any, lengths: Any, sequence: str | None, time: str | None
    ) -> tuple[Sequences, list[SequenceBlock]]:
        """Sequences to be asked about, laid out as those of the fit."""
        check_is_fitted(self)
        sequences = Sequences.of(X, lengths, sequence, time)
        if sequences.flat and self.n_features_in_ > 1:
            self._refuse_flat()
        table = self._query(sequences.data, getattr(self, "unseen", "ignore"))
        chunk = sequences.arranged(table.to_chunk())
        self._require_admitted(chunk, sequences)
        values = self._values(chunk)
        return sequences, cut(values, None, sequences.lengths, np.ones(len(sequences)), self.discrete)

    def _refuse_flat(self) -> None:
        raise DataError(
            f"each step of the model has {self.n_features_in_} columns, but X has one value per step. Reshape your "
            "data: a sequence is an array with one row per step, X.reshape(1, -1) if it is a single step"
        )

    def _require_admitted(self, chunk: Chunk, sequences: Sequences) -> None:
        """Refuse what the card does not admit, with its step and sequence."""
        fault = first_fault(chunk, self.card.admits)
        if fault is not None:
            raise refusal(fault, self.schema_, sequences.row_name(fault.row))
