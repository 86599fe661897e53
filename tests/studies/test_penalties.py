"""The loops that penalties are timed against compute the same penalties."""

import pytest
import torch

from lgn.nn import Classifier, UnfoldedEncoder
from lgn.penalties import AuxiliaryInverse, Penalty, SingularValues
from studies.speed.penalties import LoopedInverse, LoopedSingularValues


@pytest.mark.parametrize(
    ("batched", "looped"), [(AuxiliaryInverse, LoopedInverse), (SingularValues, LoopedSingularValues)]
)
def test_a_loop_computes_the_batched_penalty_and_its_gradient(batched: type[Penalty], looped: type[Penalty]) -> None:
    torch.manual_seed(0)
    model = Classifier(UnfoldedEncoder(1, 2, 3, num_layers=2, group=3, dtype=torch.float64), 10)
    penalties = [batched(model, 0.5), looped(model, 0.5)]
    weight = model.encoder.bank.generator.weight
    with torch.no_grad():
        weight.add_(0.2 * torch.randn_like(weight))  # away from where the inverses start
    values = [penalty() for penalty in penalties]
    assert abs(values[0]) > 0.1
    assert torch.allclose(values[0], values[1], rtol=1e-10)
    assert torch.allclose(*(torch.autograd.grad(value, weight)[0] for value in values), rtol=1e-8, atol=1e-10)
