"""A pruning of many cuts says that not all of them are kept."""

import numpy as np

from novacula.tree import DecisionTreeClassifier

SAID = "Of the nodes that were cut 20 are kept"


def noisy(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6))
    return X, (rng.random(n) < 0.5).astype(int) ^ ((X[:, 0] > 0) & (rng.random(n) < 0.7))


def test_many_cuts_are_said_not_to_be_kept():
    model = DecisionTreeClassifier(prune="pessimistic").fit(*noisy(1500))
    assert any(note.startswith(SAID) for note in model.work().notes)


def test_few_cuts_are_all_kept():
    model = DecisionTreeClassifier(prune="pessimistic").fit(*noisy(200))
    assert 0 < len(model.trace_.cut.node) < 20
    assert not any(note.startswith(SAID) for note in model.work().notes)
