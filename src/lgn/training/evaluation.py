"""What is measured after an epoch, and which epoch is kept."""

import math
from typing import Any

import torch
from torch import nn

from lgn.nn import Autoencoder, UnfoldedEncoder, cached
from lgn.training.checkpoint import State
from lgn.training.config import Config
from lgn.training.filter_facts import filter_facts
from lgn.training.objective import task_score
from lgn.training.prepared import Images
from lgn.training.processes import Processes
from lgn.training.run import Run

EVALUATION_BATCH = 500


def evaluate(model: nn.Module, images: Images, part: str, group: Processes | None = None) -> dict[str, float]:
    """Accuracy, or error and the share of codes that are not zero, on a part of the images."""
    group = group or Processes(0, 1, next(model.parameters()).device)
    count = len(images.parts[part][0])
    sums = torch.zeros(3, dtype=torch.float64, device=group.device)
    was_training = model.training
    model.eval()
    with torch.no_grad(), cached(model):
        for chosen in torch.arange(count).split(EVALUATION_BATCH):
            batch, labels = images.batch(part, group.part(chosen), group.device)
            if not len(batch):
                continue
            loss, quality = task_score(model, batch, labels)
            active = float((model.encoder(batch) != 0).double().mean()) if isinstance(model, Autoencoder) else 0.0
            found = [float(loss), float(quality), active * len(batch)]
            sums += torch.tensor(found, dtype=sums.dtype, device=group.device)
    model.train(was_training)
    loss, quality, active = (group.total(sums) / count).tolist()
    reconstructs = isinstance(model, Autoencoder)
    return {"error": quality, "active": active} if reconstructs else {"accuracy": quality, "loss": loss}


def epoch_line(
    config: Config, group: Processes, images: Images, model: nn.Module, state: State
) -> tuple[dict[str, Any], str | None]:
    """One line of metrics.jsonl; the penalty is apart from the loss, and validation null where nothing is held out.

    -> the line, and the name of something measured that is not finite: right answers can be counted even then
    """
    name = "error" if isinstance(model, Autoencoder) else "accuracy"
    loss, quality, penalty, seen = group.total(
        torch.tensor(state.sums, dtype=torch.float64, device=group.device)
    ).tolist()
    held_out = evaluate(model, images, "validation", group) if config.validation else {name: None}
    tested = config.test == "epochs" or state.epoch + 1 == config.epochs
    test = evaluate(model, images, "test", group) if tested else {name: None}
    line = {
        "epoch": state.epoch + 1,
        "train_loss": loss / seen,
        "penalty": penalty / (state.batch * group.count),
        f"train_{name}": quality / seen,
        f"validation_{name}": held_out[name],
        f"test_{name}": test[name],
    }
    if name == "error":
        line["test_active"] = test.get("active")
    encoder = getattr(model, "encoder", None)
    if isinstance(encoder, UnfoldedEncoder):  # others take no steps
        height, width = images.facts["image_shape"][1:]
        line["step_conditions"] = [float(f"{value:.6g}") for value in encoder.step_conditions((height, width))]
    measured = line | {f"test_{key}": value for key, value in test.items()}
    measured |= {f"validation_{key}": value for key, value in held_out.items()}
    if facts := filter_facts(model):
        line["filters"] = facts
    return line, next((key for key, value in measured.items() if not _is_finite(value)), None)


def _is_finite(value: Any) -> bool:
    return value is None or all(math.isfinite(each) for each in (value if isinstance(value, list) else [value]))


def kept_epoch(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The epoch whose weights a run stands for: the best on validation images where there are any, else the last.

    Of equally good epochs it is the last.
    """
    name = next((key for key in rows[-1] if key.startswith("validation_")), None)
    if name is None or rows[-1][name] is None:
        return rows[-1]
    best = (max if name.endswith("accuracy") else min)(row[name] for row in rows)
    return [row for row in rows if row[name] == best][-1]


def keep_best(run: Run, group: Processes, model: nn.Module, config: Config, history: list[dict[str, Any]]) -> None:
    """Keep the weights of the best epoch, by the validation part alone; without one nothing is chosen."""
    if group.writes and config.validation and kept_epoch(history) is history[-1]:
        run.save_model(model, "best.safetensors")
