"""A decision list: the rules of a tree, each pruned on its own and tried in the order of their estimated accuracy.

    IF c₁ AND … AND c_q THEN t        one rule per leaf, less the conditions that it does not need
    OTHERWISE t₀                      for rows that fulfil no rule

A condition at the root of a tree is in every rule, yet here each rule may lose it on its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar, Self

from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ModelFileError, ParameterError
from novacula.learner import Card, Classifier, Work
from novacula.learner.card import Admits
from novacula.learner.constructor import store_parameters_of, with_parameters_of
from novacula.learner.showing import WorkOptions
from novacula.state import State, each, record
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.tree.attributes import Attribute, attributes_of
from novacula.tree.decision_tree import DecisionTreeClassifier
from novacula.tree.derivation.rules import Explanation, derive_matches, derive_rules, explanations
from novacula.tree.export import DecisionRule
from novacula.tree.holding_out import split_rows
from novacula.tree.rule_pruning import learn_rules
from novacula.tree.rule_structure import Conditions, Matcher, RuleList, RuleTrace, first_matches
from novacula.tree.settings import leaf_counts, pseudo_examples
from novacula.tree.structure import Integers

OF_THE_TREE = (
    "missing", "nominal", "costs", "cost_weight", "chi2_alpha", "ccp_alpha", "release_8", "merge_leaves", "max_depth",
    "min_samples_split", "min_samples_leaf", "min_gain", "max_leaf_nodes", "thresholds", "max_bins", "confidence", "m",
    "class_weight", "unseen", "random_state",
)  # fmt: skip
"""The parameters that are the tree's, defaults included."""


