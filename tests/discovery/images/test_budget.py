"""A budget scales the work: images first, then training; and says what it gave up."""

import torch

import lgn
from lgn.discovery.images.budget import FEWEST_IMAGES, LEAST_EFFORT, given_up, planned
from lgn.discovery.images.exact import turns_and_flips

FAMILY = turns_and_flips(("turns", "flips"), 8, 8)
IMAGES = torch.randn(64, 1, 8, 8, generator=torch.Generator().manual_seed(0))


def test_a_long_budget_gives_up_nothing_and_a_short_one_all_that_can_be() -> None:
    every = ("images", "labels", "network")
    assert planned(1e6, [(FAMILY, IMAGES)], 10_000, 1.0, every) == (10_000, 1.0)
    assert planned(1e-6, [(FAMILY, IMAGES)], 10_000, 1.0, every) == (FEWEST_IMAGES, LEAST_EFFORT)
    assert planned(1e-6, [(FAMILY, IMAGES)], 300, 1.0, every)[0] == 300  # few images are not made fewer


def test_what_was_given_up_is_said() -> None:
    assert given_up(2, (10_000, 1.0), (10_000, 1.0)) == []
    assert given_up(2, (10_000, 1.0), (5000, 0.5)) == [
        "To be ready in 2 minutes, 5,000 of 10,000 images were looked at and observers were trained 50% as long."
    ]


def test_an_answer_in_no_time_says_so_and_is_an_answer() -> None:
    images = torch.rand(2200, 1, 8, 8, generator=torch.Generator().manual_seed(0)) + torch.linspace(0, 3, 8)
    labels = (torch.arange(len(images)) % 2).long()
    found = lgn.symmetries(images, labels, candidates=("flips", "negative"), minutes=1e-4)
    assert found.row("flip columns").images == "broken"
    assert found.learned_from + found.judged_with == FEWEST_IMAGES
    assert found.effort == LEAST_EFFORT
    assert "2,000 of 2,200 images" in found.notes[0]
    assert found.notes[-1].startswith("Not asked, for 0.0001 minutes were over: negative")
