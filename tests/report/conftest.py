"""Studies that several tests read: small ones, made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import novacula as nv
from novacula.checks.samples import NASTY_NAMES
from novacula.report import render
from novacula.study import Study, learn

NASTY_TARGET = "<script>alert('target')</script>"
NASTY_CLASSES = ("<img src=x onerror=alert(1)>", "[/red]$\\bad$")
NASTY_VALUES = ("<b>bold</b>", "$x_$\n--><script>alert(2)</script>", "y" * 5000)
LONG_NAME = "x" * 10_000


def nasty_table() -> Any:
    """Columns, categories and classes with names that have broken pages."""
    rng = np.random.default_rng(0)
    n, signal = 120, np.zeros(120)
    columns: dict[str, Any] = {}
    for j, name in enumerate([*NASTY_NAMES, LONG_NAME, "😀 שלום"]):
        if j % 2:
            columns[name] = rng.normal(size=n)
            signal += columns[name] * (j < 6)
        else:
            codes = rng.integers(0, len(NASTY_VALUES), n)
            columns[name] = np.array(NASTY_VALUES, object)[codes]
            signal += codes * (j < 5)
    noisy = signal + rng.normal(size=n)
    columns[NASTY_TARGET] = np.array(NASTY_CLASSES, object)[(noisy > np.median(noisy)).astype(int)]
    return pa.table(columns)


@pytest.fixture(scope="session")
def page_of(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """The page of a study by the name of its fixture; each is rendered once."""
    return cache(lambda name: render(request.getfixturevalue(name)))


@pytest.fixture(scope="session")
def nasty() -> Study:
    """Two classes, probabilities, sizes: every section has something to show."""
    return learn(
        nv.read(nasty_table()),
        NASTY_TARGET,
        learners=["logistic-regression", "naive-bayes", "decision-tree-classifier"],
        folds=3,
        jobs=1,
    )


@pytest.fixture(scope="session")
def iris() -> Study:
    """Three classes."""
    return learn(nv.datasets.load("iris"), learners=["naive-bayes", "decision-tree-classifier"], folds=3, jobs=1)


@pytest.fixture(scope="session")
def diabetes() -> Study:
    """Numbers."""
    return learn(nv.datasets.load("diabetes"), learners=["ridge", "k-neighbors-regressor"], folds=3, jobs=1)


@pytest.fixture(scope="session")
def blind() -> Study:
    """A target that no column predicts, so that the baseline is chosen; no test rows."""
    rng = np.random.default_rng(1)
    table = pa.table({"x": rng.normal(size=60), "y": np.array(["a", "b"], object)[np.arange(60) % 2]})
    return learn(nv.read(table), "y", learners=["naive-bayes"], folds=3, test=0.0, jobs=1)
