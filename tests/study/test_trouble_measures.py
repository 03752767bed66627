"""What the detectors measure, against definitions written out, and drift against SciPy's tests."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import novacula as nv
from novacula.study.trouble import drift
from novacula.study.trouble.columns import Feature, percent, safe_quote, with_and
from novacula.study.trouble.drift import _chi_square, _numbers
from novacula.study.trouble.duplicates import Copies, _least_error, _least_square
from novacula.study.trouble.giveaway import _cramer
from novacula.study.trouble.one_column import explained_share, is_class_predicted, is_one_to_one
from novacula.table import Column

laws = settings(deadline=None)
values = st.one_of(st.integers(0, 6).map(float), st.just(np.nan))
rows = st.lists(st.tuples(values, st.integers(0, 2)), min_size=2, max_size=25)


def numeric(numbers):
    return Feature(Column("x", "numeric"), np.asarray(numbers, float))


def categorical(codes):
    return Feature(Column("x", "categorical", tuple(range(7))), np.asarray(codes, np.int32))


def others(x, i):
    """Rows besides i that share its value, a gap being a value."""
    return [j for j in range(len(x)) if j != i and (x[j] == x[i] or (np.isnan(x[j]) and np.isnan(x[i])))]


def beside(x, i):
    """The values next below and above that of row i, among all rows."""
    below, above = [v for v in x if v < x[i]], [v for v in x if v > x[i]]
    return (max(below) if below else None), (min(above) if above else None)


# --- one column ----------------------------------------------------------------------------------------------


@laws
@given(rows)
def test_categories_vote_without_the_row_itself(pairs):
    x, y = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    whole = np.bincount(y).argmax()
    right = is_class_predicted(categorical(np.where(np.isnan(x), -1, np.nan_to_num(x))), y, 3)
    for i in range(len(x)):
        votes = np.bincount(y[others(x, i)], minlength=3)
        if votes.sum():
            expected = votes[y[i]] == votes.max() and np.count_nonzero(votes == votes.max()) == 1
        else:
            expected = y[i] == whole
        assert right[i] == expected


@laws
@given(rows)
def test_numbers_that_stand_alone_ask_the_nearest(pairs):
    x, y = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    right = is_class_predicted(numeric(x), y, 3)
    for i in range(len(x)):
        low, high = beside(x, i)
        if others(x, i) or np.isnan(x[i]) or (low is None and high is None):
            continue
        near = high if low is None or (high is not None and high - x[i] < x[i] - low) else low
        votes = np.bincount(y[x == near], minlength=3)
        if np.count_nonzero(votes == votes.max()) == 1:  # ties may go to any
            assert right[i] == (votes.argmax() == y[i])


@laws
@given(rows)
def test_the_share_explained_by_means_of_the_others(pairs):
    x, y = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs], float)
    guess = np.full(len(x), y.mean())
    for i in range(len(x)):
        if others(x, i):
            guess[i] = y[others(x, i)].mean()
        elif not np.isnan(x[i]):
            near = [v for v in beside(x, i) if v is not None]
            if near:
                guess[i] = np.mean([y[x == v].mean() for v in near])
    around = ((y - y.mean()) ** 2).sum()
    expected = 1 - ((y - guess) ** 2).sum() / around if around else 0.0
    assert explained_share(numeric(x), y) == pytest.approx(expected, abs=1e-9)


@laws
@given(rows)
def test_one_to_one_is_a_bijection(pairs):
    x, y = [p[0] for p in pairs], np.array([p[1] for p in pairs])
    seen = {(repr(a), b) for a, b in zip(x, y.tolist(), strict=True)}
    bijective = len({a for a, _ in seen}) == len({b for _, b in seen}) == len(seen)
    assert is_one_to_one(numeric(x), y) == bijective


def test_cramer_is_scipys():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 200)
    x = np.where(rng.random(200) < 0.2 + 0.2 * y, np.nan, 1.0)
    table = pd.crosstab(np.isnan(x), y).to_numpy()
    expected = stats.contingency.association(table, method="cramer")
    assert _cramer(numeric(x), y) == pytest.approx(expected, abs=1e-12)


# --- equal rows ----------------------------------------------------------------------------------------------


@laws
@given(st.lists(st.tuples(values, values, st.integers(-1, 3)), min_size=2, max_size=40))
def test_equal_rows_have_equal_numbers(cells):
    a, b, c = zip(*cells, strict=True)
    same = Copies.of([numeric(a), numeric(b), categorical(c)], None).same
    keys = [tuple(map(repr, row)) for row in cells]
    for i, key in enumerate(keys):
        assert [key == other for other in keys] == (same == same[i]).tolist()


@laws
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(1, 3)), min_size=1, max_size=30))
def test_the_least_error_counts_minorities(cells):
    same, y, weight = (np.array(column) for column in zip(*cells, strict=True))
    wrong = sum(
        weight[same == g].sum() - max(weight[(same == g) & (y == c)].sum() for c in range(3)) for g in np.unique(same)
    )
    assert _least_error(same, y, weight.astype(float)) == pytest.approx(wrong / weight.sum())
    square = sum(
        (weight[same == g] * (y[same == g] - np.average(y[same == g], weights=weight[same == g])) ** 2).sum()
        for g in np.unique(same)
    )
    assert _least_square(same, y.astype(float), weight.astype(float)) == pytest.approx(square / weight.sum())


# --- drift ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0.0, 0.2, 1.0])
def test_numbers_by_kolmogorov_and_smirnov(shift):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=300), rng.normal(shift, 1, 200)
    theirs = stats.ks_2samp(a, b)
    found = _numbers(numeric(a), numeric(b))
    assert found.distance == pytest.approx(theirs.statistic)
    assert np.log(found.chance) == pytest.approx(np.log(theirs.pvalue), rel=0.1, abs=0.1)


def test_categories_by_chi_square():
    table = np.array([[30.0, 50.0, 20.0], [10.0, 70.0, 20.0]])
    assert _chi_square(table) == pytest.approx(stats.chi2_contingency(table).pvalue)
    rare = np.column_stack([table, [3.0, 1.0], [2.0, 4.0]])  # expected in 2 and 3 rows each, together in 5
    pooled = np.column_stack([table, [5.0, 5.0]])
    assert _chi_square(rare) == pytest.approx(stats.chi2_contingency(pooled).pvalue)
    assert np.isnan(_chi_square(np.array([[2.0, 1.0], [0.0, 3.0]])))  # too few rows to say


def two_tables(n=500, m=300, seed=0, **changed):
    rng = np.random.default_rng(seed)

    def table(size):
        return pd.DataFrame(
            {
                "age": rng.normal(40, 9, size),
                "sex": rng.choice(["f", "m"], size),
                "town": rng.choice(["a", "b", "c"], size),
                "gap": pd.Series(rng.normal(size=size)).mask(rng.random(size) < 0.1),
            }
        )

    then, now = table(n), table(m)
    for name, change in changed.items():
        now[name] = change(now[name], rng)
    return nv.read(then, progress=False), nv.read(now, progress=False)


@pytest.mark.parametrize(
    ("name", "change", "kind", "words"),
    [
        ("age", lambda c, rng: c + 5, "drift", "its median is "),
        ("age", lambda c, rng: (c - 40) * 3 + 40, "drift", "its median is "),
        ("sex", lambda c, rng: rng.choice(["f", "m"], len(c), p=[0.8, 0.2]), "drift", "'f' has "),
        ("gap", lambda c, rng: c.mask(rng.random(len(c)) < 0.5), "drift", "of its values are missing"),
        ("town", lambda c, rng: c.mask(rng.random(len(c)) < 0.3, "new"), "new-categories", "never had"),
    ],
)
def test_drift_is_found_and_named(name, change, kind, words):
    findings = drift(*two_tables(**{name: change}))
    assert [(finding.kind, finding.columns, finding.gravity) for finding in findings] == [(kind, (name,), "warning")]
    assert words in findings[0].sentence
    assert "the new rows" in findings[0].sentence


def test_rows_drawn_alike_do_not_drift():
    assert not [finding for seed in range(40) for finding in drift(*two_tables(seed=seed))]


def test_a_small_difference_in_many_rows_is_not_reported():
    assert not drift(*two_tables(20_000, 20_000, age=lambda c, rng: c + 0.5))


def test_columns_that_new_rows_lack_are_named():
    then, now = two_tables()
    with pytest.raises(nv.errors.SchemaError, match="no column 'age'"):
        drift(then, now.drop("age"))


# --- words ---------------------------------------------------------------------------------------------------


def test_words():
    assert [percent(share) for share in (0.0, 0.0004, 0.0213, 0.314, 0.9844, 0.99999, 1.0)] == [
        "0%", "less than 0.1%", "2.1%", "31%", "98.4%", "more than 99.9%", "100%",
    ]  # fmt: skip
    assert with_and(["a"]) == "'a'"
    assert with_and(["a", 2, True]) == "'a', 2 and True"
    assert with_and([f"c{i}" for i in range(9)]) == "'c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 3 more"
    assert len(safe_quote("x" * 500)) < 70
    assert "\n" not in safe_quote("a\nb")
