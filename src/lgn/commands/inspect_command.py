"""`lgn inspect`: under which transformations are the filters of a trained network copies of each other?"""

import json
import sys
from pathlib import Path
from typing import Annotated

import tyro

from lgn.answer.stored import values
from lgn.discovery.networks import inspect
from lgn.pretrained import find_run, pretrained_names


def run(
    file: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FILE|RUN")],
    layer: str | None = None,
    json_output: Annotated[bool, tyro.conf.arg(name="json")] = False,
    out: Path | None = None,
    seed: int = 0,
) -> None:
    """Find the turns, flips and other transformations under which the filters of a network are copies or balanced.

    Args:
        file: A network as .onnx, .safetensors or torch weights, a run directory, or the name of a network that comes
            with the package. No code in a file is run.
        layer: Inspect only this convolution. By default all with kernels of at least 3x3 are inspected.
        json_output: Print one JSON object instead of a table, and write no page unless --out is given.
        out: The page. The default is NAME.inspect.html in this directory.
        seed: Seed of the tests.
    """
    is_run = (file / "config.json").is_file() or (not file.exists() and str(file) in pretrained_names())
    found = inspect(find_run(file).model() if is_run else file, layer, seed=seed, progress=True)
    if json_output:
        sys.stdout.write(json.dumps(values(found, images=False)) + "\n")
    else:
        print(found)
    if out is not None or not json_output:
        page = out or Path(f"{file.name}.inspect.html")
        found.save(page)
        if not json_output:
            print(f"page: {page}")
