"""Hidden Markov models of symbols: P(xₜ = v | zₜ = k) is a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from novacula.errors import ModelFileError, ParameterError
from novacula.graph.hmm.base import IN_TIME, HiddenMarkovModel
from novacula.graph.hmm.derivation.emissions import EmissionStep, SymbolStep
from novacula.graph.hmm.emissions.categorical import CategoricalEmission, CategoricalOverview
from novacula.graph.hmm.parameters import TOLERANCE, distribution
from novacula.learner.card import Admits, Card
from novacula.state import State, floats, optional
from novacula.table import Chunk, Column, Table
from novacula.table.chunk import MISSING, Codes, Floats


class CategoricalHMM(HiddenMarkovModel):
    """A chain of hidden states, each of which shows symbols by probabilities of its own.

    Parameters
    ----------
    n_states : int, default=None
        None means as many as `y` names, and 2 without y.
    symbols : list, default=None
        The labels of the columns of the emission, for several columns a list of lists; None means those that are seen,
        in their order.
    init : {"random"} or dict, default=None
        Where EM starts. A dict gives any of "start" (K,), "transition" (K, K) and "emission" (K, M); what it sets to 0
        stays 0. None is "random".
    n_init : int, default=1
        Starts, of which the best is kept.
    m : float, default=0.0
        A pseudo-count for every start, transition and emission that is allowed; EM then climbs the posterior.
    tol : float, default=1e-8
        It ends when the objective changes by no more than this share of its size.
    max_iter : int, default=500
    transition_mask : array (K, K) of bool, default=None
        Which transitions are allowed.
    unseen : {"ignore", "error"}, default="ignore"
        What becomes of symbols that were not there at fit: they count as missing, with a warning, or are refused.
    random_state : int, RandomState or None, default=0
        Chooses the starts, and what `sample` gives.

    Attributes
    ----------
    start_, transition_, emission_
        What was learned: P(z₁) (K,), P(zₜ₊₁ | zₜ) (K, K) and P(x | z) (K, M).
    states_, symbols_ : tuple
        The labels of rows and columns of the emission. Several columns are side by side, by `offsets_`.
    start_counts_, transition_counts_, emission_counts_
        The expected counts from which the parameters were solved.
    log_likelihood_, history_, n_iter_, converged_, outcome_, restarts_
        ln p of all sequences (with the states that were known), the objective from the start on, and how it ended.
    n_steps_, n_free_
        The weight of all steps, and how many numbers the fit could choose.

    Examples
    --------
    Somebody in a cellar sees who comes with an umbrella, and asks for the weather (Russell and Norvig):

    >>> model = CategoricalHMM.from_parameters(
    ...     [0.5, 0.5], [[0.7, 0.3], [0.3, 0.7]], [[0.9, 0.1], [0.2, 0.8]],
    ...     states=["rain", "sun"], symbols=["umbrella", "none"],
    ... )
    >>> model.filter(["umbrella", "umbrella"]).round(3).tolist()
    [[0.818, 0.182], [0.883, 0.117]]
    >>> model.smooth(["umbrella", "umbrella"])[0].round(3).tolist()
    [0.883, 0.117]
    >>> print(*model.predict(["umbrella", "umbrella", "none", "umbrella", "umbrella"]))
    rain rain sun rain rain
    """

    card: ClassVar[Card] = Card(
        name="Hidden Markov model of symbols",
        task="sequence",
        summary="A chain of hidden states, each of which shows symbols by probabilities of its own.",
        hypothesis_space="Starts, transitions and emissions of K states: tables of probabilities.",
        inductive_bias="What comes depends on the present state alone, and there are few states.",
        objective="Likelihood of the sequences, times a Dirichlet prior if m > 0.",
        search="Baum–Welch (EM), which never falls, from one start or several; counting where states are known.",
        noise="Averages out in the expected counts.",
        missing="Integrated out: a step without a symbol says nothing, but time goes on.",
        admits=Admits(missing=True),
        unseen="Treated as missing, with a warning, or refused (`unseen`).",
        takes=("numeric", "categorical"),
        uses="arrays",
        interpretability="Middling: the tables of each state can be read, the path of states is inferred.",
        answer_cost="K² for each step of a sequence.",
        cost="n·K² per iteration, for any number of symbols.",
        cost_exponents={"n": 1, "K": 2},
        size="n_states",
        references=(
            "Baum, Petrie, Soules and Weiss, A maximization technique in the analysis of Markov chains (1970)",
            "Rabiner, A tutorial on hidden Markov models (1989)",
        ),
        expected_failures=IN_TIME,
    )
    discrete: ClassVar[bool] = True
    discrete_codes: ClassVar[bool] = True
    emission_step: ClassVar[type[EmissionStep]] = SymbolStep
    default_init: ClassVar[str] = "random"
    emission_names: ClassVar[tuple[str, ...]] = ("emission",)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **HiddenMarkovModel._parameter_constraints,
        "symbols": ["array-like", None],
        "init": [StrOptions({"random"}), dict, None],
        "unseen": [StrOptions({"ignore", "error"})],
    }
    state: ClassVar[State] = {
        "emission_": floats("states", "symbols", least=0.0, finite=False),  # those of a column sum to 1, see below
        "emission_counts_": optional(floats("states", "symbols", least=0.0), beside="history_"),
    }

    emission_: Floats
    emission_counts_: Floats

    def __init__(
        self,
        n_states: int | None = None,
        *,
        symbols: Any = None,
        init: Any = None,
        n_init: int = 1,
        m: float = 0.0,
        tol: float = 1e-8,
        max_iter: int = 500,
        transition_mask: Any = None,
        unseen: str = "ignore",
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            n_states, init=init, n_init=n_init, m=m, tol=tol, max_iter=max_iter, transition_mask=transition_mask,
            random_state=random_state,
        )  # fmt: skip
        self.symbols = symbols
        self.unseen = unseen

    @classmethod
    def from_parameters(
        cls,
        start: Any,
        transition: Any,
        emission: Any,
        *,
        symbols: Sequence[Any] | None = None,
        states: Sequence[Any] | None = None,
        column: str = "x0",
        **parameters: Any,
    ) -> Self:
        """A model of known parameters, to be asked without a fit; symbols and states are 0, 1, … unless named."""
        shape = np.shape(emission)
        if len(shape) != 2:
            raise ParameterError(f"emission has shape {shape}; it must be a table with one row per state")
        labels = tuple(range(shape[1])) if symbols is None else tuple(symbols)
        if len(labels) != shape[1] or len(set(labels)) != len(labels):
            raise ParameterError(f"symbols must be {shape[1]} different labels, one for each column of emission")
        model = cls(shape[0], symbols=symbols, **parameters)
        known_emission = CategoricalEmission(distribution(emission, shape, "emission"), np.array([0, shape[1]]))
        return model.set_parameters(
            start, transition, known_emission, (Column(column, "categorical", labels, declared=True),), states
        )

    # --- what an emission adds ---------------------------------------------------------------------------------

    @property
    def _admits(self) -> Admits:
        return self.card.admits

    def _typed(self, table: Table) -> Table:
        """Every column as symbols: those that are named, or those that are seen."""
        columns = table.layout.features
        if self.symbols is None and table.layout.of_kind("numeric"):
            table.to_chunk()  # which is held anyway, and refuses numbers that cannot be symbols
        if self.symbols is None:
            types: dict[str, Any] = {column.name: "categorical" for column in columns if column.kind != "categorical"}
        else:
            lists = [self.symbols] if len(columns) == 1 and not _nested(self.symbols) else list(self.symbols)
            if len(lists) != len(columns):
                raise ParameterError(f"symbols has {len(lists)} lists, but there are {len(columns)} columns")
            types = {column.name: list(labels) for column, labels in zip(columns, lists, strict=True)}
        return table.with_types(types) if types else table

    def _values(self, chunk: Chunk) -> Codes:
        return np.maximum(chunk.codes, MISSING)

    def _overview(self, values: Codes, weight: Floats, seed: int) -> CategoricalOverview:
        return CategoricalOverview.of(values, weight, self.offsets_)

    def _given_emission(self, given: Mapping[str, Any], n_states: int) -> CategoricalEmission:
        m = int(self.offsets_[-1])
        if len(self.offsets_) > 2:
            parts = np.split(np.asarray(given["emission"], float), self.offsets_[1:-1], axis=1)
            shapes = [(n_states, end - begin) for begin, end in zip(self.offsets_[:-1], self.offsets_[1:], strict=True)]
            tables = [distribution(part, shape, "init['emission']") for part, shape in zip(parts, shapes, strict=True)]
            return CategoricalEmission(np.hstack(tables), self.offsets_)
        return CategoricalEmission(distribution(given["emission"], (n_states, m), "init['emission']"), self.offsets_)

    @property
    def offsets_(self) -> Any:
        """Where the symbols of each column begin, and the last ends."""
        return np.cumsum([0, *(len(column.categories) for column in self.schema_.features)])

    @property
    def symbols_(self) -> tuple[Any, ...]:
        """The labels of the columns of the emission."""
        return tuple(label for column in self.schema_.features for label in column.categories)

    def _emission(self) -> CategoricalEmission:
        return CategoricalEmission(self.emission_, self.offsets_)

    def _keep_emission(self, emission: CategoricalEmission, sums: Any) -> None:
        self.emission_ = emission.probability
        if sums is not None:
            self.emission_counts_ = sums

    def _observations(self, values: Codes) -> Any:
        labels = [np.array(column.categories, object) for column in self.schema_.features]
        return np.column_stack([own[code] for own, code in zip(labels, values.T, strict=True)])

    def _check_state(self) -> None:
        super()._check_state()
        columns = self.schema_.features
        if any(column.kind != "categorical" for column in columns) or self.emission_.shape[1] != self.offsets_[-1]:
            raise ModelFileError("its emission_ does not fit the symbols of its columns")
        for column, begin, end in zip(columns, self.offsets_[:-1], self.offsets_[1:], strict=True):
            if end > begin and not (np.abs(self.emission_[:, begin:end].sum(axis=1) - 1.0) <= TOLERANCE).all():
                raise ModelFileError(f"its emission_ holds probabilities of {column.name!r} that do not sum to 1")


def _nested(symbols: Any) -> bool:
    """Whether symbols are lists, one per column."""
    return all(isinstance(part, (list, tuple, np.ndarray)) for part in symbols)
