"""`lgn.predict`: the classes that a trained network assigns to images, from its run or its ONNX file."""

import importlib.util
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import torch
from torch import Tensor

from lgn import data
from lgn.data.unlabelled import read_images
from lgn.deploy.exporting import FACTS
from lgn.devices import choose_device
from lgn.files import decode
from lgn.nn import cached
from lgn.pretrained import find_run
from lgn.training import Facts

BATCH = 250


@dataclass(frozen=True)
class Prediction:
    """The class of one image, and its softmax probability."""

    image: str
    label: str
    confidence: float


def predict(
    source: str | PathLike[str], images: Sequence[str | PathLike[str]], *, device: str = "auto"
) -> tuple[Prediction, ...]:
    """Classify images.

    source: a run that classifies, the name of a network that comes with the package, or an ONNX file that `lgn build`
    or `lgn export` wrote.
    images: files, folders of files, and .npz files with `images`.
    device: for runs; ONNX files are computed on the CPU.
    """
    if not images:
        raise ValueError("images must be at least one file, folder or .npz file, got none")
    facts, network = _from_onnx(Path(source)) if Path(source).suffix == ".onnx" else _from_run(source, device)
    if facts.task != "classify":
        raise ValueError(f"source must be a network that classifies, {source} reconstructs images")
    names, pixels = read_images([Path(image) for image in images], facts.image_shape)
    with torch.no_grad():
        outputs = torch.cat([network(batch) for batch in pixels.split(BATCH)])
    if outputs.shape != (len(pixels), len(facts.class_names)):
        wanted = (len(pixels), len(facts.class_names))
        raise ValueError(f"source must have outputs of shape {wanted}, {source} has {tuple(outputs.shape)}")
    if not outputs.isfinite().all():
        raise ValueError(f"source must have finite outputs, {source} gives NaN or infinite values")
    confidences, chosen = outputs.double().softmax(1).max(1)
    return tuple(
        Prediction(name, facts.class_names[label], confidence)
        for name, label, confidence in zip(names, chosen.tolist(), confidences.tolist(), strict=True)
    )


def _from_run(source: str | PathLike[str], device: str) -> tuple[Facts, Callable[[Tensor], Tensor]]:
    """-> the facts of the run, and uint8 (N, C, H, W) -> (N, classes)"""
    run, place = find_run(source), choose_device(device)
    model, preprocessing = run.model(place), run.preprocessing()

    def outputs(images: Tensor) -> Tensor:
        with cached(model):
            return model(preprocessing.apply(images).to(place)).cpu()

    return run.facts, outputs


def _from_onnx(path: Path) -> tuple[Facts, Callable[[Tensor], Tensor]]:
    if importlib.util.find_spec("onnxruntime") is None:
        raise ValueError("onnxruntime must be installed to read an ONNX file: pip install 'lgn[onnx]'")
    if not path.is_file():
        raise FileNotFoundError(f"source must be a run or an ONNX file, {path} does not exist")
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        stored = session.get_modelmeta().custom_metadata_map.get(FACTS)
    except Exception as error:  # a damaged file can fail in any way
        raise ValueError(f"{path} is not a readable ONNX file: {' '.join(str(error).split())[:200]}") from None
    if stored is None:
        raise ValueError(f"source must be an ONNX file that lgn wrote, {path} does not name its classes")
    facts = decode(Facts, json.loads(stored), "facts")
    preprocessing = data.Preprocessing(**vars(facts.preprocessing))

    def outputs(images: Tensor) -> Tensor:
        try:
            (found, *_) = session.run(None, {"images": preprocessing.apply(images).numpy()})
            return torch.from_numpy(found)
        except Exception as error:  # a foreign network can refuse its input in any way
            raise ValueError(f"{path} cannot be computed: {' '.join(str(error).split())[:200]}") from None

    return facts, outputs
