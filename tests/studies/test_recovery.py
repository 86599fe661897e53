"""The study of recovery: what it plants, and what it measures."""

import pytest
import torch

from studies.recovery import maximum, planted, views


@pytest.mark.parametrize("task", planted.TASKS)
@pytest.mark.parametrize("sets", [4, 12, 16])
def test_every_planted_generator_is_found(task: str, sets: int) -> None:
    result = planted.measure("digits", task, sets, 0.0, "least-squares", 0, steps=0)
    assert result["error"] <= 1e-3


def test_permutations_are_found_with_noise() -> None:
    for task in ("rotation 90", "flip", "shift"):
        assert planted.measure("digits", task, 12, 0.01, "procrustes", 0, steps=0)["error"] <= 4e-2


def test_the_error_counts_the_identifiable_subspace_alone() -> None:
    matrix = torch.eye(36, dtype=torch.float64)
    before = torch.eye(36, dtype=torch.float64)[:, :3]
    wrong_elsewhere = matrix.clone()
    wrong_elsewhere[:, 3:] = 7
    assert planted.identifiable_error(wrong_elsewhere, matrix, before) == 0
    wrong_here = matrix.clone()
    wrong_here[0, 0] = 0
    assert planted.identifiable_error(wrong_here, matrix, before) == pytest.approx(3**-0.5)


@pytest.mark.slow
def test_a_turn_through_a_maximum() -> None:
    result = maximum.measure("digits", 32, 0, "max-affine")
    assert result["solved_sets"] == 32
    assert result["error"] <= 1e-5


def test_views_are_what_the_tasks_say() -> None:
    images = torch.randint(256, (3000, 1, 8, 8), dtype=torch.uint8)
    turned = views.some_views(images, "quarter turns", 0)
    assert turned.shape == (views.IMAGES, views.VIEWS, 1, 8, 8)
    first = turned[0, 0]
    assert all(any(torch.equal(view, first.rot90(k, (-2, -1))) for k in range(4)) for view in turned[0])
    unrelated = views.some_views(images, "unrelated", 0).flatten(0, 1).flatten(1)
    assert len(unrelated.unique(dim=0)) == len(unrelated)
