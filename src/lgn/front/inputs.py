"""The samples and the classes that a caller of `lgn.discover` gives, from memory, files or names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lgn import data as sets
from lgn.data import DataSet, Kind, Samples, Split
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
    data: Any, target: Any, of: str | None, evidence: Sequence[str] | None, device: Any, **kinds: str | None
) -> Inputs:
    """The samples on a device, with their classes if the question is about classes."""
    if of not in (None, "data", "labels"):
        raise ValueError(f'of must be "data" or "labels", got {of!r}' + (f": {NOT_BUILT}" if of == "law" else ""))
    with_target = of != "data" or bool(set(evidence or ()) - {"data"})
    inputs = read_inputs(data, target, **kinds, with_target=with_target)
    if of == "labels" and inputs.labels is None:
        raise ValueError('target must be given for of="labels", got None')
    place = inputs.samples.device if device is None else choose_device(device)
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


def read_inputs(
    data: Any, target: Any, kind: str | None = None, target_kind: str | None = None, *, with_target: bool = True
) -> Inputs:
    """The training samples of a data set, or all samples in memory; without a target, it is ignored."""
    is_file = isinstance(target, str | PathLike) and Path(target).suffix == ".onnx"
    if with_target and (callable(target) or is_file):
        raise ValueError(f"target must be classes, got {type(target).__name__}: {NOT_BUILT}")
    if isinstance(data, str | PathLike):
        names = target if isinstance(target, str | Sequence) else ()
        if target is not None and not names:
            raise ValueError(f"target must be names of columns for a file, got {type(target).__name__}")
        data, target = sets.load(data, kind=kind, target=names, target_kind=target_kind), None
    elif is_frame(data) and isinstance(target, str):
        if target not in data.columns:
            raise ValueError(f"target must be one of {', '.join(map(str, data.columns))}, got {target!r}")
        data, target = data.drop(columns=[target]), data[target]
    names, columns, notes = tuple[str, ...](), tuple[str, ...](), tuple[str, ...]()
    own: Any
    if isinstance(data, DataSet):
        names, columns, notes, kind, data = data.class_names, data.columns, data.notes, data.kind, data.train
    if isinstance(data, Split):
        found = Samples(data.samples, kind_of(data.samples.shape, kind), columns)
        own = data.numbers if data.labels is None else data.labels
    else:
        found = sets.samples(data, kind)
        own = found.target
    inputs = Inputs(found.values, found.kind, columns=found.columns, notes=notes)
    if not with_target or (target is None and own is None):
        return inputs
    if target is None and isinstance(data, Split) and data.labels is not None:
        return replace(inputs, labels=data.labels, class_names=names)
    count = len(found.values)
    classes = sets.target(own if target is None else target, found.kind, target_kind=target_kind, count=count)
    if classes.kind == "numbers":
        raise ValueError(f"target must be classes, got numbers: {NOT_BUILT}")
    return replace(inputs, labels=classes.values, class_names=classes.names)
