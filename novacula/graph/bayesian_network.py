"""Bayesian networks learned from rows: tables and regressions by counting, by EM where cells are empty, and edges.

    P(x₁, …, xₙ) = Π P(xᵢ | parents of xᵢ)        P̂(x|u) = (n_xu + m/r) / (n_u + m)

Categorical columns are discrete nodes, numeric ones are Gaussian: linear in their continuous parents, with a line of
their own for each configuration of the discrete ones. Hidden nodes are not columns at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from novacula.errors import ParameterError
from novacula.graph.derivation import derive_given, derive_iteration, derive_model, derive_predictions
from novacula.graph.network import Network
from novacula.graph.network_learner import NetworkLearner
from novacula.graph.structure.methods import learn_structure
from novacula.graph.variables import Variables
from novacula.learner import ingest
from novacula.learner.card import Admits, Card
from novacula.learner.checkpointing import kept_up
from novacula.learner.labels import labels_of
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.table import Column, Schema, Table
from novacula.table.chunk import Floats
from novacula.table.frames import is_frame, names_of_frame


class BayesianNetwork(NetworkLearner):
    """A Bayesian network over the columns of a table.

    Parameters
    ----------
    edges : list of (parent, child), or dict node → parents, default=None
        The graph; None has no edges. A numeric column cannot be a parent of a categorical one.
    m : float or "laplace", default=0.0
        Weight of an even prior in each configuration of the parents, in rows. 0 is maximum likelihood; "laplace" is
        the number of states, which starts every count at 1. Continuous nodes have no prior.
    hidden : dict, default=None
        Nodes that are not columns: {"Bag": 2}, or {"Bag": ["first", "second"]}.
    equivalent_sample_size : float, default=None
        In place of m: the prior's rows in all configurations together (BDeu), α/(q·r) per cell.
    var_smoothing : float, default=1e-9
        The least variance of a continuous node, as a share of its column's own.
    n_init : int, default=1
        Starts of EM, of which the most probable end is kept.
    max_iter : int, default=500
    tol : float, default=1e-8
        EM ends when its objective changes by no more, as a share of its size.
    init : Network, dict node → family or table, or list of families, default=None
        Where EM starts; a probability of 0 stays 0. Nodes that are left out start as they would. A table is a dict
        by state, {"red": 0.6, "green": 0.4}, for each state of the parents first, or numbers in the order of the
        states, which is that of the schema: sorted, unless the table states another.
    random_state : int, RandomState or None, default=0
        Chooses the starts, and what `sample` gives.
    unseen : {"ignore", "error"}, default="ignore"
        Categories that were not there at fit: treated as missing, with a warning, or refused.

    Attributes
    ----------
    families_ : dict
        `CategoricalFamily` or `GaussianFamily` of each node, parents first.
    network_, edges_, n_parameters_
        The same as a `Network`, which answers queries, draws itself and is written to BIF; edges; how many parameters.
    counts_ : FamilyCounts
        Counts and moments that the families were solved from, expected ones after EM.
    log_likelihood_, history_, n_iter_, converged_, outcome_, restarts_
        ln p of all known cells; EM's objective from the start on, updates made, why it ended, and of every start how.
    target_names_ : tuple of str
        The node that was passed as y, or the target of the table, if there was one.
    moves_ : tuple of Move
        After `fit_structure` by hill climbing: what was done.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.graph import BayesianNetwork
    >>> tennis = nv.datasets.load("play_tennis")
    >>> edges = [("PlayTennis", "Outlook"), ("PlayTennis", "Wind"), ("Outlook", "Humidity")]
    >>> model = BayesianNetwork(edges, m=1.0).fit(tennis)
    >>> model.query("PlayTennis", {"Outlook": "Sunny", "Wind": "Strong"})
    PlayTennis  P
    No          0.696732
    Yes         0.303268
    """

    card: ClassVar[Card] = Card(
        name="Bayesian network",
        task="inference",
        summary="A joint distribution as a graph: each node has a table or a regression given its parents.",
        hypothesis_space="Tables of probabilities and linear Gaussians along the edges of an acyclic graph.",
        inductive_bias="A node is independent of all that is not below it once its parents are known.",
        objective="Likelihood of the known cells, or posterior density with m or equivalent_sample_size.",
        search="None where all cells are known; EM elsewhere. Edges: hill climbing, or the best tree.",
        noise="Averages out in the counts; a table of many configurations has few rows for each.",
        missing="Summed out: expected counts by exact inference, in EM and in predictions.",
        admits=Admits(missing=True),
        unseen="Treated as missing with a warning, or refused (unseen='error').",
        takes=("numeric", "categorical"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="High: a graph of what depends on what, with a table for each node.",
        answer_cost="The cells of the cliques that evidence leaves, for each row.",
        cost="One pass, n·d. EM: a step costs the distinct incomplete rows times the cliques of their empty cells; "
        "where all nodes are discrete, up to 2²⁴ cells of these are kept; else each step is a pass.",
        cost_exponents={"n": 1, "d": 1},
        references=(
            "Koller and Friedman, Probabilistic Graphical Models (2009), chapters 17 to 19",
            "Lauritzen, The EM algorithm for graphical association models with missing data (1995)",
        ),
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NetworkLearner._parameter_constraints,
        "edges": [list, tuple, Mapping, None],
        "hidden": [Mapping, None],
    }

    def __init__(
        self,
        edges: Any = None,
        m: float | str = 0.0,
        hidden: Mapping[str, Any] | None = None,
        equivalent_sample_size: float | None = None,
        var_smoothing: float = 1e-9,
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-8,
        init: Any = None,
        random_state: Any = 0,
        unseen: str = "ignore",
    ) -> None:
        super().__init__(m, equivalent_sample_size, var_smoothing, n_init, max_iter, tol, init, random_state, unseen)
        self.edges = edges
        self.hidden = hidden

    @classmethod
    def from_network(cls, network: Network) -> Self:
        """A network whose parameters are given, ready for rows and queries without a fit."""
        model = cls([*network.dag.edges])
        model.families_ = {family.node: family for family in network.families}
        model.target_names_ = ()
        columns = [family.column for family in network.families]
        model.schema_ = Schema(tuple(columns), missing=())
        model.n_features_in_ = len(columns)
        model.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
        return model

    @classmethod
    def from_bif(cls, path: str | os.PathLike[str]) -> Self:
        """A network from a file in the Bayesian interchange format."""
        return cls.from_network(Network.from_bif(path))

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        variables = self._nodes(table, self.hidden)
        self._learn_graph(table, variables.graph(self.edges), variables)

    def fit_structure(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        score: str = "bic",
        method: str = "hill_climb",
        max_parents: int = 4,
        whitelist: Iterable[Sequence[str]] = (),
        blacklist: Iterable[Sequence[str]] = (),
        root: str | None = None,
        target: str | None = None,
        tabu: int = 0,
    ) -> Self:
        """Find the edges, and then learn the parameters; `edges` is ignored.

        `method` is "hill_climb", by `score` ("bic", "aic" or "bdeu"), "chow_liu", the best tree, from `root`, or "tan",
        the best tree within the classes of `target`, by default the target of the fit. The edges of `whitelist` are
        always there, those of `blacklist` never. `tabu` moves may lead down before the climb ends. Rows with an empty
        cell take no part in the search, and a warning says so.
        """
        if self.hidden:
            raise ParameterError("edges of hidden nodes are not searched for: give edges, and call fit")
        with self._whole():
            table = self._begun(X, y, sample_weight)
            variables, target = self._nodes(table, None), target or next(iter(self.target_names_), None)
            whitelist, blacklist = list(whitelist), list(blacklist)
            search = method, score, max_parents, whitelist, blacklist, root, target, tabu
            with kept_up(self, table, search):
                dag, self.moves_ = learn_structure(
                    table, variables, method, score, self.equivalent_sample_size or 10.0, self.var_smoothing,
                    max_parents=max_parents, whitelist=whitelist, blacklist=blacklist, root=root, target=target,
                    tabu=tabu,
                )  # fmt: skip
                self._learn_graph(table, dag, variables)
        return self

    def _targets_beside(self, source: Any, X: Any, y: Any, classes: Any) -> list[Column]:
        """y is one more node, together with the columns."""
        columns = [] if y is None else [self._target_column(source, y, X)]
        self.target_names_ = tuple(column.name for column in columns)
        return columns

    def _with_target(self, table: Table, classes: Any = None) -> Table:
        """The target is one more node, among the columns, whose cells may be empty."""
        self.target_names_ = table.layout.target
        return table.with_target(None)

    def _remember(self, table: Table) -> None:
        among = [name for name in self.target_names_ if name not in table.layout.target]
        super()._remember(table.drop(among) if among else table)

    def _target_column(self, source: Any, y: Any, X: Any) -> Column:
        """Make y the target of the source: numbers are a continuous node, words a discrete one."""
        values = np.asarray(y)
        if values.dtype.kind in "iuf":
            source.target = np.ravel(ingest.numbers_of(values, X))
            return Column(ingest.target_names(source, source.target)[0], "numeric", missing=0)
        classes, source.target = labels_of(y, X)
        name = ingest.target_names(source, source.target)[0]
        return Column(name, "categorical", tuple(classes.tolist()), declared=True, missing=0)

    def _nodes(self, table: Table, hidden: Mapping[str, Any] | None) -> Variables:
        return Variables.of((*table.layout.features, *table.layout.target_columns), hidden)

    # --- predict -----------------------------------------------------------------------------------------------

    def predict(self, X: Any, target: str | None = None) -> Any:
        """The most probable state of a node given the other cells of each row, or its mean; ties go to the first."""
        name = self._target(target)
        states = self.families_[name].states
        return np.array(states)[np.argmax(self._states(X, name), axis=1)] if states else self._values(X, name)[:, 0]

    def predict_proba(self, X: Any, target: str | None = None) -> Floats:
        """Probabilities of a node's states, in the order of its states; of a continuous node mean and deviation."""
        name = self._target(target)
        return self._states(X, name) if self.families_[name].states else self._values(X, name)

    # --- explain -----------------------------------------------------------------------------------------------

    def work(self, X: Any = None, *, target: str | None = None, **how: Any) -> Work:
        """Derive the tables or, with X, the posterior of a node for its first rows; see `Learner.work` for the rest.

        The node is `target`; by default the target of the fit, else one that X has no column of, else the last.
        """
        if target is None:
            return super().work(X, **how)
        if X is None:
            raise ParameterError("target is the node whose posterior is derived for rows: give X, too")
        return _NodeQuestion(self, self._target(target)).work(X, **how)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_model(self, self._prior(), options) if hasattr(self, "counts_") else derive_given(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        if self.target_names_:
            return self.derive_node(X, self.target_names_[0], options)
        columns = list(self.families_)
        if isinstance(X, Table):
            columns = [column.name for column in X.layout.features]
        elif is_frame(X):
            columns = names_of_frame(X)
        open_nodes = [node for node in self.families_ if node not in columns]
        return self.derive_node(X, (open_nodes or list(self.families_)[-1:])[0], options)

    def derive_node(self, X: Any, target: str, options: WorkOptions) -> Work:
        """Derive the posterior of a node for the first rows of X."""
        codes, numbers, cut = self._asked(X, target, options.rows)
        tied = self.target_names_[:1] == (target,)
        return derive_predictions(self, self._inference(), target, codes, numbers, cut, tied)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_iteration(self, self._prior(), iteration, options)


class _NodeQuestion(ShowsWork):
    """What a network says of one of its nodes."""

    def __init__(self, model: BayesianNetwork, target: str) -> None:
        self.model, self.target = model, target

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        return self.model.derive_node(X, self.target, options)
