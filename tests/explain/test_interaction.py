"""H² against its definition, where it is known, and where it cannot be told."""

import numpy as np
import pytest

from novacula.checks import check_work
from novacula.errors import ParameterError
from novacula.explain import interaction
from novacula.linear import LinearRegression
from novacula.tree import DecisionTreeClassifier, DecisionTreeRegressor

from .mixed import mixed_frame, three_classes


def dependence_at(model, X, held):
    """The partial dependence on some columns at each row, less its mean, by loops."""
    found = []
    for row in X:
        rows = X.copy()
        rows[:, held] = row[held]
        found.append(model.predict(rows).mean())
    return np.array(found) - np.mean(found)


def test_it_is_friedmans_ratio_of_sums_of_squares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * X[:, 3] * X[:, 2]
    model = DecisionTreeRegressor(max_depth=5).fit(X, y)
    result = interaction(model, X, rows=40)
    alone = [dependence_at(model, X, [j]) for j in range(4)]
    for (a, b), found in zip(result.pairs, result.h2, strict=True):
        both = dependence_at(model, X, [a, b])
        assert found == pytest.approx(((both - alone[a] - alone[b]) ** 2).sum() / (both**2).sum())
    f = model.predict(X) - model.predict(X).mean()
    for j in range(4):
        rest = dependence_at(model, X, [i for i in range(4) if i != j])
        assert result.h2_with_rest[j] == pytest.approx(((f - alone[j] - rest) ** 2).sum() / (f**2).sum())
    assert result.n_asked == 40 + 40 * 40 * (4 + 4 + 6)


class Product:
    """f = x₀·x₁ + x₂, which scikit-learn's tags do not describe."""

    def predict(self, X):
        return X[:, 0] * X[:, 1] + X[:, 2]


def test_a_product_of_centred_columns_is_all_joint():
    X = np.array([[a, b, c] for a in (-1.0, 1.0) for b in (-1.0, 1.0) for c in (-1.0, 1.0)])
    result = interaction(Product(), X)
    shares = dict(zip(result.pairs, result.h2, strict=True))
    assert shares[0, 1] == pytest.approx(1.0)
    assert (shares[0, 2], shares[1, 2]) == (0.0, 0.0)
    assert result.h2_with_rest == pytest.approx([0.5, 0.5, 0.0])
    assert result.pairs[result.order[0]] == (0, 1)


def test_pairs_that_do_next_to_nothing_are_not_told():
    X = np.random.default_rng(1).normal(size=(50, 3))

    class Faint:
        def predict(self, X):
            return X[:, 0] + 1e-4 * X[:, 1] * X[:, 2]

    result = interaction(Faint(), X)
    assert np.isnan(result.h2[result.pairs.index((1, 2))])
    assert result.strength[result.pairs.index((1, 2))] > 0
    assert "is left out of pairs" in str(result)
    check_work(result)


def test_a_model_that_says_the_same_of_all_rows():
    X = np.random.default_rng(1).normal(size=(20, 3))
    result = interaction(LinearRegression().fit(X, np.ones(20)), X)
    assert not result.joint.any()
    assert np.isnan(result.h2_with_rest).all()
    check_work(result)


def test_columns_and_the_strongest_pairs_are_chosen():
    X = np.random.default_rng(2).normal(size=(60, 6))
    y = 5 * X[:, 2] * X[:, 4] + X[:, 0]
    model = DecisionTreeRegressor(max_depth=6).fit(X, y)
    some = interaction(model, X, columns=[2, 4])
    assert (some.pairs, len(some.names)) == (((0, 1),), 2)
    assert len(interaction(model, X, most=3).pairs) == 3
    assert interaction(model, X, columns=[2]).pairs == ()
    check_work(interaction(model, X, columns=[2]))


def test_it_shows_itself():
    frame, y = mixed_frame()
    result = interaction(DecisionTreeClassifier(max_depth=4).fit(frame, three_classes(y)), frame, rows=30)
    check_work(result)
    check_work(result, detail="full")
    assert "<script" not in result._repr_html_()
    assert "a sample of 30 of 120 rows" in str(result)


def test_what_cannot_be_is_refused_in_a_sentence():
    model = LinearRegression().fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ParameterError, match="no other to act together with"):
        interaction(model, [[1.0], [2.0]])
    two = LinearRegression().fit([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]], [1.0, 2.0, 3.0])
    with pytest.raises(ParameterError, match="one row"):
        interaction(two, [[1.0, 2.0]])
