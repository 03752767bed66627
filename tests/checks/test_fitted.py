"""What of a fitted model is compared: everything that it holds, and nothing in silence."""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

import numpy as np
import pytest
from scipy import sparse

from novacula.checks.fitted import fitted_arrays, rows_as_a_set
from novacula.linear import Ridge


class Kind(Enum):
    LEFT = 1


@dataclass
class Pair:
    first: object
    second: object


class Model:
    not_compared: ClassVar[dict[str, str]] = {"order_.rows": "rows come in any order"}

    def __init__(self, **fitted):
        vars(self).update(fitted)


def test_every_value_has_a_path():
    inner = Ridge(2.0).fit([[0.0], [1.0]], [0.0, 1.0])
    model = Model(
        table_={"a": np.arange(3), "b": {"c": 1.5}},
        pair_=Pair((1, 2), [np.zeros(2), None]),
        matrix_=sparse.eye(2).tocsr(),
        names_=("x",),
        schema_=object(),
        kind_=Kind.LEFT,
        values_={3, 1},
        word_=np.str_("yes"),
        model_=inner,
        _cache=object(),
        alpha=object(),
    )
    found = dict(fitted_arrays(model))
    assert found["table_.a"].tolist() == [0, 1, 2]
    assert found["table_.b.c"] == 1.5
    assert found["pair_.first"].tolist() == [1, 2]
    assert found["pair_.second[0]"].tolist() == [0, 0]
    assert found["pair_.second[1]"] == None  # noqa: E711  (an array of it)
    assert found["matrix_"].tolist() == [[1, 0], [0, 1]]
    assert found["kind_"] == "LEFT"
    assert found["values_"].tolist() == [1, 3]
    assert found["word_"] == "yes"
    assert found["model_.coef_"] == inner.coef_
    assert "alpha=2.0" in str(found["model_.parameters"])
    assert not {"names_", "_cache", "alpha", "schema_"} & set(found)


def test_what_cannot_be_compared_is_reported():
    with pytest.raises(AssertionError, match=r"Model keeps a object in state_.deep, which cannot be compared"):
        dict(fitted_arrays(Model(state_={"deep": object()})))


def test_an_exception_is_named_and_has_a_reason():
    model = Model(order_={"rows": np.arange(3), "rows_more": 1})
    assert set(dict(fitted_arrays(model))) == {"order_.rows_more"}
    model.not_compared = {"order_.rows": " "}
    with pytest.raises(AssertionError, match=r"no reason why order_.rows is not compared"):
        dict(fitted_arrays(model))


def test_kept_rows_are_a_set():
    rows = np.array([[2.0, np.nan], [1.0, 0.0], [2.0, np.nan], [1.0, 0.0], [0.0, 0.0]])
    given = {
        "rows": sparse.csr_matrix(rows),
        "weight": np.array([1.0, 2.0, 0.5, 1.0, 0.0]),
        "target": np.array([5, 6, 5, 7, 8]),
        "dual": np.array([[1.0], [2.0], [3.0], [4.0], [5.0]]),
        "offset": np.zeros(2),
        "nothing": None,
    }
    found = rows_as_a_set(given, ("weight", "dual"))
    np.testing.assert_array_equal(found["rows"], [[1.0, 0.0], [1.0, 0.0], [2.0, np.nan]])
    assert found["target"].tolist() == [6, 7, 5]
    assert found["weight"].tolist() == [2.0, 1.0, 1.5]
    assert found["dual"].tolist() == [[2.0], [4.0], [4.0]]
    assert found["offset"].tolist() == [0.0, 0.0]
    assert found["nothing"] is None
