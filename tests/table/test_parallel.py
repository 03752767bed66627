"""Threads: order, bits, bounds, errors, and nothing left behind."""

import gc
import threading
import time
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from novacula.errors import DataError, ParameterError
from novacula.table.parallel import (
    map_ordered,
    one_blas_thread,
    prefetched,
    thread_count,
    thread_pool,
    threads,
    tree_sum,
)


def our_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("novacula")]


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


# --- how many --------------------------------------------------------------------------------------------


def test_threads_nest_and_restore():
    before = thread_count()
    with threads(3):
        assert thread_count() == 3
        with threads(7):
            assert thread_count() == 7
        assert thread_count() == 3
    assert thread_count() == before


def test_threads_are_restored_after_an_error():
    before = thread_count()
    with pytest.raises(KeyError), threads(before + 1):
        raise KeyError
    assert thread_count() == before


@pytest.mark.parametrize("count", [0, -1, 2.5, "2"])
def test_threads_must_be_a_whole_number(count):
    with pytest.raises(ParameterError, match="must be a whole number of at least 1"), threads(count):
        pass


def test_the_environment_sets_threads(monkeypatch):
    monkeypatch.setenv("NOVACULA_THREADS", "5")
    assert thread_count() == 5
    with threads(2):
        assert thread_count() == 2
    for wrong in ("0", "many", "-1", ""):
        monkeypatch.setenv("NOVACULA_THREADS", wrong)
        with pytest.raises(ParameterError, match="NOVACULA_THREADS is"):
            thread_count()


# --- sums ------------------------------------------------------------------------------------------------


class Term(str):
    """A sum that shows how it was added."""

    def __add__(self, other):
        return Term(f"({self}{other})")


@pytest.mark.parametrize(
    ("letters", "tree"),
    [("a", "a"), ("ab", "(ab)"), ("abc", "((ab)c)"), ("abcde", "(((ab)(cd))e)"), ("abcdefg", "(((ab)(cd))((ef)g))")],
)
def test_the_tree_is_fixed_by_index(letters, tree):
    assert tree_sum(map(Term, letters)) == tree


@settings(deadline=None)
@given(st.lists(st.integers(), min_size=1))
def test_tree_sum_is_a_sum(numbers):
    assert tree_sum(numbers) == sum(numbers)


def test_tree_sum_holds_few_terms():
    alive = peak = 0

    class Counted:
        def __init__(self):
            nonlocal alive, peak
            alive += 1
            peak = max(peak, alive)

        def __del__(self):
            nonlocal alive
            alive -= 1

        def __add__(self, other):
            return Counted()

    tree_sum(Counted() for _ in range(1000))
    assert peak <= 10 + 3  # log2(1000), the new term, and a sum and its term


def test_the_sum_of_nothing_is_an_error():
    with pytest.raises(DataError, match="nothing to add"):
        tree_sum([])


# --- mapping ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("items", [0, 1, 2, 50])
def test_results_come_in_order(count, items):
    def slow_when_early(i):
        time.sleep(0.001 * (i % 3))
        return i * i

    with threads(count):
        assert list(map_ordered(slow_when_early, range(items))) == [i * i for i in range(items)]
    assert our_threads() == []


def test_several_threads_work_at_once():
    meeting = threading.Barrier(3, timeout=30)  # breaks unless three calls are under way together
    with threads(3):
        list(map_ordered(lambda _: meeting.wait(), range(6)))


def test_results_under_way_are_bounded():
    started = 0

    def work(i):
        nonlocal started
        started += 1
        return i

    with threads(2):
        results = map_ordered(work, range(1000))
        for taken in range(20):
            assert next(results) == taken
            assert started <= taken + 1 + 2 * 2
        results.close()
    assert our_threads() == []


def test_nested_maps_run_in_the_thread_they_are_called_from():
    def inner(_):
        return threading.get_ident()

    def outer(_):
        return {threading.get_ident()}.issuperset(map_ordered(inner, range(5)))

    with threads(2):
        assert all(map_ordered(outer, range(4)))


