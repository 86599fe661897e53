"""What the page of a run shows: the analysis, and everything that the run and its images say."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from lgn import data
from lgn.actions import Patch
from lgn.front.answer import answer_of_run
from lgn.nn import GroupNet, places
from lgn.nn.gates import OPEN
from lgn.report import Contents, Network
from lgn.training import Config, NetworkConfig, Run, images_here

#: Crops that are offered on the page, the most contrasted of those that are drawn.
CROPS, DRAWN = 24, 600


def contents_of_run(found: Run, progress: Callable[[str], None] = lambda _: None) -> Contents:
    """Everything that a run directory and, where they are to be had, its images say."""
    who = places(found.model())
    if not who:
        raise ValueError(f"run must have generators, {found.path} has free filters")
    analysis = found.analysis(progress=progress)
    config, facts, metrics = found.config, found.facts, found.metrics
    notes = []
    if not found.finished:
        notes.append(
            f"This run was interrupted: {len(metrics)} of {config.epochs} epochs are done, and what is shown is its "
            "last checkpoint."
        )
    if not facts["class_names"]:
        notes.append("No accuracy: the images have no labels, and the network was trained to reconstruct them.")
    if config.network.generator == "fixed":
        notes.append(
            "The generators were given and not trained: what is said of them is what they are, not what was learned."
        )
    task = "classification" if facts["task"] == "classify" else "reconstruction"
    return Contents(
        title=f"{facts['data']['name']}, {task}",
        analysis=analysis,
        facts=facts_of_run(found),
        result=_result(metrics),
        metrics=tuple({k: v for k, v in row.items() if v is None or isinstance(v, int | float)} for row in metrics),
        class_names=tuple(facts["class_names"]),
        notes=(*notes, *facts["data"]["notes"]),
        bases=tuple(place.bases for place in who),
        base_names=tuple(place.base_names for place in who),
        crops=_crops(found, analysis.patch),
        network=_network(found, analysis.patch),
        group=None if config.network.group is None else config.network.chosen_group,
        answer=answer_of_run(found),
    )


def _network(found: Run, patch: Patch) -> Network | None:
    """What figure 9 draws; None for a network that is not unfolded."""
    network, facts = found.config.network, found.facts
    if network.architecture != "unfolded":
        return None
    return Network(
        network.num_layers,
        network.num_sets,
        network.order,
        patch,
        network.algorithm,
        1 if found.config.grey else facts["image_shape"][0],
        f"{len(facts['class_names'])} classes" if facts["task"] == "classify" else "reconstruction",
    )


def _crops(found: Run, patch: Patch) -> Tensor | None:
    """Crops of training images in [0, 1], those with the most contrast; None where the images are not here."""
    images = images_here(found.config)
    if images is None or images.shape[-2] < patch[0] or images.shape[-1] < patch[1]:
        return None
    drawn = data.patches(images, (patch[0], patch[1]), DRAWN, found.config.data_seed).float().mean(1) / 255
    return drawn[drawn.flatten(1).std(1).topk(CROPS).indices]


def facts_of_run(found: Run) -> tuple[tuple[str, str], ...]:
    """What a run was, by rows of a table."""
    config, facts = found.config, found.facts
    network, counts = config.network, facts["counts"]
    channels, height, width = facts["image_shape"]
    kind = {"unfolded": network.algorithm.upper(), "cnn": "a plain CNN", "net": "a net"}[network.architecture]
    net = network.architecture == "net"
    sets = f"sets for {network.parameters:,} parameters at most, each" if net else f"{network.num_sets} sets"
    of_group = "" if network.group is None else f", orbits of {network.chosen_group.name}"
    epochs = f"{config.epochs} epoch{'s' * (config.epochs > 1)}"
    rows = {
        "images": f"{facts['data']['name']}, {counts['train']:,} to train, {counts['test']:,} to test, "
        f"{channels} x {height} x {width}",
        "task": "classification" if facts["task"] == "classify" else "reconstruction",
        "network": f"{network.num_layers} layers of {kind}, {sets} of "
        f"{network.order} filters{of_group}, {network.kernel_size} x {network.kernel_size}",
        "generators": _generators(network),
        "penalty": config.penalty + ("" if config.penalty == "none" else f", weight {config.penalty_weight:g}"),
        "training": f"{epochs}, learning rate {config.learning_rate:g}, seed {config.seed}, {_settings(config)}",
        "run": str(found.path),
    }
    model = found.model()
    if isinstance(model, GroupNet) and model.gates is not None:
        gates = ", ".join(f"{word} {value:.2f}" for word, value in model.gates.by_word().items())
        rows["gates"] = f"{gates}; an element and its inverse have one, and those above {OPEN:g} are open"
    return tuple(rows.items())


def _generators(network: NetworkConfig) -> str:
    named = " and ".join(network.operator)
    if network.generator == "fixed":
        return f"given, not trained: {named or f'the known action of {network.chosen_group.name}'}"
    return f"{network.generator}, one for each {network.share}, started {named or network.start}"


def _settings(config: Config) -> str:
    """The preset, and what was changed of it besides what the other rows say."""
    said = (
        "epochs",
        "learning_rate",
        "num_layers",
        "num_sets",
        "order",
        "kernel_size",
        "generator",
        "share",
        "start",
        "group",
        "operator",
        "gates",
    )
    changed = [f"{name} {value}" for name, value in config.differences().items() if name not in said]
    return f"preset {config.preset}" + (f" with {', '.join(changed)}" if changed else "")


def _result(metrics: list[dict[str, Any]]) -> str | None:
    """The last epoch in words; None where there was none."""
    if not metrics:
        return None
    last = metrics[-1]
    epochs = f"after {last['epoch']} epoch{'' if last['epoch'] == 1 else 's'}"
    if last.get("test_accuracy") is not None:
        return f"Test accuracy {100 * last['test_accuracy']:.2f} % {epochs}."
    if last.get("test_error") is not None:
        return f"Test error {last['test_error']:.4g} {epochs}, with {100 * last['test_active']:.0f} % of codes active."
    return None
