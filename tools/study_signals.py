"""Ask outlines of leaves and of arrow heads which symmetries they keep: fetch, read, ask, write what was found.

The outlines come inside the package aeon on PyPI, a wheel with the checksum below, into a directory of yours; nothing
in it is installed or run. A leaf's outline is closed: if it began anywhere, turning the leaf would shift its signal
round a ring, and shifts would be kept. Arrow heads are aligned. The rows go into results/signals.json, beside those of
`lgn benchmark signals`.

python tools/study_signals.py DIRECTORY            takes a minute or two of one core
"""

import argparse
import hashlib
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import lgn
from lgn.analysis.structure import circulant
from lgn.benchmarks.symmetry.images import verdicts
from lgn.whole_files import read_json, write_json

VERSION, FILE = "1.6.0", "aeon-1.6.0-py3-none-any.whl"
SHA256 = "d05227086706f80111ac5fee8de4d5d3115bb3bcfd1c786c8629393055816409"
SETS = {"OSULeaf": "outlines of leaves", "ArrowHead": "outlines of arrow heads"}
SEEDS = 5


def fetched(directory: Path) -> Path:
    """The wheel, in the directory, by pip's own index."""
    wheel = directory / FILE
    if not wheel.is_file():
        words = ["download", f"aeon=={VERSION}", "--no-deps", "--only-binary", ":all:", "--dest", str(directory)]
        subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
        raise ValueError(f"{wheel} must have the checksum {SHA256}: it is not the file that was studied")
    return wheel


def signals_of(wheel: Path, name: str) -> Tensor:
    """Train and test outlines, without their labels.  -> (N, 1, T)"""
    rows = []
    with zipfile.ZipFile(wheel) as archive:
        for part in ("TRAIN", "TEST"):
            text = archive.read(f"aeon/datasets/data/{name}/{name}_{part}.ts").decode()
            lines = [line for line in text.splitlines() if line and line[0] not in "#@"]
            rows += [[float(word) for word in line.rsplit(":", 1)[0].split(",")] for line in lines]
    return torch.tensor(rows)[:, None]


def study(name: str, signals: Tensor, seed: int) -> dict[str, Any]:
    """What is said of reversal, sign and shift, and how circulant the covariance is."""
    began, worked = time.perf_counter(), time.process_time()
    found = lgn.symmetries(signals, seed=seed)
    centred = (signals - signals.mean(0))[:, 0].double()
    share = float(circulant(centred.T @ centred))
    about = verdicts(found, lambda _: None)
    needed = {row.name: row.needed for row in found.rows if row.needed}
    times = {"seconds": time.perf_counter() - began, "processor_seconds": time.process_time() - worked}
    key = {"part": "outlines", "signals": SETS[name], "seed": seed}
    times = {what: round(value, 3) for what, value in times.items()}
    return {"key": key, **about, "needed": needed, "circulant": round(share, 4), **times}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "results" / "signals.json")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    wheel = fetched(options.directory)
    for seed in range(SEEDS):
        for name in SETS:
            found = study(name, signals_of(wheel, name), seed)
            stored = read_json(options.out) if options.out.is_file() else {"quick": False, "threads": 1, "cells": []}
            cells = [cell for cell in stored["cells"] if cell["key"] != found["key"]]
            write_json(options.out, {**stored, "cells": [*cells, found]}, indent=None)
            print(found["key"], [(row["name"], row["verdict"], row["told_apart"]) for row in found["rows"]])


if __name__ == "__main__":
    main()
