"""How the chosen model errs: measures on rows it has not seen, and figures of its mistakes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from novacula.evaluate.confusion import confusion
from novacula.evaluate.intervals import mean_interval, proportion_interval
from novacula.evaluate.loss import Floats
from novacula.evaluate.metric import METRICS, NORMAL_95, Metric, of_rarer
from novacula.evaluate.roc import roc
from novacula.report.blocks import TINY, Block, Paragraph, TableBlock
from novacula.report.reading import ENOUGH, PATIENCE, Reading
from novacula.report.sections.class_mistakes import class_mistakes
from novacula.report.sections.number_mistakes import number_mistakes
from novacula.report.sections.opening import test_cell
from novacula.study.answers import Answers
from novacula.study.leaderboard import short, with_interval


def mistakes(reading: Reading) -> Iterator[Block]:
    """Which rows, the measures, and the figures for the task."""
    answers = reading.answers
    if answers is None:
        yield Paragraph(
            f"{_out_of_fold_left_out(reading)}, and there are fewer than {ENOUGH} test rows: there is nothing to say "
            "about single mistakes."
        )
        return
    yield Paragraph(_whose(reading))
    yield measures(reading)
    yield from (
        class_mistakes(reading, answers)
        if reading.question.task == "classification"
        else number_mistakes(reading, answers)
    )


def _out_of_fold_left_out(reading: Reading) -> str:
    return f"Predicting the training rows fold by fold is {reading.too_long(reading.seconds_out_of_fold, PATIENCE)}"


def _whose(reading: Reading) -> str:
    if reading.out_of_fold is None:
        return f"What follows is about the test rows. {_out_of_fold_left_out(reading)}."
    words = (
        f"What follows is about the {len(reading.out_of_fold):,} training rows, each predicted by a model that has not "
        "seen it: the chosen learner and size, fitted on the other folds."
    )
    test = reading.question.test
    if test is not None and reading.tested is None:
        words += f" {len(test):,} test rows are too few for more than their error, which is given above."
    return words


def measures(reading: Reading) -> TableBlock:
    """The usual measures, on the training rows out of fold and on the test rows."""
    columns = [answers for answers in (reading.out_of_fold, reading.tested) if answers is not None]
    values = [dict(_measured(reading, answers)) for answers in columns]
    rows = tuple((name, *(column.get(name, "") for column in values)) for name in values[0])
    weighted = columns[0].weight is not None
    caption = "Measures, with 95% intervals as if rows were independent" + ("; rows count once" if weighted else "")
    return TableBlock(("measure", *(f"{answers.which} ({len(answers):,})" for answers in columns)), rows, caption)


def _measured(reading: Reading, answers: Answers) -> Iterator[tuple[str, str]]:
    """Measures in words with their numbers; that of the study is for the test rows what the first screen says."""
    test = reading.study.test
    if reading.question.task == "regression":
        measured = _of_numbers(answers)
    else:
        measured = _of_classes(answers, of_rarer(METRICS["f1"], reading.question.train.y), ranked=not reading.blind)
    for name, words, cell in measured:
        metric = reading.question.metric
        said = test is not None and answers.which == "test rows" and answers.weight is None and name == metric.name
        yield words, test_cell(test, metric) if test is not None and said else cell


def _of_classes(answers: Answers, f1: Metric, ranked: bool) -> Iterator[tuple[str, str, str]]:
    """Names of metrics, what they are in words, and numbers with their intervals."""
    wrong = 1.0 - answers.is_right
    low, high = proportion_interval(float(wrong.sum()), len(wrong))
    rate = float(wrong.mean())
    yield "accuracy", "accuracy, the share that is right", with_interval(1.0 - rate, 1.0 - high, 1.0 - low)
    yield "error_rate", "error rate, the share that is wrong", with_interval(rate, low, high)
    known = {str(label) for label in answers.classes}
    if {str(said) for said in np.unique(answers.prediction)} <= known:  # costs may allow other answers than classes
        words = "balanced accuracy, the mean over classes of the share that is right"
        yield "balanced", words, with_interval(*_balanced(answers))
        words = f1.words if len(answers.classes) == 2 else "F1 of the classes, their mean"
        yield "f1", words, short(f1.shown(f1.error(answers.y, answers.prediction, answers.classes)))
    if ranked and len(answers.classes) == 2 and len(np.unique(answers.y)) == 2:
        scores = answers.scores(1)
        if scores is not None:
            curve = roc(answers.y, scores, answers.classes[1])
            words = "AUC, the area under the ROC curve (0.5 is chance)"
            yield "auc", words, with_interval(curve.auc, *curve.interval())
    if answers.probability is None:
        return
    for name in ("log_loss", "brier"):
        losses = METRICS[name].loss(answers.y, answers.probability, answers.classes)
        yield name, f"{METRICS[name].words} (lower is better)", _mean(losses)


def _balanced(answers: Answers) -> tuple[float, float, float]:
    """The mean recall, and its interval: its parts are independent shares."""
    recall = confusion(answers.y, answers.prediction, answers.classes).recall
    count = np.array([(answers.y == label).sum() for label in answers.classes])
    there = count > 0
    mean = float(recall[there].mean())
    shrunk = (recall[there] * count[there] + 2.0) / (count[there] + 4.0)  # as Agresti and Coull's, so that none is 0
    variance = shrunk * (1.0 - shrunk) / (count[there] + 4.0)
    half = NORMAL_95 * math.sqrt(float(variance.sum())) / int(there.sum())
    return mean, max(mean - half, 0.0), min(mean + half, 1.0)


def _of_numbers(answers: Answers) -> Iterator[tuple[str, str, str]]:
    """Names of metrics, what they are in words, and numbers with their intervals."""
    y, prediction = (np.asarray(values, np.float64) for values in (answers.y, answers.prediction))
    left = np.abs(y - prediction)
    yield "rmse", "root mean squared error (RMSE)", _resampled("rmse", y, prediction)
    yield "mae", "mean absolute error (MAE)", _mean(left)
    yield "", "median absolute error: half of the rows are nearer", _median(left)
    if np.ptp(y) > 0.0:
        yield (
            "r2",
            "R², the share of the variance that is explained (higher is better)",
            _resampled("r2", y, prediction),
        )


def _resampled(name: str, y: Floats, prediction: Floats) -> str:
    """A measure of all rows together, with the interval that the test has for it."""
    metric = METRICS[name]
    low, high = sorted(map(metric.shown, metric.interval(y, prediction)))
    return with_interval(metric.shown(metric.error(y, prediction)), low, high)


def _median(values: Floats) -> str:
    """The median, with the order statistics that hold it with 95%."""
    ordered, n = np.sort(values), len(values)
    reach = NORMAL_95 * math.sqrt(n) / 2
    places = np.clip([math.floor(n / 2 - reach), math.ceil(n / 2 + reach)], 0, n - 1).astype(int)
    return with_interval(float(np.median(values)), float(ordered[places[0]]), float(ordered[places[1]]))


def _mean(losses: Floats) -> str:
    if not np.isfinite(losses).all():
        return "infinite: what was called impossible has happened"
    exact = np.where(losses < TINY, 0.0, losses)
    low, high = mean_interval(exact)
    return with_interval(float(exact.mean()), max(low, 0.0), high)
