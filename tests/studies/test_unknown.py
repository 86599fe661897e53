"""The benchmark of unknown symmetries: its data have what they are said to have, and its page counts what is wrong."""

from itertools import pairwise

import torch

from lgn.transforms import parse_operator
from studies import unknown
from studies.cells import cells_of
from studies.unknown import cases, refused
from studies.unknown.page import rates


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
    assert torch.equal(case.elements[0], parse_operator("reflection columns", (14, 14)))


def test_every_refusal_is_a_sentence_and_gaussian_data_are_answered() -> None:
    answers = {given: refused.answer(given) for given in refused.GIVEN}
    assert {given for given, each in answers.items() if not each["refused"]} == {"Gaussian data"}
    assert all(
        each["says"].count("\n") == 0 and " must " in each["says"] for each in answers.values() if each["refused"]
    )


def test_a_quick_run_needs_nothing_but_the_package() -> None:
    for part in unknown.MODULES:
        for cell in cells_of(unknown.MODULES, part, quick=True):
            assert cell.key.get("data", "digits") == "digits"


def test_the_page_counts_what_is_wrong() -> None:
    """Of 100 searches one is wrong: at most 4.7 % by Clopper and Pearson's bound (one-sided, 95 %)."""
    cell = {"key": {"part": "planted", "samples": 60_000}, "wrong": 0, "found": True}
    told = " ".join(rates({"cells": [{**cell, "wrong": 1, "found": False}, *[cell] * 99]}).split())
    assert "Of 100 searches" in told
    assert "1 claim something wrong (at most 4.7 %" in told
    assert "Of 100 planted groups 99 are found" in told
