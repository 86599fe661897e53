"""Random commands `lgn train`, which must train or be refused in one sentence.

python tools/fuzz.py --count 300 --seed 0      # about five minutes

A command trains on a few digits with random settings in a directory of its own. It is a function of the seed and of its
number, so that `--only 17` repeats one. The faults are

- an unexpected exception, which a user would see as a traceback, or a command that does not end;
- an error that is not one sentence (or, for unknown values of an option, the frame of the parser);
- status 0 with a number that is not finite in the metrics, the weights or the checkpoint;
- a checkpoint with tensors that are not finite;
- settings that are refused after a directory was made.

The status is 1 if there was a fault. `--json` writes all commands and outcomes.
"""

import argparse
import io
import json
import math
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

from lgn.cli import main as lgn

ALWAYS = ["--epochs", "1", "--set=train_images=60", "--set=num_sets=2", "--set=num_layers=2", "--set=kernel_size=5"]
NONSENSE = "0 -1 nan inf 1e38 1e-38 1e400"

# Values of every flag and setting: those that are possible for a small network, and others.
FLAGS = {
    "task": ("classify reconstruct auto", "win"),
    "preset": ("quick paper released stable net", "swift"),
    "seed": ("0 3 18446744073709551615", "18446744073709551616 -1 one"),
    "generator": ("dense orthogonal cyclic kronecker low-rank circulant doubly-stochastic affine free", "fixed"),
    "group": ("C3 D4 S3", "D0 C C99999999 monster"),
    "image_size": ("28 12", "0 -1"),
    "device": ("cpu auto", "cuda abacus"),
}
SETTINGS = {
    "preprocess": ("standardise zca none", "all"),
    "validation": ("0.1 0.5", f"0.99 1e-9 {NONSENSE}"),
    "train_images": ("10 11 60 97", "1 0 4999999 -3 x"),
    "batch_size": ("1 7 40 128 100000000000000000000", "0 -5"),
    "learning_rate": ("0.001 0.1 1 10", f"1e4 1e10 1e25 {NONSENSE}"),
    "clip": ("none 2 1e-3 1e30", NONSENSE),
    "generator_rate": ("none 0 1 10", NONSENSE),
    "penalty": ("inverse singular-values log-determinant orthogonality closure none", "all"),
    "penalty_weight": ("0.001 100 0", NONSENSE),
    "penalty_start": ("inverse gaussian", "zero"),
    "checkpoint_seconds": ("60 0 1e-3", NONSENSE),
    "weight_decay": ("0 0.1 100", NONSENSE),
    "schedule": ("halved one-cycle", "cosine"),
    "augment": ("none turns", "flips"),
    "test": ("epochs end", "never"),
    "data_seed": ("1 18446744073709551615", "-1 nan"),
    "architecture": ("unfolded cnn net", "resnet"),
    "num_layers": ("1 3", "0 -1 40"),
    "num_sets": ("1 3", "0 -2"),
    "kernel_size": ("1 2 3 8 29 30", "0 31 -4"),
    "algorithm": ("ista fista", "adam"),
    "step": ("safe 0.01 1", f"10 {NONSENSE}"),
    "padding": ("0 2 same", "40 -1"),
    "operator": ("rotation_90 shift_1_0 pooling_2_then_rotation_60 blur_1", "rotation_nan shift_0.5 blur_1e-300"),
    "share": ("channel set layer network", "none"),
    "start": ("orthogonal gaussian", "identity"),
    "norm": ("none 1 2", NONSENSE),
    "decoder": ("tied free", "none"),
    "pool": ("1 4 7 50", "0 -1"),
    "parameters": ("3000 25000", "10 0 -1 100000000000"),
    "dropout": ("0 0.1 0.9", f"1 {NONSENSE}"),
    "normalise": ("true false", "maybe"),
    "freeze_filters": ("true false", "0"),
    "gates": ("true false", "1"),
}  # fmt: skip


def command(seed: int, number: int) -> list[str]:
    """A random command: up to six flags and settings, one in eight of them nonsense, on a small network."""
    chance = random.Random(f"{seed}:{number}")
    chosen: dict[str, str] = {}
    for name in chance.sample([*FLAGS, *SETTINGS], chance.randint(1, 6)):
        values = (FLAGS | SETTINGS)[name][chance.random() < 0.125].split()
        chosen[name] = chance.choice(values).replace("_", " ")
        if name == "operator":  # otherwise it is refused
            chosen.setdefault("generator", "fixed")
        if chosen[name] == "fixed":
            chosen.setdefault("operator", "rotation 90")
    words = ["train", "digits"]
    words += [word for word in ALWAYS if word.removeprefix("--set=").partition("=")[0] not in chosen]
    for name, value in chosen.items():
        words += [f"--{name.replace('_', '-')}={value}" if name in FLAGS else f"--set={name}={value}"]
    return words


