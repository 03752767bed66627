"""Cards side by side: what each learner says of itself, in columns."""

import pytest

from novacula.errors import ParameterError
from novacula.kernel import SVC
from novacula.learner import side_by_side
from novacula.learner.registry import learners
from novacula.linear import Ridge


def test_three_learners_have_a_column_each():
    table = side_by_side("tree", "mlp", SVC())
    assert table.names == ("decision-tree-classifier", "mlp-classifier", "svc")
    said = table.to_dict()
    assert said["svc"]["output"] == "a class, probabilities of classes, scores"
    assert said["svc"]["time to train"] == SVC.card.cost
    assert "path of tests" in said["decision-tree-classifier"]["interpretability"]
    lines = str(table).splitlines()
    assert max(map(len, lines)) <= 120
    assert lines[0].split() == list(table.names)
    page = table._repr_html_()
    assert page.count('<th scope="col">') == 3
    assert page.count("<tr>") == 1 + len(table.rows)


def test_a_name_of_two_learners_is_the_one_of_the_others_task():
    assert side_by_side("mlp", Ridge).names == ("mlp-regressor", "ridge")
    assert side_by_side("mlp").names == ("mlp-classifier",)
    for wrong, words in (((), "no learners"), (("neighbors",), "may be"), (("neighbors", "svc", "ridge"), "may be")):
        with pytest.raises(ParameterError, match=words):
            side_by_side(*wrong)


def test_every_learner_says_how_well_it_can_be_read_and_what_answers_take():
    for name, kind in learners().items():
        said = side_by_side(kind).to_dict()[name]
        assert all(words.strip() for words in said.values()), (name, said)
