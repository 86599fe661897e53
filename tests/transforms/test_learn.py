import math

import pytest
import torch

from lgn.actions import vec
from lgn.measures import relative_error
from lgn.transforms import closed_form, gradient_descent, lie, operator
from studies.paper.operators import SETTINGS, learned_operators


def real_patches(images: torch.Tensor, size: int, count: int) -> torch.Tensor:
    from lgn.data import patches

    return patches(images, size, count, seed=0).flatten(0, 1)[:count].double() / 255


def test_all_eleven_settings_on_digits(digits) -> None:
    x = real_patches(digits.train.samples, 6, 2000)
    assert [setting.title for setting in SETTINGS] == [
        *(f"rotation {degrees}" for degrees in (30, 45, 60, 90)),
        *(f"pooling {radius}" for radius in (3, 4, 5, 6)),
        *(f"pooling {radius} then rotation 60" for radius in (4, 5, 6)),
    ]
    exact = torch.stack([setting.exact((6, 6)) for setting in SETTINGS])
    learned = closed_form(vec(x), torch.stack([vec(setting.transform(x)) for setting in SETTINGS]))
    assert learned.rank == 36
    assert float(relative_error(learned.matrix, exact).max()) <= 1e-5
    one, two = (learned_operators(x, epochs=epochs) for epochs in (1, 4))
    nearer = relative_error(two, exact) < relative_error(one, exact)
    assert nearer.all()


def test_closed_form_on_natural_images(cifar10) -> None:
    x = real_patches(cifar10.train.samples, 6, 5000)
    y = torch.stack([vec(setting.transform(x)) for setting in SETTINGS])
    learned = closed_form(vec(x), y).matrix
    for index, setting in enumerate(SETTINGS):
        assert relative_error(learned[index], setting.exact((6, 6))) <= 1e-5


def test_closed_form_off_the_span_is_the_smallest() -> None:
    x = torch.randn(50, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    x[:, 4:] = 0
    exact = torch.randn(6, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    learned = closed_form(x, x @ exact.T)
    assert learned.rank == 4
    assert torch.allclose(learned.matrix[:, :4], exact[:, :4])
    assert torch.equal(learned.matrix[:, 4:], torch.zeros(6, 2, dtype=torch.float64))


def test_ridge_shrinks() -> None:
    x = torch.randn(100, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    exact = torch.eye(5, dtype=torch.float64)
    norms = [float(closed_form(x, x @ exact.T, ridge).matrix.norm()) for ridge in (0.0, 0.1, 1.0)]
    assert norms[0] > norms[1] > norms[2]


def test_gradient_descent_finds_a_rotation(digits) -> None:
    x = vec(real_patches(digits.train.samples, 4, 2000))
    exact = torch.stack([operator("rotation", (4, 4), degrees=90), operator("pooling", (4, 4), radius=3)])
    losses = []
    learned = gradient_descent(
        x, x @ exact.mT, epochs=150, batch_size=100, progress=lambda _, loss: losses.append(loss)
    )
    assert len(losses) == learned.epochs == 150
    assert losses[-1] < 0.01 * losses[0]
    assert relative_error(learned.matrix[0], exact[0]) < 0.05
    assert relative_error(learned.matrix[1], exact[1]) < 0.05


def test_one_transformation_alone() -> None:
    x = torch.randn(200, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    exact = torch.eye(4, dtype=torch.float64).roll(1, 0)
    for learned in (closed_form(x, x @ exact.T), gradient_descent(x, x @ exact.T, epochs=200, batch_size=50)):
        assert learned.matrix.shape == (4, 4)
        assert relative_error(learned.matrix, exact) < 1e-2
        assert learned.residual < 1e-2


@pytest.mark.parametrize("bad", [torch.zeros(3, 4, 5), torch.zeros(7, 3)])
def test_pairs_must_match(bad: torch.Tensor) -> None:
    with pytest.raises(ValueError, match="must"):
        closed_form(torch.zeros(7, 4), bad)


def test_the_analytic_generator_turns_a_smooth_patch() -> None:
    rows, columns = torch.meshgrid(*[torch.arange(15, dtype=torch.float64) - 7] * 2, indexing="ij")
    bump = torch.exp(-((rows - 1.5) ** 2 + columns**2) / 6)
    angle = math.radians(10)
    # Turned counter-clockwise, the bump below the centre goes to the right.
    turned = torch.exp(-((rows - 1.5 * math.cos(angle)) ** 2 + (columns - 1.5 * math.sin(angle)) ** 2) / 6)
    generator = lie.analytic((15, 15))
    assert torch.allclose(generator, -generator.T)
    assert float((torch.linalg.matrix_exp(angle * generator) @ vec(bump) - vec(turned)).norm() / bump.norm()) < 0.01
