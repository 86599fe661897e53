"""`predict`: what a trained network says of images, from its run or from its ONNX file."""

import importlib.util
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from lgn import data
from lgn.data.unlabelled import read_images
from lgn.deploy.export import FACTS
from lgn.nn import cached
from lgn.pretrained import find_run
from lgn.training import Facts

BATCH = 250


@dataclass(frozen=True)
class Prediction:
    """The class of one image, and how sure the network is of it: the softmax of its outputs."""

    image: str
    label: str
    confidence: float


def predict(source: str | Path, images: Sequence[str | Path]) -> tuple[Prediction, ...]:
    """What a network says of images.

    source: a run that classifies, the name of a network that comes with the package, or an ONNX file that `lgn build`
    or `lgn export` wrote. images: files, folders of files, `.npz` with `images`.
    """
    network = _from_onnx(Path(source)) if Path(source).suffix == ".onnx" else _from_run(source)
    channels, height, width = network.facts.image_shape
    names, pixels = read_images([Path(each) for each in images], (channels, height, width))
    with torch.no_grad():
        outputs = torch.cat([network.outputs(some) for some in pixels.split(BATCH)])
    confidence, chosen = outputs.double().softmax(1).max(1)
    classes = network.facts.class_names
    return tuple(
        Prediction(name, classes[label], sure)
        for name, label, sure in zip(names, chosen.tolist(), confidence.tolist(), strict=True)
    )


@dataclass(frozen=True)
class _Network:
    facts: Facts
    #: uint8 (N, C, H, W) -> (N, classes)
    outputs: Callable[[Tensor], Tensor]


def _from_run(source: str | Path) -> _Network:
    run = find_run(source)
    facts = run.facts
    if facts.task != "classify":
        raise ValueError(f"run must be one that classifies, {run.path} reconstructs")
    model, preprocessing = run.network, run.preprocessing()

    def outputs(images: Tensor) -> Tensor:
        with cached(model):
            return model(preprocessing.apply(images))

    return _Network(facts, outputs)


def _from_onnx(path: Path) -> _Network:
    if importlib.util.find_spec("onnxruntime") is None:
        raise ValueError("onnxruntime must be installed to read an ONNX file: pip install 'lgn[onnx]'")
    if not path.is_file():
        raise FileNotFoundError(f"run must be a run or an ONNX file, got {path}, which is not there")
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        stored = session.get_modelmeta().custom_metadata_map.get(FACTS)
    except Exception as error:  # a damaged file may fail in any way
        raise ValueError(f"{path} is not an ONNX file that can be read: {' '.join(str(error).split())[:200]}") from None
    if stored is None:
        raise ValueError(f"{path} must be an ONNX file that lgn wrote: it does not say which classes there are")
    facts = Facts.from_json(json.loads(stored))
    preprocessing = data.Preprocessing(**vars(facts.preprocessing))

    def outputs(images: Tensor) -> Tensor:
        prepared = preprocessing.apply(images).numpy()
        return torch.from_numpy(session.run(None, {"images": prepared})[0])

    return _Network(facts, outputs)
