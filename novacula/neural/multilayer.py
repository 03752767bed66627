"""What both multilayer perceptrons share: layers of units, trained by back-propagation.

zₗ = oₗ₋₁ Wₗ + bₗ        oₗ = g(zₗ)        o₀ = x

f(w) = Σ sᵢ ℓᵢ / Σ sᵢ + γ Σ w² + ν · mean (∂²o/∂x²)² + μ · mean ½ Σ (∂o/∂x − given slope)²
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ModelFileError, ParameterError, warn_user
from novacula.learner.base import Learner
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath
from novacula.learner.work import Work
from novacula.linear.online.passes import SCHEDULES
from novacula.linear.rows import require_squares
from novacula.neural.derivation import derive_epoch, derive_network, derive_predictions
from novacula.neural.network import (
    ACTIVATIONS,
    OUTPUTS,
    Architecture,
    NetworkObjective,
    Penalties,
    Tying,
    forward,
    why_no_curvature,
)
from novacula.neural.training.constant import why_constant, why_wrong
from novacula.neural.training.epochs import TrainingEpoch, memory, recall
from novacula.neural.training.gauge import Gauge
from novacula.neural.training.lesson import NetworkLesson
from novacula.neural.training.record import NetworkTrace, Start, TrainingCurve, TrainingEnd
from novacula.neural.training.settings import TOLERANCES, TrainingSettings
from novacula.neural.training.showings import Tally
from novacula.neural.training.start import given_start
from novacula.neural.training.targets import Targets, require_arrays, with_slopes
from novacula.neural.training.trainer import Trainer
from novacula.state import (
    State,
    each,
    flag,
    floats,
    keyed,
    nullable,
    number,
    one_of,
    optional,
    record,
    whole,
    word,
)
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats

LAYERS = range(1, 10)
"""Layers whose symbols other books write in another way."""
NOTATIONS: Mapping[str, Mapping[str, str]] = {
    "mitchell": {f"b__{layer}": f"w_0__{layer}" for layer in LAYERS},
    "aima": {"η": "α", "α": "μ", "t": "y"}
    | {f"δ__{layer}": f"Δ__{layer}" for layer in LAYERS}
    | {f"o__{layer}": f"a__{layer}" for layer in LAYERS}
    | {f"b__{layer}": f"w_0__{layer}" for layer in LAYERS},
}
LEARNED = ("learning_curve_", "starts_", "loss_", "converged_", "eta_", "target_scale_", "trace_")
"""What a network knows of its training, which one that was built has not."""
BLOCK = 1 << 20
"""Numbers of the widest layer for a block of rows that are predicted together."""


class MultilayerNetwork(Learner):
    """A layered network with its training."""

    notations: ClassVar[Mapping[str, Mapping[str, str]]] = NOTATIONS
    state_types: ClassVar[tuple[type, ...]] = (Architecture, TrainingCurve, Start, NetworkTrace, FitPath)
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "hidden": [Interval(Integral, 1, None, closed="left"), "array-like", tuple],
        "activation": [StrOptions(set(ACTIVATIONS))],
        "loss": [StrOptions({"auto", "squared", "cross_entropy"})],
        "solver": [StrOptions(set(TOLERANCES))],
        "eta0": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "schedule": [StrOptions(set(SCHEDULES))],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "curvature": [Interval(Real, 0, None, closed="left")],
        "slope_weight": [Interval(Real, 0, None, closed="left")],
        "tied": [Mapping, list, tuple, callable, None],
        "batch_size": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "max_epochs": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"}), None],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "start_weights": [list, tuple, None],
        "restarts": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "shuffle": ["boolean"],
        "dtype": [StrOptions({"float32", "float64"})],
        "random_state": ["random_state"],
    }
    state: ClassVar[State] = {
        "architecture_": record(Architecture, layers="layers"),
        "coefs_": each(floats("any", "any", single=True), "layers"),
        "intercepts_": each(floats("any", single=True), "layers"),
        "out_activation_": word(*OUTPUTS),
        "n_outputs_": whole(size="outputs"),
        "n_layers_": whole(size="layers+1"),
        "n_free_": whole(size="free"),
        "n_iter_": whole(),
        "history_": each(number()),
        "rule_": one_of(
            keyed({}),
            keyed({"velocity": floats("free", single=True)}),
            keyed(
                {
                    "n_steps": whole(),
                    "mean": floats("free", single=True),
                    "square": floats("free", least=0.0, single=True),
                    "scratch": floats("free", single=True),
                }
            ),
        ),
        "learning_curve_": optional(record(TrainingCurve)),  # a network that was built has none, and no more below
        "starts_": optional(each(record(Start)), beside="learning_curve_"),
        "loss_": optional(number(), beside="learning_curve_"),
        "converged_": optional(flag(), beside="learning_curve_"),
        "eta_": optional(nullable(number(above=0.0)), beside="learning_curve_"),
        "target_scale_": optional(number(above=0.0), beside="learning_curve_"),
        "trace_": optional(record(NetworkTrace, inputs="inputs", outputs="outputs"), beside="learning_curve_"),
    }

    architecture_: Architecture
    coefs_: list[Any]
    intercepts_: list[Any]
    out_activation_: str
    n_outputs_: int
    n_layers_: int
    n_free_: int
    eta_: float | None
    target_scale_: float
    loss_: float
    history_: tuple[float, ...]
    learning_curve_: TrainingCurve
    n_iter_: int
    converged_: bool
    starts_: tuple[Start, ...]
    trace_: NetworkTrace
    rule_: dict[str, Any]

    def __init__(
        self,
        hidden: int | Sequence[int] = (100,),
        *,
        activation: str = "logistic",
        loss: str = "auto",
        solver: str = "sgd",
        eta0: float | str = "auto",
        schedule: str = "constant",
        momentum: float = 0.9,
        weight_decay: float = 0.0,
        curvature: float = 0.0,
        slope_weight: float = 0.0,
        tied: Any = None,
        batch_size: int | str = "auto",
        max_epochs: int = 200,
        tol: float | str | None = "auto",
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        start_weights: Sequence[Any] | None = None,
        restarts: int = 1,
        warm_start: bool = False,
        shuffle: bool = True,
        dtype: str = "float32",
        random_state: Any = 0,
    ) -> None:
        self.hidden = hidden
        self.activation = activation
        self.loss = loss
        self.solver = solver
        self.eta0 = eta0
        self.schedule = schedule
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.curvature = curvature
        self.slope_weight = slope_weight
        self.tied = tied
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.start_weights = start_weights
        self.restarts = restarts
        self.warm_start = warm_start
        self.shuffle = shuffle
        self.dtype = dtype
        self.random_state = random_state

    @abstractmethod
    def _read(self, table: Table) -> tuple[Targets, str]:
        """What the outputs should be, and the function that makes them; keeps what predictions need, as the classes."""

    # --- fit ------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, slopes: Any = None) -> Self:
        """Train the network on rows with targets; a `Table` brings its own target, or y names it.

        `slopes` are the derivatives that the outputs should have after each column: (n, d), or (n, k, d) for k
        outputs. They count by `slope_weight`.
        """
        if slopes is not None:
            require_arrays(X)
        if not (self.warm_start and hasattr(self, "coefs_")):
            return self._fit(X, y, sample_weight, slopes=slopes)
        self._validate_params()
        self._learn(self._ingest(X, y, sample_weight, first=False), slopes, going_on=True)
        return self

    def _learn(self, table: Table, slopes: Any, going_on: bool = False) -> None:
        """Train from random weights, or go on from those that are there."""
        settings = TrainingSettings.of(self)
        lesson, table = self._lesson(table, slopes)
        settings.check(lesson, self.restarts, self.warm_start)
        random = check_random_state(self.random_state)
        trainer = self._trainer(table, lesson, settings, int(random.randint(2**31)))
        before = self._weights_before(lesson) if going_on else self._given_start(lesson)
        ends = []
        for _ in range(self.restarts):
            seed = int(random.randint(2**31))
            ends.append(trainer.run(trainer.start(seed) if before is None else before, seed))
        self._keep(trainer, ends)

    @available_if(lambda self: self._teaches_by_batches())
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Show rows once, in their order, from the weights as they are; one by one unless `batch_size` is stated.

        So pieces one after the other come to the same as all rows at once. `classes` names all that will come, on the
        first call. The unit of numeric targets is not known beforehand: bring them to one scale.
        """
        return self._fit_more(X, y, sample_weight, classes)

    def _learn_more(self, table: Table, first: bool) -> None:
        settings = TrainingSettings.of(self).for_pieces()
        lesson, table = self._lesson(table, None)
        random = check_random_state(self.random_state)
        trainer = self._trainer(table, lesson, settings, int(random.randint(2**31)), complete=False)
        rule = settings.rule()
        if first:
            given, seed = self._given_start(lesson), int(random.randint(2**31))
            theta = trainer.start(seed) if given is None else given
        else:
            theta = self._weights_before(lesson)
            self._require_tying(lesson)
            recall(rule, self.rule_)
        self._keep_pass(trainer, *trainer.once(theta, rule, 0 if first else self.n_iter_), going_on=not first)

    def _teaches_by_batches(self) -> bool:
        if self.solver not in ("sgd", "adam"):
            raise AttributeError(f"partial_fit needs solver 'sgd' or 'adam', and it is {self.solver!r}: use fit")
        if self.early_stopping:
            raise AttributeError("partial_fit holds no rows out: use fit, or early_stopping=False")
        return True

    def _lesson(self, table: Table, slopes: Any) -> tuple[NetworkLesson, Table]:
        """What is to be made smallest, and the table with slopes behind its targets if there are any."""
        targets, output = self._read(table)
        architecture = Architecture((self.n_features_in_, *self._hidden(), targets.outputs), self.activation, output)
        penalties = Penalties(float(self.weight_decay), float(self.curvature), float(self.slope_weight))
        if (slopes is None) != (penalties.slope_weight == 0.0):
            slopes_given = "no slopes are given" if slopes is None else "slopes are given"
            raise ParameterError(f"slope_weight is {self.slope_weight:g}, but {slopes_given}: they count only together")
        if penalties.curvature and (obstacle := why_no_curvature(architecture)):
            raise ParameterError(obstacle)
        if slopes is not None:
            table, targets = with_slopes(table, targets, slopes, self.n_features_in_)
        loss = self.loss if self.loss != "auto" else "squared" if output == "linear" else "cross_entropy"
        tying = None if self.tied is None else Tying(self.tied, architecture)
        return NetworkLesson(NetworkObjective(architecture, loss, penalties, tying), targets), table

    def _hidden(self) -> tuple[int, ...]:
        sizes = [self.hidden] if isinstance(self.hidden, Integral) else list(self.hidden)  # type: ignore[arg-type]
        for units in sizes:
            if not isinstance(units, Integral) or isinstance(units, bool) or units < 1:
                raise ParameterError(
                    f"hidden is {self.hidden!r}; it must hold the units of each layer, whole numbers of at least 1"
                )
        return tuple(map(int, sizes))

    def _trainer(
        self, table: Table, lesson: NetworkLesson, settings: TrainingSettings, seed: int, complete: bool = True
    ) -> Trainer:
        """Rows that were checked, ready to train with; `complete`: they are all that there are."""
        tally = table.reduce(Tally.observe, lesson.targets)
        require_squares(table, np.array([tally.size]))
        if settings.by_batches:
            tally.require_few_showings(table)
        gauge = None
        if lesson.architecture.output == "linear" and isinstance(self.eta0, str):
            earlier = Gauge(np.zeros(lesson.targets.outputs), getattr(self, "target_scale_", 1.0))
            gauge = Gauge.of(table, lesson.targets) if complete else earlier
        return Trainer(settings, table, lesson, tally, gauge, seed)

    def _weights_before(self, lesson: NetworkLesson) -> Any:
        """The weights to go on from, which must be those of the same architecture."""
        if self.architecture_ != lesson.architecture:
            old, new = self.architecture_, lesson.architecture
            raise ParameterError(
                f"the weights are those of a network of sizes {old.sizes} with {old.activation} units and {old.output} "
                f"outputs, and now it would be {new.sizes} with {new.activation} units and {new.output} outputs: to "
                "begin again, fit with warm_start=False"
            )
        return self.weights_

    def _given_start(self, lesson: NetworkLesson) -> Any:
        """The weights that were given to begin with, None if none were."""
        if self.start_weights is None:
            return None
        if self.restarts > 1:
            raise ParameterError(f"restarts={self.restarts} draws starts, and start_weights give one: choose one")
        return given_start(self.start_weights, lesson.architecture)

    def _require_tying(self, lesson: NetworkLesson) -> None:
        """What was remembered of each weight that can be chosen must be of the weights that can be chosen now."""
        free = len(lesson.contract(self.weights_))
        if free != self.n_free_:
            raise ParameterError(
                f"{self.n_free_} weights could be chosen so far, and with tied as it is now {free} can: to begin "
                "again, call fit"
            )

    # --- what is kept ---------------------------------------------------------------------------------------

    def _keep(self, trainer: Trainer, ends: Sequence[TrainingEnd]) -> None:
        best = min(ends, key=lambda one: one.start.loss)
        if not best.is_finite:
            raise ParameterError(f"{type(self).__name__}: {best.start.sentence}")
        self._set(trainer, best.theta, best.trace())
        self.loss_, self.starts_ = best.start.loss, tuple(one.start for one in ends)
        self.history_, self.n_iter_, self.converged_ = best.history, max(1, best.start.n_iter), best.start.converged
        self.learning_curve_ = TrainingCurve(np.array(best.history), np.array(best.held_out))
        self.rule_ = {}
        if not self.converged_ and trainer.settings.tolerance is not None:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(f"{type(self).__name__}: {best.start.sentence}", ConvergenceWarning)
        elif self.converged_:
            self._warn_if_stuck(trainer.lesson.objective.loss.name)

    def _warn_if_stuck(self, loss: str) -> None:
        """Say where a training on few rows has ended at what a constant can do, or wrong where it could be right."""
        reason = why_constant(self.architecture_, loss, self.weights_, self.trace_)
        if reason is None and self._aims_to_be_right():
            reason = why_wrong(self.architecture_, self.weights_, self.trace_)
        if reason:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(f"{type(self).__name__}: {reason}", ConvergenceWarning)

    def _aims_to_be_right(self) -> bool:
        """Whether nothing but the classes of the rows decides on the weights: no penalty, and no rows held out."""
        is_free = not (self.weight_decay or self.curvature or self.slope_weight or self.early_stopping)
        return is_free and hasattr(self, "classes_") and not getattr(self, "multilabel_", False)

    def _keep_pass(self, trainer: Trainer, epoch: TrainingEpoch, trace: NetworkTrace, going_on: bool) -> None:
        if not epoch.state.is_finite:
            raise ParameterError(f"{type(self).__name__}: {trainer.ending(epoch)[1]}")
        self._set(trainer, epoch.state.theta, trace)
        self.history_ = (*self.history_, epoch.objective) if going_on else (epoch.objective,)
        self.loss_, self.n_iter_, self.converged_ = epoch.objective, epoch.number, False
        self.starts_ = ()
        self.learning_curve_ = TrainingCurve(np.array(self.history_), np.empty(0))
        self.rule_ = memory(epoch.state.rule)

    def _set(self, trainer: Trainer, free: Any, trace: NetworkTrace) -> None:
        lesson = trainer.lesson
        self._lay_out(lesson.architecture, lesson.expand(free).astype(self.dtype))
        self.n_free_ = len(free)
        self.eta_ = trainer.eta if trainer.settings.by_batches else None
        self.target_scale_ = 1.0 if trainer.gauge is None else trainer.gauge.scale
        self.trace_ = trace

    def _become(self, table: Table, architecture: Architecture, theta: Any) -> Self:
        """Be a network of these weights for such rows, without having learned."""
        self._remember(table)
        self._lay_out(architecture, theta)
        self.n_free_, self.n_iter_, self.history_, self.rule_ = len(theta), 0, (), {}
        return self

    def _lay_out(self, architecture: Architecture, theta: Any) -> None:
        layers = architecture.layers(theta)
        self.coefs_, self.intercepts_ = [W.copy() for W, _ in layers], [b.copy() for _, b in layers]
        self.architecture_, self.out_activation_ = architecture, architecture.output
        self.n_outputs_, self.n_layers_ = architecture.sizes[-1], len(architecture.sizes)

    @property
    def n_parameters_(self) -> int:
        """Weights and biases; those that are tied are one, those that are absent none."""
        return self.n_free_

    @property
    def weights_(self) -> Any:
        """All weights as one vector θ: layer after layer, each W row by row and then its biases."""
        return np.concatenate(
            [part.ravel() for pair in zip(self.coefs_, self.intercepts_, strict=True) for part in pair]
        )

    def with_weights(self, theta: Any) -> Self:
        """A copy that has other weights θ, as `weights_` orders them, and so no training that led to them."""
        check_is_fitted(self)
        other = deepcopy(self)
        for name in LEARNED:
            other.__dict__.pop(name, None)
        layers = self.architecture_.layers(np.array(theta, self.weights_.dtype))
        other.coefs_, other.intercepts_ = [W.copy() for W, _ in layers], [b.copy() for _, b in layers]
        return other

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coefs_")

    def _check_state(self) -> None:
        """After loading: the layers must be those of the architecture."""
        sizes, output = self.architecture_.sizes, self.architecture_.output
        weights = [(W.shape, b.shape) for W, b in zip(self.coefs_, self.intercepts_, strict=True)]
        if weights != [((a, b), (b,)) for a, b in pairwise(sizes)]:
            raise ModelFileError("its coefs_ and intercepts_ are not those of its architecture_")
        if (sizes[0], sizes[-1], output) != (self.n_features_in_, self.n_outputs_, self.out_activation_):
            raise ModelFileError("its architecture_ does not fit its columns and outputs")
        if hasattr(self, "trace_") and not self.trace_.fits(self.architecture_.n_parameters, sizes[-1]):
            raise ModelFileError("the parts of its trace_ do not fit each other")

    # --- answers --------------------------------------------------------------------------------------------

    def _outputs(self, X: Any) -> Floats:
        """The outputs for each row (n, k), in double precision."""
        check_is_fitted(self)
        theta = self.weights_.astype(np.float64)
        return np.asarray(self._answers(X, outputs, self.architecture_, theta, propagates=True))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_network(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        chunk, cut = self._first_rows(X, options.rows)
        return derive_predictions(self, chunk.dense(), cut, options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_epoch(self, iteration, options)


def outputs(chunk: Chunk, architecture: Architecture, theta: Floats) -> Floats:
    """The outputs for a chunk's rows (n, k), block by block; NaN for a row that is not finite, which units may hide."""
    step, values = max(1, BLOCK // max(architecture.sizes)), np.empty((len(chunk), architecture.sizes[-1]))
    for start in range(0, len(chunk), step):
        x = chunk.rows(start, start + step).dense()
        with np.errstate(over="ignore", invalid="ignore"):  # infinite values are for the learner to report
            values[start : start + step] = forward(architecture, theta, x)[-1]
        values[start : start + step][~np.isfinite(x).all(axis=1)] = np.nan
    return values
