"""Model files of naive Bayes and of committees: forged ones are refused in a sentence, and patterns that could hang."""

from dataclasses import replace

import numpy as np
import pytest

import novacula as nv
from novacula.baseline import PluralityClassifier
from novacula.bayes import BayesOptimalClassifier, NaiveBayes, TextNaiveBayes
from novacula.bayes.distributions.tokenization import MAX_NGRAM, is_linear
from novacula.checks.state import require_refused
from novacula.errors import ModelFileError, ParameterError
from novacula.learner import files
from novacula.prepare import PreparedClassifier
from novacula.statistics import Bundle

COUNTS = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 3.0], [4.0, 1.0], [0.0, 2.0], [3.0, 3.0]])
LABELS = np.array(["a", "b", "a", "b", "a", "b"])
MESSAGES = ["secret link", "play sports", "link link", "sports today"]
SPAM = ["spam", "ham", "spam", "ham"]
DISTRIBUTIONS = ("gaussian", "categorical", "bernoulli", "multinomial", "poisson", "kernel")


def tennis():
    return NaiveBayes().fit(nv.datasets.load("play_tennis"))


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_models_of_every_distribution_come_back(tmp_path, distribution):
    model = NaiveBayes(distributions=distribution).fit(COUNTS, LABELS)
    model.save(tmp_path / "m.nova")
    loaded = nv.load(tmp_path / "m.nova")
    np.testing.assert_array_equal(loaded.predict_proba(COUNTS), model.predict_proba(COUNTS))
    loaded.partial_fit(COUNTS, LABELS)


def test_a_prior_without_columns_is_refused(tmp_path):
    """It had a kernel write past an empty array."""
    require_refused(
        tennis(), tmp_path, r"class_prior_ is an array of float64 of shape \(2, 0\)", class_prior_=np.empty((2, 0))
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m: {"classes_": np.array(["No", "Perhaps", "Yes"])}, "class_count_ is an array .* there are 3 classes"),
        (lambda m: {"class_prior_": np.ones(3) / 3}, "class_prior_ is an array"),
        (lambda m: {"class_prior_": np.array([0.5, 0.6])}, "do not sum to 1"),
        (lambda m: {"parts_": ()}, "parts_ holds 0, but there are 1 groups"),
        (lambda m: {"groups_": (replace(m.groups_[0], places=(9, 9, 9, 9)),)}, "its groups_ do not share the columns"),
        (lambda m: {"groups_": m.groups_ * 2, "parts_": m.parts_ * 2}, "its groups_ do not share the columns"),
        (lambda m: {"groups_": (replace(m.groups_[0], distribution="gaussian"),)}, "its groups_ do not share"),
        (
            lambda m: {"schema_": m.schema_.with_columns([replace(m.schema_["Outlook"], categories=tuple("abcd"))])},
            "its groups_ do not share the columns",
        ),
        (lambda m: {"parts_": (replace(m.parts_[0], prob=np.ones((2, 3))),)}, "offsets does not rise"),
        (
            lambda m: {"parts_": (replace(m.parts_[0], offsets=np.array([0, 2, 5, 7, 10])),)},
            "its categorical part and its sums do not fit",
        ),
        (lambda m: {"statistic_": Bundle(m.statistic_.parts[:1])}, "its statistic_ does not hold"),
        (lambda m: {"statistic_": Bundle(m.statistic_.parts[:1] * 2)}, "its categorical part and its sums do not fit"),
        (lambda m: {"class_count_": np.array([1.0, 2.0])}, "its statistic_ does not hold the weights"),
    ],
)
def test_parts_that_do_not_fit_are_refused(tmp_path, change, sentence):
    """Kernels do not check bounds: a file with right checksums and wrong shapes must stop at the door."""
    model = tennis()
    require_refused(model, tmp_path, sentence, **change(model))


