"""The study of recovery: what it plants, and what it measures."""

from dataclasses import replace

import pytest
import torch

from lgn.groups import as_group, relation_error
from lgn.penalties import PatchMoments
from lgn.transforms import operator
from studies.recovery import learned, planted, views
from studies.recovery.learned import TASKS, images_of


@pytest.mark.parametrize("task", planted.TASKS)
@pytest.mark.parametrize("sets", [4, 12, 16])
def test_every_planted_generator_is_found(task: str, sets: int) -> None:
    result = planted.measure_planted("digits", task, sets, 0.0, "least-squares", 0)
    assert result["error"] <= 1e-3


def test_permutations_are_found_with_noise() -> None:
    for task in ("rotation 90", "flip", "shift"):
        assert planted.measure_planted("digits", task, 12, 0.01, "procrustes", 0)["error"] <= 4e-2


def test_the_error_counts_the_identifiable_subspace_alone() -> None:
    matrix = torch.eye(36, dtype=torch.float64)
    found = matrix.clone()
    found[:, 3:] = 7
    assert planted.identifiable_error(found, matrix, matrix[:, :3]) == 0
    found[0, 0] = 0
    assert planted.identifiable_error(found, matrix, matrix[:, :3]) == pytest.approx(3**-0.5)


@pytest.mark.slow
def test_a_turn_through_a_maximum() -> None:
    result = planted.measure_maximum("rotation 90", "digits", 32, "max-affine", 0)
    assert result["solved_sets"] == 32
    assert result["error"] <= 1e-5


def test_views_are_what_the_tasks_say() -> None:
    images = torch.randint(256, (3000, 1, 8, 8), dtype=torch.uint8)
    turned = views.drawn_views(images, "quarter turns", 0)
    assert turned.shape == (views.IMAGES, views.VIEWS, 1, 8, 8)
    first = turned[0, 0]
    assert all(any(torch.equal(view, first.rot90(k, (-2, -1))) for k in range(4)) for view in turned[0])
    unrelated = views.drawn_views(images, "unrelated", 0).flatten(0, 1).flatten(1)
    assert len(unrelated.unique(dim=0)) == len(unrelated)


def test_filters_are_found_through_a_maximum_and_a_minimum_is_not_solved() -> None:
    generator = torch.Generator().manual_seed(0)
    colour = torch.randn(16, 16, generator=generator, dtype=torch.float64)  # patches are correlated
    x = torch.randn(3000, 16, generator=generator, dtype=torch.float64) @ colour
    bank = torch.randn(16, 4, 16, generator=generator, dtype=torch.float64)  # (sets, order, d)
    responses = torch.einsum("nd,kpd->nkp", x, bank)
    filters, residuals = planted.bank_from_maxima(x, responses.amax(-1), 4)
    assert float(residuals.max()) < 1e-7
    assert float(torch.cdist(filters, bank).amin(2).max()) < 1e-5
    _, residuals = planted.bank_from_maxima(x, responses[:, :1].amin(-1), 4, restarts=5)
    assert float(residuals[0]) > 0.1


def test_what_is_right_generates_the_group_and_nothing_else_is_near() -> None:
    for task in TASKS.values():
        group = as_group(task.group)
        assert len(task.right) == len(group.generators)
        firsts = torch.stack([targets[0] for targets in task.right])
        assert float(relation_error(group, firsts)) < 1e-12
        assert task.error(firsts) == 0
        eye = torch.eye(firsts.shape[-1], dtype=torch.float64).expand_as(firsts)
        assert min(task.error(eye), task.error(-firsts)) > 0.4


def test_what_is_right_keeps_the_moments_of_images_that_have_it_and_of_no_others() -> None:
    missed = {}
    for name in ("quarter turns", "upright", "flips", "turns and flips"):
        images, labels = images_of("digits", name, 0, 1000)
        task = TASKS["turns and flips" if name == "upright" else name]
        matrices = torch.stack([targets[0] for targets in task.right]).to(images)
        missed[name] = PatchMoments(images, labels, task.patch)(matrices).sum(0).amin()
    assert max(float(missed[name]) for name in missed if name != "upright") < 0.5 * float(missed["upright"])


def test_what_was_learned_is_analysed_and_smoothness_alone_is_no_operator() -> None:
    asked = replace(TASKS["quarter turns"], patch=(5, 5))
    random = torch.Generator().manual_seed(0)
    quarter = operator("rotation", (5, 5), degrees=90)
    noise = torch.randn(25, 25, generator=random, dtype=torch.float64)
    smooth = operator("blur", (5, 5), sigma=1.0)
    nearly = quarter + 0.04 * noise / noise.norm() * quarter.norm()
    for matrix, nearest, found in ((nearly, "rotation 90", True), (smooth @ noise @ smooth, None, False)):
        about = learned.analysed(matrix[None], asked)
        assert nearest is None or about["nearest"] == [nearest]
        assert (about["nearest_p"][0] <= 0.05) == found
