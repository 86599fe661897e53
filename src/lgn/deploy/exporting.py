"""`export`: the merged plain network of a run in a format that other programs read, compared with the original."""

import importlib.util
import json
import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from lgn.files import encode
from lgn.nn import merge
from lgn.pretrained import place_for
from lgn.training import Run
from lgn.version import __version__

Format = Literal["onnx", "pt2", "safetensors"]
FORMATS: tuple[str, ...] = get_args(Format)
ALLOWED = 1e-3  # the largest difference, relative to the largest output, that rounding can explain
OF_A_RUN = ("model.safetensors", "best.safetensors", "initial.safetensors")

#: Under which name an ONNX file has the facts of its run.
FACTS = "lgn.facts"
# From a written file to what it computes.
Reader = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Exported:
    """What was written, and how far its outputs are from those of the run."""

    path: Path
    difference: float
    largest_output: float


def export(run: Run, format: Format, out: str | Path | None = None, *, images: int = 8, seed: int = 0) -> Exported:
    """Write the plain network that a run is equal to, and compare both on random images.

    onnx: for onnxruntime and others;  pt2: a `torch.export` program;  safetensors: the weights alone, with the config
    as metadata. Programs take any number of images, prepared as in training. A file whose outputs differ by more than
    rounding is not left behind.
    """
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
    path = Path(out) if out is not None else place_for(run, f"merged.{format}")
    if path.name in OF_A_RUN and path.parent.resolve() == run.path.resolve():
        raise ValueError(f"out must not be a file that the run is made of, got {path}")
    model = run.network
    plain = merge(model).eval()
    random = torch.Generator().manual_seed(seed)
    sample = torch.randn(images, *_input_shape(run), generator=random, dtype=next(model.parameters()).dtype)
    with torch.no_grad():
        expected = model(sample)
    path.parent.mkdir(parents=True, exist_ok=True)
    # A directory of its own, beside the file: writers choose names, and may leave others when they fail.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as directory:
        part = Path(directory) / f"network.{format}"
        read = _WRITERS[format](run, plain, sample, part)
        found = read(sample)
        difference, largest = float((found - expected).abs().max()), float(expected.abs().max())
        if not difference <= ALLOWED * max(largest, 1.0):
            raise ValueError(
                f"format {format} does not give the outputs of {run.path}: they differ by {difference:.3g}, "
                f"with outputs of up to {largest:.3g}"
            )
        os.chmod(part, 0o644)
        os.replace(part, path)
    return Exported(path, difference, largest)


def _input_shape(run: Run) -> tuple[int, int, int]:
    return run.facts.image_shape


def _write_safetensors(run: Run, plain: nn.Module, sample: Tensor, part: Path) -> Reader:  # noqa: ARG001
    settings = json.loads((run.path / "config.json").read_text())
    # What a run shares it stores once; a plain file of weights names everything.
    tensors = {name: tensor.clone().contiguous() for name, tensor in plain.state_dict().items()}
    save_file(tensors, part, {"format": "pt", "lgn": __version__, "config": json.dumps(settings["config"])})
    again = merge(run.network).eval()
    again.load_state_dict(load_file(part))
    return _without_gradient(again)


def _write_pt2(run: Run, plain: nn.Module, sample: Tensor, part: Path) -> Reader:  # noqa: ARG001
    torch.export.save(_program(plain, sample), part)
    return _without_gradient(torch.export.load(part).module())


def _write_onnx(run: Run, plain: nn.Module, sample: Tensor, part: Path) -> Reader:
    if not all(importlib.util.find_spec(name) for name in ("onnx", "onnxscript", "onnxruntime")):
        raise ValueError("onnx, onnxscript and onnxruntime must be installed: pip install 'lgn[onnx]'")
    import onnx
    import onnxruntime

    with _quiet():
        torch.onnx.export(
            _program(plain, sample),
            (),
            str(part),
            dynamo=True,
            verbose=False,
            external_data=False,
            input_names=["images"],
            output_names=["outputs"],
        )
    # What `lgn predict` needs beside the network: the size of images, what is done to pixels, and the classes.
    named = onnx.load(str(part))
    onnx.helper.set_model_props(named, {FACTS: json.dumps(encode(run.facts))})
    onnx.save(named, str(part))
    session = onnxruntime.InferenceSession(str(part), providers=["CPUExecutionProvider"])
    return lambda images: torch.from_numpy(session.run(None, {"images": images.numpy()})[0])


def _program(plain: nn.Module, sample: Tensor) -> Any:
    return torch.export.export(plain, (sample,), dynamic_shapes=({0: torch.export.Dim("count")},))


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what torch's exporter says about itself: torchvision that it does not need, and its own old calls."""
    log = logging.getLogger("torch.onnx._internal.exporter._registration")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        log.setLevel(level)


def _without_gradient(network: Callable[[Tensor], Tensor]) -> Reader:
    def read(images: Tensor) -> Tensor:
        with torch.no_grad():
            return network(images)

    return read


_WRITERS: dict[str, Callable[[Run, nn.Module, Tensor, Path], Reader]] = {
    "onnx": _write_onnx,
    "pt2": _write_pt2,
    "safetensors": _write_safetensors,
}
