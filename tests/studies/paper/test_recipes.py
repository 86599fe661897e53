"""Recipes, and runs that are found by their settings."""

from pathlib import Path

import pytest

from lgn.training import preset
from studies.paper.context import Context, run_name
from studies.paper.recipes import RECIPES, reproduce
from studies.paper.runs import classification, reconstruction, seeds_of


def test_every_recipe_has_a_first_sentence(tmp_path: Path) -> None:
    assert all((recipe.__doc__ or "").splitlines()[0].endswith(".") for recipe in RECIPES.values())
    with pytest.raises(ValueError, match="fig12"):
        reproduce(("fig12",), Context(tmp_path))


def test_a_run_is_found_by_its_settings_and_not_made_again(tmp_path: Path) -> None:
    context = Context(tmp_path, quick=True)
    assert context.configured(classification("cifar10")).epochs == 3
    config = preset("paper", "classify", epochs=1, num_layers=2, num_sets=2, kernel_size=5)
    first = context.train(config)
    moved = first.path.rename(first.path.with_name("another-name"))
    weights = (moved / "model.safetensors").stat().st_mtime_ns
    again = context.train(config)
    assert again.path == moved
    assert (again.path / "model.safetensors").stat().st_mtime_ns == weights
    assert context.find(context.configured(preset("paper", "classify", epochs=1, seed=1))) is None


def test_names_of_runs_tell_them_apart() -> None:
    starts = [classification("mnist", start="gaussian"), classification("cifar10"), classification("mnist", "released")]
    configs = [classification("mnist"), *starts, reconstruction("mnist"), *seeds_of(classification("mnist"), 2)]
    assert len(set(map(run_name, configs))) == len(configs)


def test_figures_without_training_are_written(tmp_path: Path) -> None:
    written, left_out = reproduce(("fig9", "fig10"), Context(tmp_path, quick=True))
    assert left_out == {}
    assert {path.name for path in written} >= {"fig9.png", "fig10.png", "fig9.svg", "fig10.pdf"}
    assert all(path.stat().st_size > 1_000 for path in written)
