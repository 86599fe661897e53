"""The study of unknown maps: the symmetries of its data, and its counts."""

import json
from itertools import pairwise
from pathlib import Path

import torch

from studies.render import Results
from studies.unknown import cases
from studies.unknown.tables import rates


def test_rows_of_a_nameless_group_keep_their_moments_under_it() -> None:
    """By another method: the third moments of the rows, moved by each element, are those of the rows."""
    images = torch.randint(256, (3_000, 1, 14, 14), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    images = images * (torch.rand(3_000, 1, 1, 1, generator=torch.Generator().manual_seed(1)) < 0.3)
    case = cases.nameless(images, "order 3", 6, 0)
    assert len(case.elements) == 2
    for one, other in pairwise([*case.elements, case.elements[0] @ case.elements[1]]):
        assert torch.allclose(case.elements[0] @ one, other, atol=1e-9)
    centred = case.x - case.x.mean(0)
    covariance = centred.T @ centred / len(centred)
    for element in case.elements:
        moved = element @ covariance @ element.T
        assert float((moved - covariance).norm() / covariance.norm()) < 0.2


def test_flipped_images_are_images_or_their_flips() -> None:
    images = torch.randint(256, (40, 1, 14, 14), dtype=torch.uint8)
    case = cases.turned(images, "flip", 0)
    same = (case.x == images).flatten(1).all(1)
    flipped = (case.x == images.flip(-1)).flatten(1).all(1)
    assert bool((same | flipped).all())
    assert 5 < int(same.sum()) < 35
    assert torch.equal(case.elements[0], cases.on_pixels(4))


def test_the_bound_on_wrong_searches_is_one_sided(tmp_path: Path) -> None:
    """One wrong search of 100 allows a rate of 4.7 %."""
    cell = {"key": {"part": "planted", "samples": 60_000}, "wrong": 0, "found": True}
    (tmp_path / "unknown.json").write_text(json.dumps({"cells": [{**cell, "wrong": 1, "found": False}, *[cell] * 99]}))
    assert rates(Results(tmp_path / "unknown.json")).rows == [["100", "1", "4.7 %", "99 of 100"]]
