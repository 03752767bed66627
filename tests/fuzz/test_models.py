"""Model files that hurt once, and a short campaign of forged ones, under kernels that check their bounds."""

from pathlib import Path

import pytest

from fuzz.campaign import Campaign
from fuzz.target import TARGETS, target_of

INPUTS = 600
"""How many the gate tries; `make fuzz` tries as many as it has minutes for."""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    return Campaign("models", 0, tmp_path_factory.mktemp("finds"), say=lambda line: None)


def test_forged_models_are_refused_or_answer(campaign):
    tally = campaign.run(seconds=600, most=INPUTS)
    assert [what for _, what, _ in tally.finds] == []
    assert tally.total == INPUTS
    assert tally.outcomes["refused at load"] > INPUTS // 4
    assert tally.outcomes["answered"] > INPUTS // 20
