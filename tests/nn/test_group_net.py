"""`GroupNet`: its invariance, its number of parameters, and merging."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import lgn
from lgn.groups import as_group, relation_error
from lgn.nn import GroupNet
from lgn.nn.image_action import image_action
from lgn.transforms import operator


def blurred(count: int, side: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Smooth images with dark corners, which turns cut off."""
    torch.manual_seed(1)
    place = torch.linspace(-1, 1, side, dtype=dtype)
    disc = (-6 * (place[:, None] ** 2 + place[None, :] ** 2)).exp()
    coarse = torch.randn(count, 1, 5, 5, dtype=dtype)
    return nn.functional.interpolate(coarse, side, mode="bicubic", align_corners=True) * disc


def settled(net: GroupNet, images: Tensor) -> GroupNet:
    """The network after a few batches, with statistics, scales and shifts of normalisation that are not trivial."""
    net.train()
    for norm in net.norms:
        nn.init.uniform_(norm.norm.weight, 0.5, 1.5)
        nn.init.uniform_(norm.norm.bias, -0.5, 0.5)
    for _ in range(3):
        net(images)
    return net.eval()


@pytest.mark.parametrize("side", [28, 27, 9])
@pytest.mark.parametrize("name", ["D4", "C4", "D2", "C2", "D1", "C8", "D8", "C12"])
def test_quarter_turns_and_flips_of_the_group_keep_the_output(name: str, side: int) -> None:
    torch.manual_seed(0)
    net = GroupNet(1, 10, group=name, parameters=8000, dtype=torch.float64)
    images = torch.randn(4, 1, side, side, dtype=torch.float64)
    group = as_group(name)
    errors = lgn.equivariance_table(settled(net, images), images, group=group).output
    # Turns between quarters are resampled, and noise is the worst that can be resampled.
    turns = group["r"].order if "r" in group.generators else 1
    exact = [word for word in errors if turns <= 4 or (word.split()[0].removeprefix("r^") == str(turns // 4))]
    assert exact
    assert max(errors[word] for word in exact) < 1e-12


def test_transformations_outside_of_the_group_change_the_output() -> None:
    torch.manual_seed(0)
    images = torch.randn(4, 1, 28, 28, dtype=torch.float64)
    net = settled(GroupNet(1, 10, group="C4", parameters=8000, dtype=torch.float64), images)
    assert lgn.equivariance_table(net, images, group="C4").output["r"] < 1e-12
    assert lgn.equivariance_table(net, images, group="D1").output["s"] > 1e-2
    free = settled(GroupNet(1, 10, group=None, parameters=8000, dtype=torch.float64), images)
    assert lgn.equivariance_table(free, images, group="C4").output["r"] > 1e-2


@pytest.mark.parametrize(("name", "most"), [("C8", 0.15), ("C16", 0.15), ("D8", 0.15)])
def test_turns_between_pixels_change_the_output_little(name: str, most: float) -> None:
    torch.manual_seed(0)
    images = blurred(16, 28)
    with_group = settled(GroupNet(1, 10, group=name, dtype=torch.float64), images)
    free = settled(GroupNet(1, 10, group=None, dtype=torch.float64), images)
    error = lgn.equivariance_table(with_group, images, group=name).worst
    assert error < most
    assert error < lgn.equivariance_table(free, images, group=name).worst / 2


@pytest.mark.parametrize("kernel", [3, 5, 7])
@pytest.mark.parametrize("name", ["C8", "C16", "D8", "C6", "D4", "C4", "D2", "C2", "D1"])
def test_the_action_is_a_representation(name: str, kernel: int) -> None:
    group, matrices, span = image_action(name, kernel)
    assert float(relation_error(group, matrices)) < 1e-12
    if span is None:
        assert torch.equal(matrices, matrices.round())
        return
    torch.testing.assert_close(span.mT @ span, torch.eye(span.shape[1], dtype=torch.float64))
    elements = group.representation(matrices)
    # It stays among the filters that bases are made of, and quarters of a turn move pixels.
    torch.testing.assert_close(span @ span.mT @ (elements @ span), elements @ span)
    if group["r"].order % 4 == 0:
        quarter = group["r"].order // 4
        exact = operator("rotation", (kernel, kernel), degrees=90)
        torch.testing.assert_close(elements[group[f"r^{quarter}"].number] @ span, exact @ span)


@pytest.mark.parametrize("name", ["C8", "C4", "D4", "D1", "C16", None])
@pytest.mark.parametrize(("parameters", "channels", "classes"), [(25_000, 1, 10), (60_000, 3, 100), (10_000, 3, 2)])
def test_it_has_the_given_number_of_parameters(name: str | None, parameters: int, channels: int, classes: int) -> None:
    net = GroupNet(channels, classes, group=name, parameters=parameters)
    count = sum(p.numel() for p in net.parameters())
    assert 0.98 * parameters < count <= parameters
    assert net(torch.randn(2, channels, 28, 28)).shape == (2, classes)


@pytest.mark.parametrize("share", ["set", "layer", "channel"])
def test_learned_generators_are_counted_as_parameters(share: str) -> None:
    net = GroupNet(1, 10, group="C4", parameters=25_000, num_layers=3, kernel_size=3, generator="dense", share=share)  # type: ignore[arg-type]
    assert 0.9 * 25_000 < sum(p.numel() for p in net.parameters()) <= 25_000
    assert all(p.requires_grad for p in net.parameters())


def test_free_filters_are_the_same_network() -> None:
    net = GroupNet(1, 10, group=None)
    assert all(type(layer) is nn.Conv2d for layer in net.convolutions)
    assert net.order == 1
    assert net.group is None


@pytest.mark.parametrize("name", ["C8", "D4", None])
def test_a_merged_network_has_plain_convolutions_and_equal_outputs(name: str | None) -> None:
    torch.manual_seed(0)
    images = torch.randn(5, 1, 28, 28, dtype=torch.float64)
    net = settled(GroupNet(1, 10, group=name, parameters=8000, dtype=torch.float64), images)
    plain = lgn.merge(net)
    torch.testing.assert_close(plain(images), net(images))
    assert all(type(layer) is nn.Conv2d for layer in plain.convolutions)  # type: ignore[union-attr]
    assert sum(isinstance(module, lgn.nn.GroupConv2d) for module in net.modules()) == (0 if name is None else 5)


def test_gradients_agree_with_finite_differences() -> None:
    torch.manual_seed(0)
    net = GroupNet(1, 3, group="C8", parameters=1500, num_layers=3, kernel_size=3, dtype=torch.float64)
    images = torch.randn(3, 1, 8, 8, dtype=torch.float64)
    bases = next(net.convolutions[1].parameters())
    net(images).square().sum().backward()
    assert bases.grad is not None
    place, step = (0, 0, 1), 1e-6
    values = []
    for sign in (1, -1):
        with torch.no_grad():
            bases[place] += sign * step
            values.append(float(net(images).square().sum()))
            bases[place] -= sign * step
    assert float(bases.grad[place]) == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-5)


@pytest.mark.parametrize("by_name", [True, False])
def test_an_action_of_the_user_is_built_in(by_name: bool) -> None:
    images = torch.randn(4, 1, 28, 20, dtype=torch.float64)
    action = ["flip rows"] if by_name else operator("reflection", (5, 5), axis="rows")[None]
    net = settled(GroupNet(1, 10, group=2, action=action, parameters=8000, dtype=torch.float64), images)
    torch.testing.assert_close(net(images.flip(-2)), net(images))
    assert lgn.equivariance_table(net, images, group=2, action=["flip rows"]).output["r"] < 1e-12
    assert lgn.equivariance_table(net, images, group="D1").output["s"] > 1e-2


@pytest.mark.parametrize(
    ("name", "classes", "moves"),
    [
        ("C4", [[1, 2, 3, 0, 4]], [lambda x: x.rot90(1, (-2, -1))]),
        ("C4", [[1, 0, 2]], [lambda x: x.rot90(1, (-2, -1))]),
        ("D4", [[1, 2, 3, 0], [0, 3, 2, 1]], [lambda x: x.rot90(1, (-2, -1)), lambda x: x.flip(-1)]),
    ],
)
def test_classes_that_the_group_permutes_are_permuted(
    name: str, classes: list[list[int]], moves: list[Callable[[Tensor], Tensor]]
) -> None:
    torch.manual_seed(0)
    images, permutations = torch.randn(4, 1, 21, 21, dtype=torch.float64), torch.tensor(classes)
    options = {"group": name, "classes": permutations, "parameters": 8000, "dtype": torch.float64}
    net = settled(GroupNet(1, len(classes[0]), **options), images)
    scores = net(images)
    assert float(scores.detach().std(1).min()) > 1e-3
    for move, permutation in zip(moves, permutations, strict=True):
        moved = net(move(images))
        torch.testing.assert_close(moved[:, permutation], scores)
        assert not torch.allclose(moved, scores)
    torch.testing.assert_close(lgn.merge(net)(images), scores)
    assert sum(p.numel() for p in net.parameters()) <= 8000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"group": "C8", "kernel_size": 4}, "kernel_size must be odd"),
        ({"group": "S3"}, "action must be given for the group S3"),
        ({"group": "C4", "parameters": 100}, "parameters must be at least"),
        ({"dropout": 1.0}, "dropout must be at least 0"),
        ({"num_classes": 1}, "num_classes must be at least 2, got 1"),
        ({"group": None, "classes": torch.eye(10)}, "group must be given"),
        ({"classes": torch.arange(9)[None]}, "classes must have 10 columns"),
        ({"classes": torch.arange(10)[None] // 2}, "classes must have one permutation"),
        ({"classes": torch.tensor([[1, 2, 0, *range(3, 10)]])}, "classes must obey the relations of C4"),
        ({"action": torch.eye(9)[None]}, r"action must have shape \(1, 25, 25\)"),
        ({"action": ["turn 90", "flip rows"]}, "action must be a list of one name"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        GroupNet(**{"in_channels": 1, "num_classes": 10, **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "family"), [("C4", "cyclic"), ("C8", "cyclic"), ("D4", "representation")])
def test_generators_that_start_at_the_group_are_shared_and_trained(name: str, family: str) -> None:
    """The network begins at the action of the group; after training, the relations still hold."""
    torch.manual_seed(0)
    net = GroupNet(
        1, 10, group=name, parameters=9000, generator=family, share="network", start="group", dtype=torch.float64
    )
    generators = {id(module): module for module in net.modules() if isinstance(module, lgn.generators.Generator)}
    (generator,) = generators.values()
    action = image_action(name, 5)
    torch.testing.assert_close(generator.matrix()[:, 0], action.matrices)
    images = torch.randn(4, 1, 14, 14, dtype=torch.float64)
    turn = "r^2" if name == "C8" else "r"  # a quarter of it
    assert lgn.equivariance_table(settled(net, images), images, group=name).output[turn] < 1e-8
    optimizer = torch.optim.SGD(generator.parameters(), 0.1)
    net(images).square().sum().backward()
    optimizer.step()
    assert float((generator.matrix()[:, 0] - action.matrices).detach().norm()) > 1e-6
    assert float(generator.guarantee_error().max()) < 1e-8
    assert 0.9 * 9000 < sum(parameter.numel() for parameter in net.parameters()) <= 9000