class RuleListClassifier(Classifier):
    """Rules that are tried one after the other: the first whose conditions all hold gives the class.

    A tree is grown, and each leaf that has examples becomes a rule. A rule loses, one at a time, the condition whose
    loss raises its estimated accuracy most (or leaves it as it is), until every loss would lower it. The two ends of
    an interval are two conditions. Equal rules become one; a rule that has come to cover more examples of another
    class than of its own is left out. The others are ordered by their estimates; ties go to the one that covers
    more. The default is the most frequent class of the examples that no rule covers.

    Parameters
    ----------
    criterion, missing, nominal, costs, cost_weight, chi2_alpha, ccp_alpha, release_8, merge_leaves, max_depth, \
min_samples_split, min_samples_leaf, min_gain, max_leaf_nodes, thresholds, max_bins
        How the tree is grown before its rules are read off: as in `DecisionTreeClassifier`, with C4.5's criterion.
    validation_fraction : float, optional
        The share of rows held out to estimate accuracy by. Without it the estimate is from the training examples.
    confidence : float
        Of the estimate from training examples: 1 − U, where the error rate is at most U with confidence 1 − this.
    m : float or "laplace"
        Probabilities are m-estimates (n_k + m/K) / (n + m) of the classes of all the training examples that the rule
        covers, whether or not an earlier rule covers them too; "laplace" is m = K.
    class_weight : mapping of class to weight, or "balanced"; the weights count in the estimates, too
    unseen : {"ignore", "error"}
        A category that was not there at fit is treated as missing with a warning, or refused. A condition on a
        missing value does not hold.
    random_state : int, RandomState or None, chooses the rows held out

    Attributes
    ----------
    classes_ : the classes in order
    attributes_ : what rules may ask of each column
    rules_ : the rules in the order in which they are tried
    default_ : the class of rows that fulfil no rule
    estimate_ : the estimated accuracy of each rule
    coverage_, accuracy_ : the weight of training examples that each rule covers, and its share of right ones
    rule_list_ : all of this as arrays
    trace_ : what was counted as the first 10 rules lost conditions

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.tree import RuleListClassifier
    >>> model = RuleListClassifier().fit(nv.datasets.load("play_tennis"))
    >>> print(model.to_text())
    IF Outlook = Overcast THEN Yes (4/4)
    IF Humidity = Normal THEN Yes (6/7)
    IF Outlook = Rain AND Wind = Weak THEN Yes (3/3)
    IF Outlook = Sunny AND Humidity = High THEN No (3/3)
    IF Outlook = Rain AND Wind = Strong THEN No (2/2)
    OTHERWISE Yes (9/14)
    """

    card: ClassVar[Card] = Card(
        name="Rule list",
        task="classification",
        summary="Rules read off a tree, each pruned on its own; the first that holds gives the class.",
        hypothesis_space="Ordered lists of conjunctions of tests, with a default.",
        inductive_bias="Short rules that are accurate on many examples come first.",
        objective="For each rule the accuracy on rows held out, or its lower limit on the training rows.",
        search="A greedy tree, then greedily one condition after the other out of each rule.",
        noise="Conditions that fit noise are dropped, as they do not raise the estimate.",
        missing="In the tree as in decision trees; a condition on a missing value does not hold.",
        admits=Admits(missing=True),
        unseen="Treated as missing with a warning, or refused (unseen='error').",
        takes=("numeric", "categorical"),
        scales=("memory",),
        uses="arrays",
        interpretability="Very high: an answer is the first rule that holds.",
        answer_cost="The conditions of the rules up to the one that holds, for each row.",
        cost="A tree, then n for each condition of each of its rules, of which noise makes a share of n.",
        cost_exponents={"n": 2, "d": 1},
        size="max_leaf_nodes",
        sizes=leaf_counts,
        references=(
            "Mitchell, Machine Learning (1997), section 3.7.1.2",
            "Quinlan, C4.5: Programs for Machine Learning (1993), chapter 5",
            "Rivest, Learning decision lists, Machine Learning 2 (1987)",
        ),
    )
    state_types: ClassVar[tuple[type, ...]] = (Attribute, Conditions, RuleTrace, RuleList)
    state: ClassVar[State] = {
        "attributes_": each(record(Attribute), "attributes"),
        "rule_list_": record(RuleList, rules="rules", attributes="attributes", classes="classes"),
        "trace_": record(RuleTrace, rules="rules", attributes="attributes"),
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: DecisionTreeClassifier._parameter_constraints[name] for name in ("criterion", *OF_THE_TREE)},
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
    }

    thresholds: Mapping[str, Sequence[float]] | None
    unseen: str
    random_state: Any
    attributes_: tuple[Attribute, ...]
    rule_list_: RuleList
    trace_: RuleTrace

    @with_parameters_of(DecisionTreeClassifier, OF_THE_TREE)
    def __init__(self, criterion: str = "gain_ratio", *, validation_fraction: float | None = None, **tree: Any) -> None:
        self.criterion = criterion
        self.validation_fraction = validation_fraction
        store_parameters_of(DecisionTreeClassifier, OF_THE_TREE, self, tree)

    # --- fit ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Grow a tree and prune its rules, by the rows X_val where they are given. Tables are read into memory."""
        return self._fit(X, y, sample_weight, X_val=X_val, y_val=y_val)

    def _learn(self, table: Table, X_val: Any, y_val: Any) -> None:
        table = in_memory(table)
        training, validation = self._held_out(table, X_val, y_val)
        growth = {name: getattr(self, name) for name in OF_THE_TREE}
        tree = DecisionTreeClassifier(self.criterion, **growth).fit(training)
        self.attributes_ = tree.attributes_
        self.rule_list_, self.trace_ = learn_rules(tree, training, validation)

    def _held_out(self, table: Table, X_val: Any, y_val: Any) -> tuple[Table, Table | None]:
        """The rows to learn from, and those to judge rules by, if there are to be any."""
        if X_val is not None:
            if self.validation_fraction is not None:
                raise ParameterError("rules are judged by X_val or by a validation_fraction of the rows, not by both")
            given = self._ingest(X_val, y_val, None, first=False, piece=True)
            return table, in_memory(given.conform(self.schema_, "ignore", keep_roles=True))
        if self.validation_fraction is None:
            return table, None
        return split_rows(table, self.validation_fraction, self.random_state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rule_list_")  # which a fit that fails has not reached

    def _check_state(self) -> None:
        """After loading: attributes must be those of the columns, and conditions ask them."""
        if attributes_of(self.schema_, self.thresholds) != self.attributes_:
            raise ModelFileError("its attributes_ are not those of its columns and thresholds")
        if not (self.rule_list_.asks(self.attributes_) and self.trace_.asks(self.attributes_)):
            raise ModelFileError("its rule_list_ or trace_ has conditions or counts that do not fit its attributes")

    # --- predict -----------------------------------------------------------------------------------------------

    def apply(self, X: Any) -> Integers:
        """Give for each row the number of the rule that speaks for it; that of the default is the number of rules."""
        check_is_fitted(self)
        matcher = Matcher(self.rule_list_, self.schema_, self.attributes_)
        return self._answers(X, first_matches, matcher, unseen=self.unseen)

    def predict(self, X: Any) -> Any:
        """Give the class of the first rule that holds for each row."""
        speaking = self.apply(X)
        return self.classes_[self.rule_list_.classes[speaking]]

    def predict_proba(self, X: Any) -> Floats:
        """Give the class probabilities of each row: those of the examples that its rule covers."""
        speaking = self.apply(X)
        return self.rule_list_.distributions(pseudo_examples(self))[speaking]

    # --- look at it --------------------------------------------------------------------------------------------

    @property
    def rules_(self) -> tuple[DecisionRule, ...]:
        """The rules in the order in which they are tried."""
        check_is_fitted(self)
        return self.rule_list_.rules(self.attributes_, self.classes_.tolist())

    @property
    def n_parameters_(self) -> int:
        """Tests and shares of the rules."""
        return self.rule_list_.n_parameters

    @property
    def default_(self) -> Any:
        """The class of rows that fulfil no rule."""
        check_is_fitted(self)
        return self.classes_[self.rule_list_.classes[-1]]

    @property
    def estimate_(self) -> Floats:
        """The estimated accuracy of each rule, falling."""
        check_is_fitted(self)
        return self.rule_list_.estimate

    @property
    def coverage_(self) -> Floats:
        """The weight of the training examples that each rule covers."""
        check_is_fitted(self)
        return self.rule_list_.counts[:-1].sum(axis=1)

    @property
    def accuracy_(self) -> Floats:
        """The share of the training examples that a rule covers of which it is right."""
        check_is_fitted(self)
        return self.rule_list_.accuracy[:-1]

    def to_text(self) -> str:
        """Give the rules and the default, one per line, with the weights that are right and that are covered."""
        check_is_fitted(self)
        return "\n".join(self.rule_list_.lines(self.attributes_, self.classes_.tolist()))

    def explain(self, X: Any) -> list[Explanation]:
        """Give for each row the rules that were tried, which condition failed and for what value, and what held."""
        return [found for chunk in self._query(X, self.unseen).chunks() for found in explanations(self, chunk)]

    def _derive(self, options: WorkOptions) -> Work:
        """Derive how the first rules lost conditions."""
        return derive_rules(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the rule and the probabilities of each row."""
        chunk, cut = self._first_rows(X, options.rows, self.unseen)
        return derive_matches(self, chunk, cut, options)


def in_memory(table: Table) -> Table:
    """The table with its rows in the memory of this process."""
    return table if table.is_local else table.in_memory()
