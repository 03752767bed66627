"""What cannot be a kernel, a parameter or rows is refused in one sentence that says where."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from novacula.errors import DataError, InputTypeError, ParameterError, SchemaError
from novacula.kernel.algebra import (
    Constant,
    Custom,
    Gaussian,
    KernelSum,
    Linear,
    Multiquadric,
    OnColumns,
    Polynomial,
    Power,
    Precomputed,
    Scaled,
    gram,
)

X = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Gaussian(gamma=-1.0), "gamma of Gaussian is -1.0; it must be a finite number that is positive"),
        (lambda: Gaussian(gamma=np.nan), "gamma of Gaussian is nan"),
        (lambda: Gaussian(gamma=np.inf), "gamma of Gaussian is inf"),
        (lambda: Gaussian(gamma=True), "gamma of Gaussian is True"),
        (lambda: Gaussian(gamma="wide"), "it must be a positive number or 'scale' or 'auto'"),
        (lambda: Gaussian(gamma=1.0, width=1.0), "give one of them"),
        (lambda: Gaussian(width=0.0), "width of Gaussian is 0.0"),
        (lambda: Polynomial(degree=2.5), "degree of Polynomial is 2.5; it must be a whole number of at least 1"),
        (lambda: Polynomial(degree=0), "degree of Polynomial is 0"),
        (lambda: Polynomial(coef0=-1.0), "coef0 of Polynomial is -1.0"),
        (lambda: Multiquadric(0.0), "c of Multiquadric is 0.0"),
        (lambda: Constant(-1.0), "value of Constant is -1.0"),
        (lambda: Custom(3), "f of Custom is 3"),
        (lambda: -1.0 * Linear(), "scale of Scaled is -1.0"),
        (lambda: Linear() * 0, "scale of Scaled is 0"),
        (lambda: Linear() + -1, "value of Constant is -1"),
        (lambda: Linear() ** 0.5, "exponent of Power is 0.5; it must be a whole number of at least 1"),
        (lambda: Linear() ** -1, "exponent of Power is -1"),
        (lambda: Linear().on([]), "a kernel on no columns"),
        (lambda: Linear().on([-1]), "a kernel is on column -1"),
        (lambda: Linear().on([0, 0]), "and one of them is named twice"),
        (lambda: Linear().on([True]), "a kernel is on column True"),
        (lambda: OnColumns(Linear(), {0}), "must be a list of places or of names"),
        (lambda: Precomputed().on([0]), "has no columns to choose from"),
        (lambda: KernelSum(Linear(), 3.0), "right of KernelSum is 3.0, which is not a kernel"),
        (lambda: Power("rbf", 2), "kernel of Power is 'rbf', which is not a kernel"),
        (lambda: Scaled(Linear(), "2"), "scale of Scaled is '2'"),
        (lambda: Linear().set_params(gamma=1.0), "Linear\\(\\) has no parameter 'gamma': it has none"),
        (lambda: (2.0 * Linear()).set_params(scale__gamma=1.0), "has no parameter 'scale__gamma'"),
        (lambda: Gaussian().set_params(gamma=-2.0), "gamma of Gaussian is -2.0"),
        (lambda: Gaussian(0.5).with_log_parameters([1.0, 2.0]), "has 1 free parameters"),
        (lambda: Gaussian().log_parameters, "gamma='scale' has no number yet"),
        (lambda: gram(Gaussian(), X), "gamma='scale' has no number yet"),
        (lambda: Polynomial(gamma="scale").feature_names(2), "gamma='scale' has no number yet"),
        (lambda: Linear().check(X, tol=-1.0), "tol is -1.0"),
    ],
)
def test_parameters_that_make_no_sense(make, sentence):
    with pytest.raises(ParameterError, match=sentence):
        make()


@pytest.mark.parametrize("other", ["rbf", None, [1.0], np.ones(2), True])
def test_only_kernels_and_numbers_can_be_added_and_multiplied(other):
    for operate in (lambda: Linear() + other, lambda: other + Linear(), lambda: Linear() * other):
        with pytest.raises(TypeError):
            operate()


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda: Linear()(X, X[:, :1]), DataError, "X has 2 columns and Y has 1"),
        (lambda: Linear()(np.ones(3)), DataError, r"X has shape \(3,\)"),
        (lambda: Linear()(np.ones((0, 2))), DataError, r"X has shape \(0, 2\)"),
        (lambda: Linear()(np.ones((2, 2, 2))), DataError, r"X has shape \(2, 2, 2\)"),
        (lambda: Linear()([["a", "b"]]), InputTypeError, "X cannot be taken as rows of numbers"),
        (lambda: Linear()([[1j]]), InputTypeError, "X cannot be taken as rows of numbers"),
        (lambda: Linear()([[0.0, 1.0], [2.0, np.nan]]), DataError, "X holds nan in row 2, column 'x1'"),
        (lambda: Linear()(X, [[np.inf, 1.0]]), DataError, "Y holds inf in row 1, column 'x0'"),
        (lambda: Linear()(pd.DataFrame({"$a": [1.0, np.nan]})), DataError, r"in row 2, column '\$a'"),
        (lambda: Linear()(pd.DataFrame({"a": ["u", "v"]})), SchemaError, "column 'a' of X holds"),
        (lambda: Linear()(pd.DataFrame({"a": [1.0]}), pd.DataFrame({"b": [1.0]})), SchemaError, "in one order"),
        (lambda: Linear().on([2])(X), SchemaError, "uses column 2, but the rows have columns 0 to 1"),
        (lambda: Linear().on(["a"])(X), SchemaError, "'a', but the rows have no names"),
        (
            lambda: Linear().on("c")(pd.DataFrame(X, columns=["a", "b"])),
            SchemaError,
            "'c', which is not one of 'a', 'b'",
        ),
        (lambda: Linear().on(["c"]).feature_names(["a", "b"]), SchemaError, "'c', which is not one of 'a', 'b'"),
        (lambda: Linear().on([2]).feature_names(2), SchemaError, "uses column 2"),
        (lambda: Linear().exp()([[30.0]]), DataError, r"Linear\(\).exp\(\) overflows between rows 1 and 1"),
        (lambda: (Linear() ** 9).diagonal([[1e30]]), DataError, "overflows for row 1"),
        (lambda: Gaussian()(np.full((2, 2), 1e200) * X[:2]), DataError, "variance of the columns overflows"),
        (lambda: Custom(lambda x, y: -1.0).normalized()(X), DataError, "is -1 of row 1 with itself"),
        (lambda: Precomputed().diagonal(X), DataError, "does not hold k\\(x, x\\)"),
    ],
)
def test_rows_that_cannot_be_compared(call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        call()


def test_a_sparse_value_that_is_not_finite_is_placed():
    matrix = scipy.sparse.csr_matrix(np.array([[0.0, 0.0], [0.0, np.inf]]))
    with pytest.raises(DataError, match="X holds inf in row 2, column 'x1'"):
        Linear()(matrix)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_are_rows_with_names(frame):
    data = frame({"a": [0.0, 2.0, 4.0], "b": [1.0, 3.0, 5.0]})
    np.testing.assert_allclose(Gaussian(0.1)(data), Gaussian(0.1)(X))
    np.testing.assert_allclose(Linear().on(["b"])(data), np.outer(X[:, 1], X[:, 1]))
    assert Linear().on("b").features(data).tolist() == [[1.0], [3.0], [5.0]]