def test_a_sketch_of_weight_zero_is_refused(tmp_path):
    model = NaiveBayes(distributions="kernel").fit(COUNTS, LABELS)
    rows, sketch = model.statistic_.parts
    empty = replace(sketch, weight=np.zeros_like(sketch.weight))
    require_refused(model, tmp_path, "its kernel part and its sums do not fit", statistic_=Bundle((rows, empty)))


def test_a_word_that_stands_twice_is_refused(tmp_path):
    model = TextNaiveBayes().fit(MESSAGES, SPAM)
    part = model.parts_[0]
    twice = replace(part, entries=(part.entries[0], *part.entries[:-1]))
    require_refused(model, tmp_path, "its multinomial part and its sums do not fit", parts_=(twice,))


# --- patterns of words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pattern",
    [r"(?u)\b\w\w+\b", r"\w+", r"[a-z]{2,}", r"[^\W\d_]+", r"\S+", r"#\w+", r"\b\w{2,10}\b", r"x?[a-z]{1,3}\.", r"\w*"],
)
def test_patterns_that_take_linear_time(pattern):
    assert is_linear(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *("(a+)+$", r"\w+x", r"[a-z]+\b", r"\w+\w+", r"(\w)\1", r"a|b", r"(?=a)\w+", r"\w+?", r"\w++", r"(?i)\w+", ""),
        *("(", "[", "\\", "a{2,1}", "a{1,999}", "a?" * 9, r"\w{0,9}\w{0,9}x", "a" * 101, r"\w{2}{3}", r"\b", r"\w{,3}"),
    ],
)
def test_patterns_that_may_take_longer_or_say_more_than_files_hold(pattern):
    assert not is_linear(pattern)


@pytest.mark.parametrize("pattern", ["(a+)+$", r"\w+x"])
def test_a_model_with_such_a_pattern_works_and_is_not_saved(tmp_path, pattern):
    model = TextNaiveBayes(token_pattern=pattern).fit(["aaa box", "box six"], [0, 1])
    assert model.predict(["box"]).shape == (1,)
    sentence = "TextNaiveBayes cannot be saved: the token_pattern .* may hang: model files hold characters such as"
    with pytest.raises(ModelFileError, match=sentence):
        model.save(tmp_path / "m.nova")
    model.set_params(token_pattern=r"\w+")  # the fit has the other one still
    with pytest.raises(ModelFileError, match=sentence):
        model.save(tmp_path / "m.nova")
    assert not (tmp_path / "m.nova").exists()


def test_what_is_no_pattern_is_said_to_be_none(tmp_path):
    with pytest.raises(ModelFileError, match=r"the token_pattern '\(' is no regular expression: model files hold"):
        files.save(TextNaiveBayes(token_pattern="("), tmp_path / "m.nova")


def without_check(monkeypatch):
    """Save as someone who forges a file would."""
    monkeypatch.setattr(TextNaiveBayes, "_check_storable", lambda self: None)


@pytest.mark.parametrize("pattern", ["(a+)+$", r"\w+x"])
def test_a_file_with_such_a_pattern_is_not_loaded(tmp_path, monkeypatch, pattern):
    """The pattern of the parameter, also of a learner that is not fitted, and that of the fit."""
    path = tmp_path / "m.nova"
    with monkeypatch.context() as context:
        without_check(context)
        files.save(TextNaiveBayes(token_pattern=pattern), path)
    with pytest.raises(ModelFileError, match=r"the token_pattern .* may hang"):
        nv.load(path)
    model = TextNaiveBayes(token_pattern=pattern).fit(["aaa box", "box six"], [0, 1])
    with monkeypatch.context() as context:
        without_check(context)
        files.save(model.set_params(token_pattern=r"\w+"), path, checked=False)
    with pytest.raises(ModelFileError, match=r"token_pattern is refused, since the token_pattern .* may hang"):
        nv.load(path)


