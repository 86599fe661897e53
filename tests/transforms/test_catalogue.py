"""The catalogue: families, printed names, and matrices of transformations."""

from itertools import permutations

import pytest
import torch
from torch import Tensor

from lgn.actions import act, matrix_of
from lgn.transforms import (
    CANDIDATES,
    Family,
    Transformation,
    channel_permutation,
    families_of,
    find,
    operator,
    parse_operator,
)


def noise(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


SAMPLES = {
    "images": noise(3, 3, 14, 14),
    "rectangles": noise(3, 1, 4, 6),
    "signals": noise(3, 3, 32),
    "volumes": noise(3, 1, 4, 4, 4),
    "boxes": noise(3, 1, 4, 5, 6),
}


def families(name: str, *candidates: str) -> list[Family]:
    kind = {"rectangles": "images", "boxes": "volumes"}.get(name, name)
    chosen = candidates or (("turns", "flips") if name == "rectangles" else CANDIDATES[kind])
    return list(families_of(chosen, kind, SAMPLES[name]))


GROUPS = [(name, family) for name in SAMPLES for family in families(name) if family.group and not family.resampled]
LINES = [(name, family) for name in SAMPLES for family in families(name) if family.group is None]
IDS = {"ids": lambda value: value if isinstance(value, str) else value.name}


@pytest.mark.parametrize(("name", "family"), GROUPS, **IDS)
def test_versions_are_an_action_of_the_group(name: str, family: Family) -> None:
    group, x = family.group, SAMPLES[name]
    assert group is not None
    elements = torch.randint(group.order, (40, 2), generator=torch.Generator().manual_seed(0)).tolist()
    for g, h in elements:
        product = int(group.table[g, h])
        torch.testing.assert_close(family.act(family.act(x, h), g), family.act(x, product))
        assert family.matrices is not None
        torch.testing.assert_close(family.matrices[g] @ family.matrices[h], family.matrices[product])


@pytest.mark.parametrize(("name", "family"), GROUPS, **IDS)
def test_pairs_are_h_and_h_t(name: str, family: Family) -> None:
    x = SAMPLES[name]
    for transformation in family.transformations[:8]:
        assert transformation.element is not None
        moved = family.act(x, transformation.element)
        for h, t in family.pairs(transformation)[:6]:
            torch.testing.assert_close(family.show(x, t), family.show(moved, h))


@pytest.mark.parametrize("name", SAMPLES)
def test_every_printed_name_is_found(name: str) -> None:
    x = SAMPLES[name]
    for family in families(name):
        for transformation in family.transformations:
            found = find(transformation.name, transformation.space, transformation.parameter)
            assert found is not None, transformation.name
            assert found.name == transformation.name
            torch.testing.assert_close(found(x), transformation(x))
            if transformation.order is not None and not family.resampled:
                torch.testing.assert_close(transformation.power(transformation.order)(x), x)
                torch.testing.assert_close(transformation.inverse(transformation(x)), x)


def test_composed_transformations_are_found_by_name() -> None:
    found = find("exchange red and green then turn 90", "images")
    assert found is not None
    x = torch.rand(2, 3, 4, 4)
    assert torch.equal(found(x), x[:, [1, 0, 2]].rot90(1, (-2, -1)))
    assert find("turn 90 then nothing", "images") is None


def test_powers_of_a_matrix_with_an_offset() -> None:
    matrix, offset = torch.tensor([[0.0, -1.0], [1.0, 0.0]]), torch.tensor([1.0, 2.0])
    turn = Transformation("turn about a point", matrix=matrix, offset=offset, space="rows")
    x = torch.rand(5, 2)
    assert torch.allclose(turn.power(3)(x), turn(turn(turn(x))), atol=1e-6)
    assert torch.allclose(turn.inverse(turn(x)), x, atol=1e-6)
    with pytest.raises(ValueError, match="samples"):
        turn(torch.rand(5, 3))


def test_unknown_names_are_not_found() -> None:
    assert all(find(name) is None for name in ("turn left", "spin 90", "scaling", "shift right", "mirror 4", ""))


@pytest.mark.parametrize(("name", "family"), LINES, **IDS)
def test_versions_on_a_line_have_one_size_and_no_border(name: str, family: Family) -> None:
    ones = torch.ones_like(SAMPLES[name])
    versions = [family.show(ones, version) for version in range(family.versions)]
    assert {version.shape for version in versions} == {versions[0].shape}
    assert [len(family.pairs(one)) for one in family.transformations] == list(range(family.versions - 1, 0, -1))
    if family.resampled:
        for version in versions[1:]:
            torch.testing.assert_close(version, versions[0], atol=0.02, rtol=0)


def test_tilts_come_in_mirrored_pairs() -> None:
    (family,) = families("images", "tilts")
    assert [one.name for one in family.transformations] == ["tilt 10", "tilt 20", "tilt 30"]
    x = noise(1, 1, 15, 15)
    for version in range(2):  # no version is sharper than its mirror image
        torch.testing.assert_close(family.show(x, version), family.show(x.flip(-1), 3 - version).flip(-1))


def test_a_restricted_family_is_the_subgroup() -> None:
    (family,) = families("images", "turns", "flips")
    part, x = family.restricted((0, 2, 4, 6)), SAMPLES["images"]
    assert [one.name for one in part.transformations] == ["turn 180", "flip columns", "flip rows"]
    for transformation in part.transformations:
        for h, t in part.pairs(transformation):
            torch.testing.assert_close(part.show(x, t), part.show(transformation(x), h))
    smallest = part.restricted((0, 6))
    assert [smallest.pairs(one) for one in smallest.transformations] == [((0, 1), (1, 0))]


def test_turns_by_eighths_agree_with_quarters() -> None:
    (family,) = families("images", "angles")
    x = SAMPLES["images"]
    torch.testing.assert_close(family.act(x, 2), torch.rot90(x, 1, (-2, -1)))
    torch.testing.assert_close(family.show(x, 3), torch.rot90(family.show(x, 1), 1, (-2, -1)))


def test_values_are_changed_in_the_units_of_the_samples() -> None:
    bright = torch.tensor([[[[0, 100, 255]]]], dtype=torch.uint8)
    assert find("negative")(bright).tolist() == [[[[255, 155, 0]]]]  # type: ignore[misc]
    assert find("negative", "images", 3.0)(torch.ones(1, 1, 1, 1)).item() == 2.0  # type: ignore[misc]
    standardised = families_of(["sign", "gain"], "signals", SAMPLES["signals"], zero=0.5)
    for family in standardised:
        torch.testing.assert_close(family.show(torch.full((1, 1, 4), 0.5), 1), torch.full((1, 1, 4), 0.5))


def test_channels_move_where_the_name_says() -> None:
    x = torch.arange(3.0).view(1, 3, 1, 1)
    cycle, exchange = find("cycle red green blue"), find("exchange red and blue")
    assert cycle is not None
    assert exchange is not None
    assert cycle(x).flatten().tolist() == [2, 0, 1]  # red is where green was
    assert exchange(x).flatten().tolist() == [2, 1, 0]
    names = {channel_permutation(order, "signals").name for order in permutations(range(4))}
    assert len(names) == 24
    assert "exchange channels 1 and 2, exchange channels 3 and 4" in names


def test_matrices_of_transformations_agree_with_their_functions() -> None:
    for name, kind, patch in [
        ("turn 90", "images", (5, 5)),
        ("shift 1 right", "images", (4, 5)),
        ("sign", "signals", (6,)),
    ]:
        transformation = find(name, kind)
        assert transformation is not None
        x, matrix = noise(2, *patch).double(), operator(name, patch)
        torch.testing.assert_close(act(matrix, x, len(patch)), transformation(x))
        assert torch.equal(matrix, matrix_of(transformation, patch))
    assert torch.equal(parse_operator("turn 90", (4, 4)), parse_operator("rotation 90", (4, 4)))
    assert torch.equal(parse_operator("flip rows then turn 180", (4, 6)), operator("reflection", (4, 6)))
    torch.testing.assert_close(operator("negative", (3, 3)), -torch.eye(9, dtype=torch.float64))
    with pytest.raises(ValueError, match="patch"):
        operator("turn 90", (4, 6))
    with pytest.raises(ValueError, match="name"):
        operator("exchange red and green", (3, 3))


@pytest.mark.parametrize(
    ("candidates", "shape"),
    [
        (("spirals",), (5, 1, 16, 16)),
        (("colour",), (5, 1, 16, 16)),
        (("angles",), (5, 1, 14, 16)),
        (("shifts",), (5, 1, 8, 16)),
        ((), (5, 1, 16, 16)),
    ],
)
def test_candidates_that_do_not_fit_are_refused(candidates: tuple[str, ...], shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="candidate"):
        families_of(candidates, "images", noise(*shape))
