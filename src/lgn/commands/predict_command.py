"""`lgn predict`: classify images with a trained network."""

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import tyro

from lgn.data.errors import printable
from lgn.deploy.predicting import predict
from lgn.text import columns

#: The number of predictions that are printed.
SHOWN = 40


def run(args: list[str]) -> int:
    tyro.cli(_predict, prog="lgn predict", args=args)
    return 0


def _predict(
    run: Annotated[Path, tyro.conf.Positional],
    images: Annotated[tuple[Path, ...], tyro.conf.Positional],
    json_output: Annotated[bool, tyro.conf.arg(name="json")] = False,
    device: str = "auto",
) -> None:
    """Classify images.

    Args:
        run: A run of `lgn build` or `lgn train`, the name of a pretrained network, or an ONNX file that lgn wrote.
        images: PNG, JPEG or WebP files, folders of them, or .npz files with `images`.
        json_output: Print one JSON object with all predictions.
        device: cpu, cuda, mps, or auto: the first of cuda, mps and cpu that is available.
    """
    predictions = predict(run, images, device=device)
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
