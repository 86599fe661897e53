"""`lgn.predict`: the classes of images according to a run or an ONNX file."""

import importlib.util
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import torch
from torch import Tensor

from lgn import data
from lgn.data.pixels import as_bytes, channels_first
from lgn.data.unlabelled import read_images
from lgn.deploy.exporting import FACTS
from lgn.devices import choose_device
from lgn.files import decode
from lgn.nn import cached
from lgn.pretrained import find_run
from lgn.training import Facts, Run

BATCH = 250
Source = str | PathLike[str]


@dataclass(frozen=True)
class Prediction:
    """The class of one image, and its softmax probability."""

    image: str
    label: str
    confidence: float


def predict(
    run: Source | Run, images: Tensor | Source | Sequence[Source], *, device: str | torch.device = "auto"
) -> tuple[Prediction, ...]:
    """Classify images.

    run: a run that classifies, its directory, the name of a pretrained network, or an ONNX file that lgn wrote.
    images: a tensor (N, C, H, W) of bytes or of floats from 0 to 1; or files, folders, and .npz files with `images`.
    device: the device of the network; ONNX files are computed on the CPU.
    """
    is_onnx = not isinstance(run, Run) and Path(run).suffix == ".onnx"
    facts, network = _from_onnx(Path(str(run))) if is_onnx else _from_run(find_run(run), device)
    if facts.task != "classify":
        raise ValueError(f"run must be a network that classifies, got {run}, which reconstructs images")
    names, pixels = _pixels(images, facts.image_shape)
    with torch.no_grad():
        outputs = torch.cat([network(batch) for batch in pixels.split(BATCH)])
    if outputs.shape != (wanted := (len(pixels), len(facts.class_names))):
        raise ValueError(f"run must have outputs of shape {wanted}, got {tuple(outputs.shape)} from {run}")
    if not outputs.isfinite().all():
        raise ValueError(f"run must have finite outputs, got NaN or infinite values from {run}")
    confidences, labels = outputs.double().softmax(1).max(1)
    return tuple(
        Prediction(name, facts.class_names[label], confidence)
        for name, label, confidence in zip(names, labels.tolist(), confidences.tolist(), strict=True)
    )


def _pixels(images: Tensor | Source | Sequence[Source], shape: tuple[int, int, int]) -> tuple[tuple[str, ...], Tensor]:
    """The names of images, and uint8 (N, C, H, W)."""
    if isinstance(images, Tensor):
        pixels = as_bytes({"images": channels_first(images.detach().cpu().numpy(), "images")})[0]["images"]
        if tuple(pixels.shape[1:]) != shape:
            raise ValueError(f"images must be (N, {', '.join(map(str, shape))}), got {tuple(images.shape)}")
        return tuple(map(str, range(len(pixels)))), pixels
    paths = [images] if isinstance(images, str | PathLike) else images
    if not paths:
        raise ValueError("images must be at least one file, folder or .npz file, got none")
    return read_images([Path(path) for path in paths], shape)


def _from_run(run: Run, device: str | torch.device) -> tuple[Facts, Callable[[Tensor], Tensor]]:
    """The facts of a run, and its network as a function.  uint8 (N, C, H, W) -> (N, classes)"""
    place = choose_device(device)
    model, preprocessing = run.model(place), run.preprocessing()

    def outputs(images: Tensor) -> Tensor:
        with cached(model):
            return model(preprocessing.apply(images).to(place)).cpu()

    return run.facts, outputs


def _from_onnx(path: Path) -> tuple[Facts, Callable[[Tensor], Tensor]]:
    if importlib.util.find_spec("onnxruntime") is None:
        raise ValueError("run must be a run directory without onnxruntime, got an ONNX file: pip install 'lgn[onnx]'")
    if not path.is_file():
        raise FileNotFoundError(f"run must be a run or an ONNX file, {path} does not exist")
    import onnxruntime

    with _reading(path):
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        stored = session.get_modelmeta().custom_metadata_map.get(FACTS)
    if stored is None:
        raise ValueError(f"run must be an ONNX file that lgn wrote, {path} does not name its classes")
    facts = decode(Facts, json.loads(stored), "facts")
    preprocessing = data.Preprocessing(facts.preprocessing)

    def outputs(images: Tensor) -> Tensor:
        with _reading(path):
            return torch.from_numpy(session.run(None, {"images": preprocessing.apply(images).numpy()})[0])

    return facts, outputs


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn the errors of onnxruntime, which have many types, into a ValueError."""
    try:
        yield
    except Exception as error:
        raise ValueError(f"run must be a working ONNX file, got {path}: {' '.join(str(error).split())[:200]}") from None
