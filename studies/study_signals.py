"""Ask outlines of leaves and of arrow heads which symmetries they keep: fetch, read, ask, write what was found.

The outlines come inside the package aeon on PyPI, a wheel with the checksum below, into a directory of yours; nothing
in it is installed or run. A leaf's outline is closed: if it began anywhere, turning the leaf would shift its signal
round a ring, and shifts would be kept. So the same outlines are asked once more, each begun at a random place. Arrow
heads are aligned. The rows go into results/signals.json, beside those of `lgn benchmark signals`, and are
not measured again; with `--pages`, the page of each set into a directory.

python tools/study_signals.py DIRECTORY            takes about five minutes of one core
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
from torch.nn import functional as F

import lgn
from lgn.analysis.structure import circulant
from lgn.files import read_json, write_json
from lgn.front.answer import answer_of
from lgn.report import write_answer
from studies.symmetry.images import verdicts

VERSION, FILE = "1.6.0", "aeon-1.6.0-py3-none-any.whl"
SHA256 = "d05227086706f80111ac5fee8de4d5d3115bb3bcfd1c786c8629393055816409"
SETS = ("OSULeaf", "ArrowHead")
ANYWHERE = "the same, begun anywhere"
SEEDS = 5
#: A tip or a notch is higher or lower than all of the outline up to this part of it either way.
NEIGHBOURS = 32


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


def begun_anywhere(signals: Tensor, seed: int) -> Tensor:
    """Every outline from another place of its ring on.  (N, 1, T) -> the same"""
    random = torch.Generator().manual_seed(seed)
    places = torch.randint(signals.shape[-1], (len(signals), 1, 1), generator=random)
    return signals.gather(-1, (torch.arange(signals.shape[-1]) + places) % signals.shape[-1])


def extremes(signals: Tensor) -> dict[str, float]:
    """How many outlines have a tip, or a notch, within three values of where they begin; and of any place."""
    reach = signals.shape[-1] // NEIGHBOURS
    found: dict[str, float] = {}
    for word, sign in (("tip", 1), ("notch", -1)):
        ring = F.pad(sign * signals, (reach, reach), mode="circular")
        highest = (F.max_pool1d(ring, 2 * reach + 1, 1) == sign * signals).float()
        near = F.max_pool1d(F.pad(highest, (3, 3), mode="circular"), 7, 1)[:, 0]
        found |= {word: float(near[:, 0].mean()), f"{word} anywhere": float(near.mean())}
    return {word: round(share, 4) for word, share in found.items()}


def key_of(name: str, seed: int) -> dict[str, Any]:
    return {"part": "outlines", "signals": name, "seed": seed}


def study(name: str, signals: Tensor, seed: int, pages: Path | None = None) -> dict[str, Any]:
    """What is said of reversal, sign and shift, how circulant the covariance is, and where outlines begin."""
    began, worked = time.perf_counter(), time.process_time()
    found = lgn.symmetries(signals, seed=seed)
    centred = (signals - signals.mean(0))[:, 0].double()
    about = verdicts(found, lambda _: None)
    times = {"seconds": time.perf_counter() - began, "processor_seconds": time.process_time() - worked}
    if pages is not None and seed == 0:
        write_answer(answer_of(found, signals), name, pages / f"{name.replace(' ', '-')}.html")
    return {
        "key": key_of(name, seed),
        **about,
        "needed": {row.name: row.needed for row in found.rows if row.needed},
        "circulant": round(float(circulant(centred.T @ centred)), 4),
        "begins": extremes(signals),
        **{what: round(value, 3) for what, value in times.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "results" / "signals.json")
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--seeds", type=int, nargs="*", default=range(SEEDS))
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    wheel = fetched(options.directory)
    leaves, heads = (signals_of(wheel, name) for name in SETS)
    for seed in options.seeds:
        asked = {"outlines of leaves": leaves, ANYWHERE: begun_anywhere(leaves, seed), "outlines of arrow heads": heads}
        for name, signals in asked.items():
            stored: Any = (
                read_json(options.out) if options.out.is_file() else {"quick": False, "threads": 1, "cells": []}
            )
            if any(cell["key"] == key_of(name, seed) for cell in stored["cells"]):
                continue
            found = study(name, signals, seed, options.pages)
            write_json(options.out, {**stored, "cells": [*stored["cells"], found]}, indent=None)
            print(found["key"], [(row["name"], row["verdict"], row["told_apart"]) for row in found["rows"]], flush=True)


if __name__ == "__main__":
    main()
