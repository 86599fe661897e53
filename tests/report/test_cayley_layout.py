"""The Cayley graph: every element at a place of its own, and arrows that are the group's table."""

import math

import pytest

from lgn import groups
from lgn.report.cayley_layout import cayley
from lgn.report.figures import cayley_graph


@pytest.mark.parametrize("name", ["C5", "D4", "S4", "C2 x C2 x C3"])
def test_places_differ_and_arrows_multiply(name: str) -> None:
    group = groups.as_group(name)
    drawn = cayley(group)
    for i, one in enumerate(drawn.places):
        assert math.hypot(*one) <= 1 + 1e-9
        assert all(math.dist(one, other) > 0.02 for other in drawn.places[:i])
    for a, arrows in zip(group.generator_elements, drawn.arrows, strict=True):
        assert list(arrows) == group.table[a].tolist()
    assert drawn.words == group.words


def test_a_reflection_of_d4_leads_straight_inwards() -> None:
    drawn = cayley(groups.dihedral(4))
    for g, h in enumerate(drawn.arrows[1]):
        (x, y), (u, v) = drawn.places[g], drawn.places[h]
        assert abs(x * v - y * u) < 1e-9  # on one ray
        assert x * u + y * v > 0


def test_the_figure_names_all_elements_and_relations() -> None:
    figure = cayley_graph(groups.dihedral(3))
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert {"e", "r", "r^2", "s"} <= texts
