"""Every statistic obeys the laws, also without rows, with missing values and with weights of 0."""

import pickle
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novacula.checks.statistic import check_statistic
from novacula.errors import DataError, ParameterError
from novacula.statistics import (
    Bundle,
    ClassMoments,
    ClassTotals,
    CoMoments,
    Contingency,
    Histogram,
    QuantileSketch,
    Triangle,
    Vocabulary,
)
from novacula.table.chunk import Chunk

K, SIZES, EDGES, WIDTH = 3, (2, 4), (np.array([-1.0, 0.0, 5.5]), np.array([])), 6

laws = settings(deadline=None)
seeds = st.integers(0, 2**32 - 1)
numbers = st.one_of(st.floats(-1e3, 1e3), st.integers(-3, 3).map(float))
fractions = st.floats(0.0, 4.0)
whole = st.integers(0, 3).map(float)
words = st.lists(st.sampled_from(["play", "sport", "link", "secret", "ß", "\U0001f600"]), max_size=5).map(" ".join)


@st.composite
def chunks(draw, value=numbers, weight=fractions, missing=True, classes=True):
    """Two numeric and two categorical columns, a sparse block, a text column, and a target."""
    n = draw(st.integers(0, 25))
    numeric = draw(hnp.arrays(np.float64, (n, 2), elements=value))
    if missing:
        numeric[draw(hnp.arrays(np.bool_, (n, 2)))] = np.nan
    codes = np.column_stack([draw(hnp.arrays(np.int32, n, elements=st.integers(-2, c - 1))) for c in SIZES])
    sparse = scipy.sparse.csr_matrix(draw(hnp.arrays(np.float64, (n, WIDTH), elements=st.integers(0, 3).map(float))))
    text = np.array([*draw(st.lists(st.none() | words, min_size=n, max_size=n)), None], dtype=object)[:n]
    code = hnp.arrays(np.int32, n, elements=st.integers(0, K - 1))
    target = draw(code if classes else hnp.arrays(np.float64, (n, 2), elements=value))
    return Chunk(numeric, codes, draw(hnp.arrays(np.float64, n, elements=weight)), sparse, (text,), target)


@laws
@given(chunks(), seeds)
def test_class_moments(chunk, seed):
    check_statistic(
        partial(ClassMoments.observe, n_classes=K),
        chunk,
        ClassMoments.zero(K, 2),
        unmoved=["ssd"],
        random_state=seed,
    )


@laws
@given(chunks(weight=whole), seeds)
def test_contingency(chunk, seed):
    observe = partial(Contingency.observe, n_classes=K, sizes=SIZES)
    check_statistic(observe, chunk, Contingency.zero(K, SIZES), exact=True, random_state=seed)


@laws
@given(chunks(value=st.integers(-5, 5).map(float), weight=whole), seeds, st.booleans())
def test_class_totals(chunk, seed, presence):
    observe = partial(ClassTotals.observe, n_classes=K, presence=presence)
    check_statistic(observe, chunk, ClassTotals.zero(K, WIDTH), exact=True, random_state=seed)
    observe = partial(ClassTotals.observe_numeric, n_classes=K, presence=presence)
    check_statistic(observe, chunk, ClassTotals.zero(K, 2), exact=True, random_state=seed)


@laws
@given(chunks(missing=False, classes=False), seeds)
def test_co_moments(chunk, seed):
    check_statistic(CoMoments.observe, chunk, CoMoments.zero(2 + WIDTH + 2), unmoved=["scatter"], random_state=seed)


@laws
@given(seeds, st.integers(1, 30))
def test_triangle(seed, n):
    rng = np.random.default_rng(seed)
    chunk = Chunk(
        rng.normal(size=(n, 3)),
        np.empty((n, 0), np.int32),
        rng.uniform(0.5, 2.0, n),
        target=rng.normal(size=n),
    )
    observe = partial(Triangle.observe, centre=np.arange(4.0), scale=np.array([1.0, 2.0, 0.5, 3.0]))
    check_statistic(observe, chunk, Triangle.zero(4), rtol=1e-7, random_state=seed)


@laws
@given(chunks(weight=whole), seeds, st.booleans())
def test_vocabulary(chunk, seed, presence):
    observe = partial(Vocabulary.observe_words, n_classes=K, column=0, analyzer=str.split, presence=presence)
    check_statistic(observe, chunk, Vocabulary.zero(K), exact=True, random_state=seed)


@laws
@given(
    chunks(value=st.floats(allow_nan=False) | numbers, weight=whole),
    seeds,
    st.integers(2, 12),
    st.sampled_from([1, K]),
)
def test_quantile_sketch(chunk, seed, capacity, n_classes):
    observe = partial(QuantileSketch.observe, n_classes=n_classes, capacity=capacity)
    zero = QuantileSketch.zero(n_classes, 2, capacity)
    check_statistic(observe, chunk, zero, exact=True, random_state=seed)


