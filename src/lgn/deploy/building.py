"""`lgn.build`: a network with the symmetries of images, and one with free filters for comparison."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from lgn.answer import Answer
from lgn.data import DataSet, Split
from lgn.deploy.exporting import can_write_onnx, export
from lgn.deploy.network_settings import with_answer, with_free_filters, with_group
from lgn.files import encode, write_json
from lgn.front import discover, store_answer, stored_answer
from lgn.front.inputs import read_inputs
from lgn.groups import Group, as_group
from lgn.nn import GroupNet, equivariance_table
from lgn.text import columns
from lgn.training import Config, Images, Interrupted, Run, load_images, preset, train

#: The number of test images on which the invariance of a network is measured.
COMPARED = 500


@dataclass(frozen=True)
class Trained:
    """A trained network and its measurements on test images."""

    name: str
    run: Path
    parameters: int
    accuracy: float
    #: The largest relative change of the outputs under the elements of the group; None without a group.
    invariance_error: float | None
    #: The learned gates by the words of elements; None for networks without gates.
    gates: dict[str, float] | None = None


@dataclass(frozen=True)
class Built:
    """The trained networks, the one with the symmetries first."""

    networks: tuple[Trained, ...]
    test_images: int
    #: The answer about the training images; None if the group was given.
    answer: Answer | None = None
    #: The ONNX file of the recommended network; None if the extra `onnx` is not installed.
    exported: Path | None = None

    @property
    def difference(self) -> tuple[float, float]:
        """The accuracy of the first network minus that of the last, and its standard error."""
        error = math.sqrt(sum(one.accuracy * (1 - one.accuracy) for one in self.networks) / self.test_images)
        return self.networks[0].accuracy - self.networks[-1].accuracy, error

    @property
    def recommended(self) -> Trained:
        """The network with the symmetries, unless free filters are better by two standard errors."""
        difference, error = self.difference
        return self.networks[-1] if difference < -2 * error else self.networks[0]

    @property
    def sentence(self) -> str:
        """The recommended network and the reason."""
        difference, error = (100 * value for value in self.difference)
        reason = f"The difference to free filters is {difference:.2f} points (standard error {error:.2f})."
        best, reason = self.recommended, reason if len(self.networks) > 1 else "No symmetry is kept."
        correct = f"{100 * best.accuracy:.2f} % of {self.test_images:,} test images correct"
        return f"Recommended: {best.name}, with {correct}. {reason}"

    def __str__(self) -> str:
        rows = [["network", "parameters", "accuracy", "invariance error"]]
        for one in self.networks:
            error = "" if one.invariance_error is None else f"{one.invariance_error:.2g}"
            rows.append([one.name, f"{one.parameters:,}", f"{100 * one.accuracy:.2f} %", error])
        gates = self.networks[0].gates or {}
        listed = ["", "gates: " + ", ".join(f"{word} {value:.2f}" for word, value in gates.items())] if gates else []
        return "\n".join([*columns(rows), *listed, "", self.sentence])


def build(
    data: Any,
    target: Any = None,
    *,
    out: str | PathLike[str],
    group: Group | str | int | None = None,
    found: Answer | str | PathLike[str] | None = None,
    candidates: Sequence[str] | str | None = None,
    parameters: int = 25_000,
    epochs: int = 24,
    train_images: int | None = None,
    image_size: int | None = None,
    data_dir: str | PathLike[str] | None = None,
    augment: bool = False,
    seed: int = 0,
    device: str = "auto",
    progress: bool = False,
) -> Built:
    """Find the symmetries of training images and their classes, train a network with them, and one with free filters.

    Both networks have as many parameters, and are compared on test images. The recommended one is exported to ONNX if
    the extra `onnx` is installed. The same call continues a build that was stopped.

    data: images, or the name or the path of a data set of images.  target: the classes of images in memory.
    out: the directory of the run; free filters are in `out/free`.
    group: the group of turns and flips; by default the symmetries are found.
    found: an answer of `lgn.discover`, or its file; by default the training images are asked about `candidates`.
    parameters, epochs: of the networks.  train_images: use this number of training images only.
    augment: turn every training image by a random angle in each step.
    """
    if group is not None and found is not None:
        raise ValueError("found must be None if group is given, got both")
    out = Path(out)
    options: dict[str, Any] = {"parameters": parameters, "epochs": epochs, "train_images": train_images}
    options |= {"image_size": image_size, "data_dir": None if data_dir is None else Path(data_dir)}
    options |= {"augment": "turns" if augment else "none", "seed": seed, "device": device}
    config = preset("net", "classify", data=_source(data, target, out), **options)
    images, free = load_images(config), with_free_filters(config)
    if group is None:
        question = {"candidates": candidates, "seed": seed, "device": device}
        answer = _asked(images, out, question, progress) if found is None else found
        if not isinstance(answer, Answer):
            path = Path(answer)
            answer = Answer.load(path / "answer.json" if path.is_dir() else path)
        if answer.question != "labels":
            raise ValueError(f'found must answer the question "labels", got {answer.question!r}')
        chosen = with_answer(config, answer)
    else:
        answer, chosen = None, with_group(config, as_group(group).name)
    try:
        runs = [train(chosen, out, progress=progress)]
        runs += [] if chosen.network.family is None else [train(free, out / "free", progress=progress)]
    except Interrupted as stop:
        raise Interrupted(f"{stop}; the same command continues") from None
    built = Built(tuple(_measured(run, chosen, images) for run in runs), len(images.parts["test"][0]), answer)
    if can_write_onnx():
        path = out / "merged.onnx"
        built = replace(built, exported=path if path.is_file() else export(built.recommended.run, out=path).path)
    write_json(out / "built.json", {"recommended": built.recommended.name, **encode(replace(built, answer=None))})
    return built


def _asked(images: Images, out: Path, question: dict[str, Any], progress: bool) -> Answer:
    """The answer about the images of a training, which is stored in the run."""
    train, test = (Split(*images.parts[part]) for part in ("train", "test"))
    facts = images.facts
    data = DataSet(name=facts.data_name, kind="images", train=train, test=test, class_names=facts.class_names)
    answer = stored_answer(out, data, question) or discover(data, **question, progress=progress)
    store_answer(answer, out, data, question)
    return answer


def _measured(run: Run, config: Config, images: Images) -> Trained:
    """The measurements of a run; `config` has the group whose invariance is measured."""
    model, network, error = run.network, run.config.network, None
    if config.network.family is not None:
        pixels = images.preprocessing.apply(images.parts["test"][0][:COMPARED])
        group, operator = config.network.finite_group, config.network.operator or None
        error = equivariance_table(model, pixels, group=group, action=operator).worst
    gates = model.gates.by_word() if isinstance(model, GroupNet) and model.gates is not None else None
    name = "free filters" if network.family is None else network.finite_group.name + (" in part" if gates else "")
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return Trained(name, run.path, parameters, run.metrics[-1]["test_accuracy"], error, gates)


def _source(data: Any, target: Any, out: Path) -> str:
    """The name or the path of the data; images in memory are stored in the directory of the run."""
    if isinstance(data, str | PathLike):
        if target is not None:
            raise ValueError(f"target must be None for a data set of images, got {target!r}")
        return str(data)
    inputs = read_inputs(data, target, "images")
    if inputs.labels is None:
        raise ValueError("target must be given to build a network that classifies, got None")
    arrays: dict[str, Any] = {"images": inputs.samples.cpu().numpy(), "labels": inputs.labels.cpu().numpy()}
    if isinstance(data, DataSet) and data.test.labels is not None:
        arrays |= {"test_images": data.test.samples.cpu().numpy(), "test_labels": data.test.labels.cpu().numpy()}
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "data.npz", **arrays, class_names=np.array(inputs.class_names))
    return str(out / "data.npz")
