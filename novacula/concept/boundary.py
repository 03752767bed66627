"""The most general consistent hypotheses: minimal hitting sets, by Murakami and Uno's MMCS.

A *cut* is a smallest step away from ⟨?, …, ?⟩: a value on a nominal attribute, or an end of an interval. It rejects
some negatives, and *exactly* those that the next wider constraint would let in. A member of G is a set of cuts, at most
one a side of an attribute, that together reject every negative, each of them needed: some negative is rejected by this
cut alone, and would be let in by the next wider one. The search goes depth first. It takes an open negative, tries each
cut that rejects it, and gives up as soon as an earlier cut is no longer needed; so nothing is found twice, and nothing
is compared with what was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from novacula.errors import DataError

MAX_BOUNDARY = 1_000_000
"""Members of G beyond which the search is given up."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A constraint on one attribute, as the range of positions that it leaves, and what it rejects, as bits."""

    attribute: int
    side: str  # "low" or "high" for an end of an interval, "value" for a nominal constraint
    low: int
    high: int
    rejected: int
    exactly: int

    def excludes(self, other: Cut) -> bool:
        """Whether no constraint can have both: two of a kind, or ends that leave nothing between them."""
        if self.attribute != other.attribute:
            return False
        return self.side == other.side or max(self.low, other.low) > min(self.high, other.high)


def minimal_cuts(cuts: Sequence[Cut], n: int, limit: int = MAX_BOUNDARY) -> list[tuple[int, ...]]:
    """Every minimal set of cuts, by their numbers, that rejects all of n negatives; more than the limit are refused."""
    search = _Search(cuts, n, limit)
    search.extend((), (), (1 << n) - 1, (1 << len(cuts)) - 1)
    return search.minimal


class _Search:
    """The state that all branches share: who rejects whom, who excludes whom, and the minimal cuts so far."""

    def __init__(self, cuts: Sequence[Cut], n: int, limit: int) -> None:
        self.limit = limit
        self.rejected = [cut.rejected for cut in cuts]
        self.exactly = [cut.exactly for cut in cuts]
        self.compatible = [sum(1 << i for i, b in enumerate(cuts) if not a.excludes(b)) for a in cuts]
        self.rejecting = [sum(1 << i for i, cut in enumerate(cuts) if cut.rejected >> x & 1) for x in range(n)]
        self.minimal: list[tuple[int, ...]] = []

    def extend(self, chosen: tuple[int, ...], needed: tuple[int, ...], open_: int, candidates: int) -> None:
        """Add cuts to those chosen; `needed` holds for each of them the negatives that need it."""
        if not open_:
            self.minimal.append(chosen)
            if len(self.minimal) > self.limit:
                raise DataError(
                    f"the general boundary has more than {self.limit:,} members, which is the limit for listing it; "
                    f"version_space_size() and predictions do not need it"
                )
            return
        tried = self._fewest(open_, candidates)
        candidates &= ~tried
        while tried:
            cut = (tried & -tried).bit_length() - 1
            rejected = self.rejected[cut]
            still = [mask & ~rejected for mask in needed]
            own = open_ & self.exactly[cut]
            if own and all(still):
                self.extend((*chosen, cut), (*still, own), open_ & ~rejected, candidates & self.compatible[cut])
            candidates |= 1 << cut
            tried &= tried - 1

    def _fewest(self, open_: int, candidates: int) -> int:
        """The candidates for the open negative that has the fewest."""
        best, fewest = 0, 1 << 62
        while open_:
            x = (open_ & -open_).bit_length() - 1
            rejecting = self.rejecting[x] & candidates
            count = rejecting.bit_count()
            if count < fewest:
                best, fewest = rejecting, count
                if count <= 1:
                    break
            open_ &= open_ - 1
        return best
