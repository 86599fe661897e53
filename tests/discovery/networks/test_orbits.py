"""The group of the square and its orbits: a group, its subgroups, and who is a copy of whom."""

import pytest
import torch

from lgn.discovery.networks.bank import prepare
from lgn.discovery.networks.candidates import SQUARE
from lgn.discovery.networks.orbits import find_orbits, place_cosines, turned_apart
from lgn.discovery.networks.square import (
    ELEMENTS,
    TRIVIAL,
    FoundGroup,
    generators_of,
    largest_subgroup,
    powers_of,
    product,
    square_group,
)

EVERYTHING = FoundGroup("D4", 8, ELEMENTS)


def random_filters(count: int, n: int = 5, seed: int = 0) -> torch.Tensor:
    return torch.randn(count, 2, n, n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def element(name: str, x: torch.Tensor) -> torch.Tensor:
    return x if name == "identity" else next(each for each in SQUARE if each.name == name).power(x, 1)


def test_the_table_is_that_of_the_transformations() -> None:
    x = random_filters(1)
    assert square_group().name == "D4"
    for a in ELEMENTS:
        for b in ELEMENTS:
            assert torch.equal(element(product(a, b), x), element(a, element(b, x)))


def test_powers() -> None:
    assert [ELEMENTS[power] for power in powers_of("turn 90")] == ["identity", "turn 90", "turn 180", "turn 270"]
    assert [ELEMENTS[power] for power in powers_of("flip rows")] == ["identity", "flip rows"]


@pytest.mark.parametrize(
    ("sure", "supported", "name", "elements"),
    [
        ([], [], "trivial", ()),
        (["flip columns"], [], "C2", ("flip columns",)),
        (["turn 90"], [], "trivial", ()),  # its square was not seen at all
        (["turn 90", "turn 270"], ["turn 180"], "C4", ("turn 90", "turn 180", "turn 270")),
        (["flip columns", "flip rows"], ["turn 180"], "C2 x C2", ("turn 180", "flip columns", "flip rows")),
        (["flip columns", "flip rows"], [], "C2", ("flip rows",)),
        (["turn 180"], ["flip columns", "flip rows"], "C2", ("turn 180",)),  # support alone generates nothing
        (["turn 90", "turn 270", "flip rows"], ELEMENTS[1:], "D4", ELEMENTS[1:]),
    ],
)
def test_the_largest_subgroup(sure: list[str], supported: list[str], name: str, elements: tuple[str, ...]) -> None:
    found = largest_subgroup(sure, supported, {"flip rows": 2.0, "flip columns": 1.0})
    assert (found.name, found.elements[1:]) == (name, elements)


def test_generators_generate() -> None:
    assert generators_of(TRIVIAL) == ()
    found = {square_group().subgroup([ELEMENTS.index(name) for name in generators_of(EVERYTHING)]).order}
    assert found == {8}


def test_orbits_of_the_whole_group() -> None:
    """Two orbits of eight in random order and sign, and four filters that are in none."""
    bases, others = random_filters(2), random_filters(4, seed=1)
    filters = torch.cat([torch.stack([element(name, base[None])[0] for name in ELEMENTS]) for base in bases])
    order = torch.randperm(20, generator=torch.Generator().manual_seed(0))
    signs = torch.tensor([1.0, -1.0]).repeat(10).view(-1, 1, 1, 1)
    bank = (torch.cat([filters, others]) * signs)[order]
    found = find_orbits(place_cosines(prepare(bank).filters), EVERYTHING)
    members = [{int(order[number]) for number in orbit.filters} for orbit in found]
    assert sorted(members, key=min) == [set(range(8)), set(range(8, 16))]
    for orbit in found:
        assert orbit.cosine == pytest.approx(1)
        base = bank[orbit.filters[0]]
        for number, name, negative in zip(orbit.filters, orbit.elements, orbit.negative, strict=True):
            assert torch.allclose(bank[number], (-1 if negative else 1) * element(name, base[None])[0])


def test_an_orbit_holds_each_element_once() -> None:
    """Three near-copies of one filter and one flip: a pair, not a heap."""
    base = random_filters(1)
    noise = 0.05 * random_filters(3, seed=2)
    bank = torch.cat([base + noise[:1], base + noise[1:2], base + noise[2:], base.flip(-1), random_filters(6, seed=3)])
    found = find_orbits(place_cosines(prepare(bank).filters), largest_subgroup(["flip columns"]))
    assert [len(orbit.filters) for orbit in found] == [2]
    assert 3 in found[0].filters


def test_no_group_has_no_orbits() -> None:
    assert find_orbits(place_cosines(prepare(random_filters(12)).filters), TRIVIAL) == []


def test_turning_apart_is_turning_every_filter() -> None:
    x = prepare(random_filters(6)).filters
    drawn = torch.randint(0, 8, (6,), generator=torch.Generator().manual_seed(4))
    turned = torch.cat([element(ELEMENTS[int(each)], x[i : i + 1]) for i, each in enumerate(drawn)])
    apart = turned_apart(place_cosines(x), EVERYTHING, torch.Generator().manual_seed(4))
    assert torch.allclose(apart, place_cosines(turned))


def test_kernels_that_are_not_square_have_no_quarter_turns() -> None:
    x = torch.randn(5, 2, 4, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    cosines = place_cosines(x)
    assert float(cosines[ELEMENTS.index("turn 90")].abs().max()) == 0
    assert float(cosines[ELEMENTS.index("turn 180")].abs().max()) > 0
