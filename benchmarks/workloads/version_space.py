"""How many conjunctions fit: counted by hitting sets, and by going through all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Figure, Limit, Probe, Race, Size

CONSTRAINED = 5
"""Attributes that the concept constrains, so that about one row in values⁵ is positive."""

AT_ONCE = (
    "A call takes 2.5 to 5 ms: by a profile a fifth goes into the checks of X and y, a sixth into coding the "
    "1,000 rows and a sixth into the count itself. Codes of whole numbers by a table and a plainer search for "
    "contradictions took a tenth off. One positive leaves an enumeration 2¹⁰ hypotheses, so that in this order it "
    "is short; 16 attributes of 4 values are beyond it in any order."
)
"""Why an enumeration that sees the positives first is not a thousand times slower."""


def conjunctive_rows(rows: int, attributes: int, values: int, constrained: int = CONSTRAINED) -> Data:
    """Random codes, and whether the first attributes are all 1; the last row is, so that there is a positive."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    X = rng.integers(0, values, (rows, attributes))
    X[-1, :constrained] = 1
    return {"X": X, "y": (X[:, :constrained] == 1).all(axis=1), "values": values}


def fitted(data: Data) -> Any:
    """Candidate-Elimination on nominal attributes."""
    from novacula.concept import CandidateElimination, ConjunctiveSpace

    space = ConjunctiveSpace({f"x{j}": range(data["values"]) for j in range(data["X"].shape[1])})
    return CandidateElimination(space).fit(data["X"], data["y"])


def ours(data: Data) -> int:
    """From rows to the number of members."""
    return fitted(data).version_space_size()


def by_numpy(data: Data) -> int:
    """List-Then-Eliminate: all hypotheses as bytes, example after example; the value after the last stands for ?."""
    import numpy as np

    X, free = data["X"].astype(np.int8), data["values"]
    number = np.arange((free + 1) ** X.shape[1])
    listed = np.empty((X.shape[1], len(number)), np.int8)
    for column in listed:
        number, column[:] = np.divmod(number, free + 1)
    for x, label in zip(X, data["y"], strict=True):
        says = np.ones(listed.shape[1], bool)
        for column, value in zip(listed, x, strict=True):
            says &= (column == value) | (column == free)
        listed = listed[:, says == label]
    return listed.shape[1]


def positives_first(data: Data) -> Data:
    """The examples in the order that suits an enumeration best: a positive crosses out nearly everything."""
    import numpy as np

    order = np.argsort(~data["y"], kind="stable")
    return data | {"X": data["X"][order], "y": data["y"][order]}


def by_python(data: Data) -> int:
    """One hypothesis after the other, each until the first example that contradicts it."""
    from itertools import product

    examples, free = list(zip(data["X"].tolist(), data["y"].tolist(), strict=True)), data["values"]

    def says(h: Sequence[int], x: Sequence[int]) -> bool:
        return all(c in (v, free) for c, v in zip(h, x, strict=True))

    every = product(range(free + 1), repeat=data["X"].shape[1])
    return sum(all(says(h, x) == label for x, label in examples) for h in every)


class CountedMembers(Race):
    """From rows of categories to the exact size of their version space."""

    name = "version_space"
    title = "Version space, exact size"
    full = ({"rows": 1_000, "attributes": 10, "values": 3},)
    quick = ({"rows": 200, "attributes": 8, "values": 3},)

    def data(self, size: Size, folder: Path) -> Data:
        """Rows that a conjunction fits."""
        return conjunctive_rows(size["rows"], size["attributes"], size["values"])

    def contenders(self) -> Sequence[Contender]:
        """Enumeration by hand: in NumPy, with the examples as they come or in the best order, and in plain Python."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("enumeration, NumPy", "numpy", by_numpy, goal=1000.0),
            Contender(
                "enumeration, NumPy, positives first", "numpy", by_numpy, positives_first, goal=1000.0, because=AT_ONCE
            ),
            Contender("enumeration, plain Python", "numpy", by_python, positives_first, goal=1000.0, because=AT_ONCE),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same number."""
        return Agreement(ours == theirs, "the same number" if ours == theirs else f"{theirs} instead of {ours}")

    def limit(self, data: Data) -> Limit:
        """Read X and y once."""
        return Limit(data["X"].nbytes + data["y"].nbytes)


class LargeVersionSpaces(Probe):
    """Cases that no enumeration reaches, each with its goal."""

    name = "large_version_spaces"
    title = "Version spaces beyond enumeration"

    def figures(self, rounds: int) -> list[Figure]:
        """Seconds, warm: fit and count, a boundary of 2¹⁷ members, a vote on each row."""
        wide = conjunctive_rows(1_000, 16, 4)
        dense = conjunctive_rows(1_000, 24, 2, 11)
        pairs = paired_rows(17)
        cases: list[tuple[str, Callable[[], Any], float]] = [
            ("fit and size, 16 attributes × 4 values, 1,000 rows", lambda: ours(wide), 0.1),
            ("fit and size, 24 attributes × 2 values, 1,000 rows", lambda: ours(dense), 5.0),
            ("votes on 1,000 rows, 16 attributes × 4 values", lambda: fitted(wide).votes(wide["X"]), 5.0),
            ("G of 131,072 members, 34 attributes", lambda: fitted(pairs).general(), 10.0),
        ]
        return [Figure(name, _median_seconds(run, rounds), "s", goal) for name, run, goal in cases]


def paired_rows(pairs: int) -> Data:
    """One positive, and for each pair of attributes a negative that differs in that pair: G has 2^pairs members."""
    import numpy as np

    X = np.vstack([np.zeros(2 * pairs, np.int64), np.kron(np.eye(pairs, dtype=np.int64), [1, 1])])
    return {"X": X, "y": np.arange(len(X)) == 0, "values": 2}


def _median_seconds(run: Callable[[], Any], rounds: int) -> float:
    run()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return median(times)
