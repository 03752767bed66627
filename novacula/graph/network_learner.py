"""What learners of networks share: fitted families, the rows they are asked about, and answers for any node."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, InputTypeError, ModelFileError, ParameterError
from novacula.graph.families import CategoricalFamily, Family, GaussianFamily, NodeFamily, tables_of
from novacula.graph.inference.rows import (
    Inference,
    Structure,
    row_likelihoods,
    state_posteriors,
    value_posteriors,
)
from novacula.graph.learning.estimates import TablePrior
from novacula.graph.learning.family_counts import FamilyCounts, GroupMoments
from novacula.graph.learning.family_layout import FamilyLayout
from novacula.graph.learning.parameters import Learned, NetworkSettings, learn_parameters
from novacula.graph.learning.trace import GraphTrace
from novacula.graph.network import Network
from novacula.graph.structure.dag import Dag, Names
from novacula.graph.structure.hill_climb import Move
from novacula.graph.structure.scores import table_score
from novacula.graph.variables import Cells, Variables
from novacula.learner import information_criteria, ingest
from novacula.learner.base import Learner
from novacula.learner.expectation_maximization import Restart
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.trace import FitPath
from novacula.state import State, any_record, each, flag, floats, mapping, number, optional, record, text, whole
from novacula.table import Column, Schema, Table, read
from novacula.table.chunk import Floats
from novacula.table.frames import is_frame
from novacula.table.names import as_names
from novacula.words import listed, quoted


class NetworkLearner(Learner):
    """A learner whose model is a Bayesian network; `families_` are its families by node, parents first."""

    state_types: ClassVar[tuple[type, ...]] = (
        CategoricalFamily, GaussianFamily, FamilyCounts, GroupMoments, Restart, Move, GraphTrace, FitPath,
    )  # fmt: skip
    state: ClassVar[State] = {
        "families_": mapping(any_record(NodeFamily)),
        "target_names_": each(text()),
        "counts_": optional(record(FamilyCounts)),  # a network that was given has none, and none of the following
        "log_likelihood_": optional(number(), beside="counts_"),
        "history_": optional(floats("iterations+1"), beside="counts_"),
        "n_iter_": optional(whole(), beside="counts_"),
        "converged_": optional(flag(), beside="counts_"),
        "outcome_": optional(text(), beside="counts_"),
        "restarts_": optional(each(record(Restart)), beside="counts_"),
        "moves_": optional(each(record(Move))),
        "trace_": optional(record(GraphTrace)),  # of EM over distinct rows
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "m": [Interval(Real, 0, None, closed="left"), StrOptions({"laplace"})],
        "equivalent_sample_size": [Interval(Real, 0, None, closed="neither"), None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "unseen": [StrOptions({"ignore", "error"})],
    }

    families_: dict[str, Family]
    counts_: FamilyCounts
    target_names_: tuple[str, ...]
    log_likelihood_: float
    history_: Floats
    n_iter_: int
    converged_: bool
    outcome_: str
    restarts_: tuple[Restart, ...]
    moves_: tuple[Move, ...]
    trace_: GraphTrace

    def __init__(
        self,
        m: float | str = 0.0,
        equivalent_sample_size: float | None = None,
        var_smoothing: float = 1e-9,
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-8,
        init: Any = None,
        random_state: Any = 0,
        unseen: str = "ignore",
    ) -> None:
        self.m = m
        self.equivalent_sample_size = equivalent_sample_size
        self.var_smoothing = var_smoothing
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state
        self.unseen = unseen

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn_graph(self, table: Table, dag: Dag, variables: Variables) -> None:
        """Set the parameters of a graph."""
        self._keep(learn_parameters(table, dag, variables, self._settings()))

    def _settings(self) -> NetworkSettings:
        return NetworkSettings(
            self._prior(), self.var_smoothing, self.init, self.n_init, self.max_iter, self.tol, self.random_state
        )

    def _prior(self) -> TablePrior:
        if self.equivalent_sample_size is not None and self.m != 0.0:
            raise ParameterError("m and equivalent_sample_size are two ways to state one prior: leave one of them out")
        return TablePrior(self.m, self.equivalent_sample_size)

    def _keep(self, learned: Learned) -> None:
        self.families_, self.counts_ = learned.families, learned.counts
        self.log_likelihood_ = learned.log_likelihood
        run = learned.run
        self.history_ = np.array([learned.log_likelihood] if run is None else run.history)
        self.n_iter_, self.converged_ = (1, True) if run is None else (run.n_iter, run.converged)
        self.outcome_ = "Every cell is known, so one pass sufficed." if run is None else run.sentence
        self.restarts_ = () if run is None else run.restarts
        if learned.trace is not None:
            self.trace_ = learned.trace

    # --- the network -------------------------------------------------------------------------------------------

    @property
    def network_(self) -> Network:
        """The network that was learned: queries, sampling, d-separation, BIF, drawing. Keep it to ask often."""
        check_is_fitted(self)
        return Network(tuple(self.families_.values()))

    @property
    def edges_(self) -> tuple[tuple[str, str], ...]:
        """The edges (parent, child)."""
        return self._dag().edges

    @property
    def n_parameters_(self) -> int:
        """Those of all families: tables of probabilities, intercepts, weights and variances."""
        return self.network_.n_parameters

    def query(self, variables: str | Sequence[str], evidence: Mapping[str, Any] | None = None, **options: Any) -> Any:
        """P(variables | evidence), as `Network.query` gives it."""
        return self.network_.query(variables, evidence, **options)

    def map_query(self, variables: Any = None, evidence: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The most probable states of discrete nodes, jointly."""
        return self.network_.map_query(variables, evidence)

    def sample(self, n: int = 1) -> Any:
        """Rows drawn from the network, as a PyArrow table."""
        return self.network_.sample(n, self.random_state)

    def d_separated(self, a: Names, b: Names, given: Names = ()) -> bool:
        """Whether the graph makes a and b independent given the rest, for any probabilities."""
        return self._dag().d_separated(a, b, given)

    def markov_blanket(self, node: str) -> tuple[str, ...]:
        """Parents, children, and the children's other parents: given these, nothing else matters to the node."""
        return self._dag().markov_blanket(node)

    def plot(self, evidence: Iterable[str] = (), title: str = "") -> Figure:
        """The graph in layers, parents above their children; nodes named in `evidence` are shaded."""
        return self.network_.plot(evidence, title)

    def plot_climb(self, lines: Mapping[str, float] | None = None) -> Figure:
        """The objective of EM against the iterations; `lines` are other log-likelihoods by name, drawn across."""
        check_is_fitted(self)
        if lines is not None and not isinstance(lines, Mapping):
            raise InputTypeError(f"lines is {quoted(lines)}; give log-likelihoods by name, as {{'the truth': -1982.2}}")
        history = getattr(self, "history_", np.zeros(0))
        if not len(history):
            raise ParameterError("nothing was climbed: a network that is given, or learned by counting, has no EM")
        flat = {name: np.full(len(history), number_of(value, name)) for name, value in (lines or {}).items()}
        return curve_figure(
            np.arange(len(history)),
            {"EM": history, **flat},
            title="The log-likelihood never falls",
            xlabel="iteration",
            ylabel="ln p",
        )

    def to_bif(self, path: str | os.PathLike[str]) -> None:
        """Write a discrete network to a file in the Bayesian interchange format, all digits kept."""
        self.network_.to_bif(path)

    # --- how likely --------------------------------------------------------------------------------------------

    def score_samples(self, X: Any, y: Any = None) -> Floats:
        """ln p of the known cells of each row, with those of the target if y gives it: its values, or a column."""
        table = self._rows(X, y)
        found: Floats = table.map(row_likelihoods, self._cells(table), self._inference())
        return found

    def log_likelihood(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> float:
        """Σ ln p of the known cells, of X or of the rows of the fit; a table brings its own target and weights."""
        return self._likelihood(X, y, sample_weight)[0]

    def bic(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> float:
        """k ln N − 2 ln L, of X or of the rows of the fit; lower is better."""
        log_likelihood, n = self._likelihood(X, y, sample_weight)
        return information_criteria.bic(log_likelihood, self.n_parameters_, n)

    def aic(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> float:
        """2k − 2 ln L, of X or of the rows of the fit; lower is better."""
        return information_criteria.aic(self._likelihood(X, y, sample_weight)[0], self.n_parameters_)

    def bdeu(self, equivalent_sample_size: float = 10.0) -> float:
        """ln P(rows of the fit | graph), tables integrated out under BDeu's prior; higher is better."""
        self._require_counts()
        if self.counts_.moments or self.counts_.incomplete > 0.0:
            raise DataError("bdeu needs counts of discrete nodes in rows without an empty cell: take bic instead")
        if not equivalent_sample_size > 0.0:
            raise ParameterError(f"equivalent_sample_size is {equivalent_sample_size!r}; it must be above 0")
        tables, n = self._layout().split(self.counts_.counts), self.counts_.weight
        return sum(table_score(counts, "bdeu", n, equivalent_sample_size) for counts in tables)

    def _require_counts(self) -> None:
        check_is_fitted(self)
        if not hasattr(self, "counts_"):
            raise DataError("the network was given and saw no rows of a fit: give rows, or fit it")

    def _likelihood(self, X: Any, y: Any, sample_weight: Any) -> tuple[float, float]:
        if X is None:
            self._require_counts()
            return self.log_likelihood_, float(self.counts_.weight)
        if isinstance(X, Table) and y is None and all(name in X.layout for name in self.target_names_):
            y = self.target_names_
        log_p = self.score_samples(X, y)
        weight = ingest.weight_values(X) if isinstance(X, Table) else ingest.weights_of(sample_weight, log_p)
        weight = np.ones(len(log_p)) if weight is None else weight
        return float(weight @ log_p), float(weight.sum())

    # --- answers -----------------------------------------------------------------------------------------------

    def _states(self, X: Any, target: str) -> Floats:
        """P(state | known cells of the row) of a discrete node: (n, K)."""
        place = list(self._variables().states).index(target)
        return self._posteriors(X, target, state_posteriors, place)

    def _values(self, X: Any, target: str) -> Floats:
        """Mean and standard deviation of a continuous node given the known cells of each row: (n, 2)."""
        return self._posteriors(X, target, value_posteriors, target)

    def _posteriors(self, X: Any, target: str, posteriors: Any, node: Any) -> Floats:
        table = self._rows(X, without=target)
        answers: Floats = table.map(posteriors, self._cells(table, target), self._inference(), node)
        lost = np.isneginf(answers[:, -1])
        if lost.any():
            raise DataError(
                f"row {int(np.argmax(lost)) + 1} has probability zero under the network, so nothing follows from it: m "
                "above 0 leaves nothing impossible"
            )
        return answers[:, :-1]

    def _rows(self, X: Any, y: Any = None, without: str | None = None) -> Table:
        """Rows laid out as at fit, with the target where it is given; the column `without` need not be there."""
        check_is_fitted(self)
        own = {column.name for column in self.schema_.features}
        table = ingest.as_table(X, None, None)
        if table is None and without in own and is_frame(X) and without not in _column_names(X):
            table = read(X, progress=False)
        if table is None:
            table = self._query(X, self.unseen)
            return table if y is None else self._beside(table, y)
        layout = self.schema_ if without is None or without in table.layout else _without(self.schema_, without)
        # Where another node is predicted, a table brings its target as evidence.
        held_targets = tuple(name for name in self.target_names_ if name in table.layout and name != without)
        targets = as_names(y) if without is None else held_targets
        layout = replace(layout, columns=(*layout.columns, *(self._column(name) for name in targets)))
        return self._answering(table.with_target(None).conform(layout, ingest.unseen_policy(self.unseen)))

    def _beside(self, table: Table, y: Any) -> Table:
        """The table with the target's values as its target."""
        if not self.target_names_:
            raise ParameterError("the network was fitted without a target, so there is no node for y")
        column = self._column(self.target_names_[0])
        values = np.asarray(y)
        if len(values) != len(table):
            raise DataError(f"y has {len(values)} values for {len(table)} rows")
        if column.kind == "categorical":
            family = tables_of(self.families_)[column.name]
            values = np.array([family.code(value) for value in values.tolist()], np.int32)
        else:
            values = np.asarray(values, np.float64)
        source: Any = table.source
        source.target = values
        layout = replace(table.layout, columns=(*table.layout.columns, column), target=(column.name,))
        return Table(source, layout, unseen=table.unseen, runner=table.runner, progress=False)

    def _column(self, name: str) -> Column:
        """A target as a column of a schema."""
        if name not in self.target_names_:
            raise ParameterError(f"the target {name!r} was not a target at fit: {listed(self.target_names_)} were")
        return self.families_[name].column

    def _target(self, target: str | None) -> str:
        """The node to predict: by name, or the target of the fit."""
        check_is_fitted(self)
        if target is None:
            if not self.target_names_:
                raise ParameterError(f"name the node to predict, target=: the nodes are {listed(self.families_)}")
            return self.target_names_[0]
        if target not in self.families_:
            raise ParameterError(f"there is no node {target!r}: the nodes are {listed(self.families_)}")
        return target

    def _asked(self, X: Any, target: str, most: int) -> tuple[Any, Floats, bool]:
        """Codes and numbers of all nodes in the first rows of X, without the target, and whether there are more."""
        table = self._rows(X, without=target)
        cells, chunk = self._cells(table, target), table.head(most).to_chunk()
        return cells.codes(chunk), cells.numbers(chunk), len(table) > most

    # --- compiled ----------------------------------------------------------------------------------------------

    def _dag(self) -> Dag:
        check_is_fitted(self)
        return Dag({node: family.all_parents for node, family in self.families_.items()})

    def _variables(self) -> Variables:
        return Variables.of_families(self.families_.values(), ())

    def _layout(self) -> FamilyLayout:
        return FamilyLayout.of(self._dag().parents.items(), self._variables())

    def _inference(self) -> Inference:
        return Inference.of(Structure.of(self._dag(), self._variables()), self.families_)

    def _cells(self, table: Table, without: str | None = None) -> Cells:
        return Cells.of(self._variables(), table.layout, without)

    def _check_state(self) -> None:
        """After loading: families must make a network of these columns, since the compiled loops trust their shapes."""
        named = all(node == family.node for node, family in self.families_.items())
        if not named or self.network_.nodes != tuple(self.families_):
            raise ModelFileError("its families_ are not under the names of their nodes, parents first")
        for column in self.schema_.features:
            if not self._holds(column):
                raise ModelFileError(f"its column {column.name!r} does not fit the node of that name")
        columns = {column.name for column in self.schema_.features}
        for name in self.target_names_:
            if name not in self.families_ or name in columns:
                raise ModelFileError(f"its target {name!r} is not a node besides the columns")
        if hasattr(self, "counts_") and not self._counts_fit():
            raise ModelFileError("its counts_ do not fit its families_")

    def _holds(self, column: Column) -> bool:
        """Whether a column's codes are those of its node."""
        family = self.families_.get(column.name)
        kind = "numeric" if isinstance(family, GaussianFamily) else "categorical"
        return family is not None and column.kind == kind and column.categories == family.states

    def _counts_fit(self) -> bool:
        """Whether there is a count for each entry of a table, and a moment for each line."""
        layout, own = self._layout(), self.counts_
        lines = zip(layout.group_shapes, layout.lines, strict=True)
        shapes = [(math.prod(groups), len(line)) for groups, line in lines]
        return len(own.counts) == layout.offsets[-1] and [m.mean.shape for m in own.moments] == shapes


def number_of(value: Any, name: str) -> float:
    """A log-likelihood that can be drawn."""
    if not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ParameterError(f"the line {name!r} is at {value!r}; it must be a finite number")
    return float(value)


def _column_names(frame: Any) -> list[str]:
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def _without(schema: Schema, name: str) -> Schema:
    return schema.drop([name]) if name in schema else schema