def test_such_a_pattern_is_not_saved_within_another_model(tmp_path):
    rows = nv.datasets.load("spam_messages")
    model = PreparedClassifier(TextNaiveBayes(token_pattern=r"\w+\w")).fit(rows)
    with pytest.raises(ModelFileError, match="TextNaiveBayes cannot be saved: the token_pattern"):
        model.save(tmp_path / "m.nova")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"token_pattern": "("}, "token_pattern is '\\(', which is not a pattern"),
        ({"token_pattern": r"(\w)(\w)"}, "it may have one group in parentheses, not 2"),
        ({"ngram_range": (2, 1)}, r"ngram_range is \(2, 1\); it must be two whole numbers from 1 to 32"),
        ({"ngram_range": (1, MAX_NGRAM + 1)}, "it must be two whole numbers from 1 to 32"),
        ({"ngram_range": (1,)}, "ngram_range is .* it must be two whole numbers"),
        ({"stop_words": "german"}, "stop_words is 'german'; it must be 'english', a list of words, or None"),
        ({"stop_words": [1, 2]}, "stop_words must be at most 100,000 words, each of them text"),
    ],
)
def test_ways_to_cut_that_are_refused_at_fit(settings, sentence):
    with pytest.raises(ParameterError, match=sentence):
        TextNaiveBayes(**settings).fit(MESSAGES, SPAM)


# --- committees -------------------------------------------------------------------------------------------------------


def committee():
    return BayesOptimalClassifier({"even": PluralityClassifier(), "bayes": NaiveBayes()}).fit(COUNTS, LABELS)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m: {"hypotheses_": m.hypotheses_[:1]}, "hypotheses_ holds 1, but there are 2 hypotheses"),
        (lambda m: {"hypothesis_names_": ("even", "even")}, "its hypothesis_names_ name one hypothesis twice"),
        (lambda m: {"hypotheses_": (PluralityClassifier(), m.hypotheses_[1])}, "its hypothesis 'even' has other"),
        (
            lambda m: {"hypotheses_": (m.hypotheses_[0], NaiveBayes().fit(COUNTS[:, :1], LABELS))},
            "its hypothesis 'bayes' has other columns or classes",
        ),
        (
            lambda m: {"hypotheses_": (m.hypotheses_[0], NaiveBayes().fit(COUNTS, np.arange(6) % 3))},
            "its hypothesis 'bayes' has other columns or classes",
        ),
        (lambda m: {"log_likelihood_": np.array([np.nan, 0.0])}, "its hypotheses_ have no posterior"),
        (lambda m: {"log_likelihood_": np.full(2, -np.inf)}, "its hypotheses_ have no posterior"),
        (lambda m: {"prior_": np.array([0.5, 0.2])}, "probabilities that do not sum to 1"),
    ],
)
def test_committees_that_do_not_agree_are_refused(tmp_path, change, sentence):
    model = committee()
    require_refused(model, tmp_path, sentence, **change(model))


def test_a_committee_comes_back(tmp_path):
    model = committee()
    model.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict_proba(COUNTS), model.predict_proba(COUNTS))


def test_densities_beyond_what_a_double_holds_are_derived():
    """A product of many narrow densities is larger than any double, and a far value has a density of 0."""
    narrow = np.random.default_rng(0).normal(size=(20, 12)) * 1e-70
    str(NaiveBayes().fit(narrow, np.arange(20) % 2).work(narrow[:2]))
    far = np.array([[0.0], [1e-3], [1e6], [1e6 + 1]])
    str(NaiveBayes(var_smoothing=1e-30).fit(far, [0, 0, 1, 1]).work(far))


def test_weights_sum_to_one_however_many_data_there_were():
    """ln P(D | h) of a thousand million rows is rounded to more than the weights may be."""
    model = committee()
    model.log_likelihood_ = np.array([-1e300, -1e300])
    np.testing.assert_array_equal(model.posterior_.weights, [0.5, 0.5])


def test_a_model_without_classes_is_refused(tmp_path):
    model = PluralityClassifier().fit(COUNTS, LABELS)
    none = {"classes_": LABELS[:0], "class_count_": np.empty(0), "share_": np.empty(0)}
    require_refused(model, tmp_path, "its share_ holds probabilities that do not sum to 1", **none)
