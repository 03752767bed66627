"""Posteriors: the textbook's numbers, Bayes' theorem by fractions, the version space, laws, and bad input."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LogisticRegression as Logistic

import novacula as nv
from novacula.bayes.posterior import Posterior
from novacula.bayes.version_posterior import VersionSpacePosterior
from novacula.checks import check_work
from novacula.concept import CandidateElimination, ConjunctiveSpace
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.linear import LinearRegression, LogisticRegression

laws = settings(deadline=None)
LIMES = {"h1": 0.0, "h2": 0.25, "h3": 0.5, "h4": 0.75, "h5": 1.0}
PRIOR = [0.1, 0.2, 0.4, 0.2, 0.1]
CANCER = {"cancer": {"+": 0.98, "-": 0.02}, "none": {"+": 0.03, "-": 0.97}}


def flavour(lime, candy):
    return lime if candy == "lime" else 1.0 - lime


@pytest.fixture
def candies():
    return Posterior(LIMES, PRIOR, flavour)


# --- the numbers of the literature -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "expected"), [(0, 0.5), (1, 0.65), (2, 0.730769), (3, 0.796053), (10, 0.973031)])
def test_the_next_candy(candies, n, expected):
    after = candies.update(["lime"] * n) if n else candies
    assert after.predict("lime") == pytest.approx(expected, abs=5e-7)


def test_the_bags_after_ten_limes(candies):
    after = candies.update(["lime"] * 10)
    assert after.weights == pytest.approx([0.0, 2e-6, 0.003499, 0.100872, 0.895628], abs=5e-7)
    assert after.map() == after.ml() == "h5"
    assert after.predictive_map("lime") == 1.0


def test_a_positive_test_for_cancer():
    after = Posterior(CANCER, {"none": 0.992, "cancer": 0.008}).update(["+"])
    assert after.map() == "none"
    assert after.ml() == "cancer"
    assert after.probabilities["cancer"] == pytest.approx(0.208511, abs=5e-7)


def test_the_most_probable_hypothesis_may_be_outvoted():
    says = {"h1": {"+": 1, "-": 0}, "h2": {"+": 0, "-": 1}, "h3": {"+": 0, "-": 1}}
    posterior = Posterior(says, [0.4, 0.3, 0.3])
    assert posterior.predictive_map("+") == 1.0
    assert (posterior.predict("+"), posterior.predict("-")) == pytest.approx((0.4, 0.6))


def test_two_machines():
    machines = Posterior({"first": {0: 0.2, 1: 0.8}, "second": {0: 0.6, 1: 0.4}}).update([0, 0, 1, 0, 1])
    assert machines.weights == pytest.approx([0.129032, 0.870968], abs=5e-7)
    assert machines.log_evidence == pytest.approx(math.log((0.00512 + 0.03456) / 2))


# --- laws ------------------------------------------------------------------------------------------------------------

shares = st.integers(0, 8).map(lambda k: Fraction(k, 8))


@laws
@given(
    st.lists(st.tuples(shares, st.integers(1, 9)), min_size=1, max_size=5),
    st.lists(st.booleans(), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
def test_bayes_theorem_in_fractions(bags, data, random):
    total = sum(weight for _, weight in bags)
    prior = [Fraction(weight, total) for _, weight in bags]
    joint = [p * math.prod(h if x else 1 - h for x in data) for p, (h, _) in zip(prior, bags, strict=True)]
    hypotheses = {k: float(h) for k, (h, _) in enumerate(bags)}
    start = Posterior(hypotheses, [float(p) for p in prior], lambda h, x: h if x else 1 - h)
    if not sum(joint):
        with pytest.raises(DataError, match="no hypothesis explains the data"):
            start.update(data)
        return
    after = start.update(data)
    assert after.weights == pytest.approx([float(j / sum(joint)) for j in joint], abs=1e-12)
    assert after.log_evidence == pytest.approx(math.log(sum(joint)), abs=1e-9)
    mixed = random.sample(data, len(data))
    cut = random.randint(0, len(data))
    chained = start
    for piece in (mixed[:cut], mixed[cut:]):
        chained = chained.update(piece) if piece else chained
    assert chained.weights == pytest.approx(after.weights, abs=1e-12)
    counts = [data.count(True), data.count(False)]
    assert start.update([True, False], weight=counts).weights == pytest.approx(after.weights, abs=1e-12)


def test_a_posterior_does_not_change(candies):
    before = candies.weights.copy()
    candies.update(["lime"])
    assert np.array_equal(candies.weights, before)
    assert candies.n_observations == 0


def test_ten_thousand_observations_do_not_underflow(candies):
    after = candies.update(["lime", "cherry"] * 5000)
    assert after.map() == "h3"
    assert after.log_evidence == pytest.approx(math.log(0.4) - 10_000 * math.log(2), rel=1e-12)
    gap = 5000 * math.log(0.25 * 0.75 / 0.25)
    assert after.log_probabilities["h2"] == pytest.approx(math.log(0.2 / 0.4) + gap, rel=1e-9)
    check_work(after)


def test_likelihoods_say_what_a_posterior_needs(candies):
    after = candies.update(["lime", "cherry"])
    rebuilt = Posterior.of_likelihoods({name: {0: 1.0} for name in LIMES}, PRIOR, after.log_likelihoods)
    assert rebuilt.weights == pytest.approx(after.weights)


# --- theorems --------------------------------------------------------------------------------------------------------


def test_maximum_likelihood_is_the_most_probable_under_a_uniform_prior(candies):
    data = ["lime"] * 6 + ["cherry"] * 3
    assert Posterior(LIMES, likelihood=flavour).update(data).map() == candies.update(data).ml() == "h4"


def test_the_most_probable_becomes_the_likeliest_as_data_grow():
    start = Posterior(LIMES, [0.0005, 0.0005, 0.998, 0.0005, 0.0005], flavour)
    data = ["lime", "lime", "lime", "cherry"]
    assert [start.update(data * n).map() for n in (1, 5, 40)] == ["h3", "h3", "h4"]
    assert {start.update(data * n).ml() for n in (1, 5, 40)} == {"h4"}


def test_the_shortest_description_is_the_most_probable_hypothesis():
    """With code lengths −log₂ of prior and likelihood, argmin of their sum is argmax of the posterior."""
    prior = {"h1": 2**-4, "h2": 2**-4, "h3": 2**-1, "h4": 2**-3, "h5": 2**-2}
    after = Posterior(LIMES, prior, flavour).update(["lime", "lime", "cherry", "lime"])
    bits = {"h2": 4 + 3 * 2 + math.log2(4 / 3), "h3": 1 + 4, "h4": 3 + 3 * math.log2(4 / 3) + 2}
    lengths = {n: -math.log2(prior[n]) - after.log_likelihoods[n] / math.log(2) for n in bits}
    assert lengths == pytest.approx(bits)
    assert after.map() == min(bits, key=bits.__getitem__) == "h3"


def test_least_squares_is_maximum_likelihood_under_gaussian_noise():
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    y = 2.0 * x + 1.0 + rng.normal(size=30)
    best = LinearRegression().fit(x[:, None], y)
    steps = np.linspace(-0.5, 0.5, 11)
    lines = {(a, b): (best.coef_.item() + a, best.intercept_ + b) for a in steps for b in steps}
    posterior = Posterior(lines, likelihood=lambda h, d: stats.norm.pdf(d[1], h[0] * d[0] + h[1]), density=True)
    assert posterior.update(list(zip(x, y, strict=True))).ml() == pytest.approx((0.0, 0.0))


def test_cross_entropy_is_maximum_likelihood_for_probabilities():
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    y = rng.random(80) < 1 / (1 + np.exp(-(0.5 + x)))
    best = LogisticRegression(penalty=None).fit(x[:, None], y)
    w, b = best.coef_.item(), best.intercept_.item()
    steps = np.linspace(-0.3, 0.3, 7)

    def likelihood(h, datum):
        p = 1 / (1 + math.exp(-(h[0] * datum[0] + h[1])))
        return p if datum[1] else 1 - p

    planes = {(i, j): (w + i, b + j) for i in steps for j in steps}
    after = Posterior(planes, likelihood=likelihood).update(list(zip(x.tolist(), y.tolist(), strict=True)))
    assert after.ml() == pytest.approx((0.0, 0.0))


# --- kinds of hypotheses ---------------------------------------------------------------------------------------------


def test_frozen_distributions_speak_in_logarithms():
    after = Posterior({"near": stats.norm(0, 1), "far": stats.norm(100, 1)}).update([50.0, 49.0, 52.0])
    assert after.log_probabilities["near"] - after.log_probabilities["far"] == pytest.approx(-100.0)
    counted = Posterior({"rare": stats.poisson(1), "common": stats.poisson(4)}).update([3])
    assert counted.weights == pytest.approx([1 / (1 + 64 * math.exp(-3)), 1 - 1 / (1 + 64 * math.exp(-3))])


def test_functions_are_called_by_their_names():
    def fair(side):
        return 1 / 6

    def loaded(side):
        return 0.5 if side == 6 else 0.1

    assert Posterior([fair, loaded]).update([6, 6]).probabilities["loaded"] == pytest.approx(0.25 / (0.25 + 1 / 36))


def test_learners_are_hypotheses_of_labelled_rows():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, "yes", "no")
    models = {c: Logistic(C=c).fit(X[:20], y[:20]) for c in (0.01, 1.0, 100.0)}
    after = Posterior(models).update((X[20:], y[20:]))
    place = (y[20:] == "yes").astype(int)
    logs = [np.log(m.predict_proba(X[20:])[np.arange(40), place]).sum() for m in models.values()]
    shares = np.exp(logs - np.max(logs)) / np.exp(logs - np.max(logs)).sum()
    assert after.weights == pytest.approx(shares)
    mixed = sum(w * m.predict_proba(X) for w, m in zip(shares, models.values(), strict=True))
    assert after.predict(X) == pytest.approx(mixed)
    check_work(after, X[:2])


# --- a space of conjunctions -----------------------------------------------------------------------------------------

SPACE = ConjunctiveSpace({"a": ["x", "y", "z"], "b": ["p", "q"], "c": [1, 2, 3]}, ordered=["c"])


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(*map(st.sampled_from, SPACE.values)), min_size=1, max_size=5), st.data())
def test_counting_equals_listing_and_candidate_elimination(rows, data):
    labels = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    listed, counted = Posterior(list(SPACE.hypotheses())), Posterior(SPACE)
    assert isinstance(counted, VersionSpacePosterior)
    try:
        after = listed.update((rows, labels))
    except DataError:
        with pytest.raises(DataError, match="no hypothesis explains the data"):
            counted.update((rows, labels))
        return
    found = counted.update((rows, labels))
    assert dict(found.probabilities) == pytest.approx(dict(after.probabilities))
    assert found.log_evidence == pytest.approx(after.log_evidence)
    assert found.map() == after.map()
    instances = list(SPACE.instances())
    assert found.predict(instances) == pytest.approx(after.predict(instances))
    if len(set(labels)) == 2:
        model = CandidateElimination(space=SPACE).fit(np.array(rows, object), labels)
        assert found.predict(instances) == pytest.approx(model.predict_proba(np.array(instances, object)))
        assert found.version_space.size == model.version_space_size()


def test_enjoy_sport():
    table = nv.datasets.load("enjoy_sport")
    space = ConjunctiveSpace.from_table(table)
    days = table.to_pandas()
    after = Posterior(space).update((days[list(space.names)], (days["EnjoySport"] == "Yes").tolist()))
    assert after.version_space.size == 6
    assert after.log_evidence == pytest.approx(math.log(6 / 973))
    check_work(after)
    check_work(after, [("Sunny", "Warm", "Normal", "Strong", "Cool", "Change")])


def test_a_space_too_large_to_list_is_counted():
    space = ConjunctiveSpace({f"x{i}": [0, 1] for i in range(60)})
    after = Posterior(space).update(([(0,) * 60], [True]))
    assert after.version_space.size == 2**60
    assert after.predict([(1,) + (0,) * 59]).tolist() == [[0.5, 0.5]]
    assert after.probabilities[space.most_general] == 2.0**-60
    assert after.probabilities[space.most_specific] == 0.0
    check_work(after)


def test_counts_beyond_doubles():
    space = ConjunctiveSpace({f"x{i}": [0, 1] for i in range(1200)})
    after = Posterior(space).update(([(0,) * 1200], [True]))
    assert after.log_evidence == pytest.approx(1200 * math.log(2 / 3))
    check_work(after)
    check_work(after, [(1,) + (0,) * 1199])


# --- work and pictures -----------------------------------------------------------------------------------------------


def test_the_work_and_the_picture(candies):
    after = candies.update(["lime", "lime", "lime"])
    check_work(after)
    check_work(after, "lime")
    titles = [step.title for step in after.work()]
    assert titles[:4] == ["Hypotheses", "Likelihoods", "Evidence", "Posterior of h1"]
    assert titles[-1] == "Description lengths in bits"
    assert [equation.value for equation in after.work()[-2].equations] == ["h5", "h5"]
    assert [equation.value for equation in after.work()[1].equations] == pytest.approx([0, 1 / 64, 1 / 8, 27 / 64, 1])
    assert after.work()[0].table.rows[2][2:] == pytest.approx((0.0, 1 / 26, 4 / 13, 9 / 26, 4 / 13))
    assert "h5 goes from 0.1 to 0.4211" in after.plot().alt
    assert after.plot().svg().startswith("<svg")


def test_the_work_of_what_was_impossible_from_the_start():
    after = Posterior({"a": {0: 0.9, 1: 0.1}, "b": {0: 0.1, 1: 0.9}}, [0.0, 1.0]).update([0] * 1000)
    assert (after.map(), after.ml()) == ("b", "a")
    check_work(after)


def test_hostile_names_and_many_hypotheses():
    names = ["$\\bad$", "<script>alert(1)</script>", "[/red]", "=cmd()", "x" * 10_000, *map(str, range(20))]
    after = Posterior({name: {"a": (i + 1) / 30, "b": 1 - (i + 1) / 30} for i, name in enumerate(names)}).update(["a"])
    check_work(after)
    check_work(after, "b")
    assert after.plot().png()


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prior", "sentence"),
    [
        ([0.5, 0.6], "prior sums to 1.1; probabilities must sum to 1"),
        ([1.5, -0.5], "prior has -0.5 for 'none'"),
        ([0.5, math.nan], "prior has nan in place 2"),
        ([1.0], r"prior has shape \(1,\)"),
        ({"cancer": 0.5, "health": 0.5}, "prior names 'health', which is none of 'cancer', 'none'"),
        ({"cancer": 1.0}, "prior has nothing for 'none'"),
        ("half", "must be an array of numbers"),
    ],
)
def test_bad_priors(prior, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Posterior(CANCER, prior)


@pytest.mark.parametrize(
    ("hypotheses", "error", "sentence"),
    [
        ({}, ParameterError, "there are no hypotheses"),
        ([0.5, 0.5], ParameterError, "the name 0.5 stands twice"),
        ([0.5, 0.7], InputTypeError, "the hypothesis 0.5 is 0.5, which gives no probabilities"),
        ("h1", InputTypeError, "hypotheses are a mapping or a sequence, not 'h1'"),
        ({"a": Logistic()}, ParameterError, "the hypothesis 'a' is not fitted"),
        ([SPACE.most_general, len], InputTypeError, "labels no rows, as others do"),
    ],
)
def test_bad_hypotheses(hypotheses, error, sentence):
    with pytest.raises(error, match=sentence):
        Posterior(hypotheses)


@pytest.mark.parametrize(
    ("data", "weight", "error", "sentence"),
    [
        ([], None, DataError, "there are no data"),
        ("+", None, InputTypeError, "data are a sequence of observations: put '\\+' in a list"),
        (["?"], None, DataError, r"'cancer' has no probability for '\?'; it knows '\+', '-'"),
        (["+"], [1, 2], DataError, r"weight has shape \(2,\) for 1 observations"),
        (["+"], [-1], DataError, "weight has -1 in place 1"),
        (["+"], [math.inf], ParameterError, "weight has inf"),
    ],
)
def test_bad_data(data, weight, error, sentence):
    with pytest.raises(error, match=sentence):
        Posterior(CANCER).update(data, weight)


@pytest.mark.parametrize("value", [1.5, -0.1, math.nan, math.inf])
def test_likelihoods_are_probabilities(value):
    with pytest.raises(ParameterError, match="the likelihood of observation 1, 'x', under 'h' is"):
        Posterior(["h"], likelihood=lambda h, x: value).update(["x"])
    if value == 1.5:
        assert Posterior(["h"], likelihood=lambda h, x: value, density=True).update(["x"]).weights == [1.0]


def test_what_nothing_explains_is_told_with_the_observation(candies):
    with pytest.raises(DataError, match="each is ruled out by observation 2, 'cherry', or one before it"):
        Posterior({"all": 1.0, "none": 0.0}, likelihood=flavour).update(["lime", "cherry", "lime"])


def test_labelled_rows_that_do_not_fit():
    listed = Posterior([SPACE.most_general, SPACE.most_specific])
    with pytest.raises(InputTypeError, match=r"a pair \(X, y\)"):
        listed.update([("x", "p", 1)])
    with pytest.raises(DataError, match="row 1 has the label 'yes', which is none of False, True"):
        listed.update(([("x", "p", 1)], ["yes"]))
    with pytest.raises(DataError, match="1 rows in X and 2 labels"):
        listed.update(([("x", "p", 1)], [True, False]))
    with pytest.raises(ParameterError, match="a uniform prior"):
        Posterior(SPACE, prior=[0.5, 0.5])
    with pytest.raises(DataError, match="row 1 has the label 'yes'"):
        Posterior(SPACE).update(([("x", "p", 1)], ["yes"]))


@pytest.mark.parametrize(("said", "total"), [({"x": 0.5, "y": 0.2}, "0.7"), ({"x": 0.9, "y": 0.9}, "1.8")])
def test_what_a_mapping_says_sums_to_1(said, total):
    with pytest.raises(ParameterError, match=f"the hypothesis 'a' sums to {total}; probabilities must sum to 1"):
        Posterior({"a": said})
    assert Posterior({"a": said}, density=True).predict("x") == pytest.approx(said["x"])


def test_an_example_of_no_domain_is_refused():
    space = ConjunctiveSpace({"Sky": ["Sunny", "Rainy"], "Wind": ["Strong", "Weak"]})
    with pytest.raises(DataError, match="row 2 has a value of 'Sky' that is not in its domain, 'Sunny', 'Rainy'"):
        Posterior(space).update(([("Sunny", "Weak"), ("Purple", "Weak")], [True, False]))
