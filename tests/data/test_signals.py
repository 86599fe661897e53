"""Signals and volumes of one's own: arrays, WAV files, CSV; what they become, and what is refused."""

import struct
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import lgn
from lgn.data import DataError, room
from lgn.training.config import Config
from lgn.training.prepared import load_images


def write_wav(path: Path, values: Any, rate: int = 8000, width: int = 2, channels: int = 1) -> None:
    """Values in -1 ... 1 as PCM of so many bytes a number."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        scaled = [round(value * (2 ** (8 * width - 1) - 1)) for value in values]
        file.writeframes(b"".join(value.to_bytes(width, "little", signed=True) for value in scaled))


def saved(path: Path, **arrays: Any) -> Path:
    np.savez(path / "set.npz", **arrays)
    return path / "set.npz"


@pytest.mark.parametrize(("name", "shape"), [("signals", (30,)), ("signals", (2, 30)), ("volumes", (4, 5, 6))], ids=str)
def test_arrays_are_kept_as_floats(tmp_path: Path, name: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).normal(size=(20, *shape))
    found = lgn.data.load(saved(tmp_path, **{name: values, "labels": np.arange(20) % 2}))
    assert found.kind == name
    assert (len(found.train), len(found.test)) == (16, 4)
    both = torch.cat([found.train.samples, found.test.samples])
    assert both.dtype == torch.float32
    assert both.ndim == {"signals": 3, "volumes": 5}[name]
    known = {tuple(each.flatten().tolist()) for each in torch.from_numpy(values).float()}
    assert {tuple(each.flatten().tolist()) for each in both} == known
    assert "no labels" not in repr(found)
    assert found.checksum() == lgn.data.load(tmp_path / "set.npz").checksum()


def test_a_test_set_of_its_own(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(20, 9))
    found = lgn.data.load(saved(tmp_path, signals=values[:15], test_signals=values[15:]))
    assert torch.equal(found.test.samples[:, 0], torch.from_numpy(values[15:]).float())


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"signals": np.zeros((3, 2, 4, 5))}, r"signals must be \(N, T\) or \(N, C, T\), got \(3, 2, 4, 5\)"),
        ({"volumes": np.zeros((3, 4))}, r"volumes must be \(N, D, H, W\) or \(N, C, D, H, W\), got \(3, 4\)"),
        ({"signals": np.zeros((0, 4))}, r"signals must be .* got \(0, 1, 4\)"),
        ({"signals": np.full((4, 4), np.nan)}, "signals holds values that are not finite"),
        ({"signals": np.full((4, 4), 1e300)}, "signals holds values that are not finite"),
        ({"signals": np.array([["a"]])}, "signals must hold numbers, got <U1"),
        ({"signals": np.zeros((4, 4)), "images": np.zeros((4, 4, 4))}, "it must hold signals, images or volumes"),
        ({"signals": np.zeros((4, 4)), "test_labels": np.zeros(2, int)}, "it holds test_labels but no test_signals"),
        ({"sound": np.zeros((4, 4))}, "must hold an array 'images'"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_bad_arrays_are_named(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        lgn.data.load(saved(tmp_path, **arrays))


def test_wav_files_are_cut_into_windows_and_no_file_is_on_both_sides(tmp_path: Path) -> None:
    for number in range(10):
        # The first value of every window tells the file, the others their place.
        values = [0.001 * (100 * number + place % 25) for place in range(110)]
        write_wav(tmp_path / "ab"[number % 2] / f"{number}.wav", values)
    found = lgn.data.load(tmp_path, window=25)
    assert found.class_names == ("a", "b")
    assert found.train.samples.shape == (8 * 4, 1, 25)
    assert found.test.samples.shape == (2 * 4, 1, 25)
    files = [{round(float(each[0, 0]) * 10) for each in split.samples} for split in (found.train, found.test)]
    assert not files[0] & files[1]
    assert files[0] | files[1] == set(range(10))
    expected = 0.001 * (100 * torch.arange(25).new_tensor(sorted(files[1]))[0] + torch.arange(25))
    torch.testing.assert_close(found.test.samples[0, 0], expected.float(), atol=1e-4, rtol=0)
    assert found.test.labels is not None
    assert found.test.labels.tolist() == [0] * 4 + [1] * 4
    assert any("windows of 25 frames (100 frames" in note for note in found.notes)


def test_channels_of_a_wav_file_are_apart(tmp_path: Path) -> None:
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


def damaged(path: Path) -> None:
    write_wav(path, [0.1] * 40)
    path.write_bytes(path.read_bytes()[:60])


@pytest.mark.parametrize(
    ("make", "window", "message"),
    [
        (lambda path: write_wav(path, [0.1] * 40, width=3), None, "bad.wav must have 16 bits a number, it has 24"),
        (lambda path: write_wav(path, [0.1] * 40, width=4), None, "bad.wav must have 16 bits a number, it has 32"),
        (lambda path: write_wav(path, []), None, "bad.wav is empty: it has no frames"),
        (lambda path: path.write_bytes(b""), None, "bad.wav is not a WAV file of 16 bit PCM"),
        (lambda path: path.write_bytes(b"RIFF" + b"\0" * 40), None, "bad.wav is not a WAV file of 16 bit PCM"),
        (damaged, None, "bad.wav is damaged: it ends before the 40 frames that it claims"),
        (lambda path: write_wav(path, [0.1] * 30), None, r"signals differ in length, from 30 \(bad.wav\) to 40"),
        (lambda path: write_wav(path, [0.1] * 30), 35, "window must be at most the 30 frames of bad.wav, got 35"),
        (lambda path: write_wav(path, [0.1] * 40), 0, "window must be at least 1, got 0"),
        (lambda path: write_wav(path, [0.1] * 40, rate=44100), None, "signals must all have one rate, got 8000"),
        (lambda path: write_wav(path, [0.1] * 80, channels=2), None, "signals must all have one channels|one channels"),
    ],
)
def test_bad_wav_files_are_named(tmp_path: Path, make: Any, window: int | None, message: str) -> None:
    write_wav(tmp_path / "good.wav", [0.1] * 40)
    write_wav(tmp_path / "better.wav", [0.1] * 40)
    make(tmp_path / "bad.wav")
    with pytest.raises(DataError, match=message):
        lgn.data.load(tmp_path, window=window)


def test_a_header_that_claims_too_much_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        write_wav(tmp_path / f"{name}.wav", [0.1] * 40)
    content = bytearray((tmp_path / "one.wav").read_bytes())
    content[40:44] = struct.pack("<I", 2**31)  # the size of the data, 2 GB
    (tmp_path / "one.wav").write_bytes(content)
    monkeypatch.setattr(room, "MAX_BYTES", 2**20)
    with pytest.raises(DataError, match=r"signals of 8 frames take .* bytes, allowed are 1,048,576"):
        lgn.data.load(tmp_path, window=8)


def test_a_table_has_a_signal_a_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(f"{i},{i + 0.5},-{i}" for i in range(10)))
    found = lgn.data.load(path)
    assert found.kind == "signals"
    assert torch.cat([found.train.samples, found.test.samples]).shape == (10, 1, 3)
    assert {tuple(each[0].tolist()) for each in found.test.samples} <= {(i, i + 0.5, -i) for i in range(10)}
    path.write_text("label,x1,x2\n" + "\n".join(f"{'ab'[i % 2]},{i},{-i}" for i in range(10)))
    named = lgn.data.load(path)
    assert named.class_names == ("a", "b")
    assert named.train.labels is not None
    assert [int(each[0, 0]) % 2 for each in named.train.samples] == named.train.labels.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,3\n1,2\n", "must have signals of one length, row 1 has 3 values and row 2 has 2"),
        ("1,2,3\n1,x,3\n", "must hold finite numbers, row 2 has 'x'"),
        ("1,2,3\n1,inf,3\n", "must hold finite numbers, row 2 has 'inf'"),
        ("", "is empty: it holds no signal"),
        ("a,b\n", "is empty: it holds no signal"),
        ("label\na\nb\n", "is empty: its signals have no values"),
        ("1,2\n", "cannot be split: a split needs at least 2"),
    ],
)
def test_bad_tables_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        lgn.data.load(path)


def test_what_knows_images_alone_says_so(tmp_path: Path) -> None:
    path = saved(tmp_path, signals=np.random.default_rng(0).normal(size=(20, 9)))
    with pytest.raises(DataError, match="set must hold images for this, it holds signals"):
        lgn.data.load(path, image_size=8)
    with pytest.raises(DataError, match="set must hold images for this, it holds signals"):
        load_images(Config(data=str(path)))
    with pytest.raises(DataError, match="window must be given with a folder of WAV files only, got 3"):
        lgn.data.load(path, window=3)


def test_the_command_describes_signals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from lgn.cli import main

    for number in range(5):
        write_wav(tmp_path / f"{number}.wav", [0.1 * number] * (40 + number))
    assert main(["data", "verify", str(tmp_path), "--window", "8"]) == 0
    assert "20 train and 5 test signals of 1x8" in capsys.readouterr().out
