"""The effect of a transformation on classes, for a classifier that knows them."""

import pytest
import torch
from torch import Tensor, nn

from lgn.answer import Evidence, LabelMap
from lgn.discovery.images.label_effects import label_effect

LABELS, ALONE = torch.arange(400) % 3, torch.arange(400)


class Reads(nn.Module):
    """Predicts the class that the pixels of a sample state."""

    def forward(self, samples: Tensor) -> Tensor:
        return nn.functional.one_hot(samples[:, 0, 0, 0].long(), 4).float()


def samples_of(labels: Tensor) -> Tensor:
    return labels.float().view(-1, 1, 1, 1).expand(-1, 1, 4, 4)


def effect(moved: Tensor, draws: Tensor = ALONE) -> tuple[Evidence, LabelMap]:
    found = label_effect(Reads(), samples_of(LABELS), samples_of(moved), LABELS, draws)
    assert isinstance(found.detail, LabelMap)
    return found, found.detail


def test_classes_survive_are_permuted_or_are_lost() -> None:
    random = torch.Generator().manual_seed(0)
    survived, permuted, lost = (
        effect(moved) for moved in (LABELS, (LABELS + 1) % 3, torch.randint(3, (400,), generator=random))
    )
    assert (survived[0].verdict, survived[1].effect, survived[0].value) == ("kept", "survive", 0.0)
    assert (permuted[0].verdict, permuted[1].effect) == ("kept", "permuted")
    assert permuted[1].permutation == (1, 2, 0, 3)  # a class without samples stays
    assert (lost[0].verdict, lost[1].effect, lost[1].permutation) == ("broken", "lost", ())
    assert lost[0].value == pytest.approx(2 / 3, abs=0.1)


def test_the_interval_is_that_of_independent_draws() -> None:
    moved = torch.where(torch.arange(400) // 20 % 10 == 0, (LABELS + 1) % 3, LABELS)  # one block of ten is lost
    single, blocks = effect(moved)[0].interval, effect(moved, torch.arange(400) // 20)[0].interval
    assert single is not None
    assert blocks is not None
    assert blocks[1] - blocks[0] > 3 * (single[1] - single[0])
