"""Small fits are compared in turn, and with learners that there are."""

import pytest

from benchmarks.workloads.small_fits import CLASSES, NO_TARGET, NUMBERS, Compared, compare

TWINS = (*CLASSES, *NUMBERS, *NO_TARGET)


@pytest.mark.parametrize("twins", TWINS, ids=lambda twins: twins.ours)
def test_twins_take_their_settings_and_answer(twins):
    for learner in twins.make():
        assert learner.get_params(deep=False).items() >= dict(twins.settings).items()
        assert any(hasattr(learner, method) for method in ("predict", "transform", "score_samples"))


def test_both_are_called_as_often_and_take_turns():
    calls = []
    compare(lambda: calls.append("a"), lambda: calls.append("b"), 4)
    assert "".join(calls) == "ab" + "ab" + "ba" + "ab" + "ba"


def test_the_larger_ratio_counts():
    figure = Compared(ours=(0.004, 0.002), theirs=(0.002, 0.004)).figure("Tree: fit", 3.0)
    assert (figure.value, figure.met) == (2.0, True)
    assert figure.name == "Tree: fit, beside scikit-learn's 4.00 ms"
    assert not Compared(ours=(0.004, 0.014), theirs=(0.002, 0.004)).figure("Tree: fit", 3.0).met
