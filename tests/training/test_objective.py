"""The objective of a training, and the place of a divergence."""

import math

import pytest
import torch
from torch.nn import functional as F
from training.small import small

from lgn.training import build_model, build_penalty
from lgn.training.objective import Objective, largest_gradient


@pytest.mark.parametrize("task", ["classify", "reconstruct"])
def test_scores_are_sums_over_images_and_a_separate_penalty(task: str) -> None:
    torch.manual_seed(0)
    config = small(task=task)
    model = build_model(config, (1, 12, 12), 3, task)
    objective = Objective(model, build_penalty(config, model)).eval()
    x, labels = torch.randn(5, 1, 12, 12), torch.tensor([0, 1, 2, 0, 1])
    score = objective(x, labels if task == "classify" else None)
    output = model(x)
    if task == "classify":
        torch.testing.assert_close(score.loss, 5 * F.cross_entropy(output, labels))
        assert float(score.quality) == float((output.argmax(1) == labels).sum())
    else:
        torch.testing.assert_close(score.loss, 5 * F.mse_loss(output, x))
        torch.testing.assert_close(score.quality, score.loss)
    assert objective.penalty is not None
    torch.testing.assert_close(score.penalty, objective.penalty())
    penalised = {id(p) for p in objective.penalty.parameters()}
    assert penalised
    assert not penalised & {id(p) for p in model.parameters()}


@pytest.mark.parametrize("value", [1e6, math.nan, math.inf])
def test_the_largest_gradient_names_its_layer(value: float) -> None:
    model = build_model(small(), (1, 12, 12), 3, "classify")
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    basis = model.get_parameter("encoder.bank.basis")  # 2 layers of 2 sets
    assert basis.grad is not None
    basis.grad[3, 0, 1, 1] = -value
    where, size = largest_gradient(model, 2)
    assert where == "layer 2 (encoder.bank.basis)"
    assert size == (value if math.isfinite(value) else math.inf)
