"""`Gates`: the expected loss over ranges of elements, and its gradients."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import lgn
from lgn.groups import as_group
from lgn.nn import Gates, GroupNet


def net_of(group: str, value: float | None = None) -> GroupNet:
    """A network with gates at a value."""
    torch.manual_seed(0)
    net = GroupNet(1, 10, group=group, parameters=6000, num_layers=3, gates=True, dtype=torch.float64)
    assert net.gates is not None
    if value is not None:
        with torch.no_grad():
            net.gates.logits.copy_(value * torch.arange(len(net.gates.logits)))
    return net.eval()


def random_images(count: int = 3) -> Tensor:
    torch.manual_seed(1)
    return torch.randn(count, 1, 13, 13, dtype=torch.float64)


@pytest.mark.parametrize(("name", "ranges"), [("C8", 5), ("C5", 3), ("C2", 2), ("D1", 2)])
def test_gates_fall_with_the_distance_from_the_identity(name: str, ranges: int) -> None:
    gates, group = Gates(as_group(name), dtype=torch.float64), as_group(name)
    torch.testing.assert_close(gates.probabilities(), torch.full((ranges,), 1 / ranges, dtype=torch.float64))
    torch.nn.init.normal_(gates.logits, std=0.3)
    values = gates.values()
    torch.testing.assert_close(values[0], torch.ones((), dtype=torch.float64))
    assert torch.equal(values, values[group.inverses])
    by_word = list(gates.by_word().values())
    assert len(by_word) == ranges
    assert by_word == sorted(by_word, reverse=True)


def test_the_loss_is_the_expected_loss_over_all_ranges() -> None:
    """Compared with the sum over all ranges."""
    torch.manual_seed(0)
    gates, codes = Gates(as_group("C4"), dtype=torch.float64), torch.rand(5, 3 * 4, 2, 2, dtype=torch.float64)
    head, labels = torch.randn(3, 7, dtype=torch.float64), torch.tensor([0, 1, 2, 3, 4])
    torch.nn.init.normal_(gates.logits, std=0.3)
    values = gates.values()
    expected = torch.zeros(5, dtype=torch.float64)
    for members, chance in (
        ([0], 1 - values[1]),
        ([0, 1, 3], values[1] - values[2]),
        ([0, 1, 2, 3], values[2]),
    ):
        pooled = codes.unflatten(1, (3, 4))[:, :, members].amax(2).mean((2, 3))
        expected = expected + chance * F.cross_entropy(pooled @ head, labels, reduction="none")
    answers = gates(codes).mean((-2, -1)) @ head
    losses = torch.stack([F.cross_entropy(scores, labels, reduction="none") for scores in answers])
    torch.testing.assert_close(gates.expected(losses), expected)


def test_open_gates_are_the_whole_group_and_closed_ones_the_identity() -> None:
    images, labels = random_images(), torch.tensor([1, 5, 7])
    for value, elements in ((20.0, list(range(8))), (-20.0, [0])):
        net = net_of("C8", value)
        assert net.gates is not None
        assert (net.gates.values() > 0.5).nonzero().flatten().tolist() == elements
        pooled = net.codes(images).unflatten(1, (-1, 8))[:, :, elements].amax(2)
        torch.testing.assert_close(net(images), net.head(pooled.mean((2, 3))))
        loss, answers = net.gated_loss(images, labels)
        torch.testing.assert_close(answers, net(images))
        torch.testing.assert_close(loss, F.cross_entropy(net(images), labels, reduction="sum"))


def test_the_network_is_invariant_to_the_open_gates() -> None:
    images = random_images()
    errors = lgn.equivariance_table(net_of("C4", 20.0), images, group="C4").output
    assert max(errors.values()) < 1e-12
    closed = net_of("C4", -20.0)
    closed.norms[0].train()
    modes = [module.training for module in closed.modules()]
    assert min(lgn.equivariance_table(closed, images, group="C4").output.values()) > 1e-3
    assert [module.training for module in closed.modules()] == modes


@pytest.mark.parametrize("name", ["C8", "D1"])
def test_gradients_agree_with_finite_differences(name: str) -> None:
    torch.manual_seed(0)
    group = as_group(name)
    gates = Gates(group, dtype=torch.float64)
    torch.nn.init.normal_(gates.logits, std=0.3)
    codes = torch.rand(2, 2 * group.order, 2, 2, dtype=torch.float64, requires_grad=True)
    head = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)

    def loss(logits: Tensor, codes: Tensor, head: Tensor) -> Tensor:
        return torch.func.functional_call(_Loss(gates), {"gates.logits": logits}, (codes, head))

    assert torch.autograd.gradcheck(loss, (gates.logits, codes, head))


def test_gradients_of_a_network_agree_with_finite_differences() -> None:
    """Through all layers, for gates and for the layers before them."""
    net, images, labels = net_of("C8"), random_images(), torch.tensor([1, 5, 7])
    net.gated_loss(images, labels)[0].backward()
    for parameter in (net.gates.logits, net.head.bias, net.norms[0].norm.weight):  # type: ignore[union-attr]
        assert parameter.grad is not None
        for place in range(min(4, len(parameter))):
            losses = []
            for step in (1e-6, -1e-6):
                with torch.no_grad():
                    parameter[place] += step
                    losses.append(float(net.gated_loss(images, labels)[0]))
                    parameter[place] -= step
            assert float(parameter.grad[place]) == pytest.approx((losses[0] - losses[1]) / 2e-6, rel=1e-4, abs=1e-8)


def test_the_merged_network_has_equal_outputs() -> None:
    net, images = net_of("C8"), random_images()
    torch.testing.assert_close(lgn.merge(net)(images), net(images))


def test_groups_without_one_generator_have_no_gates() -> None:
    with pytest.raises(ValueError, match="group must"):
        GroupNet(1, 10, group=None, parameters=6000, gates=True)
    with pytest.raises(ValueError, match="group must"):
        GroupNet(1, 10, group="D4", parameters=30_000, gates=True)


class _Loss(torch.nn.Module):
    def __init__(self, gates: Gates) -> None:
        super().__init__()
        self.gates = gates

    def forward(self, codes: Tensor, head: Tensor) -> Tensor:
        answers = self.gates(codes).mean((-2, -1)) @ head
        return self.gates.expected(-answers.log_softmax(-1)[..., 0]).sum()
