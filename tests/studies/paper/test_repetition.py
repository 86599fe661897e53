"""How alike the filters of a set are."""

from pathlib import Path

import pytest
import torch
from training.small import small

from lgn.actions import orbit
from lgn.training import train
from studies.paper.summaries import likeness_by_step, over_runs, repetition


def test_a_quarter_turn_in_a_plane_comes_back_with_the_other_sign() -> None:
    q, _ = torch.linalg.qr(torch.randn(9, 9, generator=torch.Generator().manual_seed(0), dtype=torch.float64))
    turn = torch.zeros(9, 9, dtype=torch.float64)
    turn[0, 1], turn[1, 0] = -1, 1
    sets = torch.stack([orbit(q @ turn @ q.T, (q[:, 0] * size).reshape(3, 3).T, 4)[:, None] for size in (1.0, 5.0)])
    found = likeness_by_step(sets)
    assert found["in a set"] == pytest.approx([0, 1, 0], abs=1e-9)
    assert found["between sets"] == pytest.approx([0, 1, 0], abs=1e-9)  # both sets are in one plane


def test_sets_are_compared_with_themselves_and_with_others_by_channel() -> None:
    one, two = torch.eye(9, dtype=torch.float64)[:2].reshape(2, 3, 3)
    # Two sets of three filters with two channels: all filters of a set are the same, and none is that of the other.
    sets = torch.stack([torch.stack([one, two]).expand(3, 2, 3, 3), torch.stack([two, one]).expand(3, 2, 3, 3)])
    assert likeness_by_step(sets) == {"in a set": [1, 1], "between sets": [0, 0]}


def test_layers_are_apart_and_free_filters_are_taken_as_they_stand(tmp_path: Path) -> None:
    group, free = (train(small(generator=kind, epochs=1), tmp_path / kind) for kind in ("dense", "free"))
    sets = group.model().encoder.bank().detach().double().unflatten(0, (2, 2, 4))  # type: ignore[operator, union-attr]
    by_hand = torch.cosine_similarity(sets[:, :, 1:].flatten(4), sets[:, :, :-1].flatten(4), dim=-1).abs().mean()
    assert repetition(group)["in a set"][0] == pytest.approx(float(by_hand))
    whole = over_runs([group, free])
    assert [len(step) for step in whole["in a set"]] == [2, 2, 2]
    assert whole["between sets"][1][1] == pytest.approx(repetition(free)["between sets"][1])
