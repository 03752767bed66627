"""The p of the m-estimate as it is stated: by a number, or by a table for a column."""

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.bayes import NaiveBayes, TextNaiveBayes
from novacula.checks import check_work
from novacula.errors import ParameterError

TENNIS = nv.datasets.load("play_tennis")
DAY = pd.DataFrame({"Outlook": ["Sunny"], "Temperature": ["Cool"], "Humidity": ["High"], "Wind": ["Strong"]})
OUTLOOK = {"Sunny": 0.5, "Overcast": 0.2, "Rain": 0.3}


def _products(m, p):
    """P(t) · Π (n_xt + m·p) / (n_t + m), written out by hand."""
    counts = {"No": (5, [3, 1, 4, 3]), "Yes": (9, [2, 3, 3, 3])}
    return {
        t: n / 14 * np.prod([(k + m * q) / (n + m) for k, q in zip(found, p, strict=True)])
        for t, (n, found) in counts.items()
    }


def test_a_table_for_a_column():
    model = NaiveBayes(m=4, prior_estimate={"Outlook": OUTLOOK, "Wind": 0.25}).fit(TENNIS)
    expected = _products(4, [0.5, 1 / 3, 1 / 2, 0.25])
    assert np.exp(model.predict_joint_log_proba(DAY))[0] == pytest.approx([expected["No"], expected["Yes"]])
    check_work(model, drawn=False)
    check_work(model, DAY, detail="full", drawn=False)
    text = model.work().to_text()
    assert "the prior estimate, as stated" in text
    assert "(0 + 4 × 0.2) / (5 + 4)" in text


def test_one_number_for_every_value():
    model = NaiveBayes(m=2, prior_estimate=0.4).fit(TENNIS)
    text = " ".join(model.work().to_text().split())
    assert "of 3 values it sums to 1.2 and not to 1, and so the probabilities of the column do not either" in text
    assert "not to 1" not in NaiveBayes(m=2, prior_estimate={"Wind": 0.5}).fit(TENNIS).work().to_text()
    expected = _products(2, [0.4] * 4)
    assert np.exp(model.predict_joint_log_proba(DAY))[0] == pytest.approx([expected["No"], expected["Yes"]])
    check_work(model, drawn=False)


def test_a_number_is_the_probability_of_a_word_being_there():
    messages = nv.datasets.load("spam_messages")
    model = TextNaiveBayes(model="bernoulli", m=2, prior_estimate=0.1).fit(messages)
    part = model.parts_[0]
    secret = part.entries.index("secret")
    assert sorted(part.prob[:, secret]) == pytest.approx(sorted([(1 + 0.2) / (5 + 2), (3 + 0.2) / (3 + 2)]))
    check_work(model, drawn=False)
    check_work(TextNaiveBayes(m=2, prior_estimate=0.1).fit(messages), drawn=False)  # shares stay uniform


def test_a_stated_table_is_kept_in_a_file(tmp_path):
    model = NaiveBayes(m=4, prior_estimate={"Outlook": OUTLOOK}).fit(TENNIS)
    model.save(tmp_path / "model.nova")
    assert nv.load(tmp_path / "model.nova").predict_proba(DAY) == pytest.approx(model.predict_proba(DAY))


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({"Sky": 0.5}, "names 'Sky', which is none of the columns of categories"),
        ({"Outlook": {"Sunny": 0.5, "Rain": 0.5}}, "nothing for 'Overcast' of 'Outlook'"),
        ({"Outlook": {"Sunny": 0.5, "Rain": 0.3, "Overcast": 0.1}}, "sums to 0.9"),
        ({"Outlook": 2}, "must be from 0 to 1"),
        ({"Outlook": "often"}, "give a number, a mapping"),
        (1.5, "prior_estimate"),
    ],
)
def test_strange_estimates_are_refused(stated, sentence):
    with pytest.raises(ValueError, match=sentence):
        NaiveBayes(prior_estimate=stated).fit(TENNIS)
    with pytest.raises(ParameterError, match="columns of categories"):
        NaiveBayes(prior_estimate={"x": 0.5}).fit(np.eye(4), [0, 1, 0, 1])


def test_numbers_to_learn_with_and_without_independence():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{j}": np.where(rng.random(60) < 0.5, "a", "b") for j in range(5)})
    model = NaiveBayes().fit(frame, rng.integers(0, 2, 60))
    text = model.work().to_text()
    assert "2 · d + 1" in text
    assert "= 2 × 5 + 1 = 11" in text
    assert "= 2 × (2⁵ − 1) = 62" in text
    assert model.n_parameters_ == 11
    check_work(model, drawn=False)
    tennis = NaiveBayes().fit(TENNIS)
    assert tennis.work()[-1].equations[1].value == 2 * (3 * 3 * 2 * 2 - 1)
