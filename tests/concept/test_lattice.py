"""The picture of the version space: layers, lines and labels, also for hostile names."""

from itertools import pairwise, product

import pandas as pd
import pytest

from novacula.checks.samples import NASTY_NAMES
from novacula.concept import CandidateElimination, ConjunctiveSpace
from novacula.concept.lattice import _covers, _layers, lattice_figure


@pytest.mark.parametrize("seed", range(20))
def test_lines_join_neighbours_and_layers_respect_generality(draw, seed):
    domains, ordered, *_ = draw(seed, attributes=2)
    members = list(ConjunctiveSpace(domains, ordered).hypotheses())
    above = _covers(members)
    for low, high in product(range(len(members)), repeat=2):
        between = any(members[low] < h < members[high] for h in members)
        assert (high in above[low]) == (members[low] < members[high] and not between)
    level = {k: y for y, layer in enumerate(_layers(members, above)) for k in layer}
    assert len(level) == len(members)
    assert all(level[low] < level[high] for low, higher in enumerate(above) for high in higher)


def test_hostile_names_are_drawn_as_they_stand():
    columns = {name * 3: [value, "other", value] for name, value in pairwise(NASTY_NAMES[:5])}
    model = CandidateElimination().fit(pd.DataFrame(columns), [1, 0, 1])
    figure = lattice_figure(list(model.members()))
    assert model.version_space_size() == 15
    assert "script" not in figure.svg()
    assert figure.png().startswith(b"\x89PNG")


def test_one_member_is_a_picture_too():
    space = ConjunctiveSpace({"a": ["x", "y"]})
    assert lattice_figure([space.most_specific]).svg().startswith("<svg")
