"""How much memory a call takes."""

import tracemalloc

import pytest


def least_peak_of(call, times=5):
    """The most memory that Python holds within a call: the least of several looks, since other threads add theirs."""
    peaks = []
    for _ in range(times):
        tracemalloc.start()
        try:
            call()
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return min(peaks)


@pytest.fixture(scope="session")
def least_peak():
    return least_peak_of
