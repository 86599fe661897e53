"""A row of the table: a network that is trained, and its measurements."""

import dataclasses
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from lgn.discovery.images import Symmetries
from lgn.files import read_json, write_json
from lgn.generators import generators_of
from lgn.nn import GroupNet, invariance_errors
from lgn.nn.image_action import image_action
from lgn.training import Config, Run, train
from lgn.training.config import same_settings
from lgn.training.loading import load_images
from lgn.training.networks import ask, with_found
from studies.networks.cases import GIVEN, Case, cases

SYMMETRIES = "symmetries.json"
JUDGED = 500  # test images that are turned for the error of equivariance
STEPS, BATCH = 7, 64


def measure(quick: bool, out: Path, chosen: tuple[str, ...] = ()) -> None:
    """Train the networks that `out` has no row of. Runs are kept in a directory next to it."""
    rows = [*read_json(out)["rows"]] if out.is_file() else []
    for case in tqdm(cases(chosen, quick), unit="network", disable=None):
        if case.key not in [key_of(row) for row in rows]:
            rows.append(measure_case(case, out.with_suffix("")))
        rows.sort(key=lambda row: [*key_of(row).values()])
        write_json(out, {"quick": quick, "rows": rows}, indent=None)


def key_of(row: dict[str, Any]) -> dict[str, Any]:
    """`Case.key` of a row; rows of whole images need not have the entry `small`."""
    return {name: row.get(name, False) for name in ("data", "small", "images", "augmented", "method", "seed")}


def measure_case(case: Case, place: Path) -> dict[str, Any]:
    """The row of a network."""
    config, directory, facts = _found(case, place) if case.method == "found" else (case.config(), place / case.name, {})
    run = train(config, directory)
    accuracy = round(run.metrics[-1]["test_accuracy"], 6)
    return {**case.key, "accuracy": accuracy, "epochs": config.epochs, **_facts(run, GIVEN[case.data]), **facts}


def _found(case: Case, place: Path) -> tuple[Config, Path, dict[str, Any]]:
    """The settings that the symmetries of a training's own images lead to, and the run that has them.

    Where they are those of a network that is trained anyway, with the group given or with free filters, the training
    is the same bit for bit, and its run is taken.
    """
    base, path = case.base(), place / case.name / SYMMETRIES
    if path.is_file():
        found, spent = Symmetries.load(path), None
    else:
        images = load_images(base)
        pixels, labels = images.parts["train"]
        assert labels is not None
        worked = time.process_time()
        found = ask(pixels, labels, case.seed, images.facts.class_names)
        spent = round((time.process_time() - worked) / 60, 2)
        path.parent.mkdir(parents=True, exist_ok=True)
        found.save(path)
    config = with_found(base, found)
    facts: dict[str, Any] = {"found": found.group.name, "continuous": found.continuous}
    facts |= {} if spent is None else {"finding_minutes": spent}
    for method in ("given", "free"):
        other = dataclasses.replace(case, method=method)
        if same_settings(other.config(), config):
            return config, place / other.name, {**facts, "same_as": method}
    return config, place / case.name, facts


def _facts(run: Run, group: str) -> dict[str, Any]:
    """Parameters, the error of equivariance on test images, and how long a step takes."""
    model = run.model()
    images = load_images(run.config)
    pixels = images.parts["test"][0][:JUDGED]
    errors = invariance_errors(model, images.preprocessing.apply(pixels), group=group)
    network = run.config.network
    return {
        "group": "free" if network.generator == "free" else network.finite_group.name,
        "parameters": sum(p.numel() for p in model.parameters()),
        "equivariance_error": round(max(errors.values()), 6),
        "step_seconds": round(_step_seconds(run), 4),
        **_learned(run, model),
    }


def _learned(run: Run, model: nn.Module) -> dict[str, Any]:
    """The gates that a network has learned; how far its generators have moved from the known action of the group."""
    found: dict[str, Any] = {}
    if isinstance(model, GroupNet) and model.gates is not None:
        found["gates"] = [round(value, 4) for value in model.gates.values().tolist()]
    if run.config.network.start == "group":
        start = image_action(run.config.network.finite_group, run.config.network.kernel_size).matrices
        (generator,) = generators_of(model).values()
        moved = generator.matrix()[:, 0].detach().double() - start
        found["moved"] = round(float(moved.norm() / start.norm()), 6)
    return found


def _step_seconds(run: Run) -> float:
    """Processor seconds of a training step of 64 images: the least of a few."""
    model = run.model().train()
    channels, height, width = run.facts.image_shape
    torch.manual_seed(0)
    images, labels = torch.rand(BATCH, channels, height, width), torch.zeros(BATCH, dtype=torch.long)
    spent = []
    for _ in range(STEPS):
        began = time.process_time()
        F.cross_entropy(model(images), labels).backward()
        spent.append(time.process_time() - began)
    return min(spent)
