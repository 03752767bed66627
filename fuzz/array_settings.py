"""Parameters for extreme fits: drawn from what the learners themselves say that they take."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions, make_constraint

from fuzz.target import pick
from novacula.learner.registry import learners

NUMBERS: dict[str, tuple[Any, ...]] = {
    "C": (1e-8, 1e-3, 1.0, 1e3, 1e8),
    "alpha": (0.0, 1e-9, 1e-3, 10.0, 1e6),
    "bandwidth": (1e-6, 0.3, 1e6),
    "centers": (1, 2, 5),
    "ccp_alpha": (0.0, 0.1),
    "epsilon": (0.0, 0.01, 10.0),
    "eta0": (1e-6, 0.1, 10.0),
    "fine_tune": (0, 3),
    "hidden": (1, 3),
    "k": (1, 2),
    "l1_ratio": (0.0, 0.3, 1.0),
    "m": (0.0, 0.5, 10.0),
    "max_bins": (2, 7),
    "max_depth": (1, 3),
    "max_epochs": (1, 20),
    "n_clusters": (1, 2, 8),
    "n_components": (1, 2, 3, 9),
    "n_neighbors": (1, 2, 5),
    "n_states": (1, 2, 3),
    "noise": (0.0, 1e-6, 1.0),
    "noise_variance": (1e-6, 1.0),
    "p": (1.0, 1.5, 3.0),
    "prior_precision": (0.0, 1.0, 1e6),
    "reg_covar": (0.0, 1e-6, 1.0),
    "var_smoothing": (0.0, 1e-9),
    "variance": (1.0, 1e-6),
    "width": (1e-3, 1.0, 1e3),
}
"""Numbers to try, by the name of the parameter; other numbers stay as they are."""
WORDS: dict[str, tuple[Any, ...]] = {
    "kernel": ("linear", "rbf", "polynomial"),
    "distributions": ("auto", "gaussian", "kernel", "multinomial", "poisson"),
}
"""Words to try where a learner says only that it takes one."""
LEFT_ALONE = frozenset({"learner", "verbose", "warm_start", "time_budget", "random_state", "unseen"})
"""Parameters that change nothing about numbers, or when a fit ends."""
INNER = {
    "prepared-classifier": ("svc", "logistic-regression", "k-neighbors-classifier", "mlp-classifier"),
    "prepared-regressor": ("svr", "ridge", "lasso", "gaussian-process-regressor", "k-neighbors-regressor"),
    "prepared-clusterer": ("k-means", "gaussian-mixture"),
}
"""Learners to prepare rows for."""


def draw_settings(random: np.random.Generator, name: str) -> dict[str, Any]:
    """Parameters of a learner, as JSON holds them; often none, which leaves the defaults."""
    settings: dict[str, Any] = {}
    if name in INNER and random.random() < 0.7:
        settings["learner"] = pick(random, INNER[name])
    if random.random() < 0.4:
        return settings
    for parameter, options in learners()[name]._parameter_constraints.items():
        if parameter not in LEFT_ALONE and random.random() < 0.3 and (choices := _choices(parameter, options)):
            settings[parameter] = pick(random, choices)
    return settings


def _choices(parameter: str, options: Any) -> list[Any]:
    if not isinstance(options, list):
        return []
    words = [word for option in options if isinstance(option, StrOptions) for word in sorted(option.options)]
    plain = ([None] if None in options else []) + ([True, False] if "boolean" in options else [])
    tests = [make_constraint(option) for option in options]
    numbers = [n for n in NUMBERS.get(parameter, ()) if any(test.is_satisfied_by(n) for test in tests)]
    return [*words, *plain, *numbers, *(WORDS.get(parameter, ()) if not words else ())]


def make_learner(name: str, settings: dict[str, Any]) -> Any:
    """A learner with these parameters; one that prepares rows gets its inner learner by its id."""
    known = learners()
    if "learner" in settings:
        settings = settings | {"learner": known[settings["learner"]]()}
    return known[name](**settings)
