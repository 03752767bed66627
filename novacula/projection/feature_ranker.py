"""Columns ranked by how much each says of the target on its own, and the best of them selected.

    |r|,  η = √(between / all squares),  V        correlation, for numbers and categories
    F                                             analysis of variance
    I(column; target)                             mutual information, in nats
    H(target) − H(target | column)                information gain, in bits

Mixed columns are ranked on one scale, from one pass over the rows.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from novacula.errors import DataError, ModelFileError, SchemaError, overflow
from novacula.learner import ingest
from novacula.learner.base import Learner, require_target
from novacula.learner.card import Admits, Card
from novacula.learner.figure import Figure, bar_figure
from novacula.learner.in_our_words import in_our_words
from novacula.learner.labels import class_array, labels_of
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.projection.association import Crossing, Variation
from novacula.projection.derivation.ranking import derive_ranking
from novacula.projection.pairs import PairMoments
from novacula.projection.ranking import RankingPlan, associate, observe, observe_target, require_parts, score_of
from novacula.state import State, each, floats, labels, nullable, record, text, whole, wholes
from novacula.statistics import Bundle
from novacula.table import Column, Table
from novacula.table.chunk import Floats

FEW_LABELS = 20
"""Whole numbers that span fewer values than this are classes."""
SCORE_CALLED = ("check_fit_score_takes_y", "check_n_features_in_after_fitting", "check_pipeline_consistency")
"""Checks of scikit-learn that call any attribute named `score`."""
BARS = 20
"""Columns of a figure."""


class FeatureRanker(SelectorMixin, Learner):
    """Ranks columns, numbers and categories alike, by what each says of the target, and selects the best.

    Parameters
    ----------
    score : {"correlation", "mutual_information", "anova", "gain"}, default="correlation"
        "correlation", from 0 to 1: |r| of two numbers, the correlation ratio η of a number and categories, Cramér's V
        of two categories. "anova": F, of numbers by classes, of a numeric target by categories, or of a line.
        "mutual_information" in nats: numeric columns, and a numeric target, are cut into `n_bins` of equal weight.
        "gain" in bits: categories split all ways, a numeric column at its best threshold.
    k : int or "all", default=10
        How many columns `transform` keeps: all, where there are fewer.
    n_bins : int, default=10
        Bins of equal weight, for numbers in "mutual_information", and of a numeric target for "gain" too.
    target : {"auto", "numbers", "classes"}, default="auto"
        What the target is. "auto": words and truth values are classes, and so are integers that span fewer than 20
        values; all other numbers are numbers.

    Attributes
    ----------
    scores_, ranks_ : arrays (d,)
        The score of each column, higher is better, and its rank from 1; ties go to the first column.
    pvalues_ : array (d,) or None
        How often such a score comes by chance: F and t tests, χ² for V, the G-test for mutual information. None for
        the gain, whose thresholds are chosen.
    classes_ : array or None
        The classes of the target.
    n_bins_ : int
        Bins into which a numeric target was cut, 0 where it was not.
    statistic_ : Bundle
        The sums that the scores are made of.

    A missing value leaves its row out for its column alone. A column that does not vary scores 0, with p-value 1.
    Numeric columns of more than 2048 distinct values are cut at bounds of buckets (see `QuantileSketch`).

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.projection import FeatureRanker
    >>> ranker = FeatureRanker("gain", k=2).fit(nv.datasets.load("play_tennis"))
    >>> dict(zip(ranker.feature_names_in_.tolist(), ranker.scores_.round(4).tolist()))
    {'Outlook': 0.2467, 'Temperature': 0.0292, 'Humidity': 0.1518, 'Wind': 0.0481}
    >>> ranker.get_feature_names_out().tolist()
    ['Outlook', 'Humidity']
    """

    card: ClassVar[Card] = Card(
        name="Feature ranking",
        task="transform",
        summary="Columns in the order of what each says of the target on its own; the best are kept.",
        hypothesis_space="Subsets of the columns.",
        inductive_bias="Columns matter one by one: what only two together say is not seen, and twins are both kept.",
        objective="The score of each column: correlation, F, mutual information or information gain.",
        search="None: every column is scored, and they are sorted.",
        noise="Averages out in the sums; p-values say what chance would give.",
        missing="A row is left out for the columns it misses; transform passes missing values on.",
        admits=Admits(missing=True),
        unseen="Passed on by transform as they are.",
        takes=("numeric", "categorical"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="High: one number for each column.",
        answer_cost="Columns are left out, which takes no arithmetic.",
        cost="One pass of n·d, with sorting for mutual information and gain, and for those a pass over a numeric "
        "target before; K·d sums or up to 2048·K·d buckets are kept.",
        cost_exponents={"n": 1, "d": 1},
        size="k",
        expected_failures=dict.fromkeys(SCORE_CALLED, "`score` is a parameter, the name of the score, and no method"),
    )
    state_types: ClassVar[tuple[type, ...]] = (PairMoments,)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "score": [StrOptions({"correlation", "mutual_information", "anova", "gain"})],
        "k": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "target": [StrOptions({"auto", "numbers", "classes"})],
    }
    state: ClassVar[State] = {
        "n_features_in_": whole(least=1, size="columns"),
        "target_names_": each(text(), 1),
        "classes_": nullable(labels("classes")),
        "n_bins_": whole(),
        "scores_": floats("columns", least=0.0, finite=False),  # F is infinite where nothing is left unexplained
        "pvalues_": nullable(floats("columns", least=0.0, most=1.0)),
        "ranks_": wholes("columns", least=1),
        "statistic_": record(Bundle),
    }

    scores_: Floats
    pvalues_: Floats | None
    ranks_: npt.NDArray[np.int64]
    classes_: Any
    statistic_: Bundle

    def __init__(
        self, score: str = "correlation", k: int | str = 10, *, n_bins: int = 10, target: str = "auto"
    ) -> None:
        self.score = score
        self.k = k
        self.n_bins = n_bins
        self.target = target

    # --- fit ------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Score every column."""
        labels = table.layout.target_columns[0]
        self.target_names_ = [labels.name]
        self.classes_ = class_array(labels.categories) if labels.kind == "categorical" else None
        plan = self._plan(table)
        self.statistic_ = table.reduce(observe, plan)
        self.n_bins_ = plan.n_classes if plan.edges is not None else 0
        self._require_sound(table, plan)
        self._rank()

    def _plan(self, table: Table) -> RankingPlan:
        sizes = tuple(len(column.categories) for column in table.layout.of_kind("categorical"))
        if self.classes_ is not None:
            if self.score == "anova" and sizes:
                name = table.layout.of_kind("categorical")[0].name
                raise SchemaError(
                    f"score='anova' compares means, but column {name!r} and the target are both categories: use "
                    "'mutual_information', 'gain' or 'correlation'"
                )
            return RankingPlan(self.score, len(self.classes_), sizes)
        if self.score in ("correlation", "anova"):
            return RankingPlan(self.score, 0, sizes)
        [edges] = table.reduce(observe_target).edges(self.n_bins)
        return RankingPlan(self.score, len(edges) + 1, sizes, edges)

    @property
    def n_parameters_(self) -> int:
        """The rank of each column."""
        return self.ranks_.size

    @property
    def _fitted_plan(self) -> RankingPlan:
        sizes = tuple(len(column.categories) for column in self.schema_.of_kind("categorical"))
        return RankingPlan(self.score, self.n_bins_ if self.classes_ is None else len(self.classes_), sizes)

    def _rank(self) -> None:
        plan, scores = self._fitted_plan, np.empty((self.n_features_in_, 2))
        for j, column in enumerate(self.schema_.features):
            association = self._association(j)
            if isinstance(association, Variation) and not association.is_finite:
                raise overflow(column.name if column.kind == "numeric" else self.target_names_[0])
            scores[j] = score_of(plan, association)
        self.scores_ = scores[:, 0].copy()
        self.pvalues_ = None if self.score == "gain" else scores[:, 1].copy()
        self.ranks_ = np.empty(self.n_features_in_, np.int64)
        self.ranks_[np.argsort(-self.scores_, kind="stable")] = np.arange(1, self.n_features_in_ + 1)

    def _association(self, j: int) -> Variation | Crossing:
        """How column j goes with the target."""
        column = self.schema_.features[j]
        place = self.schema_.of_kind(column.kind).index(column)
        return associate(self._fitted_plan, self.statistic_, column.kind, place, self.n_bins)

    def _require_sound(self, table: Table, plan: RankingPlan) -> None:
        """Refuse rows without a known value, and values whose squares overflow where sums are made of them."""
        if not any(np.any(array > 0.0) for name, array in self.statistic_.arrays().items() if _counts(name)):
            raise DataError(f"{table.source.name} holds no value that is known: there is nothing to rank by")
        if plan.informs or not table.layout.of_kind("numeric"):
            return
        numbers = self.statistic_.parts[0]
        for name, array in numbers.arrays().items():
            broken = ~np.isfinite(array).reshape(-1, array.shape[-1]).all(axis=0)
            if broken.any() and name not in ("low", "high"):
                raise overflow(table.layout.of_kind("numeric")[int(np.argmax(broken))].name)

    def _check_state(self) -> None:
        if not np.array_equal(np.sort(self.ranks_), np.arange(1, self.n_features_in_ + 1)):
            raise ModelFileError("its ranks_ are not the numbers from 1 to that of the columns")
        require_parts(self._fitted_plan, self.statistic_, len(self.schema_.of_kind("numeric")))

    # --- in -------------------------------------------------------------------------------------------------

    def _targets_beside(self, source: Any, X: Any, y: Any, classes: Any) -> list[Column]:
        """One target, of classes or numbers."""
        require_target(self, y)
        with in_our_words():
            values = column_or_1d(np.asarray(y), warn=True)
        if self._are_classes(values):
            labels, source.target = labels_of(y, X)
            [name] = ingest.target_names(source, source.target)
            return [Column(name, "categorical", tuple(labels.tolist()), declared=True, missing=0)]
        source.target = ingest.numbers_of(values, X)
        [name] = ingest.target_names(source, source.target)
        return [Column(name, "numeric", missing=0)]

    def _are_classes(self, y: Any) -> bool:
        if self.target != "auto":
            return self.target == "classes"
        return y.dtype.kind not in "iuf" or (y.dtype.kind in "iu" and int(np.ptp(y)) < FEW_LABELS)

    def _with_target(self, table: Table, classes: Any = None) -> Table:
        ingest.require_one_target(table, type(self).__name__)
        column = table.layout.target_columns[0]
        if column.kind == "text":
            raise SchemaError(f"the target {column.name!r} has too many distinct values to be classes")
        if column.kind == "categorical":
            if self.target == "numbers":
                raise SchemaError(f"the target {column.name!r} holds categories, not numbers: use target='classes'")
            return table
        if self.target == "classes" or (self.target == "auto" and _spans_few(table, column)):
            return table.with_types({column.name: "categorical"})
        return table

    # --- out ------------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """The columns that are kept, in their order: a table for a table, a frame for a frame, else an array."""
        from novacula.table.frames import is_frame

        check_is_fitted(self)
        places = np.flatnonzero(self._get_support_mask())
        if isinstance(X, Table):
            return X.select([self.schema_.features[j].name for j in places])
        if is_frame(X):
            import narwhals.stable.v2 as nw

            with in_our_words():
                _check_feature_names(self, X, reset=False)
                _check_n_features(self, X, reset=False)
            return nw.from_native(X, eager_only=True)[:, places.tolist()].to_native()
        with in_our_words():
            array = validate_data(self, X, dtype=None, ensure_all_finite=False, reset=False)
        return array[:, places]

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        most = self.n_features_in_ if isinstance(self.k, str) else self.k
        return np.asarray(self.ranks_ <= most)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_ranking(self, self._fitted_plan, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The scores of the best columns do not depend on X, which must have them all the same."""
        self._query(X)
        return self._derive(options)

    def figure(self) -> Figure:
        """The scores of the best columns as bars."""
        check_is_fitted(self)
        best = [j for j in np.argsort(self.ranks_)[:BARS] if np.isfinite(self.scores_[j])]
        cut = f", the best {BARS} of {self.n_features_in_}" if self.n_features_in_ > BARS else ""
        names = [self.schema_.features[j].name for j in best] or ["no score is finite"]
        title = f"What columns say of {self.target_names_[0]}{cut}"
        return bar_figure(names, self.scores_[best] if best else [0.0], title=title, xlabel=self.score)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ranks_")


def _counts(name: str) -> bool:
    """Whether an array of a statistic holds weights."""
    return name.rpartition(".")[2] in ("weight", "counts")


def _spans_few(table: Table, column: Column) -> bool:
    """Whether a numeric column of a table is stored as integers that span few values."""
    import pyarrow as pa

    stored = table.source.arrow_schema().field(column.name).type
    if not pa.types.is_integer(stored):
        return False
    counted = table.schema[column.name]
    return counted.low is not None and counted.high is not None and counted.high - counted.low < FEW_LABELS
