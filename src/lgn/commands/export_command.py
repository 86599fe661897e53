"""`lgn export`: write the plain network of a run for other programs."""

from pathlib import Path
from typing import Annotated

import tyro

from lgn.deploy.exporting import Format, export


def run(
    source: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")],
    format: Format = "onnx",
    out: Path | None = None,
) -> None:
    """Write the plain network that a run is equal to, and compare the outputs of both.

    Args:
        source: A run directory, or the name of a pretrained network.
        format: onnx, pt2 (a torch.export program), or safetensors (the weights alone).
        out: The file to write. The default is merged.FORMAT in the run, or NAME.merged.FORMAT.
    """
    exported = export(source, format, out=out)
    print(
        f"outputs differ by at most {exported.difference:.2g} on random images "
        f"(largest output {exported.largest_output:.3g})\n{format}: {exported.path}"
    )
