"""Kill a small training again and again, continue it, and compare its weights with those of one left in peace.

Run it as `python tools/kill_test.py` (about two minutes), perhaps with `--kills 10 --seed 0`. Each process is ended by
`kill -9` at a random moment after it began to train, so that checkpoints, metrics and weights are cut off anywhere. It
exits with 1 unless the final weights are equal bit for bit.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# A checkpoint five times a second: often enough to move on between kills, seldom enough that each kill loses work.
SETTINGS = ("num_layers=2", "num_sets=2", "kernel_size=5", "batch_size=32", "checkpoint_seconds=0.2", "validation=0.2")
OPTIONS = ["digits", *(f"--set={setting}" for setting in SETTINGS)]


def start(out: Path, options: list[str]) -> subprocess.Popen[bytes]:
    """The command of a user, in a process of its own."""
    command = [sys.executable, "-m", "lgn", "train", *options, "--out", str(out)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_while_training(out: Path, options: list[str], chance: random.Random, longest: float) -> bool:
    """Start or continue a run and kill it up to `longest` seconds after it trains; False if it finished first."""
    checkpoint, before = out / "checkpoint.pt", _written(out / "checkpoint.pt")
    process = start(out, options)
    while process.poll() is None and _written(checkpoint) == before:
        time.sleep(0.01)
    time.sleep(chance.uniform(0, longest))
    process.kill()
    return process.wait() < 0


def kill_and_continue(out: Path, options: list[str], kills: int, seed: int = 0, longest: float = 1.0) -> int:
    """Train with so many kills, then to the end.  -> the kills that met a running training"""
    chance = random.Random(seed)
    met = sum(kill_while_training(out, options, chance, longest) for _ in range(kills))
    finish(out, options)
    return met


def finish(out: Path, options: list[str]) -> None:
    if status := start(out, options).wait():
        raise RuntimeError(f"the training in {out} ended with status {status}")


def differences(one: Path, other: Path) -> list[str]:
    """What differs between two finished runs: files of weights by their bytes, metrics but for their seconds."""
    names = ("initial.safetensors", "model.safetensors", "best.safetensors")
    found = [name for name in names if _content(one / name) != _content(other / name)]
    return found + (["metrics.jsonl"] if _metrics(one) != _metrics(other) else [])


def _written(path: Path) -> int:
    return path.stat().st_mtime_ns if path.is_file() else 0


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _metrics(out: Path) -> list[dict[str, object]]:
    rows = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=12)
    chosen = parser.parse_args()
    options = [*OPTIONS, "--epochs", str(chosen.epochs)]
    with tempfile.TemporaryDirectory() as directory:
        peaceful, killed = Path(directory, "peaceful"), Path(directory, "killed")
        finish(peaceful, options)
        met = kill_and_continue(killed, options, chosen.kills, chosen.seed)
        different = differences(peaceful, killed)
    verdict = f"differs in {', '.join(different)}" if different else "equals the one left in peace, bit for bit"
    sys.stdout.write(f"{met} of {chosen.kills} kills met a running training; the continued run {verdict}\n")
    return 1 if different or met < chosen.kills else 0


if __name__ == "__main__":
    sys.exit(main())
