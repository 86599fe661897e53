"""Measurements of a network after an epoch: accuracy, loss, norm and smoothness of filters; the epoch to keep."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from lgn.nn import Autoencoder, OrbitBank, UnfoldedEncoder
from lgn.nn.bank import evaluating
from lgn.training.checkpoint import State
from lgn.training.config import Config
from lgn.training.loading import Images
from lgn.training.objective import task_score
from lgn.training.processes import Processes

EVALUATION_BATCH = 500


def evaluate(model: nn.Module, images: Images, part: str, group: Processes | None = None) -> dict[str, float]:
    """Accuracy and loss, or error and fraction of nonzero codes, on a part of the images."""
    group = group or Processes(0, 1, next(model.parameters()).device)
    count = len(images.parts[part][0])
    sums = [0.0, 0.0, 0.0]
    with torch.no_grad(), evaluating(model):
        for indices in torch.arange(count).split(EVALUATION_BATCH):
            batch, labels = images.batch(part, group.part(indices), group.device)
            if not len(batch):
                continue
            loss, quality = task_score(model, batch, labels)
            active = 0.0
            if isinstance(model, Autoencoder):
                codes = model.encoder(batch)
                active = int(codes.count_nonzero()) / codes[0].numel()
            sums = [a + b for a, b in zip(sums, (float(loss), float(quality), active), strict=True)]
    mean_loss, mean_quality, mean_active = (total / count for total in group.totals(sums))
    if isinstance(model, Autoencoder):
        return {"error": mean_quality, "active": mean_active}
    return {"accuracy": mean_quality, "loss": mean_loss}


def epoch_line(config: Config, group: Processes, images: Images, state: State) -> tuple[dict[str, Any], str | None]:
    """The line of an epoch in metrics.jsonl, and the name of a measurement that is not finite.

    The loss does not contain the penalty. Validation is null if no images are held out.
    """
    model = state.objective.model
    name = "error" if isinstance(model, Autoencoder) else "accuracy"
    loss, quality, penalty, seen = group.totals(state.sums.tolist())
    validation = evaluate(model, images, "validation", group) if config.validation else {name: None}
    tested = config.test == "epochs" or state.epoch + 1 == config.epochs
    test = evaluate(model, images, "test", group) if tested else {name: None}
    line: dict[str, Any] = {
        "epoch": state.epoch + 1,
        "train_loss": loss / seen,
        "penalty": penalty / (state.batch * group.count),
        f"train_{name}": quality / seen,
        f"validation_{name}": validation[name],
        f"test_{name}": test[name],
    }
    if name == "error":
        line["test_active"] = test.get("active")
    encoder = getattr(model, "encoder", None)
    if isinstance(encoder, UnfoldedEncoder):
        conditions = encoder.step_conditions(images.facts.image_shape[1:])
        line["step_conditions"] = [_rounded(value) for value in conditions]
    measured = line | {f"test_{key}": value for key, value in test.items()}
    measured |= {f"validation_{key}": value for key, value in validation.items()}
    if statistics := filter_statistics(model):
        line["filters"] = statistics
    return line, next((key for key, value in measured.items() if not _is_finite(value)), None)


def _is_finite(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(number is None or math.isfinite(number) for number in values)


def kept_epoch(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The epoch whose weights are kept: the best on the validation images or, without them, the last.

    The last of several epochs that are equally good is kept.
    """
    name = next((key for key in lines[-1] if key.startswith("validation_")), None)
    if name is None or lines[-1][name] is None:
        return lines[-1]
    best = (max if name.endswith("accuracy") else min)(line[name] for line in lines)
    return [line for line in lines if line[name] == best][-1]


@torch.no_grad()
def filter_statistics(model: nn.Module) -> dict[str, float | list[float]]:
    """Statistics over all filter sets of a model: empty if it has none.

    `norms` has the mean norm of the basis filters of each layer, `generator_norm` the mean norm of the generators
    divided by that of an orthogonal matrix, `smoothness` the mean smoothness of the filters.
    """
    banks = [module for module in model.modules() if isinstance(module, OrbitBank)]
    if not banks:
        return {}
    # float64 on the CPU, since not every device has it.
    norms = [bank.basis.cpu().double().flatten(1).norm(dim=1).view(bank.num_layers, -1).mean(1) for bank in banks]
    matrices = [generator.matrix().cpu().double().flatten(0, -3) for bank in banks for generator in bank.generators()]
    relative = [torch.linalg.matrix_norm(batch) / batch.shape[-1] ** 0.5 for batch in matrices]
    smooth = [smoothness(bank().cpu().double(), len(bank.patch)).flatten() for bank in banks]
    return {
        "norms": [_rounded(norm) for norm in torch.cat(norms)],
        "generator_norm": _rounded(torch.cat(relative).mean()),
        "smoothness": _rounded(torch.cat(smooth).mean()),
    }


def smoothness(filters: Tensor, axes: int = 2) -> Tensor:
    """`sum x_i x_j / sum (x_i^2 + x_j^2) / 2` over all neighbouring pixels i and j along every axis.

    It is 1 for a constant filter, 0 on average for white noise, and 0 for a filter of zeros.  (..., n, m) -> (...)
    """
    last = tuple(range(-axes, 0))
    products = squares = filters.new_zeros(filters.shape[:-axes])
    for axis in last:
        size = filters.shape[axis] - 1
        first, second = filters.narrow(axis, 0, size), filters.narrow(axis, 1, size)
        products = products + (first * second).sum(last)
        squares = squares + (first.square() + second.square()).sum(last) / 2
    return products / squares.clamp(min=torch.finfo(filters.dtype).tiny)


def _rounded(value: Tensor | float) -> float:
    """Six significant digits."""
    return float(f"{float(value):.6g}")
