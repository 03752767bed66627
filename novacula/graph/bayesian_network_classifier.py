"""Classification by a Bayesian network: the posterior of the class given the other cells of a row.

    P(c | x) ∝ Σ over what is empty of Π P(node | parents)

Naive Bayes is the network in which the class is the only parent; a tree-augmented one (Friedman, Geiger and
Goldszmidt, 1997) lets each column depend on one more, so that what two columns say twice is not counted twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from novacula.errors import ModelFileError
from novacula.graph.derivation import derive_iteration, derive_model, derive_predictions
from novacula.graph.network_learner import NetworkLearner
from novacula.graph.structure.chow_liu import naive_structure
from novacula.graph.structure.dag import Dag
from novacula.graph.structure.methods import learn_structure
from novacula.graph.variables import Variables
from novacula.learner.base import Classifier
from novacula.learner.card import Admits, Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.tree.structure import most_frequent

WIDE = 500
"""Columns beyond which a study tries no tree, since every pair of them would be compared."""


class BayesianNetworkClassifier(NetworkLearner, Classifier):
    """A Bayesian network that predicts one of its nodes.

    Parameters
    ----------
    structure : {"tan", "naive", "hill_climb"}, list of (parent, child) or dict node → parents, default="tan"
        The class and a tree among the columns; the class alone above all columns; the best graph by `criterion`; or
        edges. The class is the node "y", or a table's target.
    m : float or "laplace", default=1.0
        Weight of an even prior in each configuration of the parents, in rows.
    criterion : {"bic", "aic", "bdeu"}, default="bic"
        What hill climbing climbs.
    max_parents : int, default=4
        Of a node, in hill climbing.
    equivalent_sample_size, var_smoothing, n_init, max_iter, tol, init, random_state, unseen
        As in `BayesianNetwork`.

    Attributes
    ----------
    classes_
        The classes in order.
    families_, network_, edges_, n_parameters_, counts_, log_likelihood_, history_, target_names_, moves_
        As in `BayesianNetwork`.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.graph import BayesianNetworkClassifier
    >>> model = BayesianNetworkClassifier("naive", m=0).fit(nv.datasets.load("play_tennis"))
    >>> import pandas as pd
    >>> day = pd.DataFrame({"Outlook": ["Sunny"], "Temperature": ["Cool"], "Humidity": ["High"], "Wind": ["Strong"]})
    >>> model.predict(day).item(), model.predict_proba(day).round(6).tolist()
    ('No', [[0.795417, 0.204583]])
    """

    card: ClassVar[Card] = Card(
        name="Bayesian network classifier",
        task="classification",
        summary="The posterior of the class in a Bayesian network, given the known cells of the row.",
        hypothesis_space="Tables of probabilities and linear Gaussians along the edges of an acyclic graph.",
        inductive_bias="A node is independent of all that is not below it once its parents are known; as a tree within "
        "the class, each column depends on the class and one other column.",
        objective="Likelihood of class and columns together, with an even prior of weight m.",
        search="The maximum spanning tree of conditional mutual information, or hill climbing; the tables are counted.",
        noise="Averages out in the counts.",
        missing="Summed out, in EM and in predictions; rows with an empty cell take no part in the search for edges.",
        admits=Admits(missing=True),
        unseen="Treated as missing with a warning, or refused (unseen='error').",
        takes=("numeric", "categorical"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="High: a tree of columns that depend on each other, with a table for each.",
        answer_cost="d·K for each row.",
        cost="tan: one pass, n·d², and one more, n·d; to predict, n·d·K.",
        cost_exponents={"n": 1, "d": 2},
        needs=("measured",),  # the density of how often a rare word stands in a text would decide alone
        size="structure",
        sizes=lambda extent: ("naive", "tan") if extent.n_columns <= WIDE else ("naive",),
        # A column that is nearly always the same has next to no variance in some classes, and would decide alone.
        study_settings={"var_smoothing": 0.01},
        references=("Friedman, Geiger and Goldszmidt, Bayesian network classifiers (1997)",),
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NetworkLearner._parameter_constraints,
        "structure": [StrOptions({"tan", "naive", "hill_climb"}), list, tuple, Mapping],
        "criterion": [StrOptions({"bic", "aic", "bdeu"})],
        "max_parents": [Interval(Integral, 0, None, closed="left")],
    }

    classes_: Any

    def __init__(
        self,
        structure: Any = "tan",
        m: float | str = 1.0,
        criterion: str = "bic",
        max_parents: int = 4,
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
        self.structure = structure
        self.criterion = criterion
        self.max_parents = max_parents

    def _learn(self, table: Table) -> None:
        """Find the edges, unless they are given, and learn the parameters."""
        target = table.layout.target_columns[0]
        self.target_names_ = (target.name,)
        variables = Variables.of((*table.layout.features, target), None)
        self._learn_graph(table, self._graph(table, variables, target.name), variables)

    def _graph(self, table: Table, variables: Variables, target: str) -> Dag:
        if not isinstance(self.structure, str):
            return variables.graph(self.structure)
        if self.structure == "naive":
            return naive_structure(variables.names, target)
        dag, self.moves_ = learn_structure(
            table, variables, self.structure, self.criterion, self.equivalent_sample_size or 10.0, self.var_smoothing,
            max_parents=self.max_parents, whitelist=(), blacklist=(), root=None, target=target, tabu=0,
        )  # fmt: skip
        return dag

    def _check_state(self) -> None:
        super()._check_state()
        states = [self.families_[name].states for name in self.target_names_]
        if not len(self.classes_) or [len(own) for own in states] != [len(self.classes_)]:
            raise ModelFileError("its classes_ are not the states of its target")

    def predict_proba(self, X: Any) -> Floats:
        """P(class | known cells of the row) of each row and class."""
        return self._states(X, self._target(None))

    def predict(self, X: Any) -> Any:
        """The most probable class of each row; ties, up to rounding, go to the first."""
        probabilities = self.predict_proba(X)
        return self.classes_[most_frequent(probabilities)]

    def _derive(self, options: WorkOptions) -> Work:
        return derive_model(self, self._prior(), options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        target = self._target(None)
        codes, numbers, cut = self._asked(X, target, options.rows)
        return derive_predictions(self, self._inference(), target, codes, numbers, cut, tied=True)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_iteration(self, self._prior(), iteration, options)
