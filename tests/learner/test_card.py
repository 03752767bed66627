"""Cards hold what they claim in known words, and show it safely."""

import json
import math
from dataclasses import fields, replace

import pytest

from novacula.checks.work import html_fault
from novacula.errors import ParameterError
from novacula.learner.card import Card

CARD = Card(
    name="Find-S",
    task="classification",
    summary="The most specific conjunction that covers every positive example.",
    hypothesis_space="Conjunctions of attribute values.",
    inductive_bias="The target is a conjunction, and what was not seen is negative.",
    objective="Cover the positive examples with as few instances as can be.",
    search="Specific to general, without turning back.",
    noise="None is tolerated.",
    missing="Refused.",
    unseen="Negative.",
    takes=("categorical",),
    scales=("memory", "stream"),
    uses="reduce",
    cost="One pass.",
    cost_exponents={"n": 1, "d": 1},
    size="n_terms",
    log2_hypotheses=lambda n_features, n_values: n_features * math.log2(n_values + 1),
    references=("A textbook.",),
)


def test_text_names_every_field_that_has_something_to_say():
    lines = str(CARD).split("\n")
    assert lines[0] == "Find-S"
    for heading, words in [
        ("hypothesis space", "Conjunctions of attribute values."),
        ("takes", "categorical"),
        ("scales", "memory, stream"),
        ("cost exponents", "n: 1, d: 1"),
        ("log2 hypotheses", "a function of n_features, n_values"),
    ]:
        assert any(line.startswith(heading) and line.endswith(words) for line in lines)
    assert not any(line.startswith("expected failures") for line in lines)


def test_long_words_are_wrapped_under_their_beginning():
    lines = str(replace(CARD, noise="very " * 60)).split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("noise"))
    assert max(map(len, lines)) <= 100
    assert lines[start + 1].index("very") == lines[start].index("very")


def test_dict_is_json_and_has_every_field():
    values = json.loads(json.dumps(CARD.to_dict()))
    assert list(values) == [field.name for field in fields(Card)]
    assert values["scales"] == ["memory", "stream"]
    assert values["cost_exponents"] == {"n": 1, "d": 1}
    assert values["log2_hypotheses"] == ["n_features", "n_values"]
    assert values["admits"] == {"missing": False, "infinite": False, "classes": 1}


def test_html_is_escaped_and_well_formed():
    html = replace(CARD, name="<script>x</script>", summary="a & b", noise='"<b>"')._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "a &amp; b" in html
    assert html_fault(html) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "magic"}, "'magic' for task, which is none of classification"),
        ({"scales": ("memory", "moon")}, "'moon' for scales"),
        ({"scales": "memory"}, "needs a tuple"),
        ({"scales": ()}, "needs a tuple"),
        ({"takes": ("ignored",)}, "'ignored' for takes"),
        ({"uses": "luck"}, "'luck' for uses"),
        ({"uses": "arrays"}, "uses arrays, so it scales to memory only"),
        ({"objective": "  "}, "has no words for objective"),
        ({"name": 3}, "has no words for name"),
        ({"cost_exponents": {"n": math.inf}}, "inf as the exponent of 'n'"),
        ({"expected_failures": {"check_x": ""}}, "gives no reason why check_x"),
    ],
)
def test_a_card_that_claims_the_unknown_is_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        replace(CARD, **change)
