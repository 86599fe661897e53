import math
from pathlib import Path
from typing import Any

import pytest
import torch

import lgn.data
from lgn.data import DataError, DataSet
from lgn.data.rotated import rotate, rotate_set, turn


def random_images(count: int = 6, size: int = 9) -> torch.Tensor:
    return torch.randint(256, (count, 1, size, size), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("size", [8, 9])
@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_quarter_turns_move_pixels_exactly(size: Any, quarters: int) -> None:
    """For even and odd sizes, the centre is that of the image."""
    images = random_images(size=size)
    expected = torch.rot90(images, quarters, (-2, -1))
    turned = rotate(images, torch.full((len(images),), quarters * math.pi / 2))
    assert int((turned.int() - expected.int()).abs().max()) <= 1  # the grid is in float32
    assert torch.equal(turn(images, torch.full((len(images),), quarters)), expected)


def test_a_turn_is_counter_clockwise_by_its_angle() -> None:
    """The centre of mass of a spot turns about the centre of the image."""
    image = torch.zeros(1, 1, 41, 41, dtype=torch.uint8)
    image[0, 0, 19:22, 31:34] = 200  # twelve pixels to the right of the centre
    axis = torch.arange(41.0) - 20
    for angle in (0.3, 1.0, 2.5, 4.0):
        turned = rotate(image, torch.tensor([angle]))[0, 0].double()
        right = float((turned.sum(0) * axis).sum() / turned.sum())
        up = -float((turned.sum(1) * axis).sum() / turned.sum())
        assert (right, up) == pytest.approx((12 * math.cos(angle), 12 * math.sin(angle)), abs=0.1)


def test_a_turn_of_an_oblong_image_keeps_its_shape() -> None:
    image = torch.zeros(1, 1, 21, 41, dtype=torch.uint8)
    image[0, 0, 9:12, 25:28] = 200  # six to the right
    turned = rotate(image, torch.tensor([math.pi / 2]))[0, 0]
    rows, columns = turned.nonzero(as_tuple=True)
    assert (rows.float().mean().item(), columns.float().mean().item()) == pytest.approx((4, 20), abs=0.2)


def test_rotated_mnist_follows_the_usual_protocol(mnist: DataSet) -> None:
    rotated = rotate_set(mnist, "rotated-mnist", seed=0, quarter_turns=False)
    assert rotated.train.samples.shape == (12_000, 1, 28, 28)
    assert rotated.test.samples.shape == (50_000, 1, 28, 28)
    counts = (rotated.train.labels.bincount() + rotated.test.labels.bincount()).float()
    whole = (mnist.train.labels.bincount() + mnist.test.labels.bincount()).float()
    assert torch.allclose(counts / counts.sum(), whole / whole.sum(), atol=0.005)
    # Over the whole circle, the mean image is round: it is that of itself turned by a quarter.
    mean = rotated.test.samples.float().mean((0, 1))
    assert (mean - torch.rot90(mean)).abs().max() < 5
    upright = mnist.train.samples.float().mean((0, 1))
    assert (upright - torch.rot90(upright)).abs().max() > 20


def test_quarter_turns_are_exact_and_draw_without_repetition(mnist: DataSet, data_dir: Path) -> None:
    turned = lgn.data.load("rotated-mnist-90", data_dir, seed=3, download=False)
    originals = {image.tobytes() for split in (mnist.train, mnist.test) for image in split.samples.numpy()}
    images = torch.cat([turned.train.samples, turned.test.samples])
    upright = [
        sum(torch.rot90(image, -quarter, (-2, -1)).numpy().tobytes() in originals for image in images[:400])
        for quarter in range(4)
    ]
    assert sum(upright) == 400
    assert min(upright) > 60  # each quarter has 100 in the mean, with a deviation of 8.7
    assert len({image.tobytes() for image in images.numpy()}) == 62_000


def test_the_seed_decides(mnist: DataSet) -> None:
    first, again, other = (
        rotate_set(mnist, "rotated-mnist-90", seed, quarter_turns=True).checksum() for seed in (1, 1, 2)
    )
    assert first == again != other


def test_too_few_digits_are_refused(digits: DataSet) -> None:
    with pytest.raises(DataError, match=r"62000 digits.*got 6000"):
        rotate_set(digits, "rotated-mnist", 0)


def test_turns_within_a_range(mnist: DataSet, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr("lgn.data.rotated.rotate", lambda images, angles: seen.append(angles) or images)
    for within in (45.0, 180.0):
        rotate_set(mnist, "rotated-mnist-45", 0, within=within)
    degrees = [angles.rad2deg() for angles in seen]
    assert -45 <= float(degrees[0].min()) < -44
    assert 44 < float(degrees[0].max()) <= 45
    assert 359 < float(degrees[1].max()) < 360


def test_turned_digits_are_quarter_turns_of_the_digits() -> None:
    digits, turned = lgn.data.load("digits"), lgn.data.load("digits-90")
    for before, after in ((digits.train, turned.train), (digits.test, turned.test)):
        versions = torch.stack([before.samples.rot90(quarters, (-2, -1)) for quarters in range(4)])
        equal = (versions == after.samples).flatten(2).all(2)  # (4, N)
        assert bool(equal.any(0).all())
        assert bool((equal.double().mean(1) > 0.2).all())
