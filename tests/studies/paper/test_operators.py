"""The paper's eleven operators, learned from pairs of patches."""

import torch
from torch import Tensor

from lgn.actions import vec
from lgn.data import DataSet, patches
from lgn.measures import relative_error
from lgn.transforms import operator
from studies.paper.figures import SETTINGS, gradient_descent, learned_operators


def real_patches(images: Tensor, size: int, count: int) -> Tensor:
    return patches(images, size, count, seed=0).flatten(0, 1)[:count].double() / 255


def test_all_eleven_settings_on_digits(digits: DataSet) -> None:
    x = real_patches(digits.train.samples, 6, 2000)
    assert [setting.title for setting in SETTINGS] == [
        *(f"rotation {degrees}" for degrees in (30, 45, 60, 90)),
        *(f"pooling {radius}" for radius in (3, 4, 5, 6)),
        *(f"pooling {radius} then rotation 60" for radius in (4, 5, 6)),
    ]
    exact = torch.stack([setting.exact((6, 6)) for setting in SETTINGS])
    one, four = (learned_operators(x, epochs=epochs) for epochs in (1, 4))
    assert (relative_error(four, exact) < relative_error(one, exact)).all()


def test_gradient_descent_finds_a_rotation_and_a_pooling(digits: DataSet) -> None:
    x = vec(real_patches(digits.train.samples, 4, 2000))
    exact = torch.stack([operator("rotation", (4, 4), degrees=90), operator("pooling", (4, 4), radius=3)])
    learned = gradient_descent(x, x @ exact.mT, epochs=150, batch_size=100)
    assert float(relative_error(learned, exact).max()) < 0.05
