"""Support vector machines for classes: the plane with the widest margin, in the space of a kernel's features.

    maximise Σ αᵢ − ½ ΣΣ αᵢαⱼyᵢyⱼ k(xᵢ, xⱼ)    subject to 0 ≤ αᵢ ≤ C, Σ αᵢyᵢ = 0          f(x) = Σ αᵢyᵢ k(xᵢ, x) + b

This is the dual of ½‖w‖² + C Σ max(0, 1 − y f(x)). Rows with α = 0 do not matter: the others are the support vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError
from novacula.kernel.svm.base import SupportVectorMachine
from novacula.kernel.svm.dual import Places
from novacula.kernel.svm.examples import SvmExamples, SvmSample
from novacula.kernel.svm.hard_margin import HullsMeetError
from novacula.kernel.svm.machine import Machine, SvmSettings, separate
from novacula.kernel.svm.pairs import Supports, by_pair, class_pairs, each_pair, signs, votes
from novacula.kernel.svm.platt import Sigmoid
from novacula.kernel.svm.probability import fit_probability, probabilities
from novacula.learner.base import Classifier
from novacula.learner.card import Admits, Card
from novacula.learner.class_weight import class_weights
from novacula.learner.constructor import with_parameters_of
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, each, floats, optional, record, wholes
from novacula.table import Table
from novacula.table.chunk import Floats

NAMED = 3
"""Rows of each class that are named where no margin exists."""


class SVC(Classifier, SupportVectorMachine):
    """A support vector machine for classes, one machine for each pair of them.

    Parameters
    ----------
    C : float, default=1.0
        The price of a row's loss; it is multiplied by the row's weight. `np.inf` is the hard margin, which takes
        classes that can be separated without a mistake and refuses others, naming rows that prove it.
    kernel : Kernel or str, default="rbf"
        A kernel, or a word for one: "rbf" is Gaussian(gamma="scale"), "linear", "poly" and "precomputed" as in
        scikit-learn. A function of your own goes into `Custom`.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        max(0, 1 − y f(x)) or its square; multipliers of the latter have no upper bound.
    tol : float, default=1e-3
        How far the KKT conditions may be violated.
    cache_size : float, default=200
        Megabytes for kernel values.
    max_iter, time_budget : int, default=-1; float, default=None
        Steps and seconds for each machine, after which it is taken as it is, with a warning; −1 and None: no limit.
    class_weight : dict, "balanced" or None, default=None
        What C is multiplied by for the rows of a class.
    probability : bool, default=False
        Whether to fit Platt's sigmoids for `predict_proba`, on decisions of five folds drawn by `random_state`.
        They pass through ½ at the decision 0, and where the coupling of several classes finds another class more
        probable than the vote, the two exchange their probabilities: so the answer is always the most probable class.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        With more than two classes, a value for each class (votes, with ties broken by how clear they were) or the
        decision of each pair.
    solver : {"auto", "smo", "linear"}, default="auto"
        "linear" is for the linear kernel on many rows; "auto" takes it there.
    verbose : bool, default=False
        Whether to say on standard error how a long search gets on, once a second, and how each machine came out.
    random_state : int, RandomState or None, default=None
        Draws the folds of `probability`, and the order in which the linear solver visits rows.

    Attributes
    ----------
    classes_, class_weight_
        The classes in order, and their factors of C.
    support_, support_vectors_, n_support_
        Numbers, rows and count by class of the support vectors. Equal rows of a class are one row with the weight of
        all, under the number of the first.
    dual_coef_, intercept_ , coef_
        αᵢyᵢ, b and for the linear kernel w, laid out as in scikit-learn.
    kernel_
        The kernel with the numbers that the rows gave it.
    margin_, dual_objective_, n_iter_
        1/‖w‖, Σα − ½ΣΣ…, and steps of each machine.
    history_
        The dual objective from one working set to the next, those of the machines added one after the other; from the
        linear solver only the last.
    kkt_violation_, converged_
        The largest violation of a machine, and whether it is below tol for all.
    trace_
        Of a fit of at most 30 rows with a finite C, the multipliers of the first machine at its first 20 steps and its
        last 5, which `work(iteration=1)` derives; otherwise None.
    multipliers_, examples_
        The number and the price C of each support vector; and of a fit of at most 30 rows all of them, or None.
    sigmoids_
        With `probability`, Platt's sigmoid of each machine.

    Examples
    --------
    >>> import numpy as np
    >>> from novacula.kernel import SVC
    >>> X, y = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0], [4.0, 1.0]]), ["low", "low", "high", "high"]
    >>> model = SVC(C=np.inf, kernel="linear").fit(X, y)
    >>> model.support_.tolist(), model.coef_.round(3).tolist(), model.margin_.round(3).tolist()
    ([2, 1], [[-0.8, -0.4]], [1.118])
    >>> model.predict([[2.5, 0.0]]).tolist()
    ['high']
    """

    card: ClassVar[Card] = Card(
        name="Support vector machine",
        task="classification",
        summary="The plane with the widest margin between two classes, in the space of a kernel's features.",
        hypothesis_space="sign(Σ αᵢyᵢ k(xᵢ, x) + b) over the rows of the fit; a vote for each pair of classes.",
        inductive_bias="A wide margin: few rows near the border, and smooth borders as the kernel has them.",
        objective="½‖w‖² + C Σ max(0, 1 − y f(x)), or with the squares of these losses.",
        search="Exact up to tol: the dual quadratic program, by decomposition with second-order SMO; the linear kernel "
        "on many rows by Newton's method or coordinate descent.",
        noise="A wrong label costs in proportion to how far it is on the wrong side; C says how much.",
        missing="Not taken: a missing or infinite value raises, with its column and row.",
        admits=Admits(classes=2),
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric", "sparse"),
        scales=("memory",),
        uses="arrays",
        interpretability="Low with a kernel: a sum over support vectors; middling for planes, which have weights.",
        answer_cost="d for each support vector and row; d for planes.",
        cost="Between n² and n³ kernel values of d steps each, in memory of cache_size; n·d² for planes on many rows.",
        cost_exponents={"n": 2, "d": 1},
        needs=("scaled",),
        size="C",
        sizes=(0.1, 1.0, 10.0, 100.0),
        references=(
            "Cortes and Vapnik, Support-vector networks (1995)",
            "Fan, Chen and Lin, Working set selection using second order information (2005)",
            "Platt, Probabilistic outputs for support vector machines (1999)",
        ),
    )
    state_types: ClassVar[tuple[type, ...]] = (*SupportVectorMachine.state_types, Sigmoid)
    state: ClassVar[State] = {
        "dual_coef_": floats("classes-1", "supports"),
        "n_support_": wholes("classes"),
        "n_iter_": wholes("machines"),
        "class_weight_": floats("classes", least=0.0),
        "sigmoids_": optional(each(record(Sigmoid), "machines")),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupportVectorMachine._parameter_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "probability": ["boolean"],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
    }

    classes_: Any
    class_weight_: Floats
    n_support_: Places
    n_iter_: Places
    sigmoids_: tuple[Sigmoid, ...]

    @with_parameters_of(SupportVectorMachine)
    def __init__(
        self,
        C: float = 1.0,
        kernel: Any = "rbf",
        *,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        probability: bool = False,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        **machine: Any,
    ) -> None:
        super().__init__(C, kernel, **machine)
        self.class_weight = class_weight
        self.probability = probability
        self.decision_function_shape = decision_function_shape

    # --- fit ------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Find the machine of each pair of classes."""
        sample = self._sample(table)
        weight, settings, k = self._weights(sample), self._settings(), len(self.classes_)
        pairs = list(each_pair(sample.target, k))
        machines = [self._separate(sample, rows, sign, weight, settings) for rows, sign in pairs]
        self._report(machines, self._pair_names())
        supports = Supports.gather(sample.target, sample.place, k, [rows for rows, _ in pairs], machines)
        self.n_support_, self.n_iter_ = supports.count, np.array([machine.run.n_iter for machine in machines])
        self._keep(sample, supports.rows, self.C * weight, supports.dual_coef, machines)
        self._keep_path(machines[0], sample.place[pairs[0][0]])
        if self.probability:
            self.sigmoids_ = tuple(
                fit_probability(sample.rows.take(rows), sign, self.C * weight[rows], weight[rows], settings)
                for rows, sign in pairs
            )

    def _weights(self, sample: SvmSample) -> Floats:
        """What each row counts, with the factor of its class; classes that count nothing are refused."""
        labels = self.classes_.tolist()
        counts = np.asarray(np.bincount(sample.target, sample.weight, len(labels)), np.float64)
        self.class_weight_ = class_weights(self.class_weight, self.classes_, counts)
        for label, count in zip(labels, counts * self.class_weight_, strict=True):
            if not count > 0.0:
                raise DataError(f"the rows of class {label!r} have no weight: leave them out, or give them some")
        return np.asarray(sample.weight * self.class_weight_[sample.target])

    def _separate(
        self, sample: SvmSample, rows: Places, sign: Floats, weight: Floats, settings: SvmSettings
    ) -> Machine:
        """The machine of two classes; where a hard margin does not exist, the rows that show it are named."""
        own = sample.rows.take(rows) if len(rows) < len(sample) else sample.rows
        try:
            return separate(own, sign, self.C * weight[rows], settings)
        except HullsMeetError as met:
            order = np.argsort(-np.abs(met.share), kind="stable")
            places, side = sample.place[rows[met.rows[order]]], met.share[order] > 0.0
            code = sample.target[rows[met.rows[order]]]
            one, other = (self._named(code[own][0], places[own]) for own in (side, ~side))
            raise DataError(
                "C=inf asks for a margin without a mistake, and none exists: the convex hulls of the classes meet, "
                f"since a mixture of {one} is one of {other} too; give a finite C, or a richer kernel"
            ) from None

    def _named(self, code: int, places: Places) -> str:
        """A few rows of a class by number."""
        numbers = ", ".join(map(str, places[:NAMED].tolist())) + (", …" if len(places) > NAMED else "")
        return f"row{'' if len(places) == 1 else 's'} {numbers} of class {self.classes_.tolist()[code]!r}"

    def _pair_names(self) -> list[str]:
        """What each machine is called."""
        labels = self.classes_.tolist()
        return [f"SVC of {labels[i]!r} and {labels[j]!r}" for i, j in class_pairs(len(labels))]

    def machine_coefficients(self) -> Floats:
        """αᵢyᵢ of each support vector in the machine of each pair (s, pairs)."""
        return by_pair(self.dual_coef_, self.n_support_)

    def _sides(self, examples: SvmExamples, beta: Floats, machine: int) -> tuple[Places, Floats]:
        k = len(self.classes_)
        pair = class_pairs(k)[machine]
        return np.flatnonzero(np.isin(examples.target, pair)), signs(examples.target, pair, k)

    # --- answers --------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """f(x): (n,) with two classes, above 0 for the second; otherwise (n, classes), or (n, pairs) for "ovo"."""
        decisions = self._decisions(X)
        k = len(self.classes_)
        if k == 2:
            return decisions[:, 0]
        return decisions if self.decision_function_shape == "ovo" else votes(decisions, k)

    def predict(self, X: Any) -> Any:
        """The class of each row: the one with most votes; ties go to the one with the clearest votes."""
        check_is_fitted(self)
        return self.classes_[self.chosen_codes(self._decisions(X))]

    def chosen_codes(self, decisions: Floats) -> Any:
        """The number of the class (n,) that the decisions of all pairs (n, pairs) come to."""
        k = len(self.classes_)
        return (decisions[:, 0] > 0.0).astype(np.int64) if k == 2 else votes(decisions, k).argmax(axis=1)

    def _has_probabilities(self) -> bool:
        if not self.probability:
            raise AttributeError("probabilities are fitted with probability=True only")
        return True

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class (n, classes), by Platt's sigmoids; the class predicted has the largest."""
        check_is_fitted(self)
        return self._probabilities(self._decisions(X))

    def _probabilities(self, decisions: Floats) -> Floats:
        return probabilities(decisions, len(self.classes_), self.sigmoids_, self.chosen_codes(decisions))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _derive(self, options: WorkOptions) -> Work:
        from novacula.kernel.svm.derivation.machine import derive_svc

        return derive_svc(self, options)

    def _check_state(self) -> None:
        super()._check_state()
        k, s = len(self.classes_), self.dual_coef_.shape[1]
        if k < 2 or len(self.intercept_) != k * (k - 1) // 2:
            raise ModelFileError("its machines are not one for each pair of its classes")
        if (self.n_support_ > s).any() or self.n_support_.sum() != s:
            raise ModelFileError("its n_support_ do not add up to its support vectors")
        if self.examples_ is not None and self.examples_.target.dtype != np.int32:
            raise ModelFileError("its examples_ have numbers where classes should be")
        if self.probability and "sigmoids_" not in vars(self):
            raise ModelFileError("its sigmoids_ are missing, which probability=True asks for")
