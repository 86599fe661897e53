"""Folders of WAV files, cut into windows of one length."""

import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from lgn.data.dataset import DataSet, Split
from lgn.data.errors import DataError
from lgn.data.limits import require_bytes
from lgn.data.listing import Listing, entries, listings
from lgn.data.split import split_indices

SUFFIXES = (".wav",)


@dataclass(frozen=True)
class _Header:
    """Channels, frames per second and number of frames of a WAV file."""

    channels: int
    rate: int
    frames: int


def has_wavs(path: Path) -> bool:
    """Whether a folder holds a WAV file, directly or at most two levels below."""
    folders = [path]
    for _ in range(3):
        inside = [entry for folder in folders for entry in entries(folder)]
        if any(entry.suffix.lower() in SUFFIXES for entry in inside):
            return True
        folders = [entry for entry in inside if entry.is_dir()]
    return False


def load_wavs(path: Path, *, window: int | None = None, seed: int = 0, test_fraction: float = 0.2) -> DataSet:
    """A folder of WAV files, 16 bit PCM, all with the same rate and number of channels. Values are in -1..1.

    Subfolders are classes and `train` and `test` are the split, as for images. Otherwise `seed` splits the files, so
    that no file has windows in both parts.

    window: number of frames of one signal. Files are cut into windows without overlap, and the rest is left out.
        Without it, all files must have the same length, and every file is one signal.
    """
    found = listings(path, SUFFIXES, "signal")
    headers = {file: _read_header(file) for listing in found for file in listing.paths}
    length = _length(headers, window)
    channels, rate = _common(headers)
    count = sum(header.frames // length for header in headers.values())
    require_bytes(4 * count * channels * length, f"{count:,} signals of {length} frames")
    if len(found) == 2:
        parts, how = found, ""
    else:
        parts, how = _split(path, found[0], test_fraction, seed), f", split with seed {seed}"
    train, test = (_windows(part, headers, length) for part in parts)
    return DataSet(
        name=path.resolve().name,
        kind="signals",
        train=train,
        test=test,
        class_names=found[0].class_names,
        source=f"signals of {path}{how}",
        notes=_notes(headers, found, window, length, rate),
    )


def _read_header(path: Path) -> _Header:
    try:
        with wave.open(str(path), "rb") as file:
            width, header = file.getsampwidth(), _Header(file.getnchannels(), file.getframerate(), file.getnframes())
    except (wave.Error, EOFError, OSError, ValueError) as error:
        raise DataError(f"{path} is not a WAV file with 16 bit PCM: {error or 'it ends too early'}") from error
    if width != 2:
        raise DataError(f"{path} must have 16 bits per value, it has {8 * width}")
    if header.frames == 0:
        raise DataError(f"{path} is empty: it has no frames")
    return header


def _length(headers: dict[Path, _Header], window: int | None) -> int:
    if window is not None and window < 1:
        raise DataError(f"window must be at least 1, got {window}")
    shortest, longest = (choose(headers, key=lambda path: headers[path].frames) for choose in (min, max))
    low, high = headers[shortest].frames, headers[longest].frames
    if window is None and low != high:
        raise DataError(
            "window must be given (--window) for signals of several lengths, "
            f"from {low} ({shortest.name}) to {high} ({longest.name}) frames"
        )
    if window is not None and low < window:
        raise DataError(f"window must be at most the {low} frames of {shortest.name}, got {window}")
    return window or low


def _common(headers: dict[Path, _Header]) -> tuple[int, int]:
    """Number of channels and rate of all files."""
    for what, values in (
        ("number of channels", {header.channels: path for path, header in headers.items()}),
        ("rate", {header.rate: path for path, header in headers.items()}),
    ):
        if len(values) > 1:
            examples = ", ".join(f"{value} ({path.name})" for value, path in sorted(values.items())[:3])
            raise DataError(f"signals must have the same {what}, got {examples}")
    header = next(iter(headers.values()))
    return header.channels, header.rate


def _split(path: Path, listing: Listing, test_fraction: float, seed: int) -> list[Listing]:
    """The files of train and of test, the same share of every class."""
    try:
        parts = split_indices(torch.tensor(listing.labels).clamp(min=0), test_fraction, seed)
    except DataError as error:
        raise DataError(f"{path} cannot be split into files: {error}") from error
    return [
        Listing(tuple(listing.paths[i] for i in part), tuple(listing.labels[i] for i in part), listing.class_names, 0)
        for part in (indices.tolist() for indices in parts)
    ]


def _windows(listing: Listing, headers: dict[Path, _Header], length: int) -> Split:
    signals, labels = [], []
    for path, label in zip(listing.paths, listing.labels, strict=True):
        found = _read(path, headers[path], length)
        signals.append(found)
        labels += [label] * len(found)
    return Split(torch.cat(signals), torch.tensor(labels) if listing.class_names else None)


def _read(path: Path, header: _Header, length: int) -> Tensor:
    """All windows of a file.  -> float32 (windows, channels, length)"""
    count = header.frames // length
    with wave.open(str(path), "rb") as file:
        content = file.readframes(count * length)
    if len(content) != 2 * count * length * header.channels:
        raise DataError(f"{path} is damaged: it ends before the {header.frames} frames of its header")
    numbers = np.frombuffer(content, "<i2").astype(np.float32) / 2**15
    return torch.from_numpy(numbers).view(count, length, header.channels).transpose(1, 2).contiguous()


def _notes(
    headers: dict[Path, _Header], found: list[Listing], window: int | None, length: int, rate: int
) -> tuple[str, ...]:
    notes = [f"{len(headers)} files at {rate:,} frames per second"]
    if window is not None:
        lost = sum(header.frames % length for header in headers.values())
        notes.append(f"they were cut into windows of {window} frames; {lost:,} frames at their ends were left out")
    if left_out := sum(listing.left_out for listing in found):
        notes.append(f"{left_out} entries that are not {', '.join(SUFFIXES)} were left out")
    return tuple(notes)
