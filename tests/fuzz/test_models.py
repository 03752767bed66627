"""Model files that hurt once, and a short campaign of forged ones, under kernels that check their bounds."""

from fuzz.campaign import Campaign
from fuzz.target import kept_inputs

INPUTS = 200
"""How many new ones the gate tries; `make fuzz` tries as many as it has minutes for."""


def test_forged_models_are_refused_or_answer(tmp_path):
    campaign = Campaign("models", 0, tmp_path, say=lambda line: None, quick=True)
    most = INPUTS + len(kept_inputs("models"))
    tally = campaign.run(seconds=600, most=most, workers=1)
    assert [what for _, what, _ in tally.finds] == []
    assert tally.total == most
    assert tally.outcomes["refused at load"] > INPUTS // 4
    assert tally.outcomes["answered"] > INPUTS // 20
