"""One setting at a time between two presets."""

from pathlib import Path
from typing import Any

import pytest

from lgn.report.figures import save
from lgn.stats import welch_interval
from lgn.training import preset
from lgn.training.presets import changes_between
from studies.paper.differences import changed_configs, less_preset, likeness, setting_differences


def sample(accuracy: list[float], smooth: list[float], toeplitz: list[float], on_u: float) -> dict[str, Any]:
    filters = [[{"smoothness": 9.0}, {"smoothness": value}] for value in smooth]  # the last epoch counts
    shares = {"Toeplitz": {"white nulls": toeplitz}}
    return {"accuracy": accuracy, "filters": filters, "shares": shares, "toeplitz_on_u": [on_u] * len(smooth)}


def test_every_step_is_one_setting_and_all_steps_together_are_the_other_preset() -> None:
    grey, colour = (dict(changed_configs(data)) for data in ("mnist", "cifar10"))
    assert [len(grey), len(colour)] == [14, 6]
    paper, released = grey["paper"], grey["released"]
    for name, base, other in (("paper", paper, released), ("released", released, paper)):
        steps = [
            changes_between(configs[name], item)
            for configs in (grey, colour)
            for title, item in configs.items()
            if title.startswith(f"{name}, ")
        ]
        assert all(len(step) == 1 for step in steps)
        assert {key: value for step in steps for key, value in step.items()} == changes_between(base, other)
    assert paper.network == preset("paper").network
    changed = {key for name, item in colour.items() for key in changes_between(colour[name.split(",")[0]], item)}
    assert changed == {"share", "norm"}


def test_smoothness_and_shares_are_compared_setting_by_setting() -> None:
    # Means over runs grow together in the first share, and go against each other in the second.
    numbers = ([0.1, 0.5], [0.4, 0.0], 0.9), ([0.4], [0.3], 0.5), ([0.6, 0.8], [0.2, 1.0], 0.1)
    samples = [sample([1.0], *number) for number in numbers]
    assert likeness(samples) == pytest.approx({"smoothness_and_toeplitz": 1, "smoothness_and_toeplitz_on_u": -1})
    assert likeness([sample([1.0], [smooth], [0.0], 0.0) for smooth in (0.1, 0.2)]) == {}  # shares that do not vary


def test_a_change_is_compared_with_its_own_preset_run_by_run() -> None:
    def named(name: str, values: list[float], data: str = "MNIST") -> dict[str, Any]:
        return {"data": data, "name": name, **sample(values, values, values, 0.3)}

    paper, changed, released = [0.91, 0.93, 0.94, 0.9], [0.95, 0.98, 0.96], [0.5, 0.6]
    elsewhere = named("paper", [0.1, 0.2], "CIFAR-10")  # of other data, and so no preset of the change
    samples = [named("paper", paper), elsewhere, named("paper, norm 1.0", changed), named("released", released)]
    (row,) = less_preset(samples)
    assert [row["data"], row["name"]] == ["MNIST", "paper, norm 1.0"]
    interval = welch_interval(changed, paper)
    for name, scale in (("test accuracy, points", 100), ("smoothness", 1), ("Toeplitz, white nulls", 1)):
        found = [row[name]["low"] / scale, row[name]["high"] / scale]
        assert found == pytest.approx(interval[1:])
        assert (row[name]["runs"], row[name]["others"]) == (3, 4)
    assert row["Toeplitz on U, white nulls"]["low"] == row["Toeplitz on U, white nulls"]["high"] == 0
    assert less_preset(samples[1:]) == []  # without its preset there is nothing to compare with


def test_the_figure_has_a_row_for_every_setting(tmp_path: Path) -> None:
    shares = {"Toeplitz": {"white nulls": [0.5, 0.7], "all nulls": [0.0, 0.0]}}
    facts = [[{"norms": [1.0, 30.0], "generator_norm": 2.0, "smoothness": 0.4}]] * 2
    of_all = {"runs": 2, "accuracy": [0.99, 0.991], "filters": facts, "shares": shares}
    names = {"MNIST": ["paper", "paper, norm 1.0", "released"], "CIFAR-10": ["paper", "paper, share channel"]}
    samples = [{"data": data, "name": name, **of_all} for data, of_data in names.items() for name in of_data]
    figure = setting_differences(samples)
    rows = [axes for axes in figure.axes if axes.get_ylabel()]
    assert [axes.get_ylabel() for axes in rows] == list(names)
    for axes, of_data in zip(rows, names.values(), strict=True):
        assert [text.get_text() for text in axes.get_yticklabels()] == [f"{name} (2)" for name in of_data]
    assert all(path.stat().st_size > 1_000 for path in save(figure, tmp_path / "differences"))
