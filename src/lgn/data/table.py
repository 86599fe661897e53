"""The user's own signals as text: a CSV file with one signal a row."""

import csv
import math
from pathlib import Path

import numpy as np
import torch

from lgn.data.classes import as_classes
from lgn.data.dataset import DataSet
from lgn.data.errors import DataError
from lgn.data.room import MAX_BYTES
from lgn.data.split import split_by_seed


def load_table(path: Path, *, seed: int = 0, test_fraction: float = 0.2) -> DataSet:
    """A CSV file: numbers, one signal a row, all of one length. The test set is split off by seed.

    The first line may name the columns; of one that is called "label" come the classes.
    """
    rows = _rows(path)
    head = rows[0] if rows and not all(map(_is_number, rows[0])) else None
    body = rows[1:] if head is not None else rows
    place = next((i for i, name in enumerate(head or ()) if name.strip().lower() == "label"), None)
    if not body:
        raise DataError(f"{path} is empty: it holds no signal")
    first = len(body[0])
    numbers = np.empty((len(body), first - (place is not None)), np.float32)
    names = []
    for number, row in enumerate(body):
        if len(row) != first:
            lengths = f"row 1 has {first} values and row {number + 1} has {len(row)}"
            raise DataError(f"{path} must have signals of one length, {lengths}")
        if place is not None:
            names.append(row[place].strip())
            row = row[:place] + row[place + 1 :]
        if wrong := [word for word in row if not _is_number(word) or not math.isfinite(float(word))]:
            raise DataError(f"{path} must hold finite numbers, row {number + 1} has {wrong[0]!r}")
        numbers[number] = [float(word) for word in row]
    if numbers.shape[1] == 0:
        raise DataError(f"{path} is empty: its signals have no values")
    labels, class_names = as_classes({} if place is None else {"labels": np.array(names)})
    try:
        train, test = split_by_seed(torch.from_numpy(numbers)[:, None], labels.get("labels"), test_fraction, seed)
    except DataError as error:
        raise DataError(f"{path} cannot be split: {error}") from error
    return DataSet(path.stem, train, test, class_names, f"signals of {path}, split with seed {seed}")


def _rows(path: Path) -> list[list[str]]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path} has {path.stat().st_size:,} bytes, allowed are {MAX_BYTES:,}")
        with path.open(newline="", encoding="utf-8") as file:
            return [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path} is not a readable CSV file: {error}") from error


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
