"""What the page of a run shows."""

from torch import Tensor

from lgn import data
from lgn.actions import Patch
from lgn.analysis import Analysis
from lgn.nn import GroupNet, generator_sites
from lgn.nn.gates import OPEN
from lgn.report import Contents, Network
from lgn.training import Facts, NetworkConfig, Run, local_training_images
from lgn.training.presets import changes_from_preset, nearest_preset

#: The page offers the crops with the most contrast among those that are drawn.
CROPS, DRAWN = 24, 600
#: Settings that the table of facts shows in a row of their own.
SHOWN = ("epochs", "learning_rate", "num_layers", "num_sets", "kernel_size", "generator", "share", "start", "group",
         "operator", "gates")  # fmt: skip


def contents_of_run(run: Run, analysis: Analysis) -> Contents:
    """Everything that the page of a run shows. Crops are shown if the training images are on this machine."""
    found, config, facts, metrics = generator_sites(run.network), run.config, run.facts, run.metrics
    notes = []
    if not run.finished:
        notes.append(
            f"This run was stopped after {len(metrics)} of {config.epochs} epochs. The page shows its last checkpoint."
        )
    if not facts.class_names:
        notes.append("No accuracy: the images have no labels, and the network was trained to reconstruct them.")
    if config.network.generator == "fixed":
        notes.append("The generators were given and not trained: the page describes them, not what was learned.")
    return Contents(
        title=f"{facts.data_name}, {_task(facts)}",
        analysis=analysis,
        facts=facts_of_run(run),
        result=_result(run),
        metrics=tuple({k: v for k, v in row.items() if v is None or isinstance(v, int | float)} for row in metrics),
        class_names=facts.class_names,
        notes=(*notes, *facts.data_notes),
        bases=tuple(place.bases for place in found),
        base_names=tuple(place.base_names for place in found),
        crops=_crops(run, analysis.patch),
        network=_network(run, analysis.patch),
        group=config.network.finite_group,
    )


def facts_of_run(run: Run) -> tuple[tuple[str, str], ...]:
    """The settings of a run as rows of a table."""
    config, facts, model = run.config, run.facts, run.network
    network, group = config.network, config.network.finite_group
    channels, height, width = facts.image_shape
    kind = {"unfolded": network.algorithm.upper(), "cnn": "a plain CNN", "net": "a net"}[network.architecture]
    is_net = network.architecture == "net"
    sets = f"at most {network.parameters:,} parameters, sets" if is_net else f"{network.num_sets} sets"
    changed = [f"{name} {value}" for name, value in changes_from_preset(config).items() if name not in SHOWN]
    settings = f"preset {nearest_preset(config)}" + (f" with {', '.join(changed)}" if changed else "")
    epochs = f"{config.epochs} epoch{'s' * (config.epochs > 1)}"
    rows = {
        "images": f"{facts.data_name}, {facts.counts['train']:,} to train, {facts.counts['test']:,} to test, "
        f"{channels} x {height} x {width}",
        "task": _task(facts),
        "network": f"{network.num_layers} layers of {kind}, {sets} of {group.order} filters, orbits of {group.name}, "
        f"{network.kernel_size} x {network.kernel_size}",
        "generators": _generators(network),
        "penalty": config.penalty + ("" if config.penalty == "none" else f", weight {config.penalty_weight:g}"),
        "training": f"{epochs}, learning rate {config.learning_rate:g}, seed {config.seed}, {settings}",
        "run": str(run.path),
    }
    if isinstance(model, GroupNet) and model.gates is not None:
        gates = ", ".join(f"{word} {value:.2f}" for word, value in model.gates.by_word().items())
        rows["gates"] = f"{gates}; an element and its inverse share a gate, and gates above {OPEN:g} are open"
    return tuple(rows.items())


def _task(facts: Facts) -> str:
    return "classification" if facts.task == "classify" else "reconstruction"


def _network(run: Run, patch: Patch) -> Network | None:
    """What figure 9 shows; None for a network that is not unfolded."""
    network, facts = run.config.network, run.facts
    if network.architecture != "unfolded":
        return None
    return Network(
        num_layers=network.num_layers,
        num_sets=network.num_sets,
        order=network.finite_group.order,
        patch=patch,
        algorithm=network.algorithm,
        in_channels=facts.image_shape[0],
        head=f"{len(facts.class_names)} classes" if facts.task == "classify" else "reconstruction",
    )


def _crops(run: Run, patch: Patch) -> Tensor | None:
    """The crops of training images with the most contrast, in [0, 1]; None if the images are not on this machine."""
    images = local_training_images(run.config)
    if images is None or images.shape[-2] < patch[0] or images.shape[-1] < patch[1]:
        return None
    drawn = data.patches(images, (patch[0], patch[1]), DRAWN, run.config.data_seed).float().mean(1) / 255
    return drawn[drawn.flatten(1).std(1).topk(CROPS).indices]


def _generators(network: NetworkConfig) -> str:
    operators = " and ".join(network.operator)
    if network.generator == "fixed":
        return f"given, not trained: {operators or f'the known action of {network.finite_group.name}'}"
    return f"{network.generator}, one per {network.share}, started {operators or network.start}"


def _result(run: Run) -> str | None:
    """The measurements of the last epoch; None if no epoch is complete."""
    if not run.metrics:
        return None
    last = run.metrics[-1]
    epochs = f"after {last['epoch']} epoch{'' if last['epoch'] == 1 else 's'}"
    if last.get("test_accuracy") is not None:
        return f"Test accuracy {100 * last['test_accuracy']:.2f} % {epochs}."
    if last.get("test_error") is not None:
        return f"Test error {last['test_error']:.4g} {epochs}, with {100 * last['test_active']:.0f} % of codes active."
    return None
