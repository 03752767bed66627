"""Extreme numbers, targets, weights and labels, drawn by chance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.target import pick

Random = np.random.Generator
SCALES = (5e-324, 1e-310, 1e-300, 1e-160, 1e-150, 1e-80, 1e-8, 1.0, 1e8, 1e16, 1e80, 1e150, 1e154, 1e160, 1e300, 1e308)
LARGEST = np.finfo(np.float64).max
SQUARABLE = 1e140
DTYPES = ("float16", "float32", "longdouble", ">f8", "<f4", "complex128", "datetime64[ns]", "timedelta64[s]", "bool")
WHOLE = ("int8", "int64", "uint64", ">i4")


def _plain(random: Random, n: int, d: int) -> Any:
    return random.normal(size=(n, d))


def _scaled(random: Random, n: int, d: int) -> Any:
    return random.normal(size=(n, d)) * pick(random, SCALES)


def _mixed(random: Random, n: int, d: int) -> Any:
    return random.normal(size=(n, d)) * np.array([pick(random, SCALES) for _ in range(d)])


def _offset(random: Random, n: int, d: int) -> Any:
    return random.normal(size=(n, d)) * pick(random, (1.0, 1e-8, 1e100)) + pick(random, (1e8, 1e16, -1e150, 1e300))


def _constant(random: Random, n: int, d: int) -> Any:
    rows = random.normal(size=(n, d))
    rows[:, random.random(d) < 0.6] = pick(random, (0.0, 1.0, 1e300, -1e-310, 0.1))
    return rows


def _equal(random: Random, n: int, d: int) -> Any:
    return np.tile(random.normal(size=(1, d)) * pick(random, SCALES), (n, 1))


def _tied(random: Random, n: int, d: int) -> Any:
    return random.integers(0, 3, (n, d)) * pick(random, (1.0, 0.5, 1e-300, 1e150, 1e307))


def _collinear(random: Random, n: int, d: int) -> Any:
    return random.normal(size=(n, 1)) * np.array([pick(random, (1.0, -2.0, 1e-12, 1e12)) for _ in range(d)])


def _lonely(random: Random, n: int, d: int) -> Any:
    rows = np.zeros((n, d))
    rows[random.integers(n), random.integers(d)] = pick(random, (1.0, 1e-310, 1e160, LARGEST))
    return rows


def _spread(random: Random, n: int, d: int) -> Any:
    return np.exp(random.uniform(-740, 709, (n, d))) * random.choice([-1.0, 1.0], (n, d))


def _limits(random: Random, n: int, d: int) -> Any:
    return random.choice([-LARGEST, LARGEST, 5e-324, 0.0, -0.0, 1.0], (n, d))


def _broken(random: Random, n: int, d: int) -> Any:
    rows = random.normal(size=(n, d))
    rows[random.random((n, d)) < 0.2] = pick(random, (np.nan, np.inf, -np.inf))
    return rows


def _counts(random: Random, n: int, d: int) -> Any:
    return random.poisson(pick(random, (0.01, 3.0, 1e6)), (n, d)) * pick(random, (1.0, 1.0, 1e15, 1e300))


RECIPES: tuple[Callable[[Random, int, int], Any], ...] = (
    *(_plain, _scaled, _scaled, _mixed, _mixed, _offset, _constant, _equal, _tied, _tied),
    *(_collinear, _lonely, _spread, _limits, _broken, _counts),
)


def draw_numbers(random: Random, n: int, d: int) -> Any:
    """Finite numbers as a rule, (n, d), of one extreme kind."""
    if n == 0 or d == 0:
        return np.zeros((n, d))
    with np.errstate(over="ignore"):
        rows = np.asarray(pick(random, RECIPES)(random, n, d), np.float64)
    return np.nan_to_num(rows, nan=np.nan, posinf=LARGEST, neginf=-LARGEST) if np.isinf(rows).all() else rows


def squarable(rows: Any) -> Any:
    """The same numbers where they are known and can be squared and added up; others made so."""
    return np.nan_to_num(np.clip(rows, -SQUARABLE, SQUARABLE), nan=1.0)


def draw_shape(random: Random) -> tuple[int, int]:
    """Few rows and columns, now and then none."""
    n, d = int(pick(random, (1, 2, 2, 3, 5, 8, 12, 20, 30, 60))), int(pick(random, (1, 1, 2, 2, 3, 5, 12)))
    if random.random() < 0.02:
        return pick(random, ((0, d), (n, 0), (0, 0)))
    return n, d


def as_type(random: Random, rows: Any) -> Any:
    """The rows, or rows of another type of number; now and then of another number of dimensions."""
    chance = random.random()
    if chance < 0.85:
        return rows
    with np.errstate(over="ignore", invalid="ignore"):
        if chance < 0.92:
            return rows.astype(pick(random, DTYPES))
        if chance < 0.97:
            whole = np.dtype(pick(random, WHOLE))
            low, high = np.iinfo(whole).min, np.iinfo(whole).max
            return random.choice(np.array([low, high, 0, 1, high - 1], whole), rows.shape)
    return pick(random, (rows.ravel(), rows[..., None], np.zeros(())))


def _some_zero(random: Random, n: int) -> Any:
    return np.where(random.random(n) < 0.8, 0.0, random.random(n))


def _one_only(random: Random, n: int) -> Any:
    weight = np.zeros(n)
    weight[random.integers(n)] = pick(random, (1.0, 1e300, 5e-324))
    return weight


def _with_one(random: Random, n: int) -> Any:
    weight = np.ones(n)
    weight[random.integers(n)] = pick(random, (-1.0, np.nan, np.inf, 0.0, 1e300, 1e-300))
    return weight


def _one_size(random: Random, n: int) -> Any:
    return random.random(n) * pick(random, (5e-324, 1e-310, 1e-300, 1e-150, 1e-12, 1e12, 1e150, 1e300, LARGEST))


def _all_sizes(random: Random, n: int) -> Any:
    return np.exp(random.uniform(-740, pick(random, (0, 200, 709)), n))


def _within_bounds(random: Random, n: int) -> Any:
    return random.random(n) * pick(random, (1e-95, 1e-50, 1e-20, 1e-9, 1e9, 1e20, 1e50, 1e95))


def draw_weight(random: Random, n: int) -> Any:
    """Weights of rows, or None; now and then too many of them."""
    if n == 0 or random.random() < 0.4:
        return None
    if random.random() < 0.03:
        return pick(random, (np.ones(n + 1), np.zeros(n), np.ones((n, 2)), np.full(n, "x")))
    return pick(random, (_some_zero, _one_only, _with_one, _with_one, _one_size, _all_sizes, *[_within_bounds] * 3))(
        random, n
    )


def draw_bounded_weight(random: Random, n: int) -> Any:
    """Weights that can be calculated with, of which one may be 0, or None."""
    if random.random() < 0.4:
        return None
    weight = _within_bounds(random, n)
    weight[random.integers(n)] *= pick(random, (0.0, 1e-9, 1.0, 1e9))
    return weight if weight.any() else None


LABELS: tuple[list[list[Any]], ...] = (
    [["none", 0], ["str", "a"]],
    [["none", 0]],
    [["int", 1], ["str", "a"]],
    [["bool", True], ["str", "x"]],
    [["nan", 0], ["str", "x"]],
    [["nan", 0], ["int", 1]],
    [["float", 1.5], ["str", "x"], ["none", 0]],
    [["bytes", "x"], ["bytes", "y"]],
    [["bytes", "x"], ["str", "x"]],
    [["tuple", [1, 2]], ["tuple", [3, 4]]],
    [["tuple", [1]], ["list", [3, 4]]],
    [["float", 0.5], ["float", 1.0]],
    [["bool", True], ["bool", False]],
    [["int", 1], ["float", 1.0], ["bool", True]],
    [["int", 1], ["float", 2.5]],
    [["big", 400], ["int", 1]],
    [["big", 25], ["int", 1]],
    [["date", 0], ["none", 0]],
    [["date", 0], ["str", "x"]],
    [["decimal", "1.5"], ["decimal", "2"]],
    [["complex", 0], ["int", 1]],
    [["object", 0], ["object", 0]],
    [["str", ""], ["str", "\x00"], ["str", "é"]],
    [["inf", 0], ["int", 1]],
)
"""Labels that few expect."""


def draw_labels(random: Random, n: int) -> list[list[Any]]:
    """The label of each row, of a kind that few expect."""
    kinds = pick(random, LABELS)
    return [pick(random, kinds) for _ in range(n)]


def draw_classes(random: Random, n: int, k: int | None = None) -> Any:
    """The class of each row: words or numbers, one of them rare as a rule; `k`: each of as many occurs."""
    classes = int(random.integers(1, 5)) if k is None else k
    share = random.dirichlet(np.full(classes, pick(random, (0.1, 1.0, 10.0))))
    code = random.choice(classes, n, p=share)
    if k is not None:
        code[:k] = np.arange(k)
    names = pick(random, (np.array(["no", "perhaps", "yes", "zero"]), np.arange(4), np.array([-(2**63), -1, 0, 2**62])))
    return names[code]


def draw_target(random: Random, n: int) -> Any:
    """Numbers to learn, one or several columns of them."""
    target = draw_numbers(random, n, int(pick(random, (1, 1, 1, 2))))
    return target[:, 0] if target.shape[1] == 1 else target
