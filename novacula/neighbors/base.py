"""What the learners of neighbours share: rows that are kept, the search among them, and the choice of k.

Nothing is computed at fit beyond an index. What is said of a row is said by the k rows of the fit that are nearest to
it; k counts weight, so that a row of weight 2 takes two of the k places.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, TypeAlias

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError, ParameterError
from novacula.learner.base import Learner
from novacula.learner.card import Admits, Card, Extent
from novacula.learner.left_out import LeftOut
from novacula.learner.showing import WorkOptions
from novacula.neighbors.index import Index, in_blocks
from novacula.neighbors.kd_tree import Places
from novacula.neighbors.metric import METRICS, MIXED, power
from novacula.neighbors.places import ROUNDING, Asked, LeftOutRows, Neighbours, rows_needed
from novacula.neighbors.scaling import Scaling, warn_of_wild_scales
from novacula.state import Form, State, by_parameter, floats, keyed, optional, record, whole
from novacula.table import Chunk, Table
from novacula.table.answering import unbounded
from novacula.table.chunk import Floats
from novacula.table.parallel import tree_sum

LARGEST_K = 100
"""The largest k that leaving rows out is tried with."""
CURVE, LEFT_OUT = 30, 5000
"""The largest k of a derived curve of errors, where k was given, and the rows up to which there is one."""
LARGEST_LIST = 2**30
"""Entries of a list of neighbours, at most: 16 GiB of distances and row numbers."""

Loss: TypeAlias = Callable[[Neighbours, int, Places], Floats]
"""What k neighbours of rows of the fit get wrong of each target, by the numbers of the rows: (m, t)."""


def neighbor_counts(extent: Extent) -> tuple[int, ...]:
    """Numbers of neighbours that a study tries: many make a smooth and simple answer, few a rich one."""
    return tuple(k for k in (100, 50, 25, 15, 9, 5, 3, 1) if k == 1 or 2 * k <= extent.n_rows)


LAZY_CARD: dict[str, Any] = {
    "search": "None at fit: lazy. Neighbours by a k-d tree, or by matrix products refined exactly.",
    "takes": ("numeric",),
    "scales": ("memory",),
    "uses": "arrays",
    "interpretability": "Middling: an answer can show the rows that it comes from, but there is no rule.",
    "answer_cost": "About k·log n for each row in few dimensions, n·d in many.",
    "cost": "n·log n·d to fit, n·d numbers kept; about k·log n per query in few dimensions, n·d in many.",
    "cost_exponents": {"n": 1, "d": 1},
    "needs": ("scaled",),
    "size": "n_neighbors",
    "sizes": neighbor_counts,
}
"""What the cards of all learners of neighbours have in common."""
PREDICTOR_CARD: dict[str, Any] = LAZY_CARD | {
    "inductive_bias": "Near rows are alike, and every column counts in what near means.",
    "objective": "None at fit; k by the leave-one-out error (n_neighbors='loo').",
    "noise": "Averages out among the k; k = 1 learns it by heart.",
    "missing": "Refused with column and row, but for metric='heom'.",
    "unseen": "Only metric='heom' takes categories.",
}
"""What the cards of those that predict a target have in common."""


def kept_neighbors(target: Form) -> State:
    """The declaration of the rows that a learner of neighbours keeps, with targets of this form.

    What is missing is NaN, and only the metric of mixed columns takes it.
    """
    finite, gaps = floats("examples", "columns"), floats("examples", "columns", finite=False)
    rows = by_parameter("metric", {MIXED: gaps} | dict.fromkeys(METRICS, finite))
    return {"examples_": keyed({"rows": rows, "weight": floats("examples", least=0.0), "target": target})}


class CardByMetric:
    """The card of a class, and another one for its instances that compare mixed columns."""

    def __init__(self, plain: Card) -> None:
        self.plain = plain
        self.mixed = replace(
            plain,
            missing="At distance 1 from every value of its column.",
            admits=Admits(missing=True),
            unseen="Treated as missing with a warning, or refused (unseen='error').",
            takes=("numeric", "categorical"),
        )

    def __get__(self, learner: NeighborsLearner | None, kind: type | None = None) -> Card:
        return self.mixed if learner is not None and learner.metric == MIXED else self.plain


class NeighborsLearner(Learner):
    """A learner that keeps its rows and asks those nearest to a new one."""

    state_types: ClassVar[tuple[type, ...]] = (Scaling,)
    state: ClassVar[State] = {
        "scaling_": record(Scaling, numeric="numeric"),
        "n_neighbors_": whole(least=1),
        "loo_error_": optional(floats("tried", finite=False)),  # infinite where a row's density is
    }
    kept_rows: ClassVar[Mapping[str, tuple[str, ...]]] = {"examples_": ("weight",)}

    n_neighbors: int | str
    metric: str
    p: float
    scale: str | None
    algorithm: str
    unseen: str = "ignore"

    n_neighbors_: int
    scaling_: Scaling
    examples_: dict[str, Any]
    loo_error_: Floats

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"loo"})],
        "metric": [StrOptions({*METRICS, MIXED})],
        "p": [Interval(Real, 1, None, closed="both")],
        "scale": [StrOptions({"range", "standard"}), None],
        "algorithm": [StrOptions({"auto", "kd_tree", "brute"})],
    }

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Store the rows of a table, laid out on one scale, and index them.

        The rows are kept as they came: a row of weight 2 and two rows are different rows, and the same model.
        """
        chunk, mixed = table.to_chunk(), self.metric == MIXED
        names = [column.name for column in table.layout.of_kind("numeric")]
        if mixed and self.scale == "standard":
            raise ParameterError(
                "scale='standard' does not go with metric='heom', which has a scale of its own: ranges"
            )
        if self.scale is None and not mixed:
            warn_of_wild_scales(chunk.numeric, chunk.weight, names)
        self.scaling_ = Scaling.of(chunk.numeric, chunk.weight, "range" if mixed else self.scale, names)
        rows = self.scaling_.lay_out(chunk)
        if not mixed and not chunk.weight.all():  # rows that do not count may hold anything, which nobody reads
            rows = np.where((chunk.weight > 0.0)[:, None] | np.isfinite(rows), rows, 0.0)
        self.examples_ = {"rows": rows, "weight": chunk.weight.copy(), "target": _in_rows(chunk.target)}
        self.__dict__.pop("_index", None)
        if isinstance(self.n_neighbors, str):
            self._choose()
        else:
            self.n_neighbors_ = int(self.n_neighbors)
            self._require_places(self.n_neighbors_)
        self._indexed()

    def _choose(self) -> None:
        """Take the k with the least error of rows that are left out; ties go to the smallest."""
        largest = min(LARGEST_K, int(self._total - 1.0 + ROUNDING))
        if largest < 1:
            raise DataError(f"n_neighbors={self.n_neighbors!r} leaves out rows, which takes at least two, not 1 sample")
        self.loo_error_ = self._left_out(range(1, largest + 1)).mean(axis=1)
        finite = np.isfinite(self.loo_error_)
        if not finite.any():
            raise DataError(f"rows are at one place {largest} times and more, so no k can be chosen: give n_neighbors")
        self.n_neighbors_ = 1 + int(np.argmin(np.where(finite, self.loo_error_, np.inf)))

    @abstractmethod
    def _left_out(self, ks: Sequence[int]) -> Floats:
        """The mean loss of rows about which the others are asked, for each k and target: (len(ks), t)."""

    def _mean_losses(self, ks: Sequence[int], loss: Loss) -> Floats:
        """The mean of a loss over rows about which the others are asked, for each k and target: (len(ks), t)."""
        rows, weight = self.examples_["rows"], self.examples_["weight"]
        counting = np.flatnonzero(weight > 0.0)
        self._require_places(max(ks), left_out=True)

        def losses(block: slice) -> Floats:
            own = counting[block]
            found = self._neighbours(rows[own], max(ks), own)
            return np.stack([weight[own] @ loss(found, k, own) for k in ks])

        return tree_sum(in_blocks(losses, len(counting), self._width(max(ks) + 1))) / self._total

    def _check_state(self) -> None:
        """What the declaration cannot say: the rows weigh as much as there are neighbours to ask."""
        if not self.n_neighbors_ <= self._total * (1.0 + ROUNDING) < np.inf:
            raise ModelFileError("its n_neighbors_ are more than its rows weigh, or their weights overflow")
        if self.metric == MIXED and np.isinf(self.examples_["rows"]).any():
            raise ModelFileError("its examples_ hold a number that is infinite")

    # --- search ------------------------------------------------------------------------------------------------

    def _indexed(self) -> Index:
        """The index, which is built at fit, and again after loading."""
        if "_index" not in vars(self):
            examples = self.examples_
            form = (
                len(self.scaling_.unit),
                self.metric,
                self.p,
                self.algorithm,
                getattr(self, "n_neighbors_", LARGEST_K),
            )
            self._index = Index.build(examples["rows"], examples["weight"], *form)
        return self._index

    @property
    def _total(self) -> float:
        with np.errstate(over="ignore"):
            return float(self.examples_["weight"].sum())

    @property
    def _power(self) -> float:
        return power(self.metric, self.p)

    @property
    def n_samples_fit_(self) -> int:
        """The number of rows of the fit."""
        check_is_fitted(self)
        return len(self.examples_["weight"])

    @property
    def n_parameters_(self) -> int:
        """The values of the rows, which are kept, and their targets."""
        rows, target = self.examples_["rows"], self.examples_["target"]
        return int(rows.size + (0 if target is None else target.size))

    def _width(self, k: int) -> int:
        """How many rows surely take k places."""
        weight = self.examples_["weight"]
        return rows_needed(weight[weight > 0.0], k)

    def _require_places(self, k: int, left_out: bool = False) -> None:
        there = self._total - left_out
        if k > there * (1.0 + ROUNDING):
            weight = self.examples_["weight"]
            what = "rows" if (weight == 1.0).all() else "weight"
            besides = " besides the row that is left out" if left_out else ""
            raise DataError(
                f"n_neighbors is {k}, but there are n_samples={len(weight)} with {there:g} {what}{besides}: give more "
                f"rows or ask fewer neighbours"
            )

    def _neighbours(self, queries: Floats, k: int, own: Places | None = None) -> Neighbours:
        """The rows that take k places for each of queries (m, c); `own`: the numbers of the queries, which are rows."""
        distance, row = self._indexed().search(queries, self._width(k + (own is not None)))
        return Neighbours.of(distance, row, self.examples_["weight"], own)

    def _answers_from_nearest(self, X: Any, answer: Callable[[Neighbours], Any], logarithms: bool = False) -> Any:
        """What `answer` says of the neighbours of each row of X, chunk by chunk and block by block.

        `logarithms`: of what may be 0 or have no bound, so that answers may be infinite.
        """
        check_is_fitted(self)
        k = self.n_neighbors_

        def of_chunk(chunk: Chunk) -> Any:
            queries = self.scaling_.lay_out(chunk)
            blocks = in_blocks(lambda b: answer(self._neighbours(queries[b], k)), len(queries), self._width(k))
            return np.concatenate(blocks)

        return self._answers(X, unbounded(of_chunk) if logarithms else of_chunk, unseen=self.unseen)

    # --- for derivations ---------------------------------------------------------------------------------------

    def _asked(self, X: Any, options: WorkOptions) -> Asked:
        """The first rows of X with their neighbours."""
        chunk, is_cut = self._first_rows(X, options.rows, self.unseen)
        rows = self.scaling_.lay_out(chunk)
        return Asked(rows, [self._neighbours(row[None], self.n_neighbors_) for row in rows], is_cut)

    def _shown_left_out(self) -> LeftOutRows | None:
        """The rows about which the others are asked; None where they are too many, or too few for k."""
        largest, k = int(self._total - 1.0 + ROUNDING), self.n_neighbors_
        if self.n_samples_fit_ > LEFT_OUT or k > min(largest, LEFT_OUT):
            return None
        return LeftOutRows(self._left_out(range(1, min(largest, max(CURVE, k)) + 1)), self._said_by_others())

    def _said_by_others(self) -> Any:
        """What the nearest other rows say of each row of the fit; nothing, where there are no targets."""
        return np.empty(0)

    def _at_places(self, places: Floats, k: int | None = None) -> Any:
        """What k neighbours of places in the columns' own units say, those of the model or others: a picture of it."""
        queries, k = (places - self.scaling_.offset) / self.scaling_.unit, k or self.n_neighbors_
        blocks = in_blocks(lambda b: self._drawn(self._neighbours(queries[b], k), k), len(queries), self._width(k))
        return np.concatenate(blocks)

    @abstractmethod
    def _drawn(self, nearest: Neighbours, k: int) -> Any:
        """What k neighbours of places say of them, as a picture shows it: (m,)."""

    # --- out ---------------------------------------------------------------------------------------------------

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Distances and row numbers of the nearest rows of the fit, nearest first; ties go to the smaller number.

        Without X the rows of the fit are the queries, each without itself. A row of weight 2 is there twice, one
        of weight 0 nowhere.
        """
        check_is_fitted(self)
        k = self.n_neighbors_ if n_neighbors is None else n_neighbors
        if not isinstance(k, Integral) or k < 1:
            raise ParameterError(f"n_neighbors is {k!r}; it must be a whole number of at least 1")
        self._require_places(int(k), left_out=X is None)
        queries = self.examples_["rows"] if X is None else self._answers(X, self.scaling_.lay_out, unseen=self.unseen)
        if len(queries) * int(k) > LARGEST_LIST:
            raise DataError(
                f"{k} neighbours of {len(queries)} rows make a list of {16e-9 * k * len(queries):.0f} GB: ask for "
                f"fewer rows at a time"
            )

        def lists(block: slice) -> tuple[Floats, Places]:
            own = np.arange(len(queries))[block] if X is None else None
            return self._neighbours(queries[block], int(k), own).listed(int(k))

        nearest = in_blocks(lists, len(queries), self._width(int(k) + (X is None)))
        distance, row = (np.concatenate(parts) for parts in zip(*nearest, strict=True))
        return (distance, row) if return_distance else row

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """Neighbours as a CSR matrix: one row per row of X, one column per row of the fit.

        Its entries are the places that a neighbour takes, 1 where there are no weights, or with mode="distance" how far
        away it is.
        """
        from scipy.sparse import csr_matrix

        if mode not in ("connectivity", "distance"):
            raise ParameterError(f"mode is {mode!r}; it must be 'connectivity' or 'distance'")
        distance, row = self.kneighbors(X, n_neighbors)
        first = np.ones(row.shape, bool)
        first[:, 1:] = row[:, 1:] != row[:, :-1]  # the places of one row are next to each other
        places = np.flatnonzero(first)
        taken = np.diff(places, append=row.size).astype(np.float64)
        data = taken if mode == "connectivity" else distance.ravel()[places]
        edges = np.concatenate([[0], np.cumsum(first.sum(axis=1))])
        return csr_matrix((data, row.ravel()[places], edges), shape=(len(row), self.n_samples_fit_))


def _in_rows(target: Any) -> Any:
    """Targets laid out row by row, or none."""
    return None if target is None else np.ascontiguousarray(target)


class NeighborsPredictor(NeighborsLearner):
    """One that answers with a class or a number: its neighbours vote, or are averaged."""

    weights: str

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NeighborsLearner._parameter_constraints,
        "weights": [StrOptions({"uniform", "distance"})],
        "unseen": [StrOptions({"ignore", "error"})],
    }

    def __init__(
        self,
        n_neighbors: int | str = 5,
        *,
        weights: str = "uniform",
        metric: str = "euclidean",
        p: float = 2,
        scale: str | None = None,
        algorithm: str = "auto",
        unseen: str = "ignore",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.p = p
        self.scale = scale
        self.algorithm = algorithm
        self.unseen = unseen

    @abstractmethod
    def _loss(self, nearest: Neighbours, k: int, rows: Places) -> Floats:
        """The loss of what k neighbours say of rows of the fit, for each target: (m, t)."""

    def _left_out(self, ks: Sequence[int]) -> Floats:
        return self._mean_losses(ks, self._loss)

    def left_out(self, X: Any, y: Any) -> LeftOut | None:
        """What the nearest other rows of the fit say of each, if distances and k stay what they are without it."""
        if self.scale is not None or self.metric == MIXED or isinstance(self.n_neighbors, str):
            return None
        predictions = self._labelled(self._said_by_others())
        return LeftOut(predictions, np.ones(len(predictions), bool), "neighbours without the row")

    def _said_by_others(self) -> Any:
        rows, k, own = self.examples_["rows"], self.n_neighbors_, np.arange(self.n_samples_fit_)
        self._require_places(k, left_out=True)

        def answers(block: slice) -> Any:
            return self._answer(self._neighbours(rows[block], k, own[block]))

        return np.concatenate(in_blocks(answers, len(own), self._width(k + 1)))

    @abstractmethod
    def _answer(self, nearest: Neighbours) -> Any:
        """What the neighbours of rows say of them: numbers of classes (m,), or means (m, t)."""

    @abstractmethod
    def _labelled(self, answers: Any) -> Any:
        """Answers as `predict` gives them."""
