"""Groups and orbits of filters: the largest subgroups, and the filters that are copies of each other."""

import pytest
import torch

from lgn.discovery.networks.filter_bank import make_bank
from lgn.discovery.networks.filter_maps import SQUARE_GROUP
from lgn.discovery.networks.orbits import find_orbits, largest_subgroup, moved_independently, pairs_of, square_cosines
from lgn.transforms import act_square

EVERYTHING = SQUARE_GROUP.subgroup(range(8))
TURN, HALF_TURN, BACK, FLIP_COLUMNS, FLIP_ROWS = 1, 2, 3, 4, 6


def random_filters(count: int, n: int = 5, seed: int = 0) -> torch.Tensor:
    return torch.randn(count, 2, n, n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(
    ("found", "supported", "name", "elements"),
    [
        ([], [], "trivial", ()),
        ([FLIP_COLUMNS], [], "C2", (FLIP_COLUMNS,)),
        ([TURN], [], "trivial", ()),  # its square is not found
        ([TURN, BACK], [HALF_TURN], "C4", (TURN, HALF_TURN, BACK)),
        ([FLIP_COLUMNS, FLIP_ROWS], [HALF_TURN], "C2 x C2", (HALF_TURN, FLIP_COLUMNS, FLIP_ROWS)),
        ([FLIP_COLUMNS, FLIP_ROWS], [], "C2", (FLIP_ROWS,)),
        ([HALF_TURN], [FLIP_COLUMNS, FLIP_ROWS], "C2", (HALF_TURN,)),  # support alone generates nothing
        ([TURN, BACK, FLIP_ROWS], range(8), "D4", tuple(range(1, 8))),
    ],
)
def test_the_largest_subgroup(found: list[int], supported: list[int], name: str, elements: tuple[int, ...]) -> None:
    group = largest_subgroup(found, supported, {FLIP_ROWS: 2.0, FLIP_COLUMNS: 1.0})
    assert (group.name, group.elements[1:]) == (name, elements)


def test_orbits_of_the_whole_group() -> None:
    """Two orbits of eight in random order and with random signs, and four filters in no orbit."""
    bases, others = random_filters(2), random_filters(4, seed=1)
    filters = torch.cat([torch.cat([act_square(base[None], element) for element in range(8)]) for base in bases])
    order = torch.randperm(20, generator=torch.Generator().manual_seed(0))
    signs = torch.tensor([1.0, -1.0]).repeat(10).view(-1, 1, 1, 1)
    bank = (torch.cat([filters, others]) * signs)[order]
    found = find_orbits(square_cosines(make_bank(bank).filters), EVERYTHING)
    members = [{int(order[number]) for number in orbit.values()} for orbit in found]
    assert sorted(members, key=min) == [set(range(8)), set(range(8, 16))]
    for element in range(8):
        pairs = pairs_of(found, element)
        assert len(pairs) == 16
        for i, j in pairs:
            moved = act_square(bank[i : i + 1], element)[0]
            assert torch.allclose(bank[j], moved) or torch.allclose(bank[j], -moved)


def test_an_orbit_has_every_element_once() -> None:
    """Three near-copies of a filter and one flipped copy are one pair."""
    base = random_filters(1)
    noise = 0.05 * random_filters(3, seed=2)
    bank = torch.cat([base + noise[:1], base + noise[1:2], base + noise[2:], base.flip(-1), random_filters(6, seed=3)])
    found = find_orbits(square_cosines(make_bank(bank).filters), largest_subgroup([FLIP_COLUMNS]))
    assert [len(orbit) for orbit in found] == [2]
    assert 3 in found[0].values()


def test_filters_are_moved_independently() -> None:
    x = make_bank(random_filters(6)).filters
    flips = SQUARE_GROUP.subgroup([FLIP_COLUMNS])
    drawn = torch.randint(0, 2, (6,), generator=torch.Generator().manual_seed(4))
    moved = torch.cat([act_square(x[i : i + 1], FLIP_COLUMNS * int(flip)) for i, flip in enumerate(drawn)])
    apart = moved_independently(square_cosines(x), flips, torch.Generator().manual_seed(4))
    assert torch.allclose(apart, square_cosines(moved))
