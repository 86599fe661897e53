"""Randomly damaged files are read, or refused with a `DataError` that names the file."""

import io
import pickle
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from lgn.data import DataError
from lgn.data.arrays import load_arrays
from lgn.data.cifar import read_cifar_python
from lgn.data.decode import decode_images, read_header
from lgn.data.idx import encode_idx, read_idx


def arrays() -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, images=np.zeros((20, 5, 5), np.uint8), labels=np.arange(20) % 3)
    return buffer.getvalue()


def pickled() -> bytes:
    return pickle.dumps({b"data": np.zeros((2, 3072), np.uint8), b"labels": [1, 2]}, protocol=4)


def image(kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (12, 9, 3), np.uint8)).save(buffer, kind)
    return buffer.getvalue()


def read_image(path: Path) -> torch.Tensor:
    return decode_images([path], [read_header(path)], 6)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, lost or added; more of them at the beginning, where the headers are."""
    result = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        place = chance.randrange(min(len(result), chance.choice([40, 200, len(content)])) or 1)
        match chance.randrange(3):
            case 0:
                result[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                del result[place : place + chance.randrange(1, 20)]
            case 2:
                result[place:place] = chance.randbytes(chance.randrange(1, 8))
    return bytes(result)


@pytest.mark.parametrize(
    ("content", "read"),
    [
        (arrays(), load_arrays),
        (pickled(), read_cifar_python),
        (encode_idx(torch.zeros(3, 4, 5)), partial(read_idx, axes=3)),
        (image("PNG"), read_image),
        (image("JPEG"), read_image),
        (image("WEBP"), read_image),
    ],
    ids=["npz", "pickle", "idx", "png", "jpeg", "webp"],
)
@pytest.mark.filterwarnings("ignore::UserWarning:PIL")  # Pillow remarks on damage that it can read past
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, content: bytes, read: Callable[[Path], object]) -> None:
    chance, path, refusals = random.Random(0), tmp_path / "file", []
    for _ in range(100):
        path.write_bytes(damaged(content, chance))
        try:
            read(path)
        except DataError as error:
            refusals.append(str(error))
    assert len(refusals) > 20
    assert all(str(path) in refusal for refusal in refusals)
