"""`lgn inspect`: which groups the filters of a trained network have, though nobody made it so."""

import json
import sys
from pathlib import Path
from typing import Annotated

import tyro

from lgn.discovery.networks.convolutions import Convolutions, convolutions_of
from lgn.discovery.networks.files import read_convolutions
from lgn.discovery.networks.inspect import Inspection, inspect_convolutions
from lgn.discovery.networks.page import write_inspection_page
from lgn.discovery.networks.result import describe
from lgn.front.sources import progress_line
from lgn.pretrained import find_run, pretrained_names


def run(args: list[str]) -> int:
    tyro.cli(_inspect, prog="lgn inspect", args=args)
    return 0


def _inspect(
    file: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FILE|RUN")],
    layer: str | None = None,
    json_output: Annotated[bool, tyro.conf.arg(name="json")] = False,
    out: Path | None = None,
    seed: int = 0,
) -> None:
    """Say which turns, flips and other transformations the filters of a network are copies or balanced under.

    Args:
        file: a network as .onnx, .safetensors or torch weights; or a run directory, or the name of a network that comes
            with the package. No code in a file is run.
        layer: inspect this convolution alone (default: all with kernels of at least 3x3).
        json_output: print one JSON object instead of tables, and write no page unless --out is given.
        out: where to write the page (default: NAME.inspect.html here).
        seed: of the nulls.
    """
    found = _convolutions(file)
    with progress_line(True) as say:
        inspection = inspect_convolutions(found, file.name, layer, seed, say)
    if json_output:
        sys.stdout.write(json.dumps(inspection.to_dict()) + "\n")
    else:
        print(_summary(inspection, found, layer))
    if out is not None or not json_output:
        path = write_inspection_page(out or Path(f"{file.name}.inspect.html"), inspection, found.banks)
        if not json_output:
            print(f"page: {path}")


def _convolutions(file: Path) -> Convolutions:
    if (file / "config.json").is_file() or (not file.exists() and str(file) in pretrained_names()):
        return convolutions_of(find_run(file).model())
    return read_convolutions(file)


def _summary(inspection: Inspection, found: Convolutions, layer: str | None) -> str:
    """All convolutions in a line each; the first one, or the one that was asked for, as a table."""
    lines = [] if layer else [f"{len(found.shapes)} convolutions in {inspection.source}:"]
    by_name = {each.name: each for each in inspection.layers}
    width = max(map(len, found.shapes))
    for name, shape in {} if layer else found.shapes.items():
        size = "x".join(map(str, shape))
        if name in by_name:
            each = by_name[name]
            said = f"twins {each.group.name}, balanced {each.balanced_group.name}"
        else:
            said = f"left alone: {inspection.left_alone[name]}"
        lines.append(f"  {name:{width}}  {size:14}  {said}")
    lines += ["", describe(inspection.layers[0])]
    going_on = [each for each in inspection.deeper if each.carried]
    if inspection.deeper:
        words = ", ".join(f"{each.name} ({each.first} to {each.second}, cosine {each.cosine:.2f})" for each in going_on)
        lines += ["", f"  from layer to layer: {words or 'no transformation goes on'}"]
    return "\n".join(lines)
