"""The learned part of the recovery benchmark: what was planted is what is right, and is judged by that."""

from dataclasses import replace

import torch

from lgn.groups import as_group, relation_error
from lgn.penalties import PatchMoments
from lgn.transforms import operator
from studies.recovery import learned
from studies.recovery.learned import TASKS, images_of


def test_what_is_right_generates_the_group_and_nothing_else_is_near() -> None:
    for task in (make() for make in TASKS.values()):
        group = as_group(task.group)
        assert len(task.right) == len(group.generators)
        firsts = torch.stack([some[0] for some in task.right])
        assert float(relation_error(group, firsts)) < 1e-12
        assert task.error(firsts) == 0
        eye = torch.eye(firsts.shape[-1], dtype=torch.float64).expand_as(firsts)
        assert task.error(eye) > 0.4
        assert task.error(-firsts) > 0.4


def test_what_is_right_keeps_the_moments_of_images_that_have_it_and_of_no_others() -> None:
    missed = {}
    for name in ("quarter turns", "upright", "flips", "turns and flips"):
        images, labels = images_of("digits", name, 0, 1000)
        task = TASKS["turns and flips" if name == "upright" else name]()
        matrices = torch.stack([some[0] for some in task.right]).to(images)
        missed[name] = PatchMoments(images, labels, task.patch)(matrices).sum(0).amin()
    assert max(float(missed[name]) for name in missed if name != "upright") < 0.5 * float(missed["upright"])


def test_what_was_learned_is_analysed_and_smoothness_alone_is_no_operator() -> None:
    asked = replace(TASKS["quarter turns"](), patch=(5, 5))
    random = torch.Generator().manual_seed(0)
    quarter = operator("rotation", (5, 5), degrees=90)
    noise = torch.randn(25, 25, generator=random, dtype=torch.float64)
    smooth = operator("blur", (5, 5), sigma=1.0)
    nearly = quarter + 0.04 * noise / noise.norm() * quarter.norm()
    for matrix, nearest, found in ((nearly, "rotation 90", True), (smooth @ noise @ smooth, None, False)):
        about = learned.analysed(matrix[None], asked)
        assert nearest is None or about["nearest"] == [nearest]
        assert (about["nearest_p"][0] <= 0.05) == found
