"""Folders of WAV files, cut into windows of one length."""

import wave
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lgn.data.dataset import DataSet, Split
from lgn.data.errors import DataError
from lgn.data.listing import Listing, entries, left_out_notes, listings
from lgn.data.reading import require_bytes
from lgn.data.splitting import train_and_test

SUFFIXES = (".wav",)
Headers = dict[Path, Any]  # wave._wave_params


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
    count = sum(header.nframes // length for header in headers.values())
    require_bytes(4 * count * channels * length, f"{count:,} signals of {length} frames")
    train, test, how = train_and_test(found, test_fraction, seed, path)
    return DataSet(
        name=path.resolve().name,
        kind="signals",
        train=_windows(train, headers, length),
        test=_windows(test, headers, length),
        class_names=found[0].class_names,
        source=f"signals of {path}{how}",
        notes=(*_notes(headers, window, length, rate), *left_out_notes(found, SUFFIXES)),
    )


def _read_header(path: Path) -> Any:
    try:
        with wave.open(str(path), "rb") as file:
            header = file.getparams()
    except (wave.Error, EOFError, OSError, ValueError) as error:
        raise DataError(f"{path} is not a WAV file with 16 bit PCM: {error or 'it ends too early'}") from error
    if header.sampwidth != 2:
        raise DataError(f"{path} must have 16 bits per value, it has {8 * header.sampwidth}")
    if header.nframes == 0:
        raise DataError(f"{path} is empty: it has no frames")
    return header


def _length(headers: Headers, window: int | None) -> int:
    if window is not None and window < 1:
        raise DataError(f"window must be at least 1, got {window}")
    shortest, longest = (choose(headers, key=lambda path: headers[path].nframes) for choose in (min, max))
    low, high = headers[shortest].nframes, headers[longest].nframes
    if window is None and low != high:
        raise DataError(
            "window must be given (--window) for signals of several lengths, "
            f"from {low} ({shortest.name}) to {high} ({longest.name}) frames"
        )
    if window is not None and low < window:
        raise DataError(f"window must be at most the {low} frames of {shortest.name}, got {window}")
    return window or low


def _common(headers: Headers) -> tuple[int, int]:
    """Number of channels and rate of all files."""
    header = next(iter(headers.values()))
    for noun, name in (("number of channels", "nchannels"), ("rate", "framerate")):
        examples = {getattr(header, name): path for path, header in headers.items()}
        if len(examples) > 1:
            got = ", ".join(f"{value} ({path.name})" for value, path in sorted(examples.items())[:3])
            raise DataError(f"signals must have the same {noun}, got {got}")
    return header.nchannels, header.framerate


def _windows(listing: Listing, headers: Headers, length: int) -> Split:
    signals = [_read(path, headers[path], length) for path in listing.paths]
    counts = torch.tensor([len(windows) for windows in signals])
    return Split(torch.cat(signals), None if listing.labels is None else listing.labels.repeat_interleave(counts))


def _read(path: Path, header: Any, length: int) -> Tensor:
    """All windows of a file.  -> float32 (windows, channels, length)"""
    count = header.nframes // length
    with wave.open(str(path), "rb") as file:
        content = file.readframes(count * length)
    if len(content) != 2 * count * length * header.nchannels:
        raise DataError(f"{path} is damaged: it ends before the {header.nframes} frames of its header")
    numbers = np.frombuffer(content, "<i2").astype(np.float32) / 2**15
    return torch.from_numpy(numbers).view(count, length, header.nchannels).transpose(1, 2).contiguous()


def _notes(headers: Headers, window: int | None, length: int, rate: int) -> list[str]:
    notes = [f"{len(headers)} files at {rate:,} frames per second"]
    if window is not None:
        lost = sum(header.nframes % length for header in headers.values())
        notes.append(f"they were cut into windows of {window} frames; {lost:,} frames at their ends were left out")
    return notes
