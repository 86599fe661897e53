"""`lgn.export`: the plain network of a run in a format that other programs read."""

import importlib.util
import json
import logging
import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from lgn.files import encode
from lgn.nn import merge
from lgn.pretrained import find_run, place_for
from lgn.training import Run
from lgn.version import __version__

Format = Literal["onnx", "pt2", "safetensors"]
FORMATS: tuple[str, ...] = get_args(Format)
ALLOWED = 1e-3  # the largest relative difference of outputs that rounding explains
OF_A_RUN = ("model.safetensors", "best.safetensors", "initial.safetensors")
#: The key of the facts of the run in the metadata of an ONNX file.
FACTS = "lgn.facts"
#: The function that a written file computes.
Reader = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Exported:
    """A written file, and the largest difference of its outputs from those of the run."""

    path: Path
    difference: float
    largest_output: float


def export(
    run: Run | str | PathLike[str],
    format: Format = "onnx",
    *,
    out: str | PathLike[str] | None = None,
    images: int = 8,
    seed: int = 0,
) -> Exported:
    """Write the plain network that a run is equal to, and compare both on random images.

    A program takes any number of images, preprocessed as in the training. If its outputs differ by more than rounding,
    no file is written.

    run: a run, its directory, or the name of a pretrained network.
    format: "onnx"; "pt2", a `torch.export` program; or "safetensors", the weights with the config as metadata.
    out: the file; by default merged.FORMAT in the run.
    images, seed: the number and the seed of the random images.
    """
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
    run = find_run(run)
    path = Path(out) if out is not None else place_for(run, f"merged.{format}")
    if path.name in OF_A_RUN and path.parent.resolve() == run.path.resolve():
        raise ValueError(f"out must not be a file of the run itself, got {path}")
    model = run.network
    random = torch.Generator().manual_seed(seed)
    sample = torch.randn(images, *run.facts.image_shape, generator=random, dtype=next(model.parameters()).dtype)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Writers may leave other files when they fail, so that they write into a temporary directory.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as directory:
        part = Path(directory) / f"network.{format}"
        read = {"onnx": _write_onnx, "pt2": _write_pt2, "safetensors": _write_safetensors}[format](run, sample, part)
        with torch.no_grad():
            found, expected = read(sample), model(sample)
        difference, largest = float((found - expected).abs().max()), float(expected.abs().max())
        if not difference <= ALLOWED * max(largest, 1.0):
            raise ValueError(
                f"format must give the outputs of {run.path}, {format} differs by {difference:.3g}, "
                f"with outputs of up to {largest:.3g}"
            )
        os.chmod(part, 0o644)
        os.replace(part, path)
    return Exported(path, difference, largest)


def can_write_onnx() -> bool:
    """Whether the packages of the extra `onnx` are installed."""
    return all(importlib.util.find_spec(name) for name in ("onnx", "onnxscript", "onnxruntime"))


def _write_safetensors(run: Run, _: Tensor, part: Path) -> Reader:
    plain, again = (merge(run.network).eval() for _ in range(2))
    tensors = {name: tensor.clone().contiguous() for name, tensor in plain.state_dict().items()}
    save_file(tensors, part, {"format": "pt", "lgn": __version__, "config": json.dumps(encode(run.config))})
    again.load_state_dict(load_file(part))
    return again


def _write_pt2(run: Run, sample: Tensor, part: Path) -> Reader:
    torch.export.save(_program(run, sample), part)
    return torch.export.load(part).module()


def _write_onnx(run: Run, sample: Tensor, part: Path) -> Reader:
    if not can_write_onnx():
        raise ValueError("onnxscript and onnxruntime must be installed for format 'onnx': pip install 'lgn[onnx]'")
    import onnx
    import onnxruntime

    options: dict[str, Any] = {"input_names": ["images"], "output_names": ["outputs"], "external_data": False}
    # torch's exporter warns about torchvision and about its own deprecated calls.
    log = logging.getLogger("torch.onnx._internal.exporter._registration")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            torch.onnx.export(_program(run, sample), (), str(part), dynamo=True, verbose=False, **options)
    finally:
        log.setLevel(level)
    written = onnx.load(str(part))
    # `lgn predict` needs the preprocessing and the names of the classes.
    onnx.helper.set_model_props(written, {FACTS: json.dumps(encode(run.facts))})
    onnx.save(written, str(part))
    session = onnxruntime.InferenceSession(str(part), providers=["CPUExecutionProvider"])
    return lambda images: torch.from_numpy(session.run(None, {"images": images.numpy()})[0])


def _program(run: Run, sample: Tensor) -> Any:
    return torch.export.export(merge(run.network).eval(), (sample,), dynamic_shapes=({0: torch.export.Dim("count")},))
