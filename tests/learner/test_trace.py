"""What a fit keeps of its way: the first states and the last, bounded, and a sentence for what was not kept."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacula.errors import ModelFileError, ParameterError
from novacula.learner.trace import FIRST, LAST, MOST_NUMBERS, FitPath, PathRecorder


def recorded(count, size=2, **how):
    recorder = PathRecorder(**how)
    for i in range(count):
        recorder(i, 0.0, np.full(size, float(i)))
    return recorder.kept()


@given(st.integers(1, 60))
def test_the_first_and_the_last_are_kept(count):
    path = recorded(count)
    expected = [i for i in range(count) if i < FIRST or i >= count - LAST]
    assert path.iterations.tolist() == expected
    assert path.states[:, 0].tolist() == expected
    assert len(path.states) <= FIRST + LAST
    for i in expected:
        assert path.at(i, (2,)).tolist() == [i, i]


def test_of_large_states_only_the_first_and_the_last_are_kept():
    path = recorded(9, size=MOST_NUMBERS + 1)
    assert path.iterations.tolist() == [0, 8]


def test_a_state_is_a_copy_and_has_a_shape():
    recorder, state = PathRecorder(), np.zeros((2, 3))
    recorder(0, 0.0, state)
    state += 1
    recorder(1, 0.0, state)
    before, after = recorder.kept().step(1, (2, 3))
    np.testing.assert_array_equal(before, np.zeros((2, 3)))
    np.testing.assert_array_equal(after, np.ones((2, 3)))


def test_what_a_state_is_made_of_is_said_by_array():
    recorder = PathRecorder(lambda params: np.concatenate([params["w"], [params["b"]]]))
    recorder(0, 0.0, {"w": np.ones(2), "b": 3.0})
    assert recorder.kept().at(0, (3,)).tolist() == [1, 1, 3]


@pytest.mark.parametrize(
    ("iteration", "message"),
    [
        (40, "iteration is 40; the fit made 39 iterations, counted from 1"),
        (-1, "iteration is -1; the fit made 39 iterations, counted from 1"),
        (1.0, "iteration is 1.0; the fit made 39 iterations, counted from 1"),
        (True, "iteration is True; the fit made 39 iterations, counted from 1"),
        ("last", "iteration is 'last'; the fit made 39 iterations, counted from 1"),
        (0, "iteration is 0; iterations are counted from 1, and 0 is the start"),
        (
            25,
            "iteration 25 of 39 was not kept: this fit keeps its first 20 states and its last 5; fit with",
        ),
        (20, "iteration 20 of 39 was not kept"),
    ],
)
def test_what_was_not_kept_is_refused_in_one_sentence(iteration, message):
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}"):
        recorded(40).step(iteration, (2,))


def test_an_iteration_whose_start_was_not_kept_is_refused():
    path = recorded(40)
    assert path.at(35, (2,)).tolist() == [35, 35]
    with pytest.raises(ParameterError, match="iteration 34 of 39 was not kept"):
        path.step(35, (2,))


def test_a_path_from_a_forged_file_is_refused():
    with pytest.raises(ModelFileError, match="states of 2 numbers, where 3 belong"):
        recorded(3).at(1, (3,))
    empty = FitPath(np.array([], np.int64), np.zeros((0, 2)))
    with pytest.raises(ParameterError, match="the fit made 0 iterations"):
        empty.at(1, (2,))


def test_the_sentence_counts_the_states_that_are_there():
    path = FitPath(np.array([0, 90]), np.zeros((2, 1)))
    with pytest.raises(ParameterError, match="keeps its first 1 state and its last 1;"):
        path.at(40, (1,))
