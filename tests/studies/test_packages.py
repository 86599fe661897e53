"""Published networks: two file formats, by files made for the test."""

import struct
from pathlib import Path

import pytest
import torch

from studies.packages import caffe_convolutions, first_dlib_convolution


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def floats(values: torch.Tensor) -> bytes:
    return struct.pack(f"<{values.numel()}f", *values.flatten().tolist())


def test_caffe_convolutions(tmp_path: Path) -> None:
    weight = torch.randn(5, 3, 7, 7)

    def layer(name: str, kind: str, blob: torch.Tensor) -> bytes:
        shape = field(7, field(1, b"".join(map(varint, blob.shape))))
        phase = varint(10 << 3) + varint(300)  # a number, which is passed over
        return field(
            100, field(1, name.encode()) + field(2, kind.encode()) + phase + field(7, shape + field(5, floats(blob)))
        )

    path = tmp_path / "a.caffemodel"
    path.write_bytes(
        field(1, b"net") + layer("ip", "InnerProduct", torch.ones(2, 2)) + layer("conv", "Convolution", weight)
    )
    ((name, found),) = caffe_convolutions(path)
    assert name == "conv"
    assert torch.equal(found, weight)


def test_the_first_convolution_of_dlib(tmp_path: Path) -> None:
    weight, bias = torch.randn(32, 3, 7, 7), torch.randn(32)
    parameters = struct.pack("<BH", 2, 32 * 148)
    content = b"net con_4" + b"\x01\x02" + parameters + b"\x01\x01" * 3 + floats(weight) + floats(bias) + b"con_4"
    path = tmp_path / "a.dat"
    path.write_bytes(content)
    assert torch.equal(first_dlib_convolution(path), weight)
    path.write_bytes(content.replace(b"\x01\x01\x01\x01\x01\x01", b"\x01\x02\x01\x01\x01\x01", 1))
    with pytest.raises(ValueError, match="must begin with filters of 3x7x7, got sizes"):
        first_dlib_convolution(path)
