"""Train a network of the same shape in escnn, for the rows *escnn* of docs/networks.md.

escnn needs an older numpy than lgn is tested with, and so an environment of its own, which this makes:

python tools/compare_escnn.py --environment /tmp/escnn --out results/networks.json --data-dir DATA

The shape is that of `lgn.nn.GroupNet`: five layers of 5x5 on C8, halved by maxima after the first two, the last without
padding, normalisation of fields, the largest response over the group, the mean over the image, a linear head; as many
fields in each layer as fit into 25,000 parameters; images, batches, schedule, decay and dropout are those of `--preset
net`. About half an hour a seed on one core. The row goes beside the runs of `lgn benchmark networks`, which collects it.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

PACKAGES = ("numpy<2", "scipy", "torch==2.13.0", "escnn", "safetensors")
INNER = "LGN_ESCNN_INNER"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", type=Path, required=True, help="where the environment is, or is to be made")
    parser.add_argument("--out", type=Path, required=True, help="the file of `lgn benchmark networks`")
    parser.add_argument("--data-dir", type=Path, default=None, help="where MNIST lies")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--images", type=int, default=12_000, help="the first so many training images")
    options = parser.parse_args()
    images = options.environment / f"rotated-mnist-{options.seed}.pt"
    if INNER in os.environ:
        _train(options, images)
        return
    _make(options.environment)
    _write_images(images, options.data_dir, options.seed)
    python = options.environment / "bin" / "python"
    subprocess.run([python, __file__, *sys.argv[1:]], check=True, env={**os.environ, INNER: "1"})


def _make(environment: Path) -> None:
    if not (environment / "bin" / "python").is_file():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([environment / "bin" / "pip", "install", *PACKAGES], check=True)


def _write_images(path: Path, data_dir: Path | None, seed: int) -> None:
    """Rotated MNIST of a seed, written by the environment that has lgn."""
    import torch

    import lgn.data

    if not path.is_file():
        found = lgn.data.load("rotated-mnist", data_dir, seed=seed)
        torch.save([found.train.images, found.train.labels, found.test.images, found.test.labels], path)


def _network(fields: tuple[int, ...], dropout: float):  # type: ignore[no-untyped-def]  # noqa: ANN202
    import torch
    from escnn import gspaces
    from escnn import nn as enn

    turns = gspaces.rot2dOnR2(8)
    regular = [turns.regular_repr]

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.incoming = enn.FieldType(turns, [turns.trivial_repr])
            before, layers = self.incoming, []
            for number, count in enumerate(fields):
                after = enn.FieldType(turns, count * regular)
                last = number == len(fields) - 1
                layers.append(enn.R2Conv(before, after, 5, padding=0 if last else 2, bias=False))
                if number < 2:
                    layers.append(enn.PointwiseMaxPool(after, 2))
                layers += [enn.InnerBatchNorm(after), enn.ReLU(after), enn.PointwiseDropout(after, dropout)]
                before = after
            self.layers, self.pool = enn.SequentialModule(*layers), enn.GroupPooling(before)
            self.head = torch.nn.Linear(fields[-1], 10)

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            codes = self.pool(self.layers(enn.GeometricTensor(images, self.incoming)))
            return self.head(codes.tensor.mean((2, 3)))

    return Net()


def _fitting(parameters: int, dropout: float):  # type: ignore[no-untyped-def]  # noqa: ANN202
    """The widest network of the taper of `GroupNet` that fits."""
    best = None
    for width in range(2, 20):
        net = _network((max(1, width // 2), max(1, round(0.75 * width)), width, width, width), dropout)
        if sum(p.numel() for p in net.parameters()) > parameters:
            break
        best = net
    return best


def _train(options: argparse.Namespace, path: Path) -> None:
    import torch
    from torch.nn import functional as F

    torch.manual_seed(options.seed)
    images, labels, test_images, test_labels = torch.load(path, weights_only=True)
    images, labels = images[: options.images], labels[: options.images]
    net = _fitting(25_000, 0.1)
    decayed = [p for p in net.parameters() if p.ndim > 1 or p.numel() > 200]
    others = [p for p in net.parameters() if not (p.ndim > 1 or p.numel() > 200)]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 1e-2}, {"params": others, "weight_decay": 0.0}], lr=1e-2
    )
    steps, done, spent = options.epochs * math.ceil(len(images) / 64), 0, []
    for epoch in range(options.epochs):
        net.train()
        for chosen in torch.randperm(len(images)).split(64):
            share = done / steps
            up = share / 0.2 if share < 0.2 else (1 - share) / 0.8
            for group in optimizer.param_groups:
                group["lr"] = 1e-2 * (1e-3 + (1 - 1e-3) * (1 - math.cos(math.pi * up)) / 2)
            began = time.process_time()
            loss = F.cross_entropy(net(images[chosen].float() / 255), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            optimizer.step()
            spent.append(time.process_time() - began)
            done += 1
        print(f"epoch {epoch + 1}/{options.epochs}  loss {loss.item():.4f}", flush=True)
    net.eval()
    with torch.no_grad():
        right = [
            (net(some.float() / 255).argmax(1) == answers).float().sum()
            for some, answers in zip(test_images.split(500), test_labels.split(500), strict=True)
        ]
        shown = test_images[:500].float() / 255
        plain, turned = (out - out.mean(1, keepdim=True) for out in (net(shown), net(torch.rot90(shown, 1, (2, 3)))))
    row = {
        "schema": 1, "data": "rotated-mnist", "method": "escnn", "images": len(images), "seed": options.seed,
        "augmented": False, "accuracy": round(float(sum(right)) / len(test_labels), 6), "epochs": options.epochs,
        "group": "C8", "parameters": sum(p.numel() for p in net.parameters()),
        "equivariance_error": round(float((turned - plain).norm() / plain.norm()), 6),
        "step_seconds": round(min(spent), 4),
    }  # fmt: skip
    place = options.out.with_suffix("") / f"rotated-mnist-{len(images)}-escnn-{options.seed}"
    place.mkdir(parents=True, exist_ok=True)
    (place / "row.json").write_text(json.dumps(row))
    print(json.dumps(row))


if __name__ == "__main__":
    main()
