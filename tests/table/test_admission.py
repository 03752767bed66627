"""What a table looks at while it is first passed over: which rows are named, what it costs, what is left alone."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import novacula as nv
from novacula.errors import DataError, UnseenCategoryWarning
from novacula.learner import Admits
from novacula.mixture import KMeans
from novacula.neighbors import KNeighborsClassifier, KNeighborsRegressor
from novacula.statistics import CoMoments
from novacula.table import Chunk, Table
from novacula.table.admission import NotAdmitted, RowCheck, first_fault, propagated_by, propagating
from novacula.table.admitting import AnswerRunner, FitRunner
from novacula.table.memory import ArraySource, SparseSource
from novacula.table.schema import Column, Schema

FINITE, GAPPY, ANY = Admits(), Admits(missing=True), Admits(missing=True, infinite=True)


def chunk(numbers, codes=None, weight=None, target=None, sparse=None):
    numbers = np.asarray(numbers, float)
    n = len(numbers)
    codes = np.empty((n, 0), np.int32) if codes is None else np.asarray(codes, np.int32)
    return Chunk(numbers, codes, np.ones(n) if weight is None else np.asarray(weight, float), sparse, (), target)


def table_of(rows, weight=None):
    rows = np.asarray(rows, float)
    names = tuple(f"x{j}" for j in range(rows.shape[1]))
    schema = Schema(tuple(Column(name, "numeric") for name in names), missing=(), n_rows=len(rows))
    return Table(ArraySource(rows, weight=weight, names=names, name="X"), schema)


def admitting(table, admits=FINITE):
    return table.with_runner(FitRunner(table, admits))


cells = st.sampled_from([0.0, -1.5, 1e200, np.nan, np.inf, -np.inf])


@given(
    st.lists(st.lists(cells, min_size=2, max_size=2), min_size=1, max_size=12),
    st.lists(st.sampled_from([0.0, 1.0]), min_size=12, max_size=12),
    st.sampled_from([FINITE, GAPPY, ANY, Admits(infinite=True)]),
)
@settings(deadline=None)
def test_the_first_fault_is_the_first_one_by_brute_force(rows, weight, admits):
    expected = None
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            what = "missing" if value != value else "infinite" if abs(value) == np.inf else None
            if expected is None and weight[i] > 0 and what in admits.refused:
                expected = (i, "numeric", j, what, value if what == "infinite" else np.inf)
    assert first_fault(chunk(rows, weight=weight[: len(rows)]), admits) == expected


def test_faults_of_sparse_columns_categories_and_targets():
    block = csr_matrix(np.array([[0.0, 1.0], [np.inf, 0.0], [0.0, np.nan]]))
    found = first_fault(chunk(np.empty((3, 0)), sparse=block), FINITE)
    assert (found.row, found.kind, found.column, found.what) == (1, "sparse", 0, "infinite")
    assert first_fault(chunk(np.empty((3, 0)), sparse=block), GAPPY).row == 1
    coded = chunk(np.empty((2, 0)), codes=[[0], [-1]])
    assert first_fault(coded, FINITE)[:3] == (1, "categorical", 0)
    assert first_fault(coded, GAPPY) is None
    unseen = chunk(np.empty((2, 0)), codes=[[0], [-2]])
    assert first_fault(unseen, FINITE) is None  # which is not missing
    target = chunk([[1.0], [2.0]], target=np.array([0.5, np.inf]))
    assert first_fault(target, ANY)[:3] == (1, "target", 0)


def test_numbers_too_large_to_be_squared_are_no_fault():
    huge = chunk([[1e200, -1e300]])
    assert first_fault(huge, FINITE) is None
    RowCheck(FINITE)(huge)


def test_a_pass_names_the_row_in_the_whole_table():
    rows = np.zeros((140_000, 4))
    rows[135_000, 2] = np.nan
    with pytest.raises(DataError, match=r"column 'x2' is missing \(NaN\) in row 135001 of X: fill"):
        admitting(table_of(rows)).reduce(CoMoments.observe)
    with pytest.raises(DataError, match="in row 135001 of X"):
        admitting(table_of(rows)).map(lambda chunk: chunk.weight)
    with pytest.raises(DataError, match="in row 135001 of X"):
        admitting(table_of(rows)).fold(lambda state, chunk: state, 0)
    with pytest.raises(DataError, match="in row 135001 of X"):
        admitting(table_of(rows)).to_chunk()
    with pytest.raises(DataError, match="in row 135001 of X"):
        list(admitting(table_of(rows)).chunks())


def test_of_two_faults_the_first_row_is_named_whichever_thread_is_faster():
    rows = np.zeros((140_000, 4))
    rows[139_000, 0], rows[70_000, 3] = np.inf, np.nan
    for _ in range(5):
        with pytest.raises(DataError, match=r"'x3' is missing \(NaN\) in row 70001 of X"):
            admitting(table_of(rows)).reduce(CoMoments.observe)


def test_neighbours_name_the_row_of_all_rows_and_not_of_a_chunk():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    model = KNeighborsClassifier().fit(X, X[:, 0] > 0)
    queries = np.zeros((140_000, 8))
    queries[135_000, 1] = np.nan
    with pytest.raises(DataError, match=r"column 'x1' is missing \(NaN\) in row 135001 of X"):
        model.predict(queries)


def test_what_is_admitted_passes_and_is_looked_at_once():
    looks = []

    class Counting(FitRunner):
        def judge(self, seen):
            looks.append(seen.weight)

    table = table_of([[1.0], [np.nan]])
    table = table.with_runner(Counting(table, GAPPY))
    for _ in range(3):
        table.map(lambda chunk: chunk.weight)
    assert looks == [2.0]


def test_tables_made_of_an_admitting_one_look_too():
    table = admitting(table_of([[1.0, 2.0], [np.inf, 3.0]]))
    for other in (table.select(["x0"]), table.reweighted(np.ones(2))):
        with pytest.raises(DataError, match="'x0' is infinite"):
            other.map(lambda chunk: chunk.weight)
    with pytest.raises(DataError, match="'x0' is infinite"):
        admitting(table_of([[1.0, 2.0], [np.inf, 3.0]])).in_memory()


def test_columns_made_of_others_are_refused_under_the_name_of_the_column_they_came_of():
    table = admitting(table_of([[1.0], [np.nan]]))
    with pytest.raises(DataError, match="column 'x0' is missing"):
        table.expanded(lambda chunk: chunk.numeric**2, ["square"]).map(lambda chunk: chunk.numeric)


def test_what_an_expansion_makes_infinite_by_itself_is_its_own_affair():
    table = admitting(table_of([[0.0], [1.0]])).expanded(
        lambda chunk: np.where(chunk.numeric > 0, np.inf, 0.0), ["made"]
    )
    assert table.map(lambda chunk: chunk.numeric).ravel().tolist() == [0.0, np.inf]


def test_which_infinity_it_is_is_said():
    low = -np.inf
    with pytest.raises(DataError, match=r"column 'x0' is infinite \(-inf\) in row 2 of X: "):
        KMeans(1).fit(np.array([[1.0], [low]]))
    sparse = first_fault(chunk(np.empty((2, 0)), sparse=csr_matrix([[0.0, low], [1.0, 0.0]])), FINITE)
    assert (sparse.row, sparse.value) == (0, low)
    for learner in (KNeighborsRegressor(1), KNeighborsClassifier(1)):
        with pytest.raises(DataError, match=r"the target 'y' is infinite \(-inf\) in row 2"):
            learner.fit(np.array([[1.0], [2.0]]), [1.0, low])


def test_weights_that_sum_to_zero_and_too_few_classes():
    with pytest.raises(DataError, match="the weights of X sum to zero: no row counts"):
        admitting(table_of([[1.0], [2.0]], weight=np.zeros(2))).reduce(CoMoments.observe)
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "w": [1.0, 1.0, 0.0], "y": ["a", "a", "b"]})
    table = nv.read(frame, "y", weight="w")
    with pytest.raises(DataError, match="the frame has rows of one class only, 'a': this learner needs at"):
        admitting(table, Admits(classes=2)).map(lambda chunk: chunk.weight)


def test_sums_that_show_a_fault_are_looked_at_in_place_of_the_values():
    assert propagated_by(CoMoments.observe) == {"missing", "infinite"}
    assert propagated_by(lambda chunk: None) == frozenset()

    @propagating("missing", "infinite")
    def blind(rows):
        return CoMoments.observe(chunk(np.zeros((len(rows), 1))))

    # An `observe` that claims to show what it does not look at is believed: the claim is the statistic's to keep.
    assert admitting(table_of([[np.nan]])).reduce(blind).weight == 1.0
    with pytest.raises(NotAdmitted):
        RowCheck(FINITE).observe(chunk([[np.nan]]), CoMoments.observe, ())


def test_unseen_categories_are_reported_once_with_their_columns():
    frame = pd.DataFrame({"sky": ["sun", "rain"], "wind": ["weak", "weak"]})
    schema = nv.read(frame).schema
    table = nv.read(pd.DataFrame({"sky": ["snow", "fog", "sun"], "wind": ["weak", "weak", "storm"]}))
    table = table.conform(schema, "ignore")
    table = table.with_runner(AnswerRunner(table, ANY, propagates=False))
    with pytest.warns(UnseenCategoryWarning, match=r"treated as missing in 'sky' \(2\), 'wind' \(1\)") as caught:
        table.map(lambda chunk: chunk.codes)
    table.map(lambda chunk: chunk.codes)  # in silence, since warnings are errors here
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_answers_that_show_a_fault_are_looked_at_in_place_of_the_rows():
    looked = table_of([[np.inf], [1.0]])
    shown = looked.with_runner(AnswerRunner(looked, FINITE, propagates=True))
    assert shown.map(lambda chunk: np.ones(len(chunk))).tolist() == [1.0, 1.0]  # an answer that does not depend on it
    with pytest.raises(DataError, match="'x0' is infinite"):
        looked.with_runner(AnswerRunner(looked, FINITE, propagates=True)).map(lambda chunk: chunk.numeric * 2)


def test_the_first_rows_of_a_table_are_looked_at_alone():
    rows = np.zeros((20, 1))
    rows[15] = np.nan
    table = table_of(rows)
    table = table.with_runner(AnswerRunner(table, FINITE, propagates=False))
    assert len(table.head(10).to_chunk()) == 10
    with pytest.raises(DataError, match="in row 16 of the first rows of X"):
        table.head(16).to_chunk()


def test_a_file_names_its_own_row(tmp_path):
    numbers = np.arange(100.0)
    numbers[73] = np.inf
    pq.write_table(pa.table({"a": numbers}), tmp_path / "rows.parquet", row_group_size=10)
    with pytest.raises(DataError, match=r"column 'a' is infinite \(inf\) in row 74 of .*rows.parquet"):
        KMeans(2).fit(nv.read(tmp_path / "rows.parquet"))


def test_sparse_columns_are_named_by_their_number():
    block = csr_matrix(np.array([[0.0, 1.0], [np.nan, 0.0]]))
    schema = Schema((Column("features", "sparse", missing=0, width=2),), missing=())
    table = Table(SparseSource(block, name="X"), schema)
    with pytest.raises(DataError, match=r"column 'features\[0\]' is missing \(NaN\) in row 2 of X"):
        table.with_runner(FitRunner(table, FINITE)).to_chunk()
