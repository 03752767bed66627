"""HEOM against its definition (Wilson and Martinez 1997), written out row by row."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import DataError, ParameterError, UnseenCategoryWarning
from novacula.neighbors import KNeighborsClassifier, KNeighborsRegressor

number = st.one_of(st.none(), st.integers(-5, 5).map(float))
word = st.sampled_from([None, "a", "b", "c"])
rows = st.tuples(number, word, number, word)


def heom(one, other, ranges):
    total = 0.0
    for j in (0, 2, 1, 3):  # numbers first, as in every sum of ours, so that ties are ties
        a, b = one[j], other[j]
        if a is None or b is None:
            gap = 1.0
        elif j in ranges:
            gap = abs(a - b) / ranges[j] if ranges[j] else 0.0
        else:
            gap = float(a != b)
        total += gap**2
    return math.sqrt(total)


@given(st.lists(rows, min_size=3, max_size=25), st.lists(rows, min_size=1, max_size=4))
@settings(deadline=None)
@pytest.mark.filterwarnings("ignore::novacula.errors.DataWarning")
def test_neighbours_are_those_of_the_definition(fitted, asked):
    known = {0: 3.0, 2: -3.0}
    fitted = [tuple(known.get(j, v) if i == 0 else v for j, v in enumerate(row)) for i, row in enumerate(fitted)]
    fitted[1] = (1.0, "a", 0.0, "b")  # every column has a range and words
    ranges = {}
    for j in (0, 2):
        values = [row[j] for row in fitted if row[j] is not None]
        ranges[j] = max(values) - min(values)
    names = ["n0", "w0", "n1", "w1"]
    model = KNeighborsClassifier(len(fitted), metric="heom").fit(
        pd.DataFrame(fitted, columns=names), np.arange(len(fitted)) % 2
    )
    distance, row = model.kneighbors(pd.DataFrame(asked, columns=names).astype({"n0": float, "n1": float}))
    for i, query in enumerate(asked):
        seen = tuple(v if j in ranges or v in {r[j] for r in fitted} else None for j, v in enumerate(query))
        expected = [heom(seen, other, ranges) for other in fitted]
        np.testing.assert_allclose(distance[i], sorted(expected), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(np.array(expected)[row[i]], distance[i], rtol=1e-12, atol=1e-12)


FRAME = pd.DataFrame({"age": [20.0, 30.0, 40.0, 60.0], "job": ["cook", "cook", "smith", "smith"]})


def test_mixed_frame_by_hand():
    model = KNeighborsClassifier(2, metric="heom").fit(FRAME, ["a", "b", "b", "a"])
    distance, row = model.kneighbors(pd.DataFrame({"age": [32.0], "job": ["smith"]}))
    assert row.tolist() == [[2, 3]]
    np.testing.assert_allclose(distance, [[8 / 40, 28 / 40]])


def test_missing_is_at_distance_one():
    model = KNeighborsRegressor(1, metric="heom").fit(FRAME, [1.0, 2.0, 3.0, 4.0])
    query = pd.DataFrame({"age": [np.nan, 40.0], "job": ["smith", None]})
    distance, row = model.kneighbors(query, n_neighbors=4)
    np.testing.assert_allclose(distance[0], [1, 1, np.sqrt(2), np.sqrt(2)])
    assert row[0].tolist() == [2, 3, 0, 1]
    np.testing.assert_allclose(distance[1], np.sqrt(1 + np.array([0, 0.25, 0.5, 0.5]) ** 2))


def test_a_new_category_is_missing_with_a_warning_or_refused():
    model = KNeighborsClassifier(1, metric="heom").fit(FRAME, [0, 1, 2, 3])
    query = pd.DataFrame({"age": [21.0], "job": ["pilot"]})
    with pytest.warns(UnseenCategoryWarning, match="job"):
        assert model.predict(query).tolist() == [0]
    with pytest.warns(UnseenCategoryWarning, match="job"):
        np.testing.assert_allclose(model.kneighbors(query)[0], [[np.hypot(1 / 40, 1)]])
    strict = KNeighborsClassifier(1, metric="heom", unseen="error").fit(FRAME, [0, 1, 2, 3])
    with pytest.raises(DataError, match=r"pilot.*job|job.*pilot"):
        strict.predict(query)


def test_other_metrics_refuse_words_and_gaps():
    with pytest.raises(ValueError, match="job"):
        KNeighborsClassifier(1).fit(FRAME, [0, 1, 0, 1])
    gaps = FRAME[["age"]].astype(float).copy()
    gaps.loc[2, "age"] = np.nan
    with pytest.raises(DataError, match=r"'age' is missing .* in row 3"):
        KNeighborsClassifier(1).fit(gaps, [0, 1, 0, 1])


def test_infinite_numbers_are_refused_here_too():
    frame = FRAME.assign(age=[1.0, np.inf, 2.0, 3.0])
    with pytest.raises(DataError, match=r"'age' is infinite .* in row 2"):
        KNeighborsClassifier(1, metric="heom").fit(frame, [0, 1, 0, 1])


def test_it_has_a_scale_of_its_own():
    with pytest.raises(ParameterError, match="standard"):
        KNeighborsClassifier(1, metric="heom", scale="standard").fit(FRAME, [0, 1, 0, 1])
