"""Presets are facts; a config refuses what cannot be, and survives its JSON."""

from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

from lgn.training import PRESETS, Config, NetworkConfig, preset
from lgn.training.build import learning_rate
from lgn.training.config import changes_between
from lgn.training.stored_config import config_from_json, config_to_json


def facts(config: Config, names: str) -> list[Any]:
    return [getattr(config.network if name in vars(config.network) else config, name) for name in names.split()]


def test_paper_is_what_the_text_says() -> None:
    paper = preset("paper")
    assert facts(paper, "num_layers num_sets order kernel_size algorithm step") == [4, 5, 4, 6, "ista", 0.01]
    assert facts(paper, "penalty penalty_weight learning_rate epochs") == ["inverse", 1e-3, 0.01, 100]
    assert facts(paper, "batch_size preprocess padding pool") == [128, "standardise", 1, 4]
    assert facts(paper, "share start norm clip validation train_images") == ["set", "orthogonal", None, 2.0, 0.0, None]


def test_released_is_what_the_released_code_is_known_to_do() -> None:
    released = preset("released")
    assert facts(released, "algorithm normalise share start norm") == ["fista", True, "channel", "gaussian", 1.0]
    assert facts(released, "penalty penalty_weight penalty_start") == ["inverse", 1e-4, "gaussian"]
    assert facts(released, "preprocess clip padding") == ["zca", 2.0, 1]
    reconstruct = preset("released", "reconstruct")
    assert facts(reconstruct, "penalty_weight normalise decoder") == [1e-2, False, "free"]


def test_stable_is_the_papers_network_with_three_settings_of_ours() -> None:
    ours = {"generator_rate": 0.1, "weight_decay": 0.1, "schedule": "one-cycle"}
    assert changes_between(Config.paper(), Config.stable()) == ours


def test_quick_is_the_papers_network_for_a_minute() -> None:
    assert replace(preset("quick"), epochs=100) == preset("paper")
    assert preset("quick").data == "digits"
    assert preset("quick").epochs < 20


def test_a_config_without_a_word_is_the_papers() -> None:
    assert replace(Config(data="mnist"), data="digits") == Config.paper() == PRESETS["paper"]
    assert (Config.released(), Config.quick(epochs=5)) == (PRESETS["released"], preset("quick", epochs=5))


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("task", ["classify", "reconstruct"])
def test_a_config_says_where_it_came_from_and_in_what_it_differs(name: str, task: Any) -> None:
    config = preset(name, task, data="mnist", seed=7)
    assert (config.preset, config.differences()) == (name, {})
    changed = preset(name, task, order=3, learning_rate=0.5)
    assert (changed.preset, changed.differences()) == (name, {"learning_rate": 0.5, "order": 3})
    assert Config.quick(epochs=5).preset == "paper"  # what quick changes was changed again: it does not pretend


def test_a_config_of_before_that_names_its_preset_is_read() -> None:
    assert config_from_json({**config_to_json(Config.released()), "preset": "released"}) == Config.released()


def test_changes_reach_the_network_too() -> None:
    changed = preset("paper", "classify", num_sets=7, epochs=3)
    assert (changed.network.num_sets, changed.epochs, changed.task) == (7, 3, "classify")
    with pytest.raises(ValueError, match="preset must be one of paper, released, stable, quick, net, got 'fast'"):
        preset("fast")


def test_the_rate_is_halved_at_50_75_and_87_5_percent() -> None:
    config = Config(learning_rate=0.08)
    marks = [0.0, 0.49, 0.5, 0.74, 0.75, 0.87, 0.875, 0.999]
    assert [learning_rate(config, mark) for mark in marks] == [0.08, 0.08, 0.04, 0.04, 0.02, 0.02, 0.01, 0.01]


@pytest.mark.parametrize("name", PRESETS)
def test_a_config_is_frozen_and_survives_its_json(name: str) -> None:
    config = replace(PRESETS[name], data_dir=Path("somewhere"))
    assert config_from_json(config_to_json(config)) == config
    assert str(config.network.num_sets) in repr(config)
    with pytest.raises(FrozenInstanceError):
        config.epochs = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": 0}, "epochs must be at least 1, got 0"),
        ({"batch_size": 0}, "batch_size must be at least 1, got 0"),
        ({"validation": 1.0}, "validation must be a share from 0 to below 1, got 1.0"),
        ({"learning_rate": 0.0}, "learning_rate must be positive and finite, got 0.0"),
        ({"network": NetworkConfig(generator="fixed")}, "operator must be given with generator 'fixed'"),
        ({"network": NetworkConfig(operator="rotation 90")}, "operator must be given with generator 'fixed'"),
    ],
)
def test_what_it_refuses(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        Config(**changes)
    assert str(refusal.value).startswith(message)
