"""Limits on memory, and work in pieces."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import lgn.data
from lgn.data import DataError
from lgn.data.pixels import resize
from lgn.data.unlabelled import to_grey


@pytest.mark.parametrize("source", ["digits", "arrays"])
def test_an_image_size_that_needs_too_many_bytes_is_refused(tmp_path: Path, source: str) -> None:
    if source == "arrays":
        source = str(tmp_path / "mine.npz")
        np.savez(source, images=np.zeros((20, 8, 8), np.uint8))
    with pytest.raises(DataError, match=r"20000x20000 need [\d,]+ bytes, allowed are 2,147,483,648"):
        lgn.data.load(source, image_size=20_000)


PEAK = """
import resource, sys
from PIL import Image, ImageOps
import lgn.training
from lgn.training import load_images, preset
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
load_images(preset("quick", "reconstruct", data=sys.argv[1]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems measure the peak in other units")
@pytest.mark.slow
def test_large_images_need_a_few_times_their_bytes(tmp_path: Path) -> None:
    """Images are loaded, split and standardised in pieces, not in float32 all at once."""
    from PIL import Image

    side, count = 3000, 4
    for number in range(count):
        Image.new("RGB", (side, side), (number, 2 * number, 7)).save(tmp_path / f"{number}.png", compress_level=1)
    command = [sys.executable, "-c", PEAK, str(tmp_path)]
    peak = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert peak < 5 * count * 3 * side**2


@pytest.mark.parametrize("piece", [2**23, 600, 50])
def test_work_in_pieces_equals_the_definition(piece: int) -> None:
    images = torch.randint(256, (7, 3, 12, 15), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    square = images[..., 1:13].float()
    small = F.interpolate(square, (5, 5), mode="bilinear", antialias=True).round().to(torch.uint8)
    assert torch.equal(resize(images, 5, piece=piece), small)


def test_resizing_takes_the_largest_square_in_the_middle() -> None:
    images = torch.arange(2 * 3 * 7, dtype=torch.uint8).reshape(2, 1, 3, 7)
    assert torch.equal(resize(images, 3), images[..., 2:5])
    assert torch.equal(resize(images.transpose(2, 3), 3), images[..., 2:5].transpose(2, 3))


def test_importing_and_loading_the_default_imports_nothing_heavy() -> None:
    code = "import sys, lgn.data; lgn.data.load(); print(*({'PIL', 'pooch', 'requests', 'pandas'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""


def test_grey_is_the_luma_and_grey_stays_grey() -> None:
    colours = torch.tensor([[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 9, 9]], dtype=torch.uint8)[:, :, None, None]
    assert to_grey(colours).flatten().tolist() == [76, 150, 29, 9]
    assert torch.equal(to_grey(to_grey(colours)), to_grey(colours))
