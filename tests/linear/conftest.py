"""Data and oracles for linear models: arithmetic with fractions, which has no rounding."""

from fractions import Fraction

import numpy as np
import pytest

# J. W. Longley (1967): employment; deflator, GNP, unemployed, armed forces, population, year.
LONGLEY = """
60323 83.0 234289 2356 1590 107608 1947
61122 88.5 259426 2325 1456 108632 1948
60171 88.2 258054 3682 1616 109773 1949
61187 89.5 284599 3351 1650 110929 1950
63221 96.2 328975 2099 3099 112075 1951
63639 98.1 346999 1932 3594 113270 1952
64989 99.0 365385 1870 3547 115094 1953
63761 100.0 363112 3578 3350 116219 1954
66019 101.2 397469 2904 3048 117388 1955
67857 104.6 419180 2822 2857 118734 1956
68169 108.4 442769 2936 2798 120445 1957
66513 110.8 444546 4681 2637 121950 1958
68655 112.6 482704 3813 2552 123366 1959
69564 114.2 502601 3931 2514 125368 1960
69331 115.7 518173 4806 2572 127852 1961
70551 116.9 554894 4007 2827 130081 1962
"""


@pytest.fixture(scope="session")
def longley():
    table = np.array([line.split() for line in LONGLEY.strip().splitlines()], dtype=float)
    return table[:, 1:], table[:, 0]


@pytest.fixture(scope="session")
def wiggle():
    """A polynomial of degree ten at 82 places, as in NIST's Filip: its powers are nearly dependent."""
    rng = np.random.default_rng(0)
    x = np.linspace(-8.8, -3.1, 82) + rng.normal(0, 0.02, 82)
    y = 0.8 + 0.1 * np.sin(1.3 * x) + rng.normal(0, 0.003, 82)
    return np.vander(x, 11, increasing=True)[:, 1:], y


@pytest.fixture(scope="session")
def exact():
    """Least squares by elimination of the normal equations in fractions: intercept and coefficients."""

    def solve(X, y):
        rows = [[Fraction(1), *map(Fraction, row), Fraction(t)] for row, t in zip(X.tolist(), y.tolist(), strict=True)]
        q = len(rows[0]) - 1
        matrix = [[sum(row[i] * row[j] for row in rows) for j in range(q + 1)] for i in range(q)]
        for i in range(q):
            matrix[i] = [value / matrix[i][i] for value in matrix[i]]
            for other in [j for j in range(q) if j != i]:
                factor = matrix[other][i]
                matrix[other] = [a - factor * b for a, b in zip(matrix[other], matrix[i], strict=True)]
        return np.array([float(row[q]) for row in matrix])

    return solve


@pytest.fixture
def five():
    """The five points of the textbook."""
    return np.array([[1.0], [3.0], [2.0], [1.5], [4.0]]), np.array([1.0, 2.2, 2.0, 1.9, 3.1])
