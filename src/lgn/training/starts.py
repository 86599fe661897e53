"""Many starts: short runs of their own, chosen among by the validation part alone."""

from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from lgn.discovery import Search, search_starts, spread_angles
from lgn.discovery.starts import RETRAININGS
from lgn.generators import Affine, generators_of
from lgn.nn import cached
from lgn.training.config import Config
from lgn.training.evaluation import EVALUATION_BATCH
from lgn.training.images import Images
from lgn.training.loop import network_of, train_run
from lgn.training.processes import Processes
from lgn.training.progress import announce
from lgn.training.run import Run
from lgn.whole_files import write_json


def best_start(config: Config, run: Run, group: Processes, images: Images, progress: bool) -> dict[str, Tensor]:
    """Train all starts, the best and free filters anew, in `run/starts`, and write `starts.json`.

    -> the weights of the best start
    """
    found: dict[str, dict[str, list[float]]] = {}
    everything = search_epochs(config) + config.epochs

    def trained(name: str, start: Config, seed: int) -> nn.Module:
        # Fresh seeds change all but the generators: these are what a start is.
        fresh = seed != config.seed
        short = replace(start, seed=seed) if fresh else start
        name = f"{name} with seed {seed}" if fresh else name
        announce(name, short.epochs, progress and group.writes)
        where = Run(run.path / "starts" / name.replace(" ", "_"))
        begin = partial(same_generators, start, short, images) if fresh else None
        before = len(found) * short.epochs
        around = {"before": before, "after": everything - before - short.epochs}
        finished = train_run(short, where, group, images, progress=progress, start=begin, **around)
        model = finished.model(str(group.device))
        found[name] = what_was_found(model)
        return model

    search = search_starts(
        {name: partial(trained, name, short) for name, short in start_configs(config).items()},
        partial(trained, "free filters", free_config(config)),
        train=lambda *_: None,  # each is trained as it is made, in a run of its own
        correct=partial(_correct, images=images),
        seed=config.seed,
    )
    if group.writes:
        write_json(run.path / "starts.json", _facts(search, found))
    announce(f"on from {search.best.name}", config.epochs, progress and group.writes)
    return search.model.state_dict()


def search_epochs(config: Config) -> int:
    """The epochs of all short runs: each start once, then the best of them and free filters with fresh seeds."""
    return config.start_epochs * (config.starts + 2 * RETRAININGS)


def same_generators(start: Config, fresh: Config, images: Images) -> dict[str, Tensor]:
    """The weights that `fresh` begins with, but the generators that `start` begins with."""
    begun = []
    for config in (start, fresh):
        torch.manual_seed(config.seed)
        begun.append(network_of(config, images))
    mine = tuple(f"{name}." for name in generators_of(begun[0]))
    generators = {name: value for name, value in begun[0].state_dict().items() if name.startswith(mine)}
    return {**begun[1].state_dict(), **generators}


def start_configs(config: Config) -> dict[str, Config]:
    """The starts by name: rotations for affine generators, and seeds, no two runs' the same, for others."""
    short = replace(config, starts=1, epochs=config.start_epochs)
    if config.network.generator == "affine":
        names = [f"rotation {angle:g}" for angle in spread_angles(config.starts)]
        return {name: replace(short, network=replace(config.network, operator=f"{name} bilinear")) for name in names}
    seeds = range(config.seed * config.starts, (config.seed + 1) * config.starts)
    return {f"seed {seed}": replace(short, seed=seed) for seed in seeds}


def free_config(config: Config) -> Config:
    """The control: the same network, trained as briefly, with free filters."""
    network = replace(config.network, generator="free")
    return replace(config, starts=1, epochs=config.start_epochs, network=network)


def what_was_found(model: nn.Module) -> dict[str, list[float]]:
    """The angle and scale of each affine generator, in the order of layers and sets; nothing of other families."""
    found: dict[str, list[float]] = {}
    for generator in generators_of(model).values():
        if isinstance(generator, Affine):
            geometry = generator.geometry()
            for name in ("degrees", "scale"):
                found.setdefault(name, []).extend(getattr(geometry, name).flatten().tolist())
    return found


@torch.no_grad()
def _correct(model: nn.Module, images: Images) -> Tensor:
    """Whether each image of the validation part is classified rightly.  -> bool (N,)"""
    example = next(model.parameters())
    right = []
    with cached(model):
        for chosen in torch.arange(len(images.parts["validation"][0])).split(EVALUATION_BATCH):
            batch, labels = images.batch("validation", chosen, example.device, example.dtype)
            right.append(model(batch).argmax(1) == labels)
    return torch.cat(right).cpu()


def _facts(search: Search, found: dict[str, Any]) -> dict[str, Any]:
    trials = [
        {"start": each.name, "validation_accuracy": each.validation, **found[each.name]} for each in search.trials
    ]
    return {
        "starts": trials,
        "best": search.best.name,
        "retrained_accuracy": search.retrained.validation,
        "free_accuracy": search.free.validation,
        "advantage": search.advantage,
        "standard_error": search.standard_error,
        "p_value": search.p_value,
        "claimed": search.claimed,
        "false_claim_rate": search.false_claim_rate,
        "retrained": {name: each for name, each in found.items() if name.startswith(f"{search.best.name} with seed")},
    }
