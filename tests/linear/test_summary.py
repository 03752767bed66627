"""The inference table: certified values of Longley, scipy's simple regression, and honest gaps."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.checks.samples import NASTY_NAMES
from novacula.checks.work import html_fault
from novacula.errors import ParameterError
from novacula.linear import LinearRegression

quiet = pytest.mark.filterwarnings("ignore::novacula.errors.RankWarning")


def test_longley_meets_the_certified_values(longley):
    summary = LinearRegression().fit(*longley).summary()[0]
    certified = [
        890420.383607373, 84.9149257747669, 0.0334910077722432, 0.488399681651699, 0.214274163161675,
        0.226073200069370, 455.478499142212,
    ]  # fmt: skip
    np.testing.assert_allclose(summary.std_error, certified, rtol=1e-9)
    assert summary.facts["s"] == pytest.approx(304.854073561965, rel=1e-11)
    assert summary.facts["r2"] == pytest.approx(0.995479004577296, rel=1e-13)
    assert summary.facts["f"] == pytest.approx(330.285339234588, rel=1e-10)
    assert (summary.facts["df_model"], summary.facts["df_resid"]) == (6, 9)


def test_longley_meets_what_other_packages_print(longley):
    facts = LinearRegression().fit(*longley).summary()[0].facts
    printed = {"aic": 233.2, "bic": 238.6, "log_likelihood": -109.62, "adjusted_r2": 0.992, "f_p": 4.98e-10}
    assert facts["aic"] == pytest.approx(printed["aic"], abs=0.05)
    assert facts["bic"] == pytest.approx(printed["bic"], abs=0.05)
    assert facts["log_likelihood"] == pytest.approx(printed["log_likelihood"], abs=0.005)
    assert facts["adjusted_r2"] == pytest.approx(printed["adjusted_r2"], abs=0.0005)
    assert facts["f_p"] == pytest.approx(printed["f_p"], rel=1e-3)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 30), st.floats(0.5, 0.99))
def test_one_column_is_scipys_simple_regression(seed, n, level):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, n))
    ours = LinearRegression().fit(x[:, None], y).summary(level)[0]
    theirs = scipy.stats.linregress(x, y)
    np.testing.assert_allclose(ours.std_error, [theirs.intercept_stderr, theirs.stderr], rtol=1e-8)
    assert ours.p[1] == pytest.approx(theirs.pvalue, rel=1e-6)
    assert ours.facts["f_p"] == pytest.approx(theirs.pvalue, rel=1e-6)
    reach = scipy.stats.t.ppf(0.5 + level / 2, n - 2) * theirs.stderr
    assert ours.low[1] == pytest.approx(theirs.slope - reach, rel=1e-7, abs=1e-9)
    assert ours.high[1] == pytest.approx(theirs.slope + reach, rel=1e-7, abs=1e-9)


def test_intervals_cover_as_often_as_they_say():
    rng = np.random.default_rng(0)
    X, covered = rng.normal(size=(12, 2)), 0
    for _ in range(400):
        table = LinearRegression().fit(X, 3.0 + X @ [1.0, -1.0] + rng.normal(size=12)).summary(0.8)[0]
        covered += int(((table.low < [3.0, 1.0, -1.0]) & (table.high > [3.0, 1.0, -1.0])).sum())
    assert covered / 1200 == pytest.approx(0.8, abs=0.04)


def test_nearly_dependent_columns_keep_their_standard_errors(wiggle):
    X, y = wiggle
    errors = LinearRegression().fit(X, y).summary()[0].std_error[1:]
    # Scaled Legendre polynomials span the same space, without the trouble.
    x = X[:, 0]
    t = 2 * (x - x.min()) / np.ptp(x) - 1
    design = np.polynomial.legendre.legvander(t, 10)
    s = np.sqrt(((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2).sum() / (82 - 11))
    # The coefficient of the highest power is that of the highest polynomial, times a known factor.
    leading = np.polynomial.legendre.leg2poly(np.eye(11)[10])[10] * (2 / np.ptp(x)) ** 10
    variance = np.linalg.inv(design.T @ design)[10, 10]
    assert errors[-1] == pytest.approx(s * np.sqrt(variance) * leading, rel=1e-5)


def test_through_the_origin_counts_no_intercept(five):
    x, y = five
    table = LinearRegression(fit_intercept=False).fit(x, y).summary()[0]
    residual = y - x[:, 0] * (x[:, 0] @ y) / (x[:, 0] @ x[:, 0])
    s = np.sqrt(residual @ residual / 4)
    assert table.names == ["x0"]
    assert table.std_error[0] == pytest.approx(s / np.sqrt(x[:, 0] @ x[:, 0]))
    assert table.facts["r2_uncentred"] == pytest.approx(1 - residual @ residual / (y @ y))
    assert table.facts["f"] == pytest.approx(table.t[0] ** 2)


def test_weights_count_as_rows(five):
    x, y = five
    weight = np.array([1, 2, 3, 1, 1])
    one = LinearRegression().fit(x, y, weight).summary()[0]
    other = LinearRegression().fit(np.repeat(x, weight, axis=0), np.repeat(y, weight)).summary()[0]
    np.testing.assert_allclose(one.p, other.p, rtol=1e-9)
    assert one.facts["n"] == 8
    assert one.facts["bic"] == pytest.approx(other.facts["bic"])


@quiet
@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [5.0, 10.0]], [1.0, 0.0, 2.0, 1.0], "span 1 of 2 directions"),
        ([[1.0], [2.0]], [1.0, 0.0], "no more rows than coefficients"),
        ([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], "meets every target up to rounding"),
        ([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]], [1.0, 2.0], "span 1 of 3 directions"),
    ],
)
def test_a_sentence_replaces_p_values_that_mean_nothing(X, y, words):
    summary = LinearRegression().fit(X, y).summary()
    assert words in summary[0].note
    assert words in str(summary)
    assert words in summary._repr_html_()
    assert "std. error" not in str(summary)
    entry = summary.to_dict()["targets"][0]["coefficients"][0]
    assert entry["std_error"] is None
    assert entry["p"] is None
    assert entry["coef"] == pytest.approx(summary[0].coef[0])
    assert summary.figure().png().startswith(b"\x89PNG")


def test_sums_alone_cannot_tell_the_noise_of_an_exact_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2)) + 1e3
    model = LinearRegression().partial_fit(X, X @ [1.0, 2.0])
    assert "meets every target" in model.summary()[0].note


def test_it_prints_and_turns_into_json_and_html(longley):
    X, y = longley
    columns = ["deflator", "GNP", "unemployed", "forces", "population", "year"]
    summary = LinearRegression().fit(pd.DataFrame(X, columns=columns), np.column_stack([y, y])).summary()
    text = " ".join(str(summary).split())
    assert text.count("population −0.0511041 0.226073 −0.226051 0.826212") == 2
    assert "residual standard error s" in text
    values = json.loads(json.dumps(summary.to_dict()))
    assert [target["target"] for target in values["targets"]] == ["y0", "y1"]
    assert values["targets"][1]["coefficients"][6]["name"] == "year"
    assert values["targets"][0]["r2"] == pytest.approx(0.995479004577296)
    assert html_fault(summary._repr_html_()) is None


def test_hostile_names_do_no_harm():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, len(NASTY_NAMES))), columns=NASTY_NAMES)
    summary = LinearRegression().fit(frame, rng.normal(size=40)).summary()
    page = summary._repr_html_()
    assert "<script>" not in page
    assert html_fault(page) is None
    assert "line\nbreak" not in str(summary)
    assert "<script>" not in summary.figure().svg()


def test_a_column_may_be_called_intercept():
    frame = pd.DataFrame({"intercept": [1.0, 2.0, 4.0, 3.0]})
    summary = LinearRegression(fit_intercept=False).fit(frame, [1.0, 2.0, 3.0, 3.0]).summary()
    assert summary.figure().alt.startswith("Bars: intercept")


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_levels_lie_between_zero_and_one(five, level):
    with pytest.raises(ParameterError, match="level is"):
        LinearRegression().fit(*five).summary(level)


def test_a_figure_shows_the_largest_effects():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 40))
    figure = LinearRegression().fit(X, X @ 1.5 ** np.arange(40.0) + rng.normal(size=200)).summary().figure()
    assert "the largest 30 of 40" in figure.title
    assert figure.alt.startswith("Bars: x39")
