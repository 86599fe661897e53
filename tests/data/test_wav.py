"""Folders of WAV files."""

import struct
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import lgn.data
from lgn.data import DataError


def write_wav(path: Path, values: Any, rate: int = 8000, width: int = 2, channels: int = 1) -> None:
    """Values in -1..1 as PCM with `width` bytes per value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        scaled = [round(value * (2 ** (8 * width - 1) - 1)) for value in values]
        file.writeframes(b"".join(value.to_bytes(width, "little", signed=True) for value in scaled))


def test_files_are_cut_into_windows_and_no_file_is_in_both_parts(tmp_path: Path) -> None:
    for number in range(10):
        # The first value of a window identifies the file, the others their place.
        values = [0.001 * (100 * number + place % 25) for place in range(110)]
        write_wav(tmp_path / "ab"[number % 2] / f"{number}.wav", values)
    found = lgn.data.load(tmp_path, window=25)
    assert (found.kind, found.class_names) == ("signals", ("a", "b"))
    assert found.train.samples.shape == (8 * 4, 1, 25)
    assert found.test.samples.shape == (2 * 4, 1, 25)
    files = [{round(float(signal[0, 0]) * 10) for signal in split.samples} for split in (found.train, found.test)]
    assert not files[0] & files[1]
    assert files[0] | files[1] == set(range(10))
    expected = 0.1 * min(files[1]) + 0.001 * torch.arange(25)
    torch.testing.assert_close(found.test.samples[0, 0], expected, atol=1e-4, rtol=0)
    assert found.test.labels is not None
    assert found.test.labels.tolist() == [0] * 4 + [1] * 4
    assert any("100 frames" in note for note in found.notes)


def test_channels_are_separated(tmp_path: Path) -> None:
    for number in range(2):
        write_wav(tmp_path / f"{number}.wav", [0.5, -0.5] * 8, channels=2)
    found = lgn.data.load(tmp_path)
    assert found.train.samples.shape == (1, 2, 8)
    torch.testing.assert_close(found.train.samples[0].mean(1), torch.tensor([0.5, -0.5]), atol=1e-4, rtol=0)


def test_train_and_test_folders_are_the_split(tmp_path: Path) -> None:
    for part, value in (("train", 0.25), ("test", -0.25)):
        write_wav(tmp_path / part / "one.wav", [value] * 8)
    found = lgn.data.load(tmp_path, window=4)
    assert float(found.train.samples.mean()) == pytest.approx(0.25, abs=1e-4)
    assert len(found.test) == 2


def truncated(path: Path) -> None:
    write_wav(path, [0.1] * 40)
    path.write_bytes(path.read_bytes()[:60])


@pytest.mark.parametrize(
    ("make", "window", "named"),
    [
        (lambda path: write_wav(path, [0.1] * 40, width=3), None, "bad.wav"),
        (lambda path: write_wav(path, []), None, "bad.wav"),
        (lambda path: path.write_bytes(b""), None, "bad.wav"),
        (lambda path: path.write_bytes(b"RIFF" + b"\0" * 40), None, "bad.wav"),
        (truncated, None, "bad.wav"),
        (lambda path: write_wav(path, [0.1] * 30), None, "window must"),
        (lambda path: write_wav(path, [0.1] * 30), 35, "window must"),
        (lambda path: write_wav(path, [0.1] * 40), 0, "window must"),
        (lambda path: write_wav(path, [0.1] * 40, rate=44100), None, "rate"),
        (lambda path: write_wav(path, [0.1] * 80, channels=2), None, "channels"),
    ],
)
def test_errors_name_the_file(tmp_path: Path, make: Callable[[Path], object], window: int | None, named: str) -> None:
    for name in ("good", "better"):
        write_wav(tmp_path / f"{name}.wav", [0.1] * 40)
    make(tmp_path / "bad.wav")
    with pytest.raises(DataError, match=named):
        lgn.data.load(tmp_path, window=window)


def test_a_header_that_claims_too_much_is_refused_before_the_file_is_read(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_wav(tmp_path / f"{name}.wav", [0.1] * 40)
    content = bytearray((tmp_path / "one.wav").read_bytes())
    content[40:44] = struct.pack("<I", 2**32 - 2)  # bytes of the data, 4 GB: twice as much in float32
    (tmp_path / "one.wav").write_bytes(content)
    with pytest.raises(DataError, match="8 frames"):
        lgn.data.load(tmp_path, window=8)
