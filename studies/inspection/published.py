"""Published networks, and those that come with `lgn`: the groups in their filters."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lgn
from lgn.answer import Filters, Row
from lgn.discovery.networks import inspect
from lgn.discovery.networks.convolutions import convolutions_of, inspected
from lgn.discovery.networks.layer_inspection import LayerInspection, inspect_layer
from lgn.discovery.networks.weight_files import read_convolutions
from lgn.groups import Subgroup
from lgn.transforms import SQUARE
from studies.inspection.cases import BALANCE_WORDS
from studies.packages import PACKAGES, Package, caffe_convolutions, first_dlib_convolution, weights_of
from studies.render import ROOT
from studies.runner import Cell, cell
from studies.speed.processes import in_a_process, most_memory


def published(quick: bool) -> Iterator[Cell]:
    """The networks of the packages; not in a quick run, which fetches nothing."""
    for package in () if quick else PACKAGES:
        yield cell(measure_published, {"package": package}, name=package.name)


def measure_published(name: str, package: Package) -> dict[str, Any]:
    """The first layer, and for a network in ONNX the totals over all layers."""
    path = weights_of(package)
    found: dict[str, Any] = {"package": f"{package.package} {package.version}", "licence": package.licence}
    if path.suffix == ".dat":
        title, weight = "first convolution", first_dlib_convolution(path)
    elif path.suffix == ".caffemodel":
        title, weight = next((title, weight) for title, weight in caffe_convolutions(path) if weight.shape[-1] > 2)
    else:
        found["whole"] = in_a_process(totals_of, str(path))
        title, weight = next(iter(inspected(read_convolutions(path)).items()))
    return {**found, "layers": [record(inspect_layer(weight, title))]}


def totals_of(path: str) -> dict[str, Any]:
    """The totals over all layers of a file, and the time and the memory of the process."""
    began = time.perf_counter()
    found: dict[str, Any] = dict(inspect(Path(path)).settings)
    return {
        "inspected": len(found["layers"]),
        "left_alone": len(found["not_inspected"]),
        "with_twins": sum(group != "trivial" for group in found["groups"]),
        "balanced": sum(group != "trivial" for group in found["balanced_groups"]),
        "pairs": len(found["steps"]),
        "carried": len({step.rpartition(":")[0] for step in found["continued"]}),
        "seconds": round(time.perf_counter() - began, 1),
        "processor_seconds": round(time.process_time(), 1),
        "megabytes": round(most_memory()),
    }


def record(found: LayerInspection) -> dict[str, Any]:
    return {
        "name": found.layer,
        "shape": found.shape,
        "filters": len(found.bank.filters),
        "dead": found.bank.dead,
        "flat": found.bank.flat,
        "off_centre": found.bank.off_centre,
        "window": found.bank.window,
        "rows": [_row(row) for row in found.rows],
        "group": _group(found.group),
        "balanced_group": _group(found.balanced),
        "lookalikes": found.lookalikes,
        "power": found.power,
    }


def _row(row: Row) -> dict[str, Any]:
    copies, *others = row.evidence
    assert isinstance(copies.detail, Filters)
    found: dict[str, Any] = {"name": row.name, "kind": "place" if others else "other"}
    found |= {"twins": copies.verdict == "kept", "p_value": copies.p_value, "gap": copies.value}
    found |= dict(zip(("p_twist", "p_gap"), copies.detail.p_values, strict=True))
    found |= {name: getattr(copies.detail, name) for name in ("alike", "alike_by_chance", "self_symmetric")}
    for balance in others:
        assert isinstance(balance.detail, Filters)
        found |= {"rho": balance.value, "balance": BALANCE_WORDS[str(balance.verdict)]}
        found |= dict(zip(("smooth_reference", "ring_reference"), balance.detail.references, strict=True))
    return found


def _group(group: Subgroup) -> dict[str, Any]:
    elements = ["identity", *(SQUARE[element] for element in group.elements[1:])]
    return {"name": group.name, "order": group.order, "elements": elements}


def own(quick: bool) -> Iterator[Cell]:
    """The networks of `lgn`, and free ones of `results/runs`; a quick run has one."""
    runs = sorted((ROOT / "results" / "runs").glob("*free*"))
    free = [path for path in runs if (path / "model.safetensors").is_file()]
    sources: list[str | Path] = [*lgn.pretrained_names(), *free]
    for source in sources[: 1 if quick else None]:
        yield cell(measure_own, {"source": source}, name=Path(source).name)


def measure_own(name: str, source: str | Path) -> dict[str, Any]:
    weights = inspected(convolutions_of(lgn.load(source)))
    layers = [record(inspect_layer(weight, layer)) for layer, weight in weights.items()]
    layers = [{**layer, "rows": [row for row in layer["rows"] if row["kind"] == "place"]} for layer in layers]
    return {"package": "lgn", "licence": "MIT", "layers": layers}
