"""Many starts: the best is chosen on held-out images, and claimed only where it beats free filters."""

import pytest
import torch
from torch import Tensor, nn

from lgn.discovery import parameter_groups, search_starts, spread_angles
from lgn.nn import GroupConv2d


class Guess(nn.Module):
    """Right on the given images."""

    def __init__(self, right: Tensor) -> None:
        super().__init__()
        self.right = right
        self.trained = 0


def trained(model: nn.Module) -> None:
    assert isinstance(model, Guess)
    model.trained += 1


def correct(model: nn.Module) -> Tensor:
    assert isinstance(model, Guess)
    assert model.trained == 1
    return model.right


def right(count: int, shift: int = 0, total: int = 1000) -> Tensor:
    return (torch.arange(total) < count).roll(shift)


def test_the_best_start_is_chosen_and_all_are_reported() -> None:
    starts = {name: (lambda c=count: Guess(right(c))) for name, count in (("a", 700), ("b", 900), ("c", 800))}
    search = search_starts(starts, lambda: Guess(right(850)), trained, correct)
    assert [(trial.name, trial.validation) for trial in search.trials] == [("a", 0.7), ("b", 0.9), ("c", 0.8)]
    assert search.best.name == "b"
    assert isinstance(search.model, Guess)
    assert int(search.model.right.sum()) == 900
    assert search.free.validation == 0.85
    assert search.claimed


def test_the_standard_error_is_that_of_the_paired_difference() -> None:
    best, free = right(900), right(880, shift=300)
    search = search_starts({"only": lambda: Guess(best)}, lambda: Guess(free), trained, correct)
    difference = best.double() - free.double()
    assert search.advantage == pytest.approx(0.02)
    assert search.standard_error == pytest.approx(float(difference.std()) / 1000**0.5)


def test_what_chance_could_do_is_not_claimed() -> None:
    search = search_starts({"only": lambda: Guess(right(860))}, lambda: Guess(right(850, shift=500)), trained, correct)
    assert 0 < search.advantage < 2 * search.standard_error
    assert not search.claimed
    assert "no symmetry is claimed" in repr(search)


def test_equal_networks_claim_nothing() -> None:
    search = search_starts({"only": lambda: Guess(right(850))}, lambda: Guess(right(850)), trained, correct)
    assert search.advantage == search.standard_error == 0
    assert not search.claimed


@pytest.mark.parametrize("count", [1, 4, 8])
def test_angles_are_spread_evenly_and_away_from_the_identity(count: int) -> None:
    angles = torch.tensor(spread_angles(count))
    assert len(angles) == count
    gaps = angles.sort().values.diff()
    assert torch.allclose(gaps, torch.full_like(gaps, 360 / count))
    assert float(angles.abs().min()) >= 180 / count - 1e-6
    assert all(-180 <= angle < 180 for angle in spread_angles(count, 37))


def test_generators_learn_at_their_own_rate_or_not_at_all() -> None:
    model = nn.Sequential(GroupConv2d(1, 2, 4, 3), nn.Conv2d(8, 2, 3))
    generator = model[0].bank.generator.weight
    groups = parameter_groups(model, 0.01, 30.0)
    assert [group["lr"] for group in groups] == pytest.approx([0.01, 0.3])
    assert [p is generator for p in groups[1]["params"]] == [True]
    assert sum(len(group["params"]) for group in groups) == len(list(model.parameters()))
    frozen = parameter_groups(model, 0.01, 0.0)
    assert len(frozen) == 1
    assert not generator.requires_grad
    assert all(p is not generator for p in frozen[0]["params"])
    with pytest.raises(ValueError, match="generator_factor must not be negative, got -1"):
        parameter_groups(model, 0.01, -1)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="starts must hold at least one start"):
        search_starts({}, lambda: Guess(right(1)), trained, correct)
    with pytest.raises(ValueError, match=r"at least 2 images, got \(1,\)"):
        search_starts({"a": lambda: Guess(right(1))}, lambda: Guess(right(1, total=1)), trained, correct)
    with pytest.raises(ValueError, match="the same images each time, got 9 and 8"):
        search_starts({"a": lambda: Guess(right(1, total=9))}, lambda: Guess(right(1, total=8)), trained, correct)
    with pytest.raises(ValueError, match="count must be at least 1, got 0"):
        spread_angles(0)