@pytest.mark.parametrize("count", [1, 3])
def test_the_first_error_in_order_surfaces_once_and_ends_the_work(count):
    calls = []

    def fail(i):
        calls.append(i)
        if i >= 5:
            raise DataError(f"item {i}")
        return i

    with threads(count), pytest.raises(DataError, match=r"^item 5$"):
        list(map_ordered(fail, range(1000)))
    assert len(calls) <= 5 + 2 * count + 1
    assert our_threads() == []


def test_an_error_of_the_consumer_leaves_no_thread():
    def divide(total, i):
        return total / (10 - i)

    with threads(2):
        results = map_ordered(lambda i: i, range(1000))
        with pytest.raises(ZeroDivisionError):
            reduce(divide, results, 1.0)
        results.close()
    assert our_threads() == []


@pytest.mark.parametrize("count", [1, 2])
def test_keyboard_interrupt_in_a_thread_propagates(count):
    def interrupt(i):
        if i == 3:
            raise KeyboardInterrupt
        return i

    with threads(count), pytest.raises(KeyboardInterrupt):
        list(map_ordered(interrupt, range(100)))
    gc.collect()
    assert our_threads() == []


# --- reading ahead ---------------------------------------------------------------------------------------


def test_prefetched_gives_all_in_order():
    assert list(prefetched(range(100))) == list(range(100))
    assert list(prefetched([])) == []
    assert our_threads() == []


def test_prefetched_is_one_ahead():
    made = []
    made_two = threading.Event()

    def supply():
        for i in range(10):
            made.append(i)
            if i == 1:
                made_two.set()
            yield i

    items = prefetched(supply())
    assert next(items) == 0
    assert made_two.wait(30)
    assert made == [0, 1]
    items.close()
    assert our_threads() == []


def test_prefetched_passes_errors_on_in_their_place():
    def supply():
        yield 1
        raise DataError("row 2")

    items = prefetched(supply())
    assert next(items) == 1
    with pytest.raises(DataError, match="row 2"):
        next(items)
    assert our_threads() == []


# --- BLAS ------------------------------------------------------------------------------------------------


@pytest.fixture
def _two_blas_threads():
    """As many on any machine, so that it shows when they are held to one."""
    with threadpool_limits(2, "blas"):
        yield


@pytest.mark.usefixtures("_two_blas_threads")
def test_blas_has_one_thread_while_work_is_shared_out():
    for count in (1, 2):
        with threads(count):
            assert all(seen == {1} for seen in map_ordered(lambda _: blas_threads(), range(4)))
        assert blas_threads() == {2}


@pytest.mark.usefixtures("_two_blas_threads")
def test_blas_limits_nest():
    with one_blas_thread():
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_a_pool_gives_results_in_order_and_leaves_no_thread():
    for workers in (1, 2, 4):
        with threads(workers), thread_pool() as pool:
            assert pool.workers == workers
            assert pool.each(lambda i: i * i, range(50)) == [i * i for i in range(50)]
            assert pool.each(lambda i: sum(pool.each(int, range(i))), range(5)) == [0, 0, 1, 3, 6]
            assert pool.each(str, []) == []
        assert not our_threads()


def test_a_pool_works_on_several_threads_at_once():
    barrier = threading.Barrier(3, timeout=30)
    with threads(3), thread_pool() as pool:
        assert sorted(pool.each(lambda _: barrier.wait(), range(3))) == [0, 1, 2]


def test_an_error_in_a_pool_is_raised_and_the_pool_goes_on():
    def fail(i):
        if i == 3:
            raise DataError("the third")
        return i

    with threads(2), thread_pool() as pool:
        with pytest.raises(DataError, match="the third"):
            pool.each(fail, range(6))
        assert pool.each(fail, range(3)) == [0, 1, 2]
