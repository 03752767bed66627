"""What is drawn: names from data stay text, words say what is seen, and unusual curves can be drawn."""

import numpy as np
import pytest

from novacula.evaluate import bias_variance, calibration, confusion, learning_curve, precision_recall, roc, select_size
from novacula.linear import LinearRegression
from novacula.neighbors import KNeighborsRegressor

NASTY = ["$\\bad$", "<script>alert(1)</script>", "[/red]", "=cmd|'/c calc'!A0", "x" * 300]


def test_hostile_names_are_drawn_as_text():
    y = np.array(NASTY)[np.arange(40) % 5]
    score = np.linspace(0, 1, 40)
    draw = [roc, precision_recall, calibration, roc, calibration]
    figures = [draw(y, score, positive=name).plot() for draw, name in zip(draw, NASTY, strict=True)]
    for figure in [confusion(y, np.roll(y, 3)).plot(), *figures]:
        document = figure.svg()
        assert "<script" not in document
        assert document.startswith("<svg")


def test_alt_texts_say_what_is_seen():
    y, score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    assert roc(y, score).plot().alt == (
        "ROC curve of 1 against the rest: AUC 0.75 (0.06932 to 0.9918), 95% interval by DeLong, chance is 0.5."
    )
    assert "average precision 0.8333, chance is 0.5" in precision_recall(y, score).plot().alt
    assert "most often 1 is predicted as 0, 2 times" in confusion([1, 1, 1, 0], [0, 0, 1, 0]).plot().alt
    assert "none is wrong" in confusion([1, 0], [1, 0]).plot().alt
    assert "The largest gap: predicted 0.35, observed 1" in calibration(y, score, bins=4).plot().alt


def test_curves_over_sizes_are_drawn_and_described():
    x = np.linspace(0, 6, 60)[:, None]
    y = np.sin(x[:, 0]) + np.random.default_rng(0).normal(0, 0.2, 60)
    sizes = select_size(KNeighborsRegressor(), None, [40, 20, 10, 5, 2, 1], x, y, folds=5)
    assert f"n_neighbors = {sizes.best_size} is chosen" in sizes.plot().alt
    assert sizes.plot().svg() == sizes.plot().svg()
    words = select_size(KNeighborsRegressor(), "weights", ["uniform", "distance"], x, y, folds=5)
    assert words.plot().png().startswith(b"\x89PNG")
    assert "from 6 to 48" in learning_curve(LinearRegression(), x, y, [6, 24, 48]).plot().alt
    one = select_size(KNeighborsRegressor(), None, [3], x, y, folds=5)
    assert one.plot().svg()


def test_parts_of_the_error_are_drawn_and_unknown_noise_is_named():
    x = np.linspace(0, 6, 40)[:, None]
    figure = bias_variance(LinearRegression(), x, np.sin(x[:, 0]), n_sets=10).plot()
    assert "noise cannot be separated from bias" in figure.alt
    assert figure.svg()


def test_many_classes_are_drawn_without_names():
    y = np.arange(80) % 40
    assert len(confusion(y, y).plot().svg()) < 200_000


@pytest.mark.parametrize("result", [roc([0, 1, 1], [1, 2, 3]), confusion(["<b>"], ["<b>"])])
def test_tables_print_in_terminals_and_notebooks(result):
    assert str(result)
    assert "<table" in result._repr_html_()
    assert "<b>" not in result._repr_html_()
