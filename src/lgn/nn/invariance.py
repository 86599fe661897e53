"""`invariance_error`: how much the answers of a network change when images are turned and flipped."""

import torch
from torch import Tensor, nn

from lgn.actions import act
from lgn.groups import Group, as_group
from lgn.nn.bank import cached
from lgn.transforms import parse_operator
from lgn.transforms.warps import rotate

BATCH = 250


@torch.no_grad()
def invariance_error(
    model: nn.Module, images: Tensor, group: Group | str, operators: tuple[str, ...] = ()
) -> dict[str, float]:
    """`||f(T x) - f(x)|| / ||f(x)||` over images for every element T of the group but the identity, by its word.

    Outputs are taken less their mean over classes, which no answer depends on. Quarter turns and flips move pixels
    exactly; turns between them are bicubic, so that what resampling changes is counted too. operators: one for each
    generator, as in `lgn.transforms`; turns and the flip of columns where none are given.

    images: (N, C, H, W), as the network sees them.
    """
    group = as_group(group)
    was_training = model.training
    model.eval()
    with cached(model):
        plain = _outputs(model, images)
        size = float(plain.norm())
        found = {}
        for element in range(1, group.order):
            moved = _outputs(model, _moved(images, group, element, operators))
            found[group.words[element]] = float((moved - plain).norm()) / max(size, 1e-30)
    model.train(was_training)
    return found


def _outputs(model: nn.Module, images: Tensor) -> Tensor:
    outputs = torch.cat([model(some) for some in images.split(BATCH)]).double()
    return outputs - outputs.mean(1, keepdim=True)


def _moved(images: Tensor, group: Group, element: int, operators: tuple[str, ...]) -> Tensor:
    """T on images, by the word of the element: the right letter first. Turns that follow each other are made at once,
    so that nothing is resampled twice."""
    if operators:
        matrices = [parse_operator(each, (images.shape[-2], images.shape[-1])).to(images) for each in operators]
        for place, _ in reversed(group.letters[element]):
            images = act(matrices[place], images)
        return images
    degrees = 0.0
    for place, _ in reversed(group.letters[element]):
        name = group.generators[place]
        if name == "r":
            degrees += 360 / group["r"].order
        else:
            images, degrees = _turned(images, degrees).flip(-1), 0.0
    return _turned(images, degrees)


def _turned(images: Tensor, degrees: float) -> Tensor:
    return rotate(images, degrees, "bicubic") if degrees % 360 else images
