"""A limit of time reduces the samples first, then the training, and the notes say so."""

import torch

from lgn.discovery.images import discover_images
from lgn.discovery.images.budget import FEWEST_SAMPLES, LEAST_EFFORT, plan
from lgn.transforms import families_of

IMAGES = torch.randn(64, 1, 8, 8, generator=torch.Generator().manual_seed(0))
(FAMILY,) = families_of(("turns", "flips"), "images", IMAGES)


def test_short_limits_reduce_samples_and_effort() -> None:
    every = ("data", "labels", "network")
    assert plan(1e6, [(FAMILY, IMAGES)], 10_000, 1.0, every) == (10_000, 1.0)
    assert plan(1e-6, [(FAMILY, IMAGES)], 10_000, 1.0, every) == (FEWEST_SAMPLES, LEAST_EFFORT)
    assert plan(1e-6, [(FAMILY, IMAGES)], 300, 1.0, every)[0] == 300


def test_answers_with_a_limit_count_the_samples_that_were_used() -> None:
    images = torch.rand(2200, 1, 8, 8, generator=torch.Generator().manual_seed(0)) + torch.linspace(0, 3, 8)
    labels = torch.arange(len(images)) % 2
    found = discover_images(images, labels, kind="images", candidates=("flips", "negative"), minutes=1e-4)
    assert found["flip columns"].verdict == "broken"
    assert found.data.count == FEWEST_SAMPLES
    assert found.settings["effort"] == LEAST_EFFORT
    assert "2,000 of 2,200" in found.notes[0]
    assert "negative" in found.notes[-1]
