"""What the cards of the family have in common, and which checks of scikit-learn a concept cannot pass."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from novacula.learner.card import Card


def log2_conjunctions(counts: Any) -> float:
    """Bits to name one conjunction: counts has for each attribute the number of its constraints, d + 1 if nominal."""
    return math.log2(1 + math.prod(int(count) for count in counts))


concept_card = partial(
    Card,
    task="classification",
    missing="Refused, with column and row.",
    conjunctive=True,
    takes=("numeric", "categorical"),
    scales=("memory",),
    uses="arrays",
    cost_exponents={"n": 1, "d": 1},
)
"""The card of a learner of concepts, which adds what is its own."""

conjunction_card = partial(
    concept_card,
    hypothesis_space="Conjunctions of one constraint per attribute: a value, an interval, or any.",
    unseen="A value that no domain holds satisfies only ?, with a warning, or is refused (unseen='error').",
    log2_hypotheses=log2_conjunctions,
)
"""The card of a learner whose hypotheses are conjunctions."""

memory_card = partial(
    concept_card,
    objective="Agreement with every example.",
    interpretability="Very high, and empty: it is the list of examples.",
    answer_cost="d for each row, by look-up.",
    cost="n·d to fit and to look up; the examples are kept.",
    references=("Mitchell, Machine Learning (1997), section 2.7",),
)
"""The card of a learner that remembers instances."""

# scikit-learn's suite rounds the data of its checks to whole numbers for learners that take categories.
CONTRADICTORY: Mapping[str, str] = dict.fromkeys(
    (
        "check_classifiers_train",
        "check_estimators_nan_inf",
        "check_fit_check_is_fitted",
        "check_fit_idempotent",
        "check_fit_score_takes_y",
        "check_n_features_in",
        "check_sample_weights_list",
        "check_supervised_y_2d",
    ),
    "its rows give one instance both labels, which is refused with the numbers of both rows",
)
COLLAPSING: Mapping[str, str] = {
    **CONTRADICTORY,
    **dict.fromkeys(
        ("check_dtype_object", "check_estimators_dtypes"),
        "its labels are random, which no conjunction fits, so there is nothing to predict with",
    ),
}