@laws
@given(chunks(value=st.floats(allow_nan=False) | numbers, weight=whole), seeds)
def test_histogram(chunk, seed):
    observe = partial(Histogram.observe, n_classes=K, edges=EDGES)
    check_statistic(observe, chunk, Histogram.zero(K, EDGES), exact=True, random_state=seed)


@laws
@given(chunks(), seeds)
def test_bundle(chunk, seed):
    observers = (
        partial(ClassMoments.observe, n_classes=K),
        partial(Contingency.observe, n_classes=K, sizes=SIZES),
    )
    zero = Bundle.zero([ClassMoments.zero(K, 2), Contingency.zero(K, SIZES)])
    check_statistic(partial(Bundle.observe, observers=observers), chunk, zero, random_state=seed)


OBSERVERS = [
    partial(ClassMoments.observe, n_classes=2),
    partial(Contingency.observe, n_classes=2, sizes=(2,)),
    partial(ClassTotals.observe, n_classes=2),
    partial(ClassTotals.observe_numeric, n_classes=2, columns=(0,)),
    CoMoments.observe,
    partial(Triangle.observe, centre=np.zeros(5), scale=np.ones(5)),
    partial(Vocabulary.observe_words, n_classes=2, column=0, analyzer=str.split),
    partial(QuantileSketch.observe, n_classes=2),
    partial(Histogram.observe, n_classes=2, edges=(np.zeros(1), np.zeros(1))),
]


@pytest.fixture
def chunk():
    sparse, texts = scipy.sparse.csr_matrix(np.eye(2)), np.array(["a b", None], dtype=object)
    arrays = (
        np.eye(2),
        np.array([[0], [1]], np.int32),
        np.ones(2),
        sparse,
        (texts,),
        np.array([0, 1], np.int32),
    )
    return Chunk(*arrays)


@pytest.mark.parametrize("observe", OBSERVERS)
def test_observers_travel(observe, chunk):
    assert pickle.loads(pickle.dumps(observe))(chunk).departure(observe(chunk)) == ""


@pytest.mark.parametrize("observe", OBSERVERS)
def test_arrays_of_other_processes_may_be_read_only(observe, chunk):
    wanted = observe(chunk)
    for array in (
        chunk.numeric,
        chunk.codes,
        chunk.weight,
        chunk.sparse.data,
        chunk.sparse.indices,
        chunk.target,
    ):
        array.flags.writeable = False
    assert observe(chunk).departure(wanted) == ""


@pytest.mark.parametrize("observe", OBSERVERS)
def test_bytes_are_those_of_the_arrays(observe, chunk):
    seen = observe(chunk)
    assert seen.nbytes == sum(array.nbytes for array in seen.arrays().values()) > 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ClassMoments.zero(1, 3), ClassMoments.zero(2, 3)),
        (Contingency.zero(2, (3, 2)), Contingency.zero(2, (2, 3))),
        (ClassTotals.zero(2, 1), ClassTotals.zero(2, 4)),
        (CoMoments.zero(1), CoMoments.zero(2)),
        (Triangle.zero(1), Triangle.zero(2)),
        (Vocabulary.zero(1), Vocabulary.zero(2)),
        (QuantileSketch.zero(1, 1, capacity=4), QuantileSketch.zero(1, 1, capacity=8)),
        (Histogram.zero(1, EDGES), Histogram.zero(1, EDGES[::-1])),
        (Bundle((CoMoments.zero(1),)), Bundle((Triangle.zero(1),))),
    ],
)
def test_what_does_not_fit_is_not_added(one, other):
    with pytest.raises(ParameterError, match="cannot be added"):
        one + other


@pytest.mark.parametrize("code", [[0, 2], [0, -1]])
def test_a_class_nobody_named_is_refused(chunk, code):
    strange = Chunk(chunk.numeric, chunk.codes, chunk.weight, target=np.array(code, np.int32))
    with pytest.raises(DataError, match="class codes run from"):
        ClassMoments.observe(strange, n_classes=2)


@pytest.mark.parametrize("target", [None, np.zeros(2), np.zeros((2, 1), np.int32)])
def test_classes_need_class_codes(chunk, target):
    with pytest.raises(ParameterError, match="class codes"):
        ClassMoments.observe(Chunk(chunk.numeric, chunk.codes, chunk.weight, target=target), n_classes=2)


def test_importing_statistics_loads_no_compiler():
    probe = "import sys, novacula.statistics; sys.exit('numba' in sys.modules or 'sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", probe], check=False).returncode == 0
