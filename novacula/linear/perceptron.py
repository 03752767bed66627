"""The perceptron: a plane between two classes, found by correcting mistakes one row at a time.

    w ← w + η(t − o)x        t, o ∈ {−1, +1},  o = sign(b + Σ wⱼxⱼ)

A row on the right side changes nothing; a mistake moves w by 2ηt·x. If a plane separates the classes, no more than
(R/γ)² mistakes are made from w = 0 on before one is found, R the length of the longest row and γ the margin of the
best plane, both with the bias column. Otherwise it never ends, and the pocket keeps the best weights it had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from novacula.errors import ModelFileError, ParameterError, warn_user
from novacula.learner.card import Admits, Card
from novacula.learner.class_weight import class_weights
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath, PathRecorder
from novacula.learner.work import Work
from novacula.linear.classifier import LinearClassifier
from novacula.linear.online.derivation.perceptron import derive_epoch, derive_perceptron, derive_sides, rule_of
from novacula.linear.online.passes import SCHEDULES, OrderedRows, largest_step, rate, run_epochs
from novacula.linear.online.pocket import RESPONSES, PerceptronEpoch, PerceptronRule, teach
from novacula.linear.online.start import STARTS, first_weights
from novacula.linear.online.trace import OnlineShowings, OnlineTrace, first_showings
from novacula.linear.rows import NUMBERS_CARD
from novacula.state import State, each, flag, floats, optional, record, whole
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats


class Perceptron(LinearClassifier):
    """Rosenblatt's perceptron, with Gallant's pocket for classes that no plane separates.

    Rows are shown in order, epoch after epoch, until an epoch makes no mistake. A row of weight s is shown s times in
    a row, a fraction of a showing moving the weights by that fraction. With more than two classes there is one
    perceptron per class, which separates it from the others.

    Parameters
    ----------
    eta0 : float, default=1.0
        The rate η. From weights of zero and with the step response it scales them and changes no prediction.
    schedule : {"constant", "decay", "robbins_monro"}, default="constant"
        The rate of epoch k = 0, 1, …: η, η/√(1 + k) or η/(1 + k/100).
    start_weights : "zeros", "random" or array, default="zeros"
        Where it begins: at zero, at random numbers from −0.05 to 0.05 by `random_state`, or at given weights, the
        bias w₀ first and then one per column, with more than two classes a row of them per class.
    shuffle : bool, default=False
        A new order of the rows each epoch, by `random_state`. All rows are then held in memory.
    pocket : bool, default=True
        Whether the best weights by training error are kept where the classes are not separated; else the last ones.
    response : {"step", "threshold", "linear", "tanh"}, default="step"
        o: the sign of v = b + Σ wⱼxⱼ, −1 at 0; or a threshold, 1 for v ≥ 0 and else 0, with targets of 0 and 1; or v
        itself, or tanh(v). With the latter two (the delta rule) each row moves the
        weights, also one on its right side; "linear" needs `eta0` below 2/max ‖x‖², lest it diverge. "tanh" is
        logistic regression by stochastic gradient descent at rate 4η: its log-odds are 2v.
    fit_intercept : bool, default=True
        Whether there is a bias, learned as the weight of a column of ones.
    max_iter : int, default=1000
        Epochs, at most.
    class_weight : dict or "balanced", default=None
        The factor by which the rows of each class count.
    random_state : int or RandomState, default=None
        For `shuffle` and random start weights.

    Attributes
    ----------
    coef_, intercept_
        The planes, (planes, d) and (planes,): one plane with two classes, whose positive side is the second class.
    converged_ : bool
        Whether an epoch made no mistake; with a response other than step, whether the weights after one make none.
    history_, n_iter_, n_mistakes_, n_updates_
        Mistakes of each epoch, epochs, and mistakes and updates in all, of all planes together.
    pocket_error_ : ndarray of shape (planes,)
        The share of the training weight on the wrong side of each plane that the pocket kept.
    trace_ : OnlineTrace
        The rows with which the fit began and the weights after its epochs, for `work`.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
    >>> model = Perceptron().fit(X, y)
    >>> model.coef_.tolist(), model.intercept_.tolist(), model.n_mistakes_
    ([[4.0, 2.0]], [-4.0], 10)
    >>> model.predict(X).tolist(), model.history_
    ([0, 0, 0, 1], (1, 3, 3, 2, 1, 0))
    >>> given = Perceptron(0.1, response="threshold", start_weights=[-0.8, 0.5, 0.5]).fit(X, y)
    >>> given.n_mistakes_, given.coef_.tolist(), given.intercept_.tolist()
    (0, [[0.5, 0.5]], [-0.8])
    """

    card: ClassVar[Card] = Card(
        name="Perceptron",
        task="classification",
        summary="A plane between classes, moved by each row that lies on the wrong side of it.",
        hypothesis_space="Half-spaces b + Σ wⱼxⱼ > 0; with more than two classes one per class; the largest wins.",
        inductive_bias="A plane separates the classes; of those that do, the one met first, in the order of the rows.",
        objective="Mistakes on the training rows, none of which may be left; the pocket keeps the fewest.",
        search="Correction of mistakes in the order of the rows from w = 0, at most (R/γ)² of them where a plane "
        "separates the classes with margin γ.",
        noise="One wrong label can keep it from ending; the pocket then has the best weights that it met.",
        admits=Admits(classes=2),
        **NUMBERS_CARD,
        uses="fold",
        interpretability="Middling: one weight for each column, of no scale of its own.",
        answer_cost="d·K for each row.",
        cost="n·d per epoch and class; with the pocket up to as much again. The rows go by in order, so a cluster does "
        "not make it faster. Rows of up to 64 MB are read once, others again for each epoch; shuffle=True holds them "
        "all. Sparse rows are made dense block by block.",
        cost_exponents={"n": 1, "d": 1},
        needs=("scaled",),
        study_settings={"max_iter": 100, "shuffle": True},
        references=(
            "F. Rosenblatt, The perceptron, Psychological Review 65, 1958",
            "A. B. J. Novikoff, On convergence proofs on perceptrons, 1962",
            "S. I. Gallant, Perceptron-based learning algorithms, IEEE Transactions on Neural Networks 1, 1990",
        ),
        expected_failures={
            "check_sample_weight_equivalence_on_dense_data": "it puts the rows into another order, on which the plane "
            "depends; in one order, a row of weight 2 is the same as two rows",
            "check_sample_weight_equivalence_on_sparse_data": "as for dense rows",
        },
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "schedule": [StrOptions(set(SCHEDULES))],
        "start_weights": STARTS,
        "shuffle": ["boolean"],
        "pocket": ["boolean"],
        "response": [StrOptions(set(RESPONSES))],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
    }
    state_types: ClassVar[tuple[type, ...]] = (FitPath, OnlineShowings, OnlineTrace)
    state: ClassVar[State] = {
        "converged_": flag(),
        "history_": each(whole(), "epochs"),
        "n_iter_": whole(size="epochs"),
        "n_mistakes_": whole(),
        "n_updates_": whole(),
        "pocket_error_": optional(floats("planes", least=0.0)),
        "trace_": record(OnlineTrace, columns="inputs", classes="classes"),
    }

    notations: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "mitchell": {"b": "w_0"},
        "aima": {"b": "w_0", "η": "α"},
    }

    converged_: bool
    history_: tuple[int, ...]
    n_iter_: int
    n_mistakes_: int
    n_updates_: int
    pocket_error_: Floats
    trace_: OnlineTrace

    def __init__(
        self,
        eta0: float = 1.0,
        *,
        schedule: str = "constant",
        start_weights: Any = "zeros",
        shuffle: bool = False,
        pocket: bool = True,
        response: str = "step",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: Any = None,
    ) -> None:
        self.eta0 = eta0
        self.schedule = schedule
        self.start_weights = start_weights
        self.shuffle = shuffle
        self.pocket = pocket
        self.response = response
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    # --- fit ------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Show the rows until none is mistaken."""
        rows = OrderedRows(table, self.shuffle, self.random_state)
        counts = self._counts(rows)
        rule = self._rule(class_weights(self.class_weight, self.classes_, counts))
        showings = first_showings(rows.chunks(), rule.factor, ordered=not rows.shuffled)
        start = PerceptronEpoch.start(self._first_weights(rule))
        recorder = PathRecorder(lambda epoch: epoch.weights)
        run = run_epochs(lambda last: teach(last, rows, rule, self.pocket), start, self.max_iter, recorder)
        self._require_sound(table, run.params)
        self.trace_ = OnlineTrace.of(recorder.kept(), showings, partial(rule_of, self))
        self._count(tuple(map(int, run.history)), run.params.updates, run.converged)
        self._keep(run.params.pocket if self.pocket else run.params.weights)
        if self.pocket:
            self.pocket_error_ = run.params.pocket_wrong / float(counts @ rule.factor)
        if not self.converged_:
            self._warn()

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Show rows once more, from the weights as they are; nothing goes to the pocket, which needs all rows.

        `classes` names all that will come, on the first call.
        """
        return self._fit_more(X, y, sample_weight, classes)

    def _learn_more(self, table: Table, first: bool) -> None:
        if self.class_weight == "balanced":
            raise ParameterError("class_weight='balanced' needs all rows at once: use fit, or state the weights")
        rows = OrderedRows(table, self.shuffle, self.random_state)
        rule = self._rule(class_weights(self.class_weight, self.classes_, self._counts(rows)))
        if first:
            weights = self._first_weights(rule)
            recorder = PathRecorder()
            recorder(0, 0.0, weights)
            showings = first_showings(rows.chunks(), rule.factor, ordered=False)
            self.trace_ = OnlineTrace.of(recorder.kept(), showings, partial(rule_of, self))
            self._count((), 0, False)
        else:
            weights = np.column_stack([self.coef_, self.intercept_])
        begin = PerceptronEpoch.start(weights)
        rule = replace(rule, eta=rate(rule.eta, rule.schedule, 0 if first else self.n_iter_), schedule="constant")
        lesson = teach(begin, rows, rule, pocket=False)
        self._require_sound(table, lesson)
        self._count((*self.history_, lesson.mistakes), self.n_updates_ + lesson.updates, lesson.done)
        self._keep(lesson.weights)
        self.trace_ = self.trace_.with_epoch(lesson.weights, partial(rule_of, self))
        self.__dict__.pop("pocket_error_", None)  # it is not that of these weights

    def _counts(self, rows: OrderedRows) -> Floats:
        """The weight of each class's rows."""
        return rows.fold(add_counts, np.zeros(len(self.classes_)))

    def _first_weights(self, rule: PerceptronRule) -> Floats:
        planes, bias = len(rule.positive), self.fit_intercept
        return first_weights(self.start_weights, planes, self.n_features_in_, bias, self.random_state)

    def _rule(self, factor: Floats) -> PerceptronRule:
        planes = (1,) if len(self.classes_) == 2 else tuple(range(len(self.classes_)))
        return PerceptronRule(float(self.eta0), self.schedule, self.response, self.fit_intercept, planes, factor)

    def _require_sound(self, table: Table, lesson: PerceptronEpoch) -> None:
        """Refuse rows that are not finite, and a rate at which the weights grew without end."""
        if lesson.sound:
            return
        table.refuse_faults()
        stable = largest_step(table, self.fit_intercept)
        raise ParameterError(
            f"the weights of {type(self).__name__} grew without end, since eta0={self.eta0:g} is too large for rows "
            f"this long: bring the columns to one scale, or take an eta0 below 2/max ‖x‖² = {stable:.6g}"
        )

    def _count(self, mistakes: tuple[int, ...], updates: int, converged: bool) -> None:
        self.history_, self.n_iter_, self.converged_ = mistakes, len(mistakes), converged
        self.n_mistakes_, self.n_updates_ = sum(mistakes), updates

    def _keep(self, weights: Floats) -> None:
        """Keep planes (planes, d + 1)."""
        self.coef_, self.intercept_ = weights[:, :-1].copy(), weights[:, -1].copy()

    def _warn(self) -> None:
        from sklearn.exceptions import ConvergenceWarning

        outcome = "the last weights are kept"
        if self.pocket:
            outcome = f"the pocket's weights are kept, which are wrong on {self.pocket_error_.max():.2%} of the rows"
        warn_user(
            f"Perceptron: the classes were not separated within max_iter={self.max_iter} epochs, and {outcome}: raise "
            "max_iter if a plane can separate them, else shuffle=True gives the pocket more to choose from",
            ConvergenceWarning,
        )

    def _check_state(self) -> None:
        super()._check_state()
        if self.trace_.kept_showings.targets.dtype != np.int32:
            raise ModelFileError("its trace_ has showings with numbers for targets, where codes of classes should be")

    def _is_second(self, values: Floats) -> Any:
        return values >= 0.0 if self.response == "threshold" else super()._is_second(values)

    # --- work -----------------------------------------------------------------------------------------------

    def _derive(self, options: WorkOptions) -> Work:
        return derive_perceptron(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        chunk, cut = self._first_rows(X, options.rows)
        return derive_sides(self, chunk.dense(), cut, options.is_full)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_epoch(self, iteration, options)


def add_counts(counts: Floats, chunk: Chunk) -> Floats:
    """Add the weight of each class's rows, one row after the other, so that the sum does not depend on chunks."""
    counts = counts.copy()
    np.add.at(counts, np.asarray(chunk.target), chunk.weight)
    return counts
