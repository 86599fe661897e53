"""The study of groups: its planted groups, and its measurements."""

import torch

from studies.groups import cases


def test_planted_matrices_are_representations_of_their_groups() -> None:
    for task in cases.PLANTED:
        group, matrices, patch = cases.planted(task)
        rho = group.representation(matrices)
        torch.testing.assert_close(rho[group.table], rho[:, None] @ rho[None])
        assert len(torch.unique(rho.flatten(1), dim=0)) == group.order  # and faithful
        assert rho.shape[-1] == patch[0] * patch[1]
    group, matrices, _ = cases.planted("D4")
    assert len(cases.relabelled(group, matrices)) == 8  # the automorphisms of D4


def test_relations_reduce_the_error() -> None:
    methods = ("least-squares", "relations")
    alone, joint = (cases.measure_planted("S3 on channels", 0.05, method, 0) for method in methods)
    assert joint["error"] < alone["error"] <= 0.1
    assert cases.measure_planted("S3 on channels", "unrelated", "relations", 0)["error"] is None


def test_a_perturbed_reflection_breaks_equivariance() -> None:
    errors = {kind: cases.measure_depth(kind, 0)["error"] for kind in cases.KINDS}
    assert errors["known, float64"] <= 1e-10
    assert errors["known, float32"] <= 1e-4
    assert errors["reflection perturbed"] > 0.05


def test_training_keeps_relations() -> None:
    trained = cases.trained("learned", 0)
    assert trained["relation_error"] <= 1e-5
    assert trained["change"] > 0.01
