"""The samples and the classes that a caller of `lgn.discover` gives, from memory, files or names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lgn import data as sets
from lgn.data import DataSet, Kind, Split
from lgn.data.kinds import kind_of
from lgn.data.sources import is_frame
from lgn.devices import choose_device

NOT_BUILT = "the symmetries of a function cannot be found yet"


@dataclass(frozen=True, eq=False)
class Inputs:
    """Samples with their classes, if any."""

    samples: Tensor
    kind: Kind
    labels: Tensor | None = None
    class_names: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_question(
    data: Any,
    target: Any,
    kind: str | None,
    target_kind: str | None,
    of: str | None,
    evidence: Sequence[str] | None,
    device: str | torch.device | None,
) -> Inputs:
    """The samples on a device, with their classes if the question is about classes."""
    if of not in (None, "data", "labels"):
        raise ValueError(f'of must be "data" or "labels", got {of!r}' + (f": {NOT_BUILT}" if of == "law" else ""))
    inputs = read_inputs(data, target, kind, target_kind)
    if of == "labels" and inputs.labels is None:
        raise ValueError('target must be given for of="labels", got None')
    if of == "data" and not set(evidence or ()) - {"data"}:
        inputs = replace(inputs, labels=None, class_names=())
    if device is None:
        return inputs
    place = choose_device(device)
    labels = None if inputs.labels is None else inputs.labels.to(place)
    return replace(inputs, samples=inputs.samples.to(place), labels=labels)


def block_numbers(blocks: Any, count: int) -> Tensor | None:
    """Labels of blocks of any type as integers.  (N,) -> (N,)"""
    if blocks is None:
        return None
    values = np.asarray(blocks.cpu() if isinstance(blocks, Tensor) else blocks)
    if values.shape != (count,):
        raise ValueError(f"blocks must have one label for each of {count:,} samples, got shape {values.shape}")
    return torch.from_numpy(np.unique(values, return_inverse=True)[1])


def read_inputs(data: Any, target: Any, kind: str | None, target_kind: str | None) -> Inputs:
    """The training samples of a data set, or all samples in memory.

    data: a tensor, an array, a list, a data frame, a torch data set, a `DataSet`, a `Split`, or the name or the path of
        a data set.
    target: classes, or names of the columns of a data frame or of a file that hold them.
    """
    _require_values(target)
    if isinstance(data, str | PathLike):
        names = target if isinstance(target, str | Sequence) else ()
        if target is not None and not names:
            raise ValueError(f"target must be names of columns for a file, got {type(target).__name__}")
        data, target = sets.load(data, kind=kind, target=names, target_kind=target_kind), None
    if isinstance(data, DataSet):
        read = _of_split(data.train, target, data.kind, target_kind)
        names = data.class_names if target is None else read.class_names
        return Inputs(read.samples, data.kind, read.labels, names, data.columns, data.notes)
    if isinstance(data, Split):
        return _of_split(data, target, kind_of(data.samples.shape, kind), target_kind)
    if is_frame(data) and isinstance(target, str):
        if target not in data.columns:
            raise ValueError(f"target must be one of {', '.join(map(str, data.columns))}, got {target!r}")
        data, target = data.drop(columns=[target]), data[target]
    found = sets.samples(data, kind)
    target = found.target if target is None else target
    labels, names = _classes(target, found.kind, target_kind, len(found.values))
    return Inputs(found.values, found.kind, labels, names, found.columns)


def _of_split(split: Split, target: Any, kind: Kind, target_kind: str | None) -> Inputs:
    if target is not None:
        return Inputs(split.samples, kind, *_classes(target, kind, target_kind, len(split)))
    if split.numbers is not None:
        raise ValueError(f"target must be classes, got numbers: {NOT_BUILT}")
    return Inputs(split.samples, kind, split.labels)


def _classes(target: Any, kind: Kind, target_kind: str | None, count: int) -> tuple[Tensor | None, tuple[str, ...]]:
    """The numbers and the names of classes; None without a target."""
    if target is None:
        return None, ()
    found = sets.target(target, kind, target_kind=target_kind, count=count)
    if found.kind == "numbers":
        raise ValueError(f"target must be classes, got numbers: {NOT_BUILT}")
    return found.values, found.names


def _require_values(target: Any) -> None:
    """Refuse functions and networks."""
    is_file = isinstance(target, str | PathLike) and Path(target).suffix == ".onnx"
    if isinstance(target, nn.Module) or callable(target) or is_file:
        raise ValueError(f"target must be classes, got {type(target).__name__} {str(target)[:40]!r}: {NOT_BUILT}")
