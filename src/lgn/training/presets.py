"""Presets: configs by name."""

from dataclasses import replace
from typing import Any

from lgn.generators import FAMILIES
from lgn.training.config import Config, NetworkConfig, Task, differences

#: `paper` has the settings of the paper's text, `released` those of the authors' code; `stable` bounds the filters in
#: long trainings, `quick` is `paper` with few epochs, and `net` is an equivariant network.
PRESETS: dict[str, Config] = {
    "paper": Config(),
    # The authors' whitening adds 1e-8 to the variances, which amplifies pixels that are constant in the training
    # images. Ours does not.
    "released": Config(
        preprocess="zca",
        network=NetworkConfig(algorithm="fista", share="channel", start="gaussian", norm=1.0),
        penalty_weight=1e-4,
        penalty_start="gaussian",
    ),
    # Adam changes all entries of a matrix at once: a learning rate of 0.01 can change the norm of a 36x36 generator by
    # 0.36 in a step, and the filters contain its third power. A tenth of that rate, and weight decay for the filters
    # that batch normalisation lets grow, bound both. A learning rate that falls to zero lets the training converge.
    "stable": Config(generator_rate=0.1, weight_decay=0.1, schedule="one-cycle"),
    "quick": Config(epochs=12),
    # Pixels stay from 0 to 1, so that a black margin and zero padding are the same.
    "net": Config(
        task="classify",
        preprocess="none",
        network=NetworkConfig(architecture="net", num_layers=5, kernel_size=5, generator="fixed", dropout=0.1),
        penalty="none",
        epochs=30,
        batch_size=64,
        schedule="one-cycle",
        weight_decay=1e-2,
        test="end",
    ),
}


def preset(name: str, task: Task = "auto", **changes: Any) -> Config:
    """The config of a preset for a task. `changes` are fields of `Config` or of `NetworkConfig`.

    A generator family has a penalty of its own, which `changes` can replace. The released code reconstructs without
    batch normalisation, with a free dictionary and an inverse weight of 1e-2.
    """
    if name not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {name!r}")
    config = PRESETS[name]
    if name == "released" and task == "reconstruct":
        network = replace(config.network, normalise=False, decoder="free")
        config = replace(config, network=network, penalty_weight=1e-2)
    if (family := FAMILIES.get(changes.get("generator", ""))) is not None:
        changes = {"penalty": family.penalty, **changes}
    network_changes = {key: changes.pop(key) for key in list(changes) if key in NetworkConfig.__dataclass_fields__}
    return replace(config, task=task, network=replace(config.network, **network_changes), **changes)


def nearest_preset(config: Config) -> str:
    """The name of the preset from which a config differs in the fewest settings."""
    return min(PRESETS, key=lambda name: len(changes_between(preset(name, config.task), config)))


def changes_from_preset(config: Config) -> dict[str, Any]:
    """The settings in which a config differs from its nearest preset."""
    return changes_between(preset(nearest_preset(config), config.task), config)


def changes_between(base: Config, config: Config) -> dict[str, Any]:
    """The settings in which `config` differs from `base`, those of the network included."""
    chosen = ("data", "task", "train_images", "seed", "data_seed")  # by every training, whatever its preset
    return {name: new for name, (_, new) in differences(base, config).items() if name not in chosen}
