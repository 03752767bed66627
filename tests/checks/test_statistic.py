"""check_statistic lets a lawful statistic pass and says in a sentence which law a broken one breaks."""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from novacula.checks.statistic import check_statistic, cut
from novacula.statistics import Statistic
from novacula.table.chunk import Chunk


class OfOneColumn(Statistic):
    """Three numbers of the first column of the rows of weight above 0."""

    __slots__ = ()

    @classmethod
    def zero(cls):
        return cls(*np.zeros((3, 1)))

    @classmethod
    def observe(cls, chunk):
        counts = chunk.weight > 0
        return cls.of(chunk.numeric[counts, 0], chunk.weight[counts])


@dataclass(frozen=True, slots=True, eq=False)
class Spread(OfOneColumn):
    """Weight, mean and squared deviations of one column, as they should be."""

    weight: Any
    mean: Any
    ssd: Any

    @classmethod
    def of(cls, x, w):
        if not len(x):
            return cls.zero()
        mean = np.average(x, weights=w)
        return cls(np.array([w.sum()]), np.array([mean]), np.array([w @ (x - mean) ** 2]))

    def __add__(self, other):
        if not (self.weight and other.weight):
            return self if self.weight else other
        weight, gap = self.weight + other.weight, other.mean - self.mean
        share = other.weight / weight
        return type(self)(weight, self.mean + share * gap, self.ssd + other.ssd + self.weight * share * gap**2)


class Forgetful(Spread):
    def __add__(self, other):
        return self if self.weight else other


class BlindToTheGap(Spread):
    def __add__(self, other):
        return replace(Spread.__add__(self, other), ssd=self.ssd + other.ssd)


class Lopsided(Spread):
    def __add__(self, other):
        if not (self.weight and other.weight):
            return Spread.__add__(self, other)
        return replace(Spread.__add__(self, other), mean=(self.mean + other.mean) / 2)


class Unweighted(Spread):
    @classmethod
    def of(cls, x, w):
        return super().of(x, np.ones_like(w))


class Overflowing(Spread):
    @classmethod
    def observe(cls, chunk):
        with np.errstate(all="ignore"):
            return cls.of(chunk.numeric[:, 0], chunk.weight) if chunk.weight.any() else cls.zero()


class Dividing(Spread):
    """Has no identity: 0/0, as when two empty variances are added without care."""

    def __add__(self, other):
        with np.errstate(invalid="ignore"):
            mean = (self.weight * self.mean + other.weight * other.mean) / (self.weight + other.weight)
        return replace(Spread.__add__(self, other), mean=mean)


class InPlace(Spread):
    def __add__(self, other):
        both = Spread.__add__(self, other)
        if self.weight and other.weight:
            self.ssd[:] = both.ssd
        return both


class Stuck(Spread):
    """Comes back empty from another process."""

    def __reduce__(self):
        return type(self).zero, ()


@dataclass(frozen=True, slots=True, eq=False)
class RawMoments(OfOneColumn):
    """Plain sums, whose difference of large numbers cancels."""

    weight: Any
    total: Any
    squares: Any

    @classmethod
    def of(cls, x, w):
        return cls(*(np.array([np.sum(w * x**power)]) for power in range(3)))

    def __add__(self, other):
        return type(self)(self.weight + other.weight, self.total + other.total, self.squares + other.squares)

    @property
    def ssd(self):
        return self.squares - self.total**2 / self.weight


@pytest.fixture
def chunk():
    rng = np.random.default_rng(3)
    return Chunk(rng.normal(size=(60, 1)), np.empty((60, 0), np.int32), rng.uniform(0.5, 2.0, 60))


def test_a_lawful_statistic_passes(chunk):
    check_statistic(Spread.observe, chunk, Spread.zero(), unmoved=["ssd"])


def test_plain_sums_pass_until_cancellation_is_asked_about(chunk):
    check_statistic(RawMoments.observe, chunk, RawMoments.zero())
    with pytest.raises(AssertionError, match="ssd must not cancel: 1e\\+08 away from 0"):
        check_statistic(RawMoments.observe, chunk, RawMoments.zero(), unmoved=["ssd"])


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (Forgetful, r"a \+ b must be b \+ a, but weight differs by"),
        (BlindToTheGap, "rows cut .* must add up to the whole, but ssd differs by"),
        (Lopsided, r"\(a \+ b\) \+ c must be a \+ \(b \+ c\), but mean differs by"),
        (Unweighted, "a weight must count as that many repetitions, but weight differs by"),
        (Overflowing, "a row of weight 0 must have no effect, but ssd is not finite"),
        (Dividing, r"zero \+ zero must be zero, but mean differs in some bit"),
        (InPlace, r"a \+ b must not change a or b, but ssd differs in some bit"),
        (Stuck, "must survive pickling, but weight differs in some bit"),
    ],
)
def test_a_broken_law_is_named(chunk, broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_statistic(broken.observe, chunk, broken.zero(), unmoved=["ssd"])


def test_exact_asks_for_every_bit(chunk):
    with pytest.raises(AssertionError, match="differs in some bit"):
        check_statistic(Spread.observe, chunk, Spread.zero(), exact=True)


def test_a_wrong_zero_is_found(chunk):
    with pytest.raises(AssertionError, match=r"zero .* must be"):
        check_statistic(Spread.observe, chunk, Spread.of(np.array([1.0]), np.array([2.0])))


def test_no_rows_at_all(chunk):
    check_statistic(Spread.observe, chunk.rows(0, 0), Spread.zero(), unmoved=["ssd"])


def test_cut_covers_every_row_once(chunk):
    pieces = cut(chunk, np.array([60, 7, 7, 0]))
    assert [len(piece) for piece in pieces] == [0, 7, 0, 53, 0]
    np.testing.assert_array_equal(np.concatenate([piece.numeric for piece in pieces]), chunk.numeric)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (
            Spread(*np.zeros((3, 1))),
            RawMoments(*np.zeros((3, 1))),
            "Spread and RawMoments hold different arrays",
        ),
        (Spread(*np.zeros((3, 1))), Spread(*np.zeros((3, 2))), r"weight has shape \(1,\)"),
        (
            Spread(*np.zeros((3, 1))),
            Spread(np.zeros(1, np.int64), *np.zeros((2, 1))),
            "weight .* of int64 there",
        ),
        (
            Spread(*np.full((3, 1), np.nan)),
            Spread(*np.zeros((3, 1))),
            "weight is not finite in different places",
        ),
        (Spread("a", *np.zeros((2, 1))), Spread("b", *np.zeros((2, 1))), "weight differs"),
    ],
)
def test_departure_says_what_differs(one, other, words):
    assert re.match(words, one.departure(other, rtol=1e-9))
