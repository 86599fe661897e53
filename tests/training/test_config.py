"""Presets, limits of settings, and configs as JSON."""

from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

from lgn.files import decode, encode
from lgn.training import PRESETS, Config, NetworkConfig, Run, preset
from lgn.training.config import differences
from lgn.training.optimisation import learning_rate
from lgn.training.presets import changes_between, changes_from_preset, nearest_preset

RUNS = sorted((Path(__file__).parents[2] / "results" / "runs").glob("*/config.json"))


def values(config: Config, names: str) -> list[Any]:
    return [getattr(config.network if name in vars(config.network) else config, name) for name in names.split()]


def test_paper_has_the_settings_of_the_text() -> None:
    paper = preset("paper")
    assert values(paper, "num_layers num_sets kernel_size algorithm step") == [4, 5, 6, "ista", 0.01]
    assert paper.network.finite_group.order == 4
    assert values(paper, "penalty penalty_weight learning_rate epochs") == ["inverse", 1e-3, 0.01, 100]
    assert values(paper, "batch_size preprocess padding pool") == [128, "standardise", 1, 4]
    assert values(paper, "share start norm clip validation train_images") == ["set", "orthogonal", None, 2.0, 0.0, None]
    assert Config() == paper


def test_released_has_the_settings_of_the_released_code() -> None:
    released = preset("released")
    assert values(released, "algorithm normalise share start norm") == ["fista", True, "channel", "gaussian", 1.0]
    assert values(released, "penalty penalty_weight penalty_start") == ["inverse", 1e-4, "gaussian"]
    assert values(released, "preprocess clip padding") == ["zca", 2.0, 1]
    reconstruct = preset("released", "reconstruct")
    assert values(reconstruct, "penalty_weight normalise decoder") == [1e-2, False, "free"]


def test_stable_and_quick_differ_from_paper_in_few_settings() -> None:
    ours = {"generator_rate": 0.1, "weight_decay": 0.1, "schedule": "one-cycle"}
    assert changes_between(PRESETS["paper"], PRESETS["stable"]) == ours
    assert changes_between(PRESETS["paper"], PRESETS["quick"]) == {"epochs": 12}


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("task", ["classify", "reconstruct"])
def test_the_nearest_preset_and_the_changes_are_known(name: str, task: Any) -> None:
    config = preset(name, task, data="mnist", seed=7)
    assert (nearest_preset(config), changes_from_preset(config)) == (name, {})
    changed = preset(name, task, group="C3", learning_rate=0.5)
    assert nearest_preset(changed) == name
    assert changes_from_preset(changed) == {"learning_rate": 0.5, "group": "C3"}
    assert nearest_preset(preset("quick", epochs=5)) == "paper"  # nothing of quick is left


def test_changes_may_be_settings_of_the_network() -> None:
    changed = preset("paper", "classify", num_sets=7, epochs=3)
    assert (changed.network.num_sets, changed.epochs, changed.task) == (7, 3, "classify")
    with pytest.raises(ValueError, match="preset"):
        preset("fast")


def test_the_rate_is_halved_at_50_75_and_87_5_percent() -> None:
    config = Config(learning_rate=0.08)
    marks = [0.0, 0.49, 0.5, 0.74, 0.75, 0.87, 0.875, 0.999]
    assert [learning_rate(config, mark) for mark in marks] == [0.08, 0.08, 0.04, 0.04, 0.02, 0.02, 0.01, 0.01]


@pytest.mark.parametrize("name", PRESETS)
def test_a_config_is_frozen_and_survives_json(name: str) -> None:
    config = replace(PRESETS[name], data_dir=Path("somewhere"))
    assert decode(Config, encode(config), "config") == config
    with pytest.raises(FrozenInstanceError):
        config.epochs = 3  # type: ignore[misc]


def test_settings_are_compared_without_those_that_do_not_change_the_result() -> None:
    config = preset("quick", device="cpu", checkpoint_seconds=1.0)
    assert differences(config, preset("quick")) == {}
    assert differences(config, preset("quick", num_sets=3, seed=1)) == {"num_sets": (5, 3), "seed": (0, 1)}


def test_all_runs_of_the_results_are_read() -> None:
    assert len(RUNS) > 60
    assert {nearest_preset(Run(path.parent).config) for path in RUNS} == {"paper", "released", "stable"}


@pytest.mark.parametrize(
    "changes",
    [
        {"epochs": 0},
        {"batch_size": 0},
        {"train_images": -1},
        {"validation": 1.0},
        {"validation": float("nan")},
        {"learning_rate": 0.0},
        {"learning_rate": float("inf")},
        {"clip": 0.0},
        {"generator_rate": float("nan")},
        {"checkpoint_seconds": float("nan")},
        {"penalty_weight": -1.0},
        {"penalty": "closed"},
        {"seed": 2**64},
        {"data_seed": -1},
        {"norm": 0.0},
        {"step": float("nan")},
        {"pool": 0},
        {"padding": -1},
        {"dropout": 1.0},
        {"group": "C1"},
        {"group": "octahedral"},
        {"gates": True},
    ],
    ids=str,
)
def test_a_setting_outside_its_limits_is_refused_by_name(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(changes))):
        preset("quick", **changes)


@pytest.mark.parametrize("network", [{"generator": "fixed"}, {"operator": "rotation 90"}])
def test_an_operator_and_a_fixed_generator_need_each_other(network: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="operator must be given with generator 'fixed'"):
        NetworkConfig(**network) and Config(network=NetworkConfig(**network))
