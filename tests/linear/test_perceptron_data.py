"""The perceptron on data as they come: files, sparse rows, bad input, and the work that it shows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import novacula as nv
from novacula.checks import check_equations
from novacula.errors import DataError, ParameterError
from novacula.linear import Perceptron
from novacula.linear.online import passes

from ..shared_checks import checks_of_settings

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
FITTED = ("coef_", "intercept_", "pocket_error_", "history_", "n_updates_")


def noisy(n=300, d=3, classes=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, np.array(["no", "perhaps", "yes"])[
        np.clip((X[:, 0] + rng.normal(size=n)).round() + 1, 0, classes - 1).astype(int)
    ]


def same_to_the_bit(one, other):
    for name in FITTED:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


# --- one model at every scale -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "check",
    checks_of_settings(
        Perceptron(0.01, response="linear", max_iter=50),
        Perceptron(pocket=False, max_iter=50),
        leave_out=("scikit_learn", "chunking"),
    ),
)
def test_shared_checks(check):
    check()


@pytest.mark.parametrize("held", [0, 1 << 26], ids=["streamed", "held"])
@pytest.mark.parametrize("parameters", [{}, {"shuffle": True, "random_state": 0}, {"response": "tanh"}], ids=str)
def test_files_are_memory_to_the_bit(tmp_path, monkeypatch, held, parameters):
    X, y = noisy()
    weight = np.random.default_rng(1).random(len(X)).round(3)
    table = pa.table({f"x{j}": X[:, j] for j in range(3)} | {"w": weight, "y": y})
    for i in range(3):
        pa.parquet.write_table(table.slice(100 * i, 100), tmp_path / f"{i}.parquet", row_group_size=30)
    pa.csv.write_csv(table, tmp_path / "all.csv")
    learner = Perceptron(class_weight="balanced", max_iter=12, **parameters)
    memory = learner.fit(X, y, weight).__dict__.copy()
    monkeypatch.setattr(passes, "HELD", held)
    for path in (tmp_path / "*.parquet", tmp_path / "all.csv"):
        stream = learner.fit(nv.read(str(path), target="y", weight="w"))
        for name in FITTED:
            np.testing.assert_array_equal(getattr(stream, name), memory[name])


@pytest.mark.parametrize("block", [1, 40, 1 << 19])
def test_blocks_do_not_matter(monkeypatch, block):
    X, y = noisy()
    whole = Perceptron(max_iter=10).fit(X, y)
    monkeypatch.setattr(passes, "BLOCK", block)
    same_to_the_bit(Perceptron(max_iter=10).fit(X, y), whole)


@pytest.mark.parametrize("shuffle", [False, True])
def test_sparse_rows_are_dense_rows(shuffle):
    X, y = noisy()
    X[np.abs(X) < 0.5] = 0.0
    learner = Perceptron(max_iter=10, shuffle=shuffle, random_state=0)
    dense = Perceptron(**learner.get_params()).fit(X, y)
    same_to_the_bit(learner.fit(scipy.sparse.csr_matrix(X), y), dense)


def test_a_seed_gives_an_order_and_another_seed_another():
    X, y = noisy()
    one, same, other = (
        Perceptron(shuffle=True, random_state=seed, max_iter=5, pocket=False).fit(X, y) for seed in (0, 0, 1)
    )
    for name in ("coef_", "history_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(same, name))
    assert not np.array_equal(one.coef_, other.coef_)


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"eta0": 0.0}, "'eta0' parameter"),
        ({"eta0": -1.0}, "'eta0' parameter"),
        ({"response": "sigmoid"}, "'response' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"class_weight": {"maybe": 2.0}}, "class_weight names 'maybe', which is not a class"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        Perceptron(**parameters).fit(SQUARE, ["no", "no", "no", "yes"])


def test_bad_rows_are_refused():
    with pytest.raises(DataError, match="one class only"):
        Perceptron().fit(SQUARE, [1, 1, 1, 1])
    with pytest.raises(DataError, match="one class only, 0"):
        Perceptron().fit(SQUARE, [0, 0, 0, 1], [1.0, 1.0, 1.0, 0.0])
    with pytest.raises(ValueError, match="zero"):
        Perceptron().fit(SQUARE, [0, 0, 0, 1], np.zeros(4))
    weightless = pd.DataFrame({"x": [1.0, 2.0], "y": ["no", "yes"], "w": [0.0, 0.0]})
    with pytest.raises(DataError, match="sum to zero: no row counts"):
        Perceptron().fit(nv.read(weightless, target="y", weight="w"))
    with pytest.raises(ParameterError, match="'balanced' needs all rows at once"):
        Perceptron(class_weight="balanced").partial_fit(SQUARE, [0, 0, 0, 1])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("label", [0, 1])
def test_values_that_are_not_finite_are_refused_with_their_column(value, label):
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [value, 1.0, 2.0], "y": [label, 0, 1]})
    with pytest.raises(DataError, match=r"column 'b' is (missing|infinite)"):
        Perceptron().fit(nv.read(frame, target="y"))
    with pytest.raises(ValueError, match=r"NaN|infinite"):
        Perceptron().fit(frame[["a", "b"]], frame["y"])


def test_a_constant_column_is_fine():
    X = np.column_stack([SQUARE, np.full(4, 7.0)])
    assert Perceptron().fit(X, [0, 0, 0, 1]).converged_


def test_a_rate_that_is_too_large_for_the_linear_response_is_named():
    stable = 2.0 / 3.0  # the longest row is (1, 1), with the bias √3
    with pytest.raises(ParameterError, match=f"an eta0 below 2/max ‖x‖² = {stable:.6g}"):
        Perceptron(5.0, response="linear").fit(SQUARE, [0, 1, 1, 1])
    assert Perceptron(0.2 * stable, response="linear").fit(SQUARE, [0, 1, 1, 1]).converged_


def test_without_a_pocket_the_warning_says_that_the_last_weights_are_kept():
    with pytest.warns(ConvergenceWarning, match="the last weights are kept"):
        Perceptron(pocket=False, max_iter=3).fit(SQUARE, [0, 1, 1, 0])


# --- work ---------------------------------------------------------------------------------------------------


def test_the_corrections_of_and_are_written_out():
    model = Perceptron().fit(SQUARE, [0, 0, 0, 1])
    work = model.work()
    text = str(work)
    assert "w₁ ← w₁ + η · (t − o) · x₁\n     = 0 + 1 × (1 − (−1)) × 1 = 2" in text
    assert "= 1 + 3 + 3 + 2 + 1 + 0 = 10" in text
    tied = {equation.of: equation.value for equation in work.equations if equation.of}
    assert tied["coef_", 0, 0] == 4.0
    assert tied["coef_", 0, 1] == 2.0
    table = work[1].table
    assert len(table.rows) == 24  # six epochs of four rows: the whole fit
    assert table.rows[-1][-3:] == (4.0, 2.0, -4.0)


def test_a_side_is_written_out():
    model = Perceptron().fit(SQUARE, ["no", "no", "no", "yes"])
    text = str(model.work([[1.0, 1.0]]))
    assert "= −4 + 4 × 1 + 2 × 1 = 2" in text
    assert "∴ class = {yes if v > 0; no otherwise}" in text
    assert "= yes" in text


@settings(deadline=None, max_examples=12)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(3, 30),
    st.integers(1, 12),
    st.integers(2, 5),
    st.sampled_from(["step", "linear", "tanh"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_arithmetic_is_that_of_the_model(seed, n, d, k, response, intercept, shuffle, weighted, drawn):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.integers(0, k, n)
    y[:2] = [0, 1]
    weight = rng.choice([0.5, 1.0, 2.5], n) if weighted else None
    model = Perceptron(
        0.03, response=response, fit_intercept=intercept, shuffle=shuffle, random_state=0, max_iter=20
    ).fit(X, y, weight)
    check_equations(model)
    check_equations(model, X)
    check_equations(model.partial_fit(X, y))


def test_the_picture_of_two_columns_takes_any_name():
    frame = pd.DataFrame(SQUARE, columns=["$\\bad$", "<script>"])
    model = Perceptron().fit(frame, ["$no$", "$no$", "$no$", "</svg>"])
    figure = model.work()[-1].figure
    assert figure.png().startswith(b"\x89PNG")
    assert "<script" not in figure.svg()
    assert "4 rows" in figure.alt


def test_long_works_are_cut_and_say_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 40)), rng.integers(0, 6, 200)
    model = Perceptron(max_iter=30).fit(X, y)
    work, sides = model.work(), model.work(X)
    assert "Only the first 3 of 6 planes are derived." in work.notes
    assert "Only the first 3 rows are derived." in sides.notes
    assert "The 20 largest of 40." in str(work)
    assert "4 of 40 columns" in str(work)
    assert len(str(work)) < 20_000
