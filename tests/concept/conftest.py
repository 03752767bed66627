"""Random small spaces, and the oracles within reach of every test."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def draw():
    """A random problem: domains, ordered attributes, rows and labels, with or without a target that fits."""
    from brute_force import accepts, hypotheses

    def problem(seed, kind="mixed", n=6, target=True, attributes=3):
        rng = np.random.default_rng(seed)
        domains, ordered = {}, []
        for j in range(int(rng.integers(1, attributes + 1))):
            values = int(rng.integers(1, 5 if kind == "nominal" else 4))
            if kind == "ordered" or (kind == "mixed" and rng.random() < 0.5):
                ordered.append(f"a{j}")
                domains[f"a{j}"] = [10 * k for k in range(values)]
            else:
                domains[f"a{j}"] = [f"v{k}" for k in range(values)]
        rows = [tuple(v[rng.integers(len(v))] for v in domains.values()) for _ in range(int(rng.integers(0, n + 1)))]
        every = hypotheses(domains, ordered)
        concept = every[rng.integers(len(every))]
        labels = [accepts(concept, x, domains) if target else bool(rng.random() < 0.4) for x in rows]
        return domains, ordered, rows, labels, concept

    return problem