class Late(BaseException):
    """A command that does not end. No code catches this exception by accident."""


def run(words: list[str], out: Path, seconds: int) -> dict[str, Any]:
    """Run a command and find its faults."""
    printed, errors = io.StringIO(), io.StringIO()
    faults: list[str] = []
    status = -1
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(seconds)
    try:
        with redirect_stdout(printed), redirect_stderr(errors):
            status = lgn([*words, "--out", str(out)])
    except SystemExit as stop:
        status = int(stop.code or 0)
    except Late:
        faults.append(f"no end after {seconds} s")
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        faults.append(f"{error!r} in {Path(where.filename).name}, line {where.lineno}")
    finally:
        signal.alarm(0)
    lines = [line for line in errors.getvalue().splitlines() if not line.startswith(("lgn: warning: ", "epoch "))]
    if not faults:
        faults += find_faults(status, lines, out)
    made = (out / "config.json").is_file()
    outcome = "fault" if faults else "trained" if status == 0 else "diverged" if made else "refused"
    return {"outcome": outcome, "status": status, "errors": lines[-5:] if status else [], "faults": faults}


def _late(*_: object) -> None:
    raise Late


def find_faults(status: int, lines: list[str], out: Path) -> Iterator[str]:
    sentences = [line for line in lines if line.startswith("lgn: error: ")]
    framed = status == 2 and "For full helptext, " in " ".join(lines)
    if status and not framed and (len(sentences) != 1 or lines[-1] != sentences[0]):
        yield "an end that is not one sentence"
    if status and out.exists() and not (out / "config.json").is_file():
        yield "a refusal that leaves a directory"
    if status == 0 and not (out / "model.safetensors").is_file():
        yield "status 0 without a model"
    yield from not_finite(out)


def not_finite(out: Path) -> Iterator[str]:
    """The files of a run with values that are not finite, or not JSON."""

    def refuse(word: str) -> float:
        raise ValueError(f"{word} is not JSON")

    for path in (*out.rglob("*.json"), *out.rglob("metrics.jsonl")):
        for text in path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]:
            try:
                value = json.loads(text, parse_constant=refuse)
            except ValueError as error:
                yield f"{path.name}: {error}"
                continue
            if path.suffix == ".jsonl" and not all(math.isfinite(x) for x in value.values() if isinstance(x, float)):
                yield f"{path.name}: a number that is not finite"
    for path in out.rglob("*.safetensors"):
        if not all(tensor.isfinite().all() for tensor in load_file(path).values()):
            yield f"{path.name}: a tensor that is not finite"
    for path in out.rglob("checkpoint.pt"):
        stored = torch.load(path, weights_only=True)
        moments = [value for each in stored["optimizer"]["state"].values() for value in each.values()]
        tensors = [*stored["model"].values(), *stored["penalty"].values(), *moments]
        if not all(torch.as_tensor(tensor).isfinite().all() for tensor in tensors):
            yield f"{path.name}: a tensor that is not finite"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="the number to begin with: a long fuzz in parts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one command")
    parser.add_argument("--timeout", type=int, default=300, help="seconds that one command may take")
    parser.add_argument("--json", type=Path, help="where to write all commands and outcomes")
    chosen = parser.parse_args()
    rows = []
    for number in range(chosen.first, chosen.first + chosen.count) if chosen.only is None else [chosen.only]:
        words = command(chosen.seed, number)
        with tempfile.TemporaryDirectory() as directory:
            found = run(words, Path(directory, "run"), chosen.timeout)
        rows.append({"number": number, "words": words, **found})
        if found["outcome"] == "fault" or chosen.only is not None:
            sys.stdout.write(f"{json.dumps(rows[-1])}\n")
            sys.stdout.flush()
    outcomes = Counter(row["outcome"] for row in rows)
    sys.stdout.write(f"seed {chosen.seed}, {len(rows)} commands: {dict(outcomes)}\n")
    if chosen.json is not None:
        chosen.json.write_text(
            json.dumps({"seed": chosen.seed, "outcomes": outcomes, "commands": rows}, indent=1) + "\n"
        )
    return 1 if outcomes["fault"] else 0


if __name__ == "__main__":
    sys.exit(main())
