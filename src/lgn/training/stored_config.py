"""Configs in the files of runs: written, read again whatever their age, and compared."""

import typing
from typing import Any

from lgn.codec import decode, encode
from lgn.training.config import GONE, INCIDENTAL, LATER, Config


def config_to_json(config: Config) -> dict[str, Any]:
    """A config as plain JSON values."""
    return typing.cast(dict[str, Any], encode(config))


def config_from_json(values: dict[str, Any]) -> Config:
    """The config of a run, also of one that is older than some settings, or has some that are gone."""
    if isinstance(values, dict):
        values = {name: value for name, value in values.items() if name not in GONE}
        if isinstance(network := values.get("network"), dict) and not isinstance(network.get("operator"), list):
            # Older runs have one operator, or none.
            operator = network.get("operator")
            values["network"] = {**network, "operator": [] if operator is None else [operator]}
    return decode(Config, values, "config", LATER)


def same_settings(one: Config, other: Config) -> bool:
    """Whether two configs give the same result; where data lie and what trains does not matter."""
    return not differences(one, other)


def differences(stored: Config, wanted: Config) -> str:
    """The settings of a stored config that another one has otherwise, in words; empty where there are none."""
    old, new = config_to_json(stored), config_to_json(wanted)
    old, new = old | old.pop("network"), new | new.pop("network")
    return ", ".join(f"{k} {old[k]!r} instead of {new[k]!r}" for k in old if k not in INCIDENTAL and old[k] != new[k])
