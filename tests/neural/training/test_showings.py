"""Rows as showings: numbered, cut into windows by their numbers, for any chunks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.checks import check_statistic
from novacula.neural.network import Architecture, NetworkObjective, Penalties, Tying
from novacula.neural.training import showings
from novacula.neural.training.lesson import NetworkLesson
from novacula.neural.training.showings import Feed, Filling, Tally, emptied, fill
from novacula.neural.training.sums import NetworkLossSums
from novacula.neural.training.targets import Targets
from novacula.table import Chunk

laws = settings(deadline=None, max_examples=25)


def chunk_of(weight, seed=0, classes=3):
    rng = np.random.default_rng(seed)
    n = len(weight)
    code = rng.integers(0, classes, n).astype(np.int32)
    return Chunk(rng.normal(size=(n, 2)), np.empty((n, 0), np.int32), np.asarray(weight, float), target=code)


def windows_of(chunk, cuts, feed):
    """The windows that a chunk gives in pieces."""
    found, filling = [], Filling(0)

    def step(state, window, number):
        assert number == state
        found.append(window)
        return state + 1

    for start, stop in zip([0, *cuts], [*cuts, len(chunk)], strict=True):
        filling = fill(filling, chunk.rows(start, stop), feed, step, ())
    emptied(filling, step, ())
    return found


@laws
@given(
    st.lists(st.sampled_from([0.0, 0.25, 1.0, 2.0, 2.5]), min_size=1, max_size=30),
    st.lists(st.integers(0, 30), max_size=4),
    st.integers(1, 9),
    st.booleans(),
)
def test_windows_are_cut_by_the_number_of_the_showing(weight, cuts, capacity, aside):
    """Against a list that is written out row by row."""
    chunk = chunk_of(weight)
    shown = [(i, min(w - t, 1.0)) for i, w in enumerate(weight) for t in range(int(np.ceil(w)))]
    feed = Feed(Targets(3, 3), "float64", capacity, 0.4, 7, aside)
    kept = showings.held_out(0, len(shown), 7, 0.4)
    wanted = [one for one, held in zip(shown, kept, strict=True) if held == aside]
    found = windows_of(chunk, sorted(min(cut, len(chunk)) for cut in cuts), feed)
    assert [len(window) for window in found[:-1]] == [capacity] * (len(found) - 1)
    rows = [i for i, _ in wanted]
    assert sum(map(len, found)) == len(rows)
    if rows:
        np.testing.assert_array_equal(np.concatenate([w.x for w in found]), chunk.numeric[rows])
        np.testing.assert_array_equal(np.concatenate([w.share for w in found]), [share for _, share in wanted])
        np.testing.assert_array_equal(np.concatenate([w.t for w in found]), np.eye(3)[chunk.target[rows]])


def test_what_is_held_out_is_a_share_of_all_and_depends_on_the_seed():
    one, other = (showings.held_out(0, 20_000, seed, 0.2) for seed in (0, 1))
    assert one.mean() == pytest.approx(0.2, abs=0.01)
    assert (one & other).mean() == pytest.approx(0.04, abs=0.01)
    np.testing.assert_array_equal(one[5000:], showings.held_out(5000, 15_000, 0, 0.2))


def test_a_window_holds_whole_batches_and_a_bounded_number_of_numbers():
    assert showings.capacity(64, 128) == (1 << 24) // 64
    assert showings.capacity(100, 100) % 100 == 0
    assert showings.capacity(10**9, 7) == 7


FACTOR = np.array([1.0, 2.0, 0.5])


@pytest.mark.parametrize("factor", [None, FACTOR], ids=["plain", "class weights"])
def test_the_tally_obeys_the_laws_of_statistics(factor):
    chunk = chunk_of(np.ones(40))
    targets = Targets(3, 3, factor)
    if factor is None:  # fractions of showings are not repetitions of whole rows
        check_statistic(lambda c: Tally.observe(c, targets), chunk, Tally.zero())
    seen = Tally.observe(chunk, targets)
    times = [1.0 if factor is None else factor[code] for code in chunk.target]
    assert seen.weight == pytest.approx(sum(times))
    assert seen.showings == sum(int(np.ceil(t)) for t in times)


@pytest.mark.parametrize("tied", [None, [[(0, 0, 0), (0, 1, 1)]]])
def test_sums_of_losses_obey_the_laws_of_statistics(tied):
    network = Architecture((2, 4, 3), "tanh", "softmax")
    tying = None if tied is None else Tying(tied, network)
    lesson = NetworkLesson(
        NetworkObjective(network, "cross_entropy", Penalties(curvature=0.1), tying), Targets(3, 3, FACTOR)
    )
    free = lesson.contract(network.initial(np.random.default_rng(0)))
    zero = NetworkLossSums.zero(len(free))
    check_statistic(lambda c: NetworkLossSums.observe(c, free, lesson), chunk_of(np.ones(30)), zero)
