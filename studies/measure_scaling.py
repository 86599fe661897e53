"""What a training step costs by kernel size, order and number of sets: processor time of one thread, as Markdown.

OMP_NUM_THREADS=1 python tools/measure_scaling.py      # about a minute; docs/scaling.md has the table
"""

import sys
import time

import torch
from torch.nn import functional as F

from lgn.nn import Classifier, UnfoldedEncoder
from lgn.penalties import AuxiliaryInverse

BATCH, ROUNDS = 64, 15
PAPER = {"num_sets": 5, "order": 4, "kernel_size": 6}
CHANGES = (
    *({"kernel_size": size} for size in (3, 4, 6, 8, 11, 16)),
    *({"order": order} for order in (2, 4, 8)),
    *({"num_sets": sets} for sets in (2, 5, 10)),
)


def milliseconds(num_sets: int, order: int, kernel_size: int) -> tuple[float, float]:
    """A training step on images of MNIST's shape, and orbits and penalty alone: the fastest of each."""
    torch.manual_seed(0)
    model = Classifier(UnfoldedEncoder(1, num_sets, kernel_size, num_layers=4, group=order), 10)
    penalty = AuxiliaryInverse(model, 1e-3)
    optimizer = torch.optim.Adam([*model.parameters(), *penalty.parameters()], fused=True)
    images, labels = torch.randn(BATCH, 1, 28, 28), torch.randint(10, (BATCH,))
    whole, group = [], []
    for _ in range(ROUNDS):
        began = time.process_time()
        loss = F.cross_entropy(model(images), labels) + penalty()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        whole.append(time.process_time() - began)
        began = time.process_time()
        (model.encoder.bank().sum() + penalty()).backward()  # type: ignore[operator]
        group.append(time.process_time() - began)
    return 1e3 * min(whole), 1e3 * min(group)


def main() -> None:
    torch.set_num_threads(1)
    lines = ["| kernel | order | sets | filters | a step | orbits and penalty in it |", "|" + 6 * "---|"]
    done = []
    for change in CHANGES:
        setting = PAPER | change
        if setting in done:
            continue
        done.append(setting)
        whole, group = milliseconds(**setting)
        n, p, k = setting["kernel_size"], setting["order"], setting["num_sets"]
        lines.append(f"| {n}x{n} | {p} | {k} | {k * p} | {whole:.0f} ms | {group:.1f} ms |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
