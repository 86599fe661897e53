"""The groups that matrices and permutations generate."""

import math

import pytest
import torch
from groups.known_groups import NAMES
from torch import Tensor

from lgn import groups, transforms


def turn(degrees: float) -> Tensor:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return torch.tensor([[c, -s], [s, c]], dtype=torch.float64)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "C1"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_group_of_a_representation_in_any_coordinates(name: str, seed: int) -> None:
    group = groups.as_group(name)
    generator = torch.Generator().manual_seed(seed)
    s = torch.randn(group.order, group.order, generator=generator, dtype=torch.float64)
    matrices = s @ group.regular()[list(group.generator_elements)] @ torch.linalg.inv(s)
    found = groups.from_matrices(matrices, limit=group.order, names=group.generators, tolerance=1e-4)
    assert found.group.name == group.name
    assert found.group.generators == group.generators
    assert found.error < 1e-6
    # The matrices multiply as the table says.
    products = found.elements[:, None] @ found.elements[None]
    torch.testing.assert_close(found.elements[found.group.table], products, rtol=1e-5, atol=1e-5)


def test_image_symmetries_are_d4() -> None:
    patch = (5, 5)
    made = groups.from_matrices(
        [transforms.operator("rotation", patch, degrees=90), transforms.operator("reflection", patch, axis="columns")],
        names=["r", "s"],
    )
    assert (made.group.name, made.group.generators, made.error) == ("D4", ("r", "s"), 0.0)
    assert made.group.is_isomorphic(groups.dihedral(4))
    half = groups.from_matrices([transforms.operator("rotation", patch, degrees=180)])
    assert half.group.name == "C2"


def test_the_identity_and_repeated_matrices_are_no_generators() -> None:
    r = turn(90)
    group = groups.from_matrices([torch.eye(2), r, r, r @ r], names=["i", "a", "b", "c"]).group
    assert (group.name, group.generators) == ("C4", ("a", "c"))
    assert groups.from_matrices([torch.eye(3)]).group.name == "trivial"


def test_matrices_that_do_not_close_within_the_tolerance_are_refused() -> None:
    with pytest.raises(ValueError, match="limit"):
        groups.from_matrices([turn(1)])
    noisy = turn(90) + 1e-3
    with pytest.raises(ValueError, match="limit"):
        groups.from_matrices([noisy], limit=8)
    assert groups.from_matrices([noisy], limit=8, tolerance=0.05).group.name == "C4"
    with pytest.raises(ValueError, match="matrices"):
        groups.from_matrices([torch.zeros(2, 3)])
    with pytest.raises(ValueError, match="names"):
        groups.from_matrices([turn(90)], names=["a", "b"])


def test_permutations_close_exactly() -> None:
    made = groups.from_permutations([(1, 2, 0), (1, 0, 2)], names=["c", "t"])
    assert (made.group.name, made.group.generators) == ("S3", ("c", "t"))
    g, h = made.elements[:, None, :].expand(-1, 6, -1), made.elements[None].expand(6, -1, -1)
    assert torch.equal(made.elements[made.group.table], g.gather(2, h))  # (g h)[i] = g[h[i]]
    with pytest.raises(ValueError, match="limit"):
        groups.from_permutations([(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0)], limit=10)
    with pytest.raises(ValueError, match="permutations"):
        groups.from_permutations([(0, 0)])
