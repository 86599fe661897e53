"""A row of the table: a training that is found finished, continued or made, and what is measured of it."""

import dataclasses
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from lgn.discovery.images import Symmetries
from lgn.files import read_json, write_json
from lgn.generators import generators_of
from lgn.nn import GroupNet, invariance_errors
from lgn.nn.image_action import image_action
from lgn.training import Config, Run, train
from lgn.training.config import same_settings
from lgn.training.loading import load_images
from lgn.training.lock import InUse
from lgn.training.networks import ask, with_found
from studies.networks.cases import GIVEN, Case, cases

ROW, SYMMETRIES = "row.json", "symmetries.json"
JUDGED = 500  # test images that are turned for the error of equivariance
STEPS, BATCH = 7, 64


def measure_rows(
    quick: bool = False,
    out: Path | None = None,
    parts: tuple[str, ...] = (),
    *,
    data_dir: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Train what is missing, cheapest parts as they are listed, and collect all rows that are there into `out`.

    Runs are in a directory beside `out`, and are not kept without it. One that another process is training is left to
    that process.
    """
    if out is None:
        with tempfile.TemporaryDirectory() as passing:
            return measure_rows(quick, Path(passing) / "networks.json", parts, data_dir=data_dir, progress=progress)
    place = out.with_suffix("")
    place.mkdir(parents=True, exist_ok=True)
    wanted, stored = cases(parts, quick), [key_of(row) for row in _stored(out)]
    for number, case in enumerate(wanted):
        if progress is not None:
            progress(number, len(wanted))
        if not (place / case.name / ROW).is_file() and case.key not in stored:
            row = _measured(case, place, data_dir)
            if row is not None:
                (place / case.name).mkdir(parents=True, exist_ok=True)
                write_json(place / case.name / ROW, row, indent=None)
        result = collected(place, quick, out)
        write_json(out, result, indent=None)
    return result


def collected(place: Path, quick: bool, out: Path) -> dict[str, Any]:
    """All rows that are finished, in order: those of the runs that are here, and others that `out` has already."""
    rows = [read_json(path) for path in sorted(place.glob(f"*/{ROW}"))]
    rows = [{key: value for key, value in row.items() if key != "schema"} for row in rows]
    here = [key_of(row) for row in rows]
    rows += [row for row in _stored(out) if key_of(row) not in here]
    rows.sort(key=lambda row: (row["data"], small(row), -row["images"], row["augmented"], row["method"], row["seed"]))
    return {"quick": quick, "rows": rows}


def key_of(row: dict[str, Any]) -> dict[str, Any]:
    """`Case.key` of a row."""
    return {name: row[name] for name in ("data", "method", "images", "seed", "augmented")} | {"small": small(row)}


def small(row: dict[str, Any]) -> bool:
    """Whether a row is of small images; older rows, which are not, do not say it."""
    return bool(row.get("small", False))


def _stored(out: Path) -> list[dict[str, Any]]:
    return list(read_json(out)["rows"]) if out.is_file() else []


def _measured(case: Case, place: Path, data_dir: Path | None) -> dict[str, Any] | None:
    """None if the run is being trained by another process."""
    config, directory = case.config(data_dir), place / case.name
    words: dict[str, Any] = {}
    if case.method == "found":
        config, directory, words = _found(case, place, data_dir)
    try:
        run = train(config, directory)
    except InUse:
        return None
    return {
        **case.key,
        "accuracy": round(run.metrics[-1]["test_accuracy"], 6),
        "epochs": config.epochs,
        **_facts(run, GIVEN[case.data]),
        **words,
    }


def _found(case: Case, place: Path, data_dir: Path | None) -> tuple[Config, Path, dict[str, Any]]:
    """The settings that the symmetries of a training's own images lead to, and the run that has them.

    Where they are those of a network that is trained anyway, with the group given or with free filters, the training
    is the same bit for bit, and its run is taken.
    """
    base, path = case.base(data_dir), place / case.name / SYMMETRIES
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
    words: dict[str, Any] = {"found": found.group.name, "continuous": found.continuous}
    words |= {} if spent is None else {"finding_minutes": spent}
    for method in ("given", "free"):
        other = dataclasses.replace(case, method=method)
        if same_settings(other.config(data_dir), config):
            return config, place / other.name, {**words, "same_as": method}
    return config, place / case.name, words


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
