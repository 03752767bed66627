"""Hidden Markov models: a chain of states that nobody sees, and at each step something that depends on the state.

    p(x₁ … xₙ) = Σ over paths z of π(z₁) p(x₁|z₁) Π A(zₜ₋₁, zₜ) p(xₜ|zₜ)

What the learners of all emissions share: sequences in, and Baum–Welch or counting.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ParameterError, warn_user
from novacula.graph.hmm.baum_welch import ExpectedCounts, Model, climb, expected_counts, labelled_counts
from novacula.graph.hmm.blocks import SequenceBlock, cut
from novacula.graph.hmm.chain import Chain
from novacula.graph.hmm.derivation.emissions import EmissionStep
from novacula.graph.hmm.derivation.learning import derive_iteration, derive_model
from novacula.graph.hmm.derivation.passage import derive_predictions
from novacula.graph.hmm.inputs import Labels, read_labels, sequence_weights
from novacula.graph.hmm.parameters import Emission, Parameters, StepOverview, distribution, shares
from novacula.graph.hmm.sequences import Sequences
from novacula.graph.hmm.start import ChainStarts, Given, allowed_transitions
from novacula.graph.hmm.trace import ChainTrace
from novacula.learner import information_criteria
from novacula.learner.card import Admits
from novacula.learner.expectation_maximization import EMResult, EMState, Restart
from novacula.learner.iterate import Outcome
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath
from novacula.learner.work import Work
from novacula.state import State, each, flag, floats, number, optional, record, text, whole
from novacula.table import Column, Schema, Table
from novacula.table.chunk import Floats
from novacula.words import counted

IN_TIME: Mapping[str, str] = {
    "check_fit1d": "an array of one dimension is a sequence of single observations",
    "check_methods_subset_invariance": "the state of a step depends on the steps around it",
    "check_methods_sample_order_invariance": "rows are steps in time, so their order matters",
    "check_sample_weight_equivalence_on_dense_data": "a weight belongs to a whole sequence, not to a step",
    "check_sample_weights_not_overwritten": "it weighs the steps of one sequence differently, which is refused",
}
"""Checks of scikit-learn that take rows for independent of each other."""


class HiddenMarkovModel(Chain):
    """A chain that is learned; the learners that derive from it say what states show."""

    default_init: ClassVar[str] = "kmeans"
    emission_names: ClassVar[tuple[str, ...]]
    """What `init` calls the parameters of the emission."""
    state_types: ClassVar[tuple[type, ...]] = (Restart, ChainTrace, FitPath)
    state: ClassVar[State] = {
        "history_": optional(floats("iterations+1")),  # a chain that was given has none, and none of the following
        "start_counts_": optional(floats("states", least=0.0), beside="history_"),
        "transition_counts_": optional(floats("states", "states", least=0.0), beside="history_"),
        "n_iter_": optional(whole(), beside="history_"),
        "converged_": optional(flag(), beside="history_"),
        "outcome_": optional(text(), beside="history_"),
        "restarts_": optional(each(record(Restart)), beside="history_"),
        "log_likelihood_": optional(number(), beside="history_"),
        "n_steps_": optional(number(above=0.0), beside="history_"),
        "n_free_": optional(whole(), beside="history_"),
        "trace_": optional(record(ChainTrace, columns="columns"), beside="history_"),
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_states": [Interval(Integral, 1, None, closed="left"), None],
        "init": [StrOptions({"random", "kmeans"}), dict, None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "m": [Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "transition_mask": ["array-like", None],
        "random_state": ["random_state"],
    }

    start_counts_: Floats
    transition_counts_: Floats
    history_: Floats
    n_iter_: int
    converged_: bool
    outcome_: str
    restarts_: tuple[Restart, ...]
    log_likelihood_: float
    n_steps_: float
    n_free_: int
    trace_: ChainTrace

    def __init__(
        self,
        n_states: int | None = None,
        *,
        init: Any = None,
        n_init: int = 1,
        m: float = 0.0,
        tol: float = 1e-8,
        max_iter: int = 500,
        transition_mask: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.n_states = n_states
        self.init = init
        self.n_init = n_init
        self.m = m
        self.tol = tol
        self.max_iter = max_iter
        self.transition_mask = transition_mask
        self.random_state = random_state

    # --- what an emission adds ---------------------------------------------------------------------------------

    def _typed(self, table: Table) -> Table:
        """The table with columns of the kind that the emission takes."""
        return table

    @abstractmethod
    def _overview(self, values: Any, weight: Floats, seed: int) -> StepOverview:
        """One look at all steps."""

    @abstractmethod
    def _given_emission(self, given: Mapping[str, Any], n_states: int) -> Emission:
        """The emission that `init` gives."""

    @abstractmethod
    def _keep_emission(self, emission: Any, sums: Any) -> None:
        """Set the attributes of an emission, and the expected sums it was solved from, None where it was given."""

    emission_step: ClassVar[type[EmissionStep]]
    """The M-step of the emission as a work shows it."""

    # --- fit ---------------------------------------------------------------------------------------------------

    def fit(  # type: ignore[override]  # lengths come third, as users of sequences expect
        self,
        X: Any,
        y: Any = None,
        lengths: Any = None,
        *,
        sequence: str | None = None,
        time: str | None = None,
        sample_weight: Any = None,
    ) -> Self:
        """Learn from sequences; with the states `y` of all steps by counting, with those of some, or none, by EM.

        Parameters
        ----------
        X : an array, one sequence; a list of sequences; a frame or a `Table`
        y : states of the steps in the shape of X, or the name of a column; None, NaN or −1 where one is not known
        lengths : the lengths of sequences that follow each other in one array
        sequence, time : names of the columns that say to which sequence a row belongs, and when it was seen
        sample_weight : a weight for each sequence, or for each row, equal within a sequence
        """
        sequences = Sequences.of(X, lengths, sequence, time, y if isinstance(y, str) else None)
        return self._fit(sequences.data, sequences=sequences, states=y, weight=sample_weight)

    @property
    def _admits(self) -> Admits:
        """Steps are checked after reading which sequence they belong to, and which sequences count."""
        return replace(self.card.admits, infinite=True)

    def _ingest(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> Table:
        return self._typed(super()._ingest(X, y, sample_weight, **how))

    def _learn(self, table: Table, sequences: Sequences, states: Any, weight: Any) -> None:
        chunk = sequences.arranged(table.to_chunk())
        labels = read_labels(states, sequences, self.n_states)
        weight = sequence_weights(sequences, weight, chunk, table.source.name)
        takes_part = weight > 0.0
        steps = slice(None) if takes_part.all() else np.repeat(takes_part, sequences.lengths)
        self._require_admitted(replace(chunk, weight=np.repeat(weight, sequences.lengths)), sequences)
        values = self._values(chunk if takes_part.all() else chunk.take(steps))
        label = None if labels.codes is None else labels.codes[steps]
        blocks = cut(values, label, sequences.lengths[takes_part], weight[takes_part], self.discrete)
        self.states_ = labels.states
        self._learn_blocks(values, blocks, labels)

    def _require_known(self, values: Floats, what: str) -> None:
        """Refuse a column that is empty in every step."""
        for column, known in zip(self.schema_.features, ~np.isnan(values).T, strict=True):
            if not known.any():
                raise DataError(f"column {column.name!r} has no {what} in any step that counts: drop it")

    def _learn_blocks(self, values: Any, blocks: list[SequenceBlock], labels: Labels) -> None:
        rng = check_random_state(self.random_state)
        k, seeds = len(labels.states), rng.randint(2**31, size=self.n_init + 1).tolist()
        if labels.codes is None and len(values) < k:
            steps = f"{'is' if len(values) == 1 else 'are'} only {counted(len(values), 'step')}"
            raise DataError(f"n_states is {k}, but there {steps} (n_samples={len(values)})")
        step_weight = np.concatenate([block.step_weight for block in blocks])
        overview, given = self._overview(values, step_weight, seeds[-1]), self._given(k)
        begin = np.ones(k, bool) if given.start is None else given.start > 0.0
        allowed = allowed_transitions(self.transition_mask, given.transition, k)
        solver = overview.solver(self.m, given.emission or overview.start("random", k, seeds[-1]))
        model = Model(begin, allowed, self.m, solver)
        self.n_steps_, self.n_free_ = float(step_weight.sum()), model.n_parameters
        if labels.complete:
            self._count(blocks, model, overview.blank(k))
            return
        how = self.init if isinstance(self.init, str) else self.default_init
        starts = ChainStarts(blocks, model, overview, given, how, labels.codes is not None)
        found = climb(blocks, model, lambda i: starts.start(seeds[i]), self.n_init, self.tol, self.max_iter)
        self._keep(found, blocks)

    def _given(self, n_states: int) -> Given:
        """The parameters that `init` gives, checked."""
        if not isinstance(self.init, dict):
            return Given()
        names = ("start", "transition", *self.emission_names)
        for name in self.init:
            if name not in names:
                raise ParameterError(f"init has {name!r}, which is not one of {', '.join(names)}")
        shapes = {"start": (n_states,), "transition": (n_states, n_states)}
        chain = {
            name: distribution(self.init[name], shape, f"init[{name!r}]")
            for name, shape in shapes.items()
            if name in self.init
        }
        shown = any(name in self.init for name in self.emission_names)
        given = Given(**chain, emission=self._given_emission(self.init, n_states) if shown else None)
        if self.n_init > 1 and given.complete:
            raise ParameterError(f"n_init is {self.n_init}, but init gives one whole start: leave n_init at 1")
        return given

    def _count(self, blocks: list[SequenceBlock], model: Model, blank: Emission) -> None:
        """With every state known, the counts are solved once."""
        counts = labelled_counts(blocks, model, blank)
        parameters = model.solve(counts)
        joint = expected_counts(blocks, parameters).log_likelihood
        sentence = "Every state was known, so the counts were solved once."
        objective = joint + model.log_prior(parameters)
        ended = Restart(objective, 1, sentence)
        even = shares(np.zeros(blank.n_states), model.start_allowed, 0.0)
        chain = shares(np.zeros_like(counts.transition), model.transition_allowed, 0.0)
        begun: EMState[Parameters, ExpectedCounts] = EMState(0, Parameters(even, chain, blank))
        path = begun, EMState(1, parameters, counts)
        self._keep(EMResult(parameters, counts, joint, (objective,), Outcome.CONVERGED, (ended,), 0, path), blocks)

    def _keep(self, result: EMResult[Parameters, ExpectedCounts], blocks: list[SequenceBlock]) -> None:
        counts = result.statistics
        assert counts is not None  # noqa: S101  (climb raises where no step was made)
        self.start_, self.transition_ = result.params.start, result.params.transition
        self._keep_emission(result.params.emission, counts.emission)
        self.start_counts_, self.transition_counts_ = counts.start, counts.transition
        self.history_ = np.array(result.history)
        self.n_iter_, self.converged_, self.outcome_ = result.n_iter, result.converged, result.sentence
        self.restarts_, self.log_likelihood_ = result.restarts, result.log_likelihood
        self.trace_ = ChainTrace.of(blocks[0], len(blocks) == 1, result.path)
        if result.outcome is not Outcome.CONVERGED:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(f"{type(self).__name__}: {self.outcome_}", ConvergenceWarning)

    def set_parameters(
        self, start: Any, transition: Any, emission: Emission, columns: tuple[Column, ...], states: Any
    ) -> Self:
        """Take parameters as they are, without a fit; columns called x0, x1, … have no names of their own."""
        k = emission.n_states
        self.states_ = tuple(range(k)) if states is None else tuple(states)
        if len(self.states_) != k or len(set(self.states_)) != k:
            raise ParameterError(f"states must be {k} different labels, one for each row of the emission")
        self.start_, self.transition_ = (
            distribution(start, (k,), "start"),
            distribution(transition, (k, k), "transition"),
        )
        self._keep_emission(emission, None)
        self.schema_ = Schema(columns, missing=())
        self.n_features_in_ = len(columns)
        names = [column.name for column in columns]
        if names != [f"x{j}" for j in range(len(names))]:
            self.feature_names_in_ = np.array(names, dtype=object)
        return self

    @property
    def n_parameters_(self) -> int:
        """Probabilities, means and the like that the fit could choose, but for what `init` or a mask rules out."""
        check_is_fitted(self, "n_free_")  # a model of given parameters has learned none
        return self.n_free_

    def bic(self, X: Any = None, lengths: Any = None) -> float:
        """p ln N − 2 ln L, N the number of steps, of X or of the fit; lower is better."""
        log_likelihood, n = self._likelihood(X, lengths)
        return information_criteria.bic(log_likelihood, self.n_parameters_, n)

    def aic(self, X: Any = None, lengths: Any = None) -> float:
        """2p − 2 ln L, of X or of the fit; lower is better."""
        return information_criteria.aic(self._likelihood(X, lengths)[0], self.n_parameters_)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_model(self, self._parameters(), options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        sequences, blocks = self._blocks(X, None, None, None)
        block = blocks[0].first_sequence()
        seen, alone = self._observations(block.values[block.code]), len(blocks) == 1 and len(blocks[0].bounds) == 2
        return derive_predictions(self, self._parameters(), block, seen, sequences.listed, alone, options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        check_is_fitted(self, "trace_")
        values = self.trace_.values if not self.discrete_codes else self.trace_.values.astype(np.int32)
        return derive_iteration(self, self._parameters(), iteration, self._observations(values), options)

    def _likelihood(self, X: Any, lengths: Any) -> tuple[float, float]:
        check_is_fitted(self, "n_free_")
        if X is None:
            return self.log_likelihood_, self.n_steps_
        return self.score(X, lengths=lengths), float(Sequences.of(X, lengths).n_steps)
