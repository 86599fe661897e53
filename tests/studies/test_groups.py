"""The study of groups: what it plants, and what it measures."""

import torch

from studies.groups import depth, planted, views


def test_planted_matrices_are_representations_of_their_groups() -> None:
    for task in planted.TASKS:
        group, matrices, patch = planted.planted(task)
        rho = group.representation(matrices)
        torch.testing.assert_close(rho[group.table], rho[:, None] @ rho[None])
        assert len(torch.unique(rho.flatten(1), dim=0)) == group.order  # and faithful
        assert rho.shape[-1] == patch[0] * patch[1]
    group, matrices, _ = planted.planted("D4")
    assert len(planted.relabelled(group, matrices)) == 8  # the automorphisms of D4


def test_relations_reduce_the_error() -> None:
    alone, joint = (planted.measure("S3 on channels", 0.05, method, 0) for method in ("least-squares", "relations"))
    assert joint["error"] < alone["error"] <= 0.1
    assert planted.measure("S3 on channels", None, "relations", 0)["error"] is None


def test_a_perturbed_reflection_breaks_equivariance() -> None:
    errors = {kind: depth.measure(kind, 0)["error"] for kind in depth.KINDS}
    assert errors["known, float64"] <= 1e-10
    assert errors["known, float32"] <= 1e-4
    assert errors["reflection perturbed"] > 0.05


def test_training_keeps_relations() -> None:
    learned = depth.learned(0)
    assert learned["relation_error"] <= 1e-5
    assert learned["change"] > 0.01


def test_views_are_under_the_elements_that_they_say() -> None:
    images = (255 * torch.rand(400, 1, 9, 9)).to(torch.uint8)
    seen = views.some_views(images, "D4", 0.0, 0)
    first = seen[0].flatten(1)
    assert len(torch.unique(first, dim=0)) <= 8
    assert seen.shape == (views.IMAGES, views.VIEWS, 1, 9, 9)
