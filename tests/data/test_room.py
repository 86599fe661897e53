"""What a set may take in memory is known before it is taken, and the work on it takes little more."""

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import lgn.data
from lgn.data import DataError
from lgn.data.preprocess import to_grey
from lgn.data.resize import resize

GIBIBYTE = 2**30


def claiming(path: Path, **shapes: tuple[int, ...]) -> Path:
    """A small archive whose arrays claim to be large."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, shape in shapes.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": shape})
                file.write(bytes(1000))
    return path


@pytest.mark.parametrize(
    "shapes",
    [
        {"images": (3 * 2**10, 2**10, 2**10)},
        {"images": (2**10, 2**10, 2**10), "test_images": (2**10 + 1, 2**10, 2**10)},
    ],
    ids=["one", "two together"],
)
def test_an_archive_that_unpacks_to_gibibytes_is_refused_by_its_headers(tmp_path, shapes):
    with pytest.raises(DataError, match=r"its arrays claim [23],\d{3},\d{3},\d{3} bytes, allowed are 2,147,483,648"):
        lgn.data.load(claiming(tmp_path / "large.npz", **shapes))


@pytest.mark.parametrize("data", ["digits", "arrays"])
def test_an_image_size_that_has_no_room_is_refused(tmp_path, data):
    if data == "arrays":
        data = tmp_path / "mine.npz"
        np.savez(data, images=np.zeros((20, 8, 8), np.uint8))
    with pytest.raises(
        DataError, match=r"images of 20000x20000 take [\d,]+ bytes, allowed are 2,147,483,648; choose a"
    ):
        lgn.data.load(data, image_size=20_000)


PEAK = """
import resource, sys
from PIL import Image, ImageOps
import lgn.training
from lgn.training import load_images, preset
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
load_images(preset("quick", "reconstruct", data=sys.argv[1], grey=True))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count the largest moment otherwise")
@pytest.mark.slow
def test_large_images_take_a_few_times_their_bytes(tmp_path):
    """Loaded, split, made grey and standardised in a process of its own; in float32 all at once it was nine times."""
    from PIL import Image

    side, count = 3000, 4
    for number in range(count):
        Image.new("RGB", (side, side), (number, 2 * number, 7)).save(tmp_path / f"{number}.png", compress_level=1)
    command = [sys.executable, "-c", PEAK, str(tmp_path)]
    peak = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert peak < 5 * count * 3 * side**2


def test_pieces_make_no_difference(monkeypatch):
    """Grey and resizing, a few values at a time and all at once, against the definition."""
    torch.manual_seed(0)
    images = torch.randint(256, (7, 3, 12, 15), dtype=torch.uint8)
    weights = torch.tensor([0.299, 0.587, 0.114])[:, None, None]
    grey = (images * weights).sum(1, keepdim=True).round().to(torch.uint8)
    square = images[..., 1:13].float()
    small = F.interpolate(square, (5, 5), mode="bilinear", antialias=True).round().to(torch.uint8)
    for piece in (2**23, 600, 50):
        monkeypatch.setattr("lgn.data.preprocess.PIECE", piece)
        monkeypatch.setattr("lgn.data.resize.PIECE", piece)
        assert torch.equal(to_grey(images), grey)
        assert torch.equal(resize(images, 5), small)


def test_floats_become_bytes_piece_by_piece(tmp_path, monkeypatch):
    monkeypatch.setattr("lgn.data.arrays.PIECE", 30)
    values = np.linspace(0, 1, 10 * 4 * 5).reshape(10, 4, 5)
    np.savez(tmp_path / "mine.npz", images=values, test_images=values)
    loaded = lgn.data.load(tmp_path / "mine.npz")
    assert np.array_equal(loaded.train.samples[:, 0].numpy(), np.rint(values * 255).astype(np.uint8))
