"""`lgn predict`: classify images with a trained network."""

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import tyro

from lgn.commands.options import Device
from lgn.data.errors import printable
from lgn.deploy.predicting import predict
from lgn.text import columns

#: The number of predictions that are printed.
SHOWN = 40


def run(
    network: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN|FILE")],
    images: Annotated[tuple[Path, ...], tyro.conf.Positional],
    json_output: Annotated[bool, tyro.conf.arg(name="json")] = False,
    device: Device = "auto",
) -> None:
    """Classify images.

    Args:
        network: A run of `lgn build` or `lgn train`, the name of a pretrained network, or an ONNX file that lgn wrote.
        images: PNG, JPEG or WebP files, folders of them, or .npz files with `images`.
        json_output: Print one JSON object with all predictions.
    """
    predictions = predict(network, images, device=device)
    if json_output:
        print(json.dumps({"predictions": [asdict(prediction) for prediction in predictions]}))
        return
    rows = [("image", "confidence", "class")]
    rows += [(printable(p.image), f"{100 * p.confidence:.1f} %", printable(p.label)) for p in predictions[:SHOWN]]
    print("\n".join(columns(rows)))
    if len(predictions) > SHOWN:
        counts = Counter(prediction.label for prediction in predictions)
        listed = ", ".join(f"{count} {printable(label)}" for label, count in counts.most_common())
        print(f"... {len(predictions):,} images: {listed}; --json prints all predictions")
