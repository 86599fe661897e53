"""`lgn predict`: what a trained network says of images."""

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import tyro

from lgn.data.errors import printable
from lgn.deploy.predicting import predict

SHOWN = 40


def run(args: list[str]) -> int:
    tyro.cli(_predict, prog="lgn predict", args=args)
    return 0


def _predict(
    run: Annotated[Path, tyro.conf.Positional],
    images: Annotated[tuple[Path, ...], tyro.conf.Positional],
    json_output: Annotated[bool, tyro.conf.arg(name="json")] = False,
) -> None:
    """Say the class of images, and how sure the network is.

    Args:
        run: a run directory that `lgn build` or `lgn train` left, the name of a network that comes with the package,
            or an ONNX file that `lgn build` or `lgn export` wrote.
        images: PNG, JPEG or WebP files, folders of them, or .npz files with `images`.
        json_output: print one JSON object with all predictions instead of a table.
    """
    if not images:
        raise ValueError("images must be at least one file, folder or .npz, got none")
    found = predict(run, images)
    if json_output:
        print(json.dumps({"predictions": [asdict(each) for each in found]}))
        return
    wide = max(len(each.image) for each in found[:SHOWN])
    print(f"{'image':<{wide}}  {'confidence':>10}  class")
    for each in found[:SHOWN]:
        print(f"{printable(each.image):<{wide}}  {100 * each.confidence:>8.1f} %  {printable(each.label)}")
    if len(found) > SHOWN:
        counts = Counter(each.label for each in found)
        words = ", ".join(f"{count} {printable(label)}" for label, count in counts.most_common())
        print(f"... {len(found):,} images in all: {words}; --json has every one")
