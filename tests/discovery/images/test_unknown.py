"""What the moments propose is judged like any candidate: found where it is planted, nothing where it is not."""

import pytest
import torch
from torch import Tensor

import lgn
from lgn.discovery.images.unknown import proposed


def mixtures(count: int) -> Tensor:
    """Four smooth patterns in amounts of skewed laws that differ, half of the images mirrored.  (N, 1, 8, 8)"""
    generator = torch.Generator().manual_seed(0)
    row, column = torch.meshgrid(torch.linspace(-1, 1, 8), torch.linspace(-1, 1, 8), indexing="ij")
    patterns = torch.stack([column, 0.8 * row, 0.6 * column * row, 0.5 * (row**2 - column**2)])
    one, two, three, four = -torch.rand(4, count, generator=generator).log()
    amounts = torch.stack([one, two**1.5, one * three, four + two], 1)
    images = torch.einsum("nk,kij->nij", amounts, patterns)[:, None]
    mirrored = torch.rand(count, 1, 1, 1, generator=generator) < 0.5
    return torch.where(mirrored, images.flip(-1), images)


@pytest.mark.slow
def test_a_planted_flip_is_proposed_named_and_kept() -> None:
    images = mixtures(5000)
    found = lgn.symmetries(images, candidates=("unknown",))
    assert found.kept == ("unknown 1 (like flip columns)",), str(found)
    assert found.group.name == "trivial"  # it may be any of the candidates, and is not counted beside them


@pytest.mark.slow
def test_a_proposal_acts_on_the_directions_it_is_known_on() -> None:
    images = mixtures(5000)
    families, _ = proposed(images, seed=0)
    view = families[0].view
    assert view is not None
    seen = view(images[:50])
    torch.testing.assert_close(families[0].act(seen, 2), seen, atol=1e-4, rtol=0)  # of period two
    error = (families[0].act(seen, 1) - seen.flip(-1)).norm() / (seen - seen.flip(-1)).norm()
    assert float(error) < 0.2


def test_too_few_images_for_moments_leave_the_others_asked() -> None:
    found = lgn.symmetries(mixtures(40), candidates=("flips", "unknown"), effort=0.1)
    assert found.rows
    assert any("Unknown maps were not looked for" in note for note in found.notes)
