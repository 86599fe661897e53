"""Configs in the files of runs: written, read again whatever their age, and compared."""

import typing
from typing import Any

from lgn.files import decode, encode
from lgn.training.config import INCIDENTAL, Config

# What runs that are older than it do not have: they were trained as the default says.
LATER = (
    "architecture", "generator_rate", "group",
    "parameters", "dropout", "schedule", "weight_decay", "augment", "test", "gates",
)  # fmt: skip
# What older runs say, and nothing depends on any longer: where their weights came from before they were trained.
GONE = ("preset", "train", "lift_epochs", "lift_method", "snap", "starts", "start_epochs", "tensorboard")
# What older runs could choose, and the choice that is left.
SETTLED = {
    "tied": False, "threshold": "filter", "two_sided": False, "precision": "float32", "penalty_normalised": False,
    "zca_eps": 0.01, "label_smoothing": 0.0,
}  # fmt: skip


def config_to_json(config: Config) -> dict[str, Any]:
    """A config as plain JSON values."""
    return typing.cast(dict[str, Any], encode(config))


def config_from_json(values: dict[str, Any]) -> Config:
    """The config of a run, also of one that is older than some settings, or has some that are gone."""
    if isinstance(values, dict):
        values = _of_today(values)
        if isinstance(network := values.get("network"), dict):
            network = _of_today(network)
            if not isinstance(operator := network.get("operator"), list):  # older runs have one, or none
                network["operator"] = [] if operator is None else [operator]
            values["network"] = network
    return decode(Config, values, "config", LATER)


def _of_today(values: dict[str, Any]) -> dict[str, Any]:
    """Without settings that are gone; one of them with another value than the one that is left is refused."""
    for name, left in SETTLED.items():
        if values.get(name, left) != left:
            raise ValueError(f"{name} must be {left!r}, the only choice that is left, got {values[name]!r}")
    return {name: value for name, value in values.items() if name not in GONE and name not in SETTLED}


def same_settings(one: Config, other: Config) -> bool:
    """Whether two configs give the same result; where data lie and what trains does not matter."""
    return not differences(one, other)


def differences(stored: Config, wanted: Config) -> str:
    """The settings of a stored config that another one has otherwise, in words; empty where there are none."""
    old, new = config_to_json(stored), config_to_json(wanted)
    old, new = old | old.pop("network"), new | new.pop("network")
    return ", ".join(f"{k} {old[k]!r} instead of {new[k]!r}" for k in old if k not in INCIDENTAL and old[k] != new[k])
