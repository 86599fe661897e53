"""`CodeBatchNorm` agrees with `nn.BatchNorm2d` for all memory formats."""

import copy

import pytest
import torch
from torch import nn

from lgn.nn.kernels.batch_norm import CodeBatchNorm, _rows
from lgn.nn.kernels.fast import channels_last


def pair(channels: int) -> tuple[CodeBatchNorm, nn.BatchNorm2d]:
    torch.manual_seed(0)
    ours = CodeBatchNorm(channels, dtype=torch.float64)
    with torch.no_grad():
        ours.weight.copy_(torch.randn(channels))
        ours.bias.copy_(torch.randn(channels))
    theirs = nn.BatchNorm2d(channels, dtype=torch.float64)
    theirs.load_state_dict(ours.state_dict())
    return ours, theirs


@pytest.mark.parametrize("channels", [1, 5, 20])
@pytest.mark.parametrize("stored", ["channels last", "channels first"])
def test_outputs_gradients_and_running_statistics_agree_with_torch(channels: int, stored: str) -> None:
    ours, theirs = pair(channels)
    for step in range(3):  # running statistics of several batches
        x = 3 + 2 * torch.randn(4, channels, 7, 5, dtype=torch.float64)
        mine = (channels_last(x) if stored == "channels last" else x.clone()).requires_grad_()
        if stored == "channels last":
            assert _rows(mine) is not None  # else this would compare torch with itself
        plain = x.clone().requires_grad_()
        g = torch.randn_like(x)
        output, expected = ours(mine), theirs(plain)
        torch.testing.assert_close(output, expected, rtol=1e-11, atol=1e-11)
        output.backward(g)
        expected.backward(g)
        torch.testing.assert_close(mine.grad, plain.grad, rtol=1e-10, atol=1e-11)
        for name, parameter in theirs.named_parameters():
            torch.testing.assert_close(ours.get_parameter(name).grad, parameter.grad, rtol=1e-11, atol=1e-11)
        for name, buffer in theirs.named_buffers():
            torch.testing.assert_close(ours.get_buffer(name), buffer, rtol=1e-12, atol=1e-12)
        assert int(ours.num_batches_tracked) == step + 1


def test_evaluation_uses_the_running_statistics() -> None:
    ours, theirs = pair(3)
    ours(channels_last(torch.randn(8, 3, 4, 4, dtype=torch.float64)))
    theirs.load_state_dict(ours.state_dict())
    before = copy.deepcopy(ours.state_dict())
    x = channels_last(torch.randn(2, 3, 4, 4, dtype=torch.float64))
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x))
    for name, tensor in ours.state_dict().items():
        assert torch.equal(tensor, before[name])


def test_a_state_dict_of_torch_is_loaded() -> None:
    assert CodeBatchNorm(4).state_dict().keys() == nn.BatchNorm2d(4).state_dict().keys()
