"""Train a network of the same shape in escnn, for the rows *escnn* of docs/networks.md.

escnn needs an older numpy than lgn is tested with, and so an environment of its own, which this makes; in it,
`tools/escnn_network.py` trains. The row goes beside the runs of `lgn benchmark networks`, which collects it.

python tools/compare_escnn.py --environment /tmp/escnn --out results/networks.json --data-dir DATA --seed 0
"""

import argparse
import subprocess
import sys
from pathlib import Path

import torch

import lgn.data

PACKAGES = ("numpy<2", "scipy", "torch==2.13.0", "joblib", "cloudpickle", "pymanopt", "autograd")
# Without what it asks for: one of these needs a Fortran compiler, and is for turns in space.
ALONE = ("lie_learn", "escnn")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", type=Path, required=True, help="where the environment is, or is to be made")
    parser.add_argument("--out", type=Path, required=True, help="the file of `lgn benchmark networks`")
    parser.add_argument("--data-dir", type=Path, default=None, help="where MNIST lies")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=24)
    options = parser.parse_args()
    python = options.environment / "bin" / "python"
    if not python.is_file():
        subprocess.run([sys.executable, "-m", "venv", options.environment], check=True)
        subprocess.run([python, "-m", "pip", "install", *PACKAGES], check=True)
        subprocess.run([python, "-m", "pip", "install", "--no-deps", *ALONE], check=True)
    images = options.environment / f"rotated-mnist-{options.seed}.pt"
    if not images.is_file():
        found = lgn.data.load("rotated-mnist", options.data_dir, seed=options.seed)
        torch.save([found.train.samples, found.train.labels, found.test.samples, found.test.labels], images)
    place = options.out.with_suffix("") / f"rotated-mnist-12000-escnn-{options.seed}"
    place.mkdir(parents=True, exist_ok=True)
    script = Path(__file__).with_name("escnn_network.py")
    words = [images, place / "row.json", str(options.seed), str(options.epochs)]
    subprocess.run([python, script, *words], check=True)


if __name__ == "__main__":
    main()
