"""Naive Bayes on texts."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

import novacula as nv
from novacula.bayes import NaiveBayes, TextNaiveBayes
from novacula.checks import check_work
from novacula.errors import InputTypeError, ParameterError, SchemaError

SPAM = nv.datasets.load("spam_messages")


def test_the_eight_messages():
    model = TextNaiveBayes(m=0).fit(SPAM)
    bag = model.parts_[0]
    word = bag.entries.index("secret")
    assert model.classes_.tolist() == ["ham", "spam"]
    assert bag.prob[:, word] == pytest.approx([1 / 15, 1 / 3])
    assert model.class_prior_[1] == 3 / 8
    assert model.predict_proba(["secret", "sports"])[:, 1] == pytest.approx([0.75, 0.25])
    assert model.predict_proba(["sport"])[0].tolist() == [1.0, 0.0]


def test_a_text_column_in_a_mixed_table():
    frame = SPAM.to_pandas().assign(Length=lambda f: f.Message.str.len().astype(float))
    table = nv.read(frame, "Class", types={"Message": "text"})
    model = NaiveBayes(m="laplace").fit(table)
    assert [g.distribution for g in model.groups_] == ["gaussian", "multinomial"]
    check_work(model)
    check_work(model, table.head(2))


@pytest.mark.parametrize(("model", "oracle"), [("multinomial", MultinomialNB()), ("bernoulli", BernoulliNB())])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_equals_scikit_learn(model, oracle, ngram_range):
    frame = SPAM.to_pandas()
    counts = CountVectorizer(ngram_range=ngram_range).fit_transform(frame.Message)
    ours = TextNaiveBayes(model=model, ngram_range=ngram_range).fit(frame.Message, frame.Class)
    theirs = oracle.fit(counts, frame.Class)
    np.testing.assert_allclose(ours.predict_log_proba(frame.Message), theirs.predict_log_proba(counts), atol=1e-10)


def test_partial_fit_grows_the_vocabulary():
    frame = SPAM.to_pandas()
    grown = TextNaiveBayes().partial_fit(frame.Message[:4], frame.Class[:4], classes=["ham", "spam"])
    grown.partial_fit(frame.Message[4:], frame.Class[4:])
    whole = TextNaiveBayes().fit(frame.Message, frame.Class)
    assert grown.parts_[0].entries == whole.parts_[0].entries
    np.testing.assert_allclose(grown.predict_proba(frame.Message), whole.predict_proba(frame.Message), rtol=1e-12)


def test_missing_and_empty_texts():
    model = TextNaiveBayes(model="bernoulli").fit(["good news", "bad news", "bad day"], [1, 0, 0])
    missing = model.predict_proba(pd.Series([None, "good"], dtype="object"))[0]
    assert missing == pytest.approx([2 / 3, 1 / 3])
    assert model.predict_proba(["", "good"])[0] != pytest.approx(missing)
    unknown = TextNaiveBayes().fit(["good news", "bad news"], [1, 0]).predict_proba(["zebra"])
    assert unknown[0] == pytest.approx([0.5, 0.5])


def test_most_telling_words_and_evidence():
    model = TextNaiveBayes().fit(SPAM)
    words = model.most_telling("spam", 3)
    assert [word for word, _ in words][:2] == ["link", "secret"]
    v = len(model.parts_[0].entries)
    assert words[0][1] == pytest.approx(np.log((3 / (9 + v)) / (1 / (15 + v))))
    evidence = model.explain("Secret <b>link</b>")
    assert evidence.class_ == "spam"
    assert evidence.words["link"] == pytest.approx(words[0][1])
    assert "<b>link" not in evidence._repr_html_()
    assert "title=" in evidence._repr_html_()
    assert "+1." in str(evidence) or "+0." in str(evidence)


def test_evidence_against_other_classes_taken_together():
    model = TextNaiveBayes(m=0).fit(["a1 b1", "a1 c1", "c1 c1"], ["x", "y", "z"])
    odds = dict(model.most_telling("x", 3))
    assert odds["a1"] == pytest.approx(np.log((1 / 2) / (1 / 4)))
    assert odds["b1"] == np.inf
    assert odds["c1"] == -np.inf


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: m.predict("one string"), InputTypeError, "list"),
        (lambda m: m.explain(["a", "b"]), InputTypeError, "one message"),
        (lambda m: m.most_telling("eggs"), ParameterError, "'eggs'"),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call(TextNaiveBayes().fit(SPAM))


def test_words_need_a_text_column():
    with pytest.raises(SchemaError, match="0 text columns"):
        TextNaiveBayes().fit(nv.datasets.load("play_tennis")).most_telling("Yes")


def test_streaming_texts(tmp_path):
    frame = pd.concat([SPAM.to_pandas()] * 40, ignore_index=True)
    frame.to_csv(tmp_path / "m.csv", index=False)
    table = nv.read(tmp_path / "m.csv", "Class", types={"Message": "text"})
    streamed, whole = TextNaiveBayes().fit(table), TextNaiveBayes().fit(frame.Message, frame.Class)
    np.testing.assert_allclose(streamed.predict_proba(table), whole.predict_proba(frame.Message), rtol=1e-12)
