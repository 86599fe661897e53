"""Put a finished run into the package, as a network that `lgn.load_pretrained(NAME)` loads.

python tools/make_pretrained.py results/runs/mnist-paper-100 mnist-classification

Nothing of the machine goes with it: folders are called by their last name. A network of the same name is replaced.
Weights are stored once: delete those of the run, and it is found in the package from then on.
"""

import shutil
import sys
from pathlib import Path

from lgn.deploy.hub import public_settings
from lgn.files import read_json, write_json
from lgn.pretrained import DIRECTORY
from lgn.training import Run

COPIED = ("metrics.jsonl", "model.safetensors", "best.safetensors")  # the seed gives the beginning again


def ship(run: Run, name: str, directory: Path = DIRECTORY) -> Path:
    """Copy what is needed to load and to analyse a run; returns where it is now."""
    if not run.finished:
        raise ValueError(f"run must be finished, {run.path} is not")
    place = directory / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for part in COPIED:
        if (run.path / part).is_file():
            shutil.copyfile(run.path / part, place / part)
    environment = read_json(run.path / "environment.json")
    environment["command"] = [Path(word).name if Path(word).is_absolute() else word for word in environment["command"]]
    environment.pop("schema")
    write_json(place / "environment.json", environment)
    write_json(place / "config.json", public_settings(run))  # last: with it the directory is a run
    return place


def main(args: list[str]) -> int:
    if len(args) != 2:
        sys.stderr.write("python tools/make_pretrained.py RUN NAME\n")
        return 2
    sys.stdout.write(f"{ship(Run.open(args[0]), args[1])}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
