"""Tables in CSV and Parquet files: one sample in each row, one name for each column."""

import contextlib
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lgn.data import targets
from lgn.data.dataset import DataSet, Split
from lgn.data.errors import DataError, naming
from lgn.data.reading import require_bytes
from lgn.data.sources import samples
from lgn.data.splitting import read_set

SUFFIXES = (".csv", ".parquet")
Columns = dict[str, NDArray[Any]]


def load_table(
    path: Path,
    *,
    kind: str | None = None,
    target: str | Sequence[str] = (),
    target_kind: str | None = None,
    seed: int = 0,
    test_fraction: float = 0.2,
) -> DataSet:
    """A CSV or Parquet file of numbers; Parquet needs the extra `tables`. `seed` splits off the test part.

    In a CSV file, the first line may name the columns. A column called "label" holds classes. An unnamed first column
    that counts the rows, as pandas writes it, is left out.

    kind: "tables", or "signals" if each row is one signal.
    target: names of the columns that hold the target.
    target_kind: "classes" or "numbers"; needed for a target of integers.
    """
    if kind not in (None, "tables", "signals"):
        raise DataError(f'kind must be "tables" or "signals" for {path}, got {kind!r}')
    with naming(path):
        columns, notes = (_parquet(path), ()) if path.suffix.lower() == ".parquet" else _csv(path)
        named = (target,) if isinstance(target, str) and target else tuple(target)
        chosen = named or tuple(name for name in columns if name.lower() == "label")[:1]
        whole, class_names = _split(columns, chosen, kind or "tables", target_kind, is_label=not target)
    facts = {"class_names": class_names, "columns": tuple(name for name in columns if name not in chosen)}
    return read_set(path, "rows", [whole], seed, test_fraction, kind=kind or "tables", notes=notes, **facts)


def _split(
    columns: Columns, chosen: tuple[str, ...], kind: str, target_kind: str | None, *, is_label: bool
) -> tuple[Split, tuple[str, ...]]:
    """Samples with the chosen columns as labels or numbers, and the names of the classes."""
    if unknown := [name for name in chosen if name not in columns]:
        raise DataError(f"target must be among {', '.join(columns)}, got {', '.join(unknown)}")
    rest = {name: _numbers(values, name) for name, values in columns.items() if name not in chosen}
    if not rest:
        raise DataError("it must have a column besides the target")
    found = samples(np.stack(list(rest.values()), 1), kind, name="it")
    values = found.values.float() if found.kind == "signals" else found.values
    if not chosen:
        return Split(values), ()
    if is_label:
        (labels,), class_names = targets.class_numbers([columns[chosen[0]].astype(str)])
        return Split(values, labels), class_names
    picked = [_numbers_or_text(columns[name]) for name in chosen]
    given = picked[0] if len(picked) == 1 else np.stack(picked, 1)
    found_target = targets.target(given, found.kind, target_kind=target_kind)
    if found_target.kind == "classes":
        return Split(values, found_target.values), found_target.names
    return Split(values, numbers=found_target.values.to(torch.float64)), ()


def _csv(path: Path) -> tuple[Columns, tuple[str, ...]]:
    """The columns of a CSV file as text, and notes about changes."""
    try:
        require_bytes(path.stat().st_size, "its rows")
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"it is not a readable CSV file: {error}") from error
    named = bool(rows) and not all(cell.strip() == "" or _number(cell) is not None for cell in rows[0])
    names = [cell.strip() for cell in rows.pop(0)] if named else []
    if not rows:
        raise DataError("it is empty: it has no row of numbers")
    width = len(names) or len(rows[0])
    for number, row in enumerate(rows):
        if len(row) != width:
            raise DataError(f"it must have {width} values in every row, row {number + 1} has {len(row)}")
    filled = [name or f"column {number + 1}" for number, name in enumerate(names or [""] * width)]
    if len(set(filled)) < width:
        raise DataError(f"it must have columns of different names, got {', '.join(filled)}")
    columns = dict(zip(filled, np.array(rows).T, strict=True))
    if named and not names[0] and width > 1 and columns[filled[0]].tolist() == list(map(str, range(len(rows)))):
        del columns[filled[0]]
        return columns, ("the first column, which counts the rows, was left out",)
    return columns, ()


def _parquet(path: Path) -> Columns:
    try:
        import pandas

        frame = pandas.read_parquet(path)
    except ImportError as error:
        raise DataError("it needs pandas and pyarrow: pip install 'lgn[tables]'") from error
    except (OSError, ValueError) as error:
        raise DataError(f"it is not a readable Parquet file: {error}") from error
    return {str(name): np.asarray(frame[name]) for name in frame.columns}


def _numbers(column: NDArray[Any], name: str) -> NDArray[Any]:
    if column.dtype.kind not in "buifUS":
        raise DataError(f"column {name!r} must hold numbers, got {column.dtype}")
    numbers = np.array([_number(cell) for cell in column], np.float64)  # None becomes NaN
    if not np.isfinite(numbers).all():
        row = int(np.isfinite(numbers).argmin())
        raise DataError(f"column {name!r} must hold finite numbers, row {row + 1} has {str(column[row])!r}")
    return numbers


def _numbers_or_text(column: NDArray[Any]) -> NDArray[Any]:
    """A column of text as integers or floating-point numbers, if all of its cells are numbers."""
    if column.dtype.kind in "US":
        for dtype in (np.int64, np.float64):
            with contextlib.suppress(ValueError):
                return column.astype(dtype)
    return column


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
