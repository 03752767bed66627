"""Error-based pruning as in C4.5 release 8: a pessimistic guess at the errors of a leaf, from training examples alone.

A leaf that is wrong on e of its N examples is taken to be wrong on N U(e, N) of N new ones, where U is the upper limit
of the error rate at confidence CF: were the rate higher, e or fewer errors would have a chance below CF. A subtree is
replaced by a leaf if the leaf's guess is at most the sum of the guesses of its leaves, plus a tenth of an error.
(J. R. Quinlan, C4.5: Programs for Machine Learning, 1993, section 4.2.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from novacula.errors import ParameterError
from novacula.table.chunk import Floats
from novacula.tree.pruning.bottom_up import cheapest, leaf_errors
from novacula.tree.pruning.pruner import Marks, Need, PruningEvidence
from novacula.tree.structure import ClassTree

SLACK = 0.1
"""The errors by which a leaf may be worse than the subtree it replaces."""
NONE, ONE = 1e-6, 0.9999
"""Below the first, errors are none; from the second on they are at least one. Fractional examples lie between."""


@dataclass(frozen=True)
class PessimisticPruner:
    """Prune by upper limits of the leaves' error rates."""

    confidence: float = 0.25
    needs: ClassVar[tuple[Need, ...]] = ()

    def stop(self, tree: ClassTree, evidence: PruningEvidence) -> Marks:
        """The nodes that become leaves."""
        return prune_by_upper_error(tree, self.confidence)


def prune_by_upper_error(tree: ClassTree, confidence: float) -> Marks:
    """The nodes that become leaves; a lower confidence prunes more."""
    guess = tree.weight * upper_error(tree.weight, leaf_errors(tree), confidence)  # none for an empty leaf
    return cheapest(tree, guess, np.zeros(len(tree)), SLACK)


def upper_error(n: npt.ArrayLike, errors: npt.ArrayLike, confidence: float = 0.25) -> Floats:
    """The upper limit of the error rate where `errors` of `n` examples were wrong; 1 where there are none.

    Without errors it is exact, 1 − CF^(1/n). From one error on it is the normal approximation with the continuity
    correction ½, where z is the normal quantile of 1 − CF:

        U = (e + ½ + z²/2 + z √((e + ½)(1 − (e + ½)/n) + z²/4)) / (n + z²)

    What is added to the errors is linear between none and one. Where at most half an example is right, 0.67 of what
    is right is added. A limit is never above 1, which C4.5's passes where a leaf has less than one example.

    >>> upper_error([6, 9, 1], [0, 0, 0]).round(3)
    array([0.206, 0.143, 0.75 ])
    """
    if not 0.0 < confidence <= 0.5:
        raise ParameterError(f"confidence is {confidence!r}; it must be above 0 and at most 0.5")
    n, errors = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(errors, np.float64))
    if not ((errors >= 0.0) & (errors <= n)).all():
        raise ParameterError("errors must lie between 0 and the number of examples")
    size = np.where(n > 0.0, n, 1.0)
    at_none = -size * np.expm1(np.log(confidence) / size)
    at_one = _added_to_some(size, np.ones_like(size), confidence)
    between = at_none + errors * (at_one - at_none)
    added = np.select([errors < NONE, errors < ONE], [at_none, between], _added_to_some(size, errors, confidence))
    rate = np.minimum((errors + added) / size, 1.0)
    return np.where(n > 0.0, rate, 1.0)


def _added_to_some(n: Floats, errors: Floats, confidence: float) -> Floats:
    """What is added to one error or more."""
    z2 = ndtri(1.0 - confidence) ** 2
    wrong = errors + 0.5
    spread = np.sqrt(z2 * (np.maximum(wrong * (1.0 - wrong / n), 0.0) + z2 / 4.0))
    limit = n * (wrong + z2 / 2.0 + spread) / (n + z2) - errors
    return np.where(wrong >= n, 0.67 * (n - errors), limit)
