"""What bagging of classifiers and of regressors share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from novacula.ensemble.members import EnsembleOfLearners
from novacula.ensemble.row_keys import Keys, bootstrap_counts, chosen, row_keys, stream_of
from novacula.errors import ParameterError
from novacula.learner.derivation import cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.state import State, floats
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.words import listed

SHARE = Interval(Real, 0, 1, closed="right")
COUNT = Interval(Integral, 1, None, closed="left")


class Bagging(EnsembleOfLearners):
    """Fits models on samples of the rows and of the columns; an answer is their mean."""

    state: ClassVar[State] = {"sample_weights_": floats("members", least=0.0)}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [COUNT],
        "max_samples": [SHARE, COUNT],
        "max_features": [SHARE, COUNT],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean"],
        "unseen": [StrOptions({"ignore", "error"})],
        "random_state": ["random_state"],
    }

    sample_weights_: Floats

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        unseen: str = "ignore",
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.unseen = unseen
        self.random_state = random_state

    def _learn(self, table: Table) -> None:
        """Fit a model on each sample, and answer the rows that it lacks if that is asked for."""
        rows, draw = self._rows(table), check_random_state(self.random_state)
        chunk, seed = rows.to_chunk(), int(draw.randint(2**31 - 1))
        share = self.max_samples / float(chunk.weight.sum()) if isinstance(self.max_samples, Integral) else None
        share = min(share or float(self.max_samples), 1.0)
        if self.oob_score and not self.bootstrap and share == 1.0:
            raise ParameterError("oob_score=True needs samples that lack rows: set bootstrap=True or max_samples")
        keys, names = row_keys(chunk), [column.name for column in self.schema_.features]
        counts = [self._counts(keys, chunk, stream_of(seed, m), share) for m in range(self.n_estimators)]
        self.estimators_ = [
            self._fitted(
                rows.reweighted(chunk.weight * count).select(self._columns(names, draw)), int(draw.randint(2**31 - 1))
            )
            for count in counts
        ]
        self.sample_weights_ = np.array([float(chunk.weight @ count) for count in counts])
        if self.oob_score:
            self._keep_out_of_bag(rows, np.array(counts).T == 0.0)

    def _counts(self, keys: Keys, chunk: Any, stream: int, share: float) -> Floats:
        """How often a model has each row; every row once where the sample would be too poor to learn from."""
        if self.bootstrap:
            counts = bootstrap_counts(keys, stream, share)
        else:
            counts = chosen(keys, stream, share).astype(np.float64)
        return counts if self._is_enough(chunk, counts) else np.ones(len(keys))

    def _is_enough(self, chunk: Any, counts: Floats) -> bool:
        """Whether a sample has rows that count."""
        return bool((chunk.weight @ counts) > 0.0)

    def _columns(self, names: Sequence[str], draw: Any) -> list[str]:
        """The columns of a model, in their order."""
        most = len(names)
        asked = self.max_features if isinstance(self.max_features, Integral) else int(self.max_features * most)
        places = draw.permutation(most)[: max(1, min(int(asked), most))]
        return [names[j] for j in sorted(places)]

    def _keep_out_of_bag(self, rows: Table, away: npt.NDArray[np.bool_]) -> None:
        """Set what the models whose sample lacks a row (n, M) say of it."""
        raise NotImplementedError

    def _mean_away(self, answers: Floats, away: npt.NDArray[np.bool_]) -> Floats:
        """The mean of the answers (n, M, K) of the models whose sample lacks the row; NaN where there is none."""
        if not away.any():
            raise ParameterError("every sample has every row, so that nothing is out of bag: fit more models")
        with np.errstate(invalid="ignore"):
            return (answers * away[:, :, None]).sum(axis=1) / away.sum(axis=1)[:, None]

    # --- derive ------------------------------------------------------------------------------------------------

    def _derive(self, options: WorkOptions) -> Work:
        """Name the models, and derive the first."""
        every = [column.name for column in self.schema_.features]
        rows = []
        for m, model in enumerate(self.estimators_):
            names = [column.name for column in model.schema_.features]
            rows.append((m, float(self.sample_weights_[m]), "all" if names == every else listed(names)))
        first = self.estimators_[0].work(**asdict(options))
        table = cut_table(("model", "weight of its rows", "columns"), rows, len(rows))
        kind = self.estimators_[0].card.name
        steps = [replace(step, equation=tuple(map(self._tied, step.equations))) for step in first]
        notes = ["The first model is derived below.", *first.notes]
        return replace(first, title=f"Bagging: {kind}", steps=(Step("The models", table=table), *steps), notes=notes)

    def _tied(self, equation: Any) -> Any:
        """An equation of the first model, tied to where it is in this one."""
        of = equation.of
        is_attribute = bool(of) and not callable(getattr(type(self.estimators_[0]), str(of[0]), None))
        return replace(equation, of=("estimators_", 0, *of) if is_attribute else ())
