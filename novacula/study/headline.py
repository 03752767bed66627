"""How good a chosen model is, in words that need no statistics: "It is right 80 times in 100; always saying No, 73".

A share of right answers is stated of rows that the model has not seen: the test rows if there are enough, else the
training rows, each predicted by a model that was fitted without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.evaluate.compare import compare
from novacula.evaluate.costs import CostMatrix
from novacula.evaluate.intervals import Interval, mean_interval
from novacula.evaluate.loss import Floats
from novacula.evaluate.metric import METRICS, NORMAL_95
from novacula.study.answers import Answers
from novacula.study.leaderboard import short, with_spread
from novacula.table.names import quoted_name

if TYPE_CHECKING:
    from novacula.study.study import Study

ENOUGH = 100
"""Test rows from which a share of right answers is stated of them."""
QUICK = 1.0
"""Seconds that fitting the choice in each fold may take for a sentence."""
NAMED = 3
"""Classes that are named."""
RARE = 0.1
"""The share of rows below which a class is rare."""
FINEST = 100_000
"""Right answers are counted in 100, or up to so many, if they are nearly all."""


def headline(study: Study) -> tuple[str, ...]:
    """What the model does, how well, how well one would do without it, and on which rows that was measured."""
    first = _what_it_does(study)
    try:
        answers = honest_answers(study)
    except Exception:  # a learner that fails when it is asked again has its numbers from the folds
        answers = None
    if answers is None:
        return first, _by_cells(study)
    how_well = _off if study.question.task == "regression" else _right
    return (first, *how_well(study, answers), _measured_on(answers))


def honest_answers(study: Study) -> Answers | None:
    """Answers for rows that no model that gave them had seen; None where they would take long."""
    question = study.question
    if question.test is not None and len(question.test) >= ENOUGH:
        return study.on_test
    if "out_of_fold" in vars(study) or study.choice.entry.fit_seconds * len(question.folds) <= QUICK:
        return study.out_of_fold
    return None


def _what_it_does(study: Study) -> str:
    question, name = study.question, study.choice.entry.name
    target = quoted_name(question.target)
    n_columns = len(question.table.layout.features)
    columns = "one column" if n_columns == 1 else f"{n_columns:,} columns"
    if question.task == "regression":
        return f"From {columns}, {name} predicts the number {target}."
    classes = np.unique(question.train.y).tolist()
    if len(classes) > NAMED:
        return f"From {columns}, {name} predicts which of {len(classes):,} classes of {target} a row belongs to."
    return f"From {columns}, {name} predicts whether {target} is {_either(classes)}."


def _either(classes: list[Any]) -> str:
    *first, last = map(quoted_name, classes)
    return f"{', '.join(first)} or {last}"


def _measured_on(answers: Answers) -> str:
    if answers.which == "test rows":
        return f"Measured on {len(answers):,} test rows that no learner had seen."
    return f"Measured on {len(answers):,} rows, each predicted by a model that had not seen it."


def _by_cells(study: Study) -> str:
    """The mean over the folds, where single answers would take too long."""
    measure, entry = study.question.metric, study.choice.entry
    return (
        f"In {len(study.question.folds)} folds its {measure.words} is {with_spread(entry, measure)} on rows that it "
        f"had not seen; {measure.direction}."
    )


# --- classes -----------------------------------------------------------------------------------------------------


def _right(study: Study, answers: Answers) -> Iterator[str]:
    priced = study.question.metric.loss
    if isinstance(priced, CostMatrix):
        yield _costs(study, answers, priced)
        if not np.isin(priced.actions, priced.classes).all():
            return  # an action that is not a class is neither right nor wrong
    usual = most_frequent(study)
    own, other = answers.is_right, np.asarray(answers.y == usual)
    weight = answers.weight
    share, without = (float(np.average(right, weights=weight)) for right in (own, other))
    low, high = likely(own.astype(np.float64), weight)
    base = counting_base((share, without))
    constant = np.unique(answers.prediction)
    if len(constant) == 1:
        said = quoted_name(constant[0])
        yield (
            f"It says {said} for every row that it was measured on, which is {_times(share, base, own)} "
            f"({_between(low, high, base)})."
        )
        yield from _rare(answers)
        yield from _by_its_measure(study, answers)
        return
    yield (
        f"It is {_times(share, base, own)} ({_between(low, high, base)}); always saying {quoted_name(usual)} is "
        f"{_times(without, base, other)}."
    )
    yield from _doubt(other.astype(np.float64) - own, answers)
    yield from _rare(answers)
    yield from _by_its_measure(study, answers)


def _rare(answers: Answers) -> Iterator[str]:
    """How many rows of a rare class are found: one can be right nearly always and find none of them."""
    labels, count = np.unique(answers.y, return_counts=True)
    rarest = int(count.argmin())
    if len(labels) == 2 and count[rarest] < RARE * len(answers):
        found = int((answers.prediction[answers.y == labels[rarest]] == labels[rarest]).sum())
        n, label = int(count[rarest]), quoted_name(labels[rarest])
        of = f"Of the {n:,} rows that are {label}" if n > 1 else f"Of the one row that is {label}"
        yield f"{of} it finds {f'{found:,}' if found else 'none'}."


def _times(share: float, base: int, right: Any) -> str:
    """How often, as people count."""
    if bool(right.all()):
        return f"right for all {len(right):,} rows"
    return f"right {round(share * base):,} times in {base:,}"


def _between(low: float, high: float, base: int) -> str:
    """An interval in the same count."""
    first, last = round(low * base), round(high * base)
    return f"give or take less than one in {base:,}" if first == last else f"likely between {first:,} and {last:,}"


def counting_base(shares: tuple[float, ...]) -> int:
    """In how many rows right answers are counted: in 100, or in more where that would make them none or all.

    >>> counting_base((0.8, 0.73)), counting_base((0.998, 0.995)), counting_base((0.912, 0.914))
    (100, 1000, 1000)
    """
    base = 100
    while base < FINEST and any(share not in (0.0, 1.0) and round(share * base) in (0, base) for share in shares):
        base *= 10
    while base < FINEST and len(set(shares)) > len({round(share * base) for share in shares}):
        base *= 10
    return base


def most_frequent(study: Study) -> Any:
    """The class that the most training rows have, by weight."""
    train = study.question.train
    classes, codes = np.unique(train.y, return_inverse=True)
    return classes[int(np.bincount(codes, weights=train.weight).argmax())]


def _costs(study: Study, answers: Answers, priced: CostMatrix) -> str:
    train = study.question.train
    every = [float(np.average(priced(train.y, _all(a, train.y)), weights=train.weight)) for a in priced.actions]
    best = priced.actions[int(np.argmin(every))]
    own, other = priced(answers.y, answers.prediction), priced(answers.y, _all(best, answers.y))
    cost, without = (float(np.average(one, weights=answers.weight)) for one in (own, other))
    low, high = likely(own, answers.weight)
    spread = (high - low) / (2 * NORMAL_95)
    numbers = [rounded(value, spread) for value in (cost, low, high, without)]
    return (
        f"An answer costs {numbers[0]} on average (likely between {numbers[1]} and {numbers[2]}); always answering "
        f"{quoted_name(best)} costs {numbers[3]}."
    )


def _all(answer: Any, y: Any) -> Any:
    return np.full(len(y), answer)


def _by_its_measure(study: Study, answers: Answers) -> Iterator[str]:
    """The metric that learners were compared by, where it says something else than how often they are right."""
    measure, entry, test = study.question.metric, study.choice.entry, study.test
    if (measure.of is None and measure.loss is METRICS["error_rate"].loss) or isinstance(measure.loss, CostMatrix):
        return
    if answers.which == "test rows" and test is not None:
        low, high = sorted(measure.shown(end) for end in (test.low, test.high))
        spread = (high - low) / (2 * NORMAL_95)
        value, first, last = (rounded(one, spread) for one in (measure.shown(test.error), low, high))
        number = f"{value} (likely between {first} and {last}"
    else:
        number = f"{with_spread(entry, measure)} (in {len(study.question.folds)} folds"
    yield f"Its {measure.words} is {number}; {measure.direction}{CHANCE.get(measure.name, '')})."


CHANCE = {"auc": ", 0.5 is chance"}
"""What a model that knows nothing would have."""


def _doubt(lost: Floats, answers: Answers) -> Iterator[str]:
    """What is lost more with the model, row by row: if chance explains it, that is said."""
    low, high = likely(lost, answers.weight) if answers.which == "test rows" else _of_folds(lost, answers)
    if low <= 0.0 <= high:
        yield "These rows do not show that it is better than that."
    elif low > 0.0:
        yield "So by this count it does worse than that."


def _of_folds(lost: Floats, answers: Answers) -> Interval:
    """The interval of a mean over rows out of fold: by the means of the folds, as learners are compared."""
    folds = np.unique(answers.fold)
    if len(folds) < 2:
        return likely(lost, answers.weight)
    weight = np.ones(len(lost)) if answers.weight is None else answers.weight
    means = [np.average(lost[answers.fold == fold], weights=weight[answers.fold == fold]) for fold in folds]
    return compare(means, np.zeros(len(folds))).interval


# --- numbers -----------------------------------------------------------------------------------------------------


def _off(study: Study, answers: Answers) -> Iterator[str]:
    train, weight = study.question.train, answers.weight
    y, prediction = (np.asarray(values, np.float64) for values in (answers.y, answers.prediction))
    mean = float(np.average(train.y, weights=train.weight))
    own, other = np.abs(y - prediction), np.abs(y - mean)
    error, without = (float(np.average(one, weights=weight)) for one in (own, other))
    root = math.sqrt(float(np.average(own**2, weights=weight)))
    low, high = likely(own, weight)
    spread = (high - low) / (2 * NORMAL_95)
    said = rounded(mean, float(np.std(train.y)) / math.sqrt(len(train)))
    numbers = [rounded(value, spread) for value in (error, low, high, root, without)]
    likely_words = f"likely between {numbers[1]} and {numbers[2]}; root mean squared error {numbers[3]}"
    if np.ptp(prediction) == 0.0:
        yield f"It says {said} for every row, the mean, which is off by {numbers[0]} on average ({likely_words})."
        return
    yield (
        f"It is off by {numbers[0]} on average ({likely_words}); always saying the mean, {said}, is off by "
        f"{numbers[4]}."
    )
    yield from _doubt(own - other, answers)
    if study.question.metric.name not in ("rmse", "mae", "mse"):
        yield from _by_its_measure(study, answers)


def likely(values: Floats, weight: Floats | None) -> Interval:
    """A 95% interval of a mean over rows; of shares of rows it is Wilson's."""
    if set(np.unique(values)) <= {0.0, 1.0}:
        low, high = METRICS["error_rate"].interval(values == 1.0, np.zeros(len(values), bool), None, weight)
        return Interval(low, min(high, 1.0))
    if weight is None:
        return mean_interval(values)
    share = weight / weight.sum()
    mean = float(share @ values)
    half = NORMAL_95 * float(np.sqrt(share**2 @ (values - mean) ** 2))
    return Interval(mean - half, mean + half)


def rounded(value: float, spread: float) -> str:
    """A number to the digits that are known: one of its standard error.

    >>> rounded(94123.4, 3021.0), rounded(3.2412, 0.21), rounded(0.8174, 0.0)
    ('94,000', '3.2', '0.8174')
    """
    if not (math.isfinite(spread) and math.isfinite(value)) or spread <= 1e-9 * abs(value):
        return short(float(value))
    digits = -math.floor(math.log10(spread))
    if value:
        digits = max(digits, -math.floor(math.log10(abs(value))))
    return f"{round(value, digits):,.{min(max(digits, 0), 12)}f}"
