"""The network of `lgn.nn.GroupNet` for C8 in escnn, trained as `--preset net` does: run by tools/compare_escnn.py.

Five layers of 5x5, halved by maxima after the first two, the last without padding, normalisation of fields, the largest
response over the group, the mean over the image, a linear head; as many fields as fit into 25,000 parameters.

python tools/escnn_network.py IMAGES ROW SEED EPOCHS
"""

import json
import math
import sys
import time
from pathlib import Path

import torch
from escnn import gspaces  # type: ignore[import-not-found]
from escnn import nn as enn
from torch import Tensor, nn
from torch.nn import functional as F

PARAMETERS, BATCH, RATE, DECAY, DROPOUT, CLIP = 25_000, 64, 1e-2, 1e-2, 0.1, 2.0
RISING, LOWEST = 0.2, 1e-3
TURNS = gspaces.rot2dOnR2(8)


class Net(nn.Module):
    """So many regular fields in each layer.  (N, 1, H, W) -> (N, 10)"""

    def __init__(self, fields: tuple[int, ...]) -> None:
        super().__init__()
        self.incoming = enn.FieldType(TURNS, [TURNS.trivial_repr])
        before, layers = self.incoming, []
        for number, count in enumerate(fields):
            after = enn.FieldType(TURNS, count * [TURNS.regular_repr])
            padding = 0 if number == len(fields) - 1 else 2
            layers.append(enn.R2Conv(before, after, 5, padding=padding, bias=False))
            if number < 2:
                layers.append(enn.PointwiseMaxPool(after, 2))
            layers += [enn.InnerBatchNorm(after), enn.ReLU(after), enn.PointwiseDropout(after, DROPOUT)]
            before = after
        self.layers, self.pool = enn.SequentialModule(*layers), enn.GroupPooling(before)
        self.head = nn.Linear(fields[-1], 10)

    def forward(self, images: Tensor) -> Tensor:
        codes = self.pool(self.layers(enn.GeometricTensor(images, self.incoming)))
        return self.head(codes.tensor.mean((2, 3)))


def fitting() -> Net:
    """The widest network of the taper that fits, its last layers wider by what is left."""
    fields = (1, 2, 2, 2, 2)
    for width in range(3, 20):
        wider = (width // 2, round(0.75 * width), width, width, width)
        fields = wider if count(Net(wider)) <= PARAMETERS else fields
    for layer in (4, 3, 4, 2):
        wider = (*fields[:layer], fields[layer] + 1, *fields[layer + 1 :])  # type: ignore[assignment]
        fields = wider if count(Net(wider)) <= PARAMETERS else fields
    return Net(fields)


def count(net: nn.Module) -> int:
    return sum(parameter.numel() for parameter in net.parameters())


def main(path: Path, out: Path, seed: int, epochs: int) -> None:
    torch.manual_seed(seed)
    images, labels, test_images, test_labels = torch.load(path, weights_only=True)
    net = fitting()
    filters = {id(p) for each in net.modules() if isinstance(each, enn.R2Conv | nn.Linear) for p in each.parameters()}
    decays = [(DECAY, [p for p in net.parameters() if id(p) in filters and p.numel() > 10])]
    decays.append((0.0, [p for p in net.parameters() if all(p is not each for each in decays[0][1])]))
    optimizer = torch.optim.AdamW([{"params": some, "weight_decay": decay} for decay, some in decays])
    steps, done, spent = epochs * math.ceil(len(images) / BATCH), 0, []
    for epoch in range(epochs):
        net.train()
        for chosen in torch.randperm(len(images)).split(BATCH):
            share = done / steps
            up = share / RISING if share < RISING else (1 - share) / (1 - RISING)
            for group in optimizer.param_groups:
                group["lr"] = RATE * (LOWEST + (1 - LOWEST) * (1 - math.cos(math.pi * up)) / 2)
            began = time.process_time()
            loss = F.cross_entropy(net(images[chosen].float() / 255), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), CLIP)
            optimizer.step()
            spent.append(time.process_time() - began)
            done += 1
        sys.stderr.write(f"epoch {epoch + 1}/{epochs}  loss {loss.item():.4f}\n")
    net.eval()
    with torch.no_grad():
        answers = torch.cat([net(some.float() / 255).argmax(1) for some in test_images.split(500)])
    row = {
        "schema": 1, "data": "rotated-mnist", "method": "escnn", "images": len(images), "seed": seed,
        "augmented": False, "accuracy": round(float((answers == test_labels).double().mean()), 6), "epochs": epochs,
        "group": "C8", "parameters": count(net), "equivariance_error": None, "step_seconds": round(min(spent), 4),
    }  # fmt: skip
    out.write_text(json.dumps(row))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
