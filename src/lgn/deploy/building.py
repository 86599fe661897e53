"""`lgn.build`: a network with the symmetries of images, and one with free filters for comparison."""

import importlib.util
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from lgn.answer import Answer
from lgn.data import DataSet, Split
from lgn.deploy.exporting import export
from lgn.deploy.network_settings import with_answer, with_free_filters, with_group
from lgn.files import decode, encode, read_json, write_json
from lgn.front import discover_or_load
from lgn.front.inputs import read_inputs
from lgn.groups import Group, as_group
from lgn.nn import GroupNet, invariance_errors
from lgn.text import columns
from lgn.training import Config, Images, Interrupted, Run, load_images, preset, train

PLAN, GIVEN, DATA, FREE = "build.json", "given.json", "data.npz", "free"
#: The number of test images on which the invariance of a network is measured.
COMPARED = 500


@dataclass(frozen=True)
class BuildPlan:
    """The settings of a build without the group, and the source of the group."""

    config: Config
    #: The name of a group, or the file of an answer; by default the training images are asked about `candidates`.
    group: str | None = None
    found: Path | None = None
    candidates: tuple[str, ...] | None = None

    @classmethod
    def load(cls, out: Path) -> "BuildPlan":
        """The plan of an earlier build."""
        if not (out / PLAN).is_file():
            raise FileNotFoundError(f"resume must be a directory of lgn build, got {out}")
        stored = {key: value for key, value in read_json(out / PLAN).items() if key != "schema"}
        return decode(cls, stored, "plan")


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
    #: The name of the group that is built in; empty for free filters.
    group: str
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
        best, (difference, error) = self.recommended, self.difference
        text = f"Recommended: {best.name}, with {100 * best.accuracy:.2f} % of {self.test_images:,} test images correct"
        if len(self.networks) == 1:
            return f"{text}. No symmetry is kept."
        gain = f"{100 * difference:.2f} points (standard error {100 * error:.2f})"
        return f"{text}. The difference to free filters is {gain}."

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
    candidates: Sequence[str] | None = None,
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
    the extra `onnx` is installed. A build that was stopped continues.

    data: images, or the name or the path of a data set of images.
    target: the classes of images in memory.
    out: the directory of the run; free filters are in `out/free`.
    group: the group of turns and flips; by default the symmetries are found.
    found: an answer of `lgn.discover`, or its file; by default the training images are asked.
    candidates: the transformations that are asked about, as in `lgn.discover`.
    parameters, epochs: of the networks.  train_images: use this number of training images only.
    augment: turn every training image by a random angle in each step.
    """
    out = Path(out)
    if group is not None and found is not None:
        raise ValueError("group must be None if found is given, got both")
    if isinstance(found, Answer):
        out.mkdir(parents=True, exist_ok=True)
        found.save(out / GIVEN, images=False)
        found = out / GIVEN
    config = preset(
        "net",
        "classify",
        data=_source(data, target, out),
        parameters=parameters,
        epochs=epochs,
        train_images=train_images,
        image_size=image_size,
        data_dir=None if data_dir is None else Path(data_dir),
        augment="turns" if augment else "none",
        seed=seed,
        device=device,
    )
    name = None if group is None else as_group(group).name
    asked = None if candidates is None else tuple(candidates)
    return carry_out(BuildPlan(config, name, None if found is None else Path(found), asked), out, progress=progress)


def carry_out(plan: BuildPlan, out: Path, *, progress: bool = False) -> Built:
    """Ask, train, compare and export, as far as it is not done."""
    if (out / PLAN).is_file() and BuildPlan.load(out) != plan:
        raise ValueError(f"out must be a new directory or a build with the same settings, got {out}")
    images = load_images(plan.config)
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / PLAN, encode(plan))
    answer = None if plan.group is not None else _answer(plan, images, out, progress)
    config = with_answer(plan.config, answer) if answer is not None else with_group(plan.config, plan.group or "")
    try:
        runs = [train(config, out, progress=progress)]
        if config.network.family is not None:
            runs.append(train(with_free_filters(plan.config), out / FREE, progress=progress))
    except Interrupted as stop:
        raise Interrupted(f"{stop}; continue with: lgn build --resume {shlex.quote(str(out))}") from None
    networks = tuple(_measured(run, config, images) for run in runs)
    group = "" if config.network.family is None else config.network.finite_group.name
    built = Built(networks, len(images.parts["test"][0]), group, answer)
    if all(importlib.util.find_spec(name) for name in ("onnx", "onnxscript", "onnxruntime")):
        path = out / "merged.onnx"
        built = replace(built, exported=path if path.is_file() else export(built.recommended.run, out=path).path)
    stored = {"sentence": built.sentence, "recommended": built.recommended.name, **encode(replace(built, answer=None))}
    write_json(out / "built.json", stored)
    return built


def _answer(plan: BuildPlan, images: Images, out: Path, progress: bool) -> Answer:
    """The answer that is given, stored, or found in the training images."""
    if plan.found is not None:
        given = Answer.load(plan.found / "answer.json" if plan.found.is_dir() else plan.found)
        if given.question != "labels":
            raise ValueError(f'found must answer the question "labels", got {given.question!r}')
        return given
    parts = {part: Split(*images.parts[part]) for part in ("train", "test")}
    names = images.facts.class_names
    data = DataSet(
        name=images.facts.data_name, kind="images", class_names=names, train=parts["train"], test=parts["test"]
    )
    options = {"candidates": plan.candidates, "seed": plan.config.seed, "device": plan.config.device}
    return discover_or_load(data, out, **options, progress=progress)


def _measured(run: Run, config: Config, images: Images) -> Trained:
    """The measurements of a run; `config` has the group whose invariance is measured."""
    model, network, error = run.network, run.config.network, None
    if config.network.family is not None:
        pixels = images.preprocessing.apply(images.parts["test"][0][:COMPARED])
        group, operator = config.network.finite_group, config.network.operator or None
        error = max(invariance_errors(model, pixels, group=group, action=operator).values())
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
    inputs = read_inputs(data, target, "images", None)
    if inputs.labels is None:
        raise ValueError("target must be given to build a network that classifies, got None")
    arrays: dict[str, Any] = {"images": inputs.samples.cpu().numpy(), "labels": inputs.labels.cpu().numpy()}
    if isinstance(data, DataSet) and data.test.labels is not None:
        arrays |= {"test_images": data.test.samples.cpu().numpy(), "test_labels": data.test.labels.cpu().numpy()}
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / DATA, **arrays, class_names=np.array(inputs.class_names))
    return str(out / DATA)
