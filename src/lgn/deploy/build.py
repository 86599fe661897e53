"""`build`: from images to the network that their symmetries ask for, beside the same with free filters."""

import importlib.util
import math
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lgn.answer import Answer
from lgn.data import checksum
from lgn.deploy.exporting import export
from lgn.files import decode, encode, read_json, write_json
from lgn.groups import as_group
from lgn.nn import GroupNet, invariance_errors
from lgn.training import Config, Interrupted, Run, train
from lgn.training.loading import Images, load_images
from lgn.training.networks import ask, for_task, with_found, with_free_filters, with_group

QUESTION, FOUND, FREE = "build.json", "answer.json", "free"
JUDGED = 500  # test images that are turned for the error of equivariance


@dataclass(frozen=True)
class Question:
    """What a build was asked for: settings before a group is chosen, and where that comes from."""

    config: Config
    group: str | None = None
    symmetries: Path | None = None

    def save(self, out: Path) -> None:
        path = None if self.symmetries is None else str(self.symmetries)
        out.mkdir(parents=True, exist_ok=True)
        stored = {"config": encode(self.config), "group": self.group, "symmetries": path}
        write_json(out / QUESTION, stored)

    @classmethod
    def load(cls, out: Path) -> "Question":
        if not (out / QUESTION).is_file():
            raise FileNotFoundError(f"resume must be a directory that `lgn build` made, got {out}")
        stored = read_json(out / QUESTION)
        path = stored["symmetries"]
        return cls(decode(Config, stored["config"], "config"), stored["group"], None if path is None else Path(path))


@dataclass(frozen=True)
class Trained:
    """One of the two networks, and what was measured of it on test images."""

    name: str
    run: Run
    parameters: int
    accuracy: float
    #: The largest change of answers over the elements of the group; None where there is no group.
    error: float | None
    #: By the words of elements, where the network has learned which of them to keep.
    gates: dict[str, float] | None = None


@dataclass(frozen=True)
class Built:
    """What was built: the network to take first."""

    networks: tuple[Trained, ...]
    images: int
    found: Answer | None
    exported: Path | None

    @property
    def sentence(self) -> str:
        """Which network to take, and why."""
        first, *others = self.networks
        if not others:
            return f"no symmetry kept: free filters are the network to take ({100 * first.accuracy:.2f} %)"
        free = others[0]
        points = 100 * (first.accuracy - free.accuracy)
        spread = 100 * math.sqrt(sum(n.accuracy * (1 - n.accuracy) for n in self.networks) / self.images)
        if points < -2 * spread:
            return (
                f"free filters are better by {-points:.2f} points on {self.images:,} test images "
                f"(standard error {spread:.2f}): the network to take is {free.run.path}"
            )
        gained = f"{points:.2f} points better than" if points > 2 * spread else "as good as"
        return (
            f"{first.name} kept: {100 * first.accuracy:.2f} % of {self.images:,} test images, {gained} free filters "
            f"with as many parameters ({100 * free.accuracy:.2f} %, standard error {spread:.2f} points)"
        )

    def __str__(self) -> str:
        lines = [f"{'network':<16}{'parameters':>12}{'accuracy':>12}{'equivariance error':>20}"]
        for each in self.networks:
            error = "-" if each.error is None else f"{each.error:.2g}"
            lines.append(f"{each.name:<16}{each.parameters:>12,}{100 * each.accuracy:>10.2f} %{error:>20}")
        if (gates := self.networks[0].gates) is not None:
            words = ", ".join(f"{word} {value:.2f}" for word, value in gates.items())
            lines += ["", f"gates, of elements with their inverses: {words}"]
        return "\n".join([*lines, "", self.sentence])


def build(
    question: Question, out: str | Path, *, onnx: bool = True, progress: Callable[[str], None] | None = None
) -> Built:
    """Find the symmetries, train the network that keeps them and the same with free filters, compare, and export.

    The run is `out`, with the control in `out/free`. What is there already is not made again: a build that was stopped
    goes on where it was. onnx: write `out/merged.onnx`, where what that needs is installed.
    """
    out = Path(out)
    if (out / QUESTION).is_file() and Question.load(out) != question:
        raise ValueError(f"out must be a new directory or a build of the same settings, {out} was built with others")
    if question.group is not None:
        as_group(question.group)
    images = load_images(question.config)
    if images.facts.task != "classify":
        raise ValueError("data must have labels: a network is built to classify")
    question.save(out)
    config, found = _chosen(question, out, images, progress is not None)
    try:
        runs = [train(config, out)]
        if config.network.generator != "free":
            runs.append(train(with_free_filters(question.config), out / FREE))
    except Interrupted as stop:
        reason = str(stop).split(";")[0]
        raise Interrupted(f"{reason}; continue with: lgn build --resume {shlex.quote(str(out))}") from None
    networks = tuple(_trained(run, config, images) for run in runs)
    exported = None
    if onnx and all(importlib.util.find_spec(name) for name in ("onnx", "onnxscript", "onnxruntime")):
        exported = out / "merged.onnx"
        if not exported.is_file():
            export(runs[0], "onnx", exported)
    built = Built(networks, len(images.parts["test"][0]), found, exported)
    write_json(out / "built.json", _as_json(built))
    return built


def _chosen(question: Question, out: Path, images: Images, progress: bool) -> tuple[Config, Answer | None]:
    """The settings of the network to take, and what was found."""
    if question.group is not None:
        return with_group(question.config, question.group), None
    if question.symmetries is not None:
        path = question.symmetries / FOUND
        if not path.is_file():
            raise FileNotFoundError(f"symmetries must be a directory with a {FOUND}, got {question.symmetries}")
        found = Answer.load(path)
        return with_found(question.config, found), found
    pixels, labels = images.parts["train"]
    assert labels is not None
    if (out / FOUND).is_file():
        found = Answer.load(out / FOUND)
        if (found.data.checksum, found.seed) == (checksum(pixels), question.config.seed):
            return with_found(question.config, found), found
    found = ask(pixels, labels, question.config.seed, images.facts.class_names, progress=progress)
    found.save(out / FOUND)
    return with_found(question.config, found), found


def _trained(run: Run, chosen: Config, images: Images) -> Trained:
    model, network = run.network, run.config.network
    error = None
    if chosen.network.generator != "free":
        pixels = images.preprocessing.apply(images.parts["test"][0][:JUDGED])
        group = chosen.network.finite_group
        error = max(invariance_errors(model, pixels, group=group, action=chosen.network.operator or None).values())
    gates = model.gates.by_word() if isinstance(model, GroupNet) and model.gates is not None else None
    in_part = "" if gates is None else " in part"
    return Trained(
        "free filters" if network.generator == "free" else network.finite_group.name + in_part,
        run,
        sum(parameter.numel() for parameter in model.parameters()),
        run.metrics[-1]["test_accuracy"],
        error,
        gates,
    )


def _as_json(built: Built) -> dict[str, Any]:
    return {
        "sentence": built.sentence,
        "group": None if built.found is None or (action := for_task(built.found)) is None else action.group.name,
        "test_images": built.images,
        "networks": [
            {
                "name": each.name,
                "run": str(each.run.path),
                "parameters": each.parameters,
                "accuracy": each.accuracy,
                "equivariance_error": each.error,
                "gates": each.gates,
            }
            for each in built.networks
        ],
    }
