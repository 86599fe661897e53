"""Training from a config into a run directory."""

import sys
import warnings
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import torch
from torch import nn

from lgn.nn import UnfoldedEncoder
from lgn.nn.determined import determined_dimension, warn_undetermined
from lgn.training.config import Config
from lgn.training.loading import Images, load_images
from lgn.training.lock import locked
from lgn.training.loop import Training
from lgn.training.model_building import build_model
from lgn.training.objective import Objective
from lgn.training.optimisation import build_penalty, generator_rate
from lgn.training.processes import Processes, processes
from lgn.training.run import Run
from lgn.warning import LgnWarning


def train(config: Config, out: str | Path, *, progress: bool = False) -> Run:
    """Train the network of a config and write everything into the directory `out`, the run.

    A run that was stopped continues, bit for bit; a finished one is returned as it is. Under torchrun every process
    computes a part of every batch, and the first one writes the files.
    """
    run = Run(out)
    if run.finished:
        run.require_settings(config)
        return run
    with processes(config.device) as group:
        images = load_images(config, progress=progress)
        group.require_part(len(images.parts["train"][0]), config.batch_size)
        with torch.random.fork_rng(devices=[group.device] if group.device.type == "cuda" else []):
            # A config that cannot be trained is refused here, before there is a directory.
            torch.manual_seed(config.seed)
            facts = images.facts
            model = build_model(config, facts.image_shape, len(facts.class_names), facts.task)
            objective = Objective(model, build_penalty(config, model))
            with locked(run.path) if group.writes else nullcontext():
                if group.writes:
                    if generator_rate(config):
                        warn_undetermined(*determined_dimension(model))
                    _create(run, config, images, model, group, progress)
                Training(config, run, group, images, objective.to(group.device)).train(progress)
        group.wait()
    return run


def _create(run: Run, config: Config, images: Images, model: nn.Module, group: Processes, progress: bool) -> None:
    """Write the settings of a new run, or check those of one that continues."""
    encoder, kernel = getattr(model, "encoder", None), "plain"
    if isinstance(encoder, UnfoldedEncoder):
        example, _ = images.batch("train", torch.arange(1), group.device)
        # This compiles the kernel if necessary.
        kernel = encoder.kernel(example, partial(print, file=sys.stderr, flush=True) if progress else None)
    if not (run.path / "config.json").is_file():
        run.create(config, images.facts, kernel)
        return
    run.require_settings(config)
    begun = run.environment.get("kernel", kernel)
    if begun != kernel:
        warnings.warn(
            f"{run.path} continues with the kernel {kernel!r} and began with {begun!r}: its numbers will differ by "
            "rounding errors from those of an uninterrupted training",
            LgnWarning,
            stacklevel=3,
        )
