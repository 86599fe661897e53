"""One setting at a time between two presets."""

from pathlib import Path
from typing import Any

import pytest

from lgn.recipes.differences import changed_configs, less_preset, likeness
from lgn.report.figures import save, setting_differences
from lgn.training import preset
from lgn.training.config import changes_between


def test_every_step_is_one_setting_and_all_steps_together_are_the_other_preset() -> None:
    configs = dict(changed_configs())
    paper, released = configs["paper"], configs["released"]
    for base, other in ((paper, released), (released, paper)):
        name = "paper" if base is paper else "released"
        steps = [changes_between(base, each) for words, each in configs.items() if words.startswith(f"{name}, ")]
        assert all(len(step) == 1 for step in steps)
        whole = {key: value for step in steps for key, value in step.items()}
        assert whole == {k: v for k, v in changes_between(base, other).items() if k != "share"}
    assert len(configs) == 14
    assert paper.network == preset("paper").network


def test_smoothness_and_shares_are_compared_setting_by_setting() -> None:
    def sample(smooth: list[float], anywhere: list[float], on_u: float) -> dict[str, Any]:
        filters = [[{"smoothness": 9.0}, {"smoothness": value}] for value in smooth]  # the last epoch counts
        shares = {"Toeplitz": {"white nulls": anywhere}}
        return {"accuracy": [1.0], "filters": filters, "shares": shares, "toeplitz_on_u": [on_u] * len(smooth)}

    # Means over runs grow together in the first share, and go against each other in the second.
    samples = [sample([0.1, 0.5], [0.4, 0.0], 0.9), sample([0.4], [0.3], 0.5), sample([0.6, 0.8], [0.2, 1.0], 0.1)]
    assert likeness(samples) == pytest.approx({"smoothness_and_toeplitz": 1, "smoothness_and_toeplitz_on_u": -1})
    assert likeness([sample([0.1], [0.0], 0.0), sample([0.2], [0.0], 0.0)]) == {}  # shares that do not vary


def test_a_change_is_compared_with_its_own_preset_run_by_run() -> None:
    from scipy.stats import ttest_ind

    def sample(name: str, accuracies: list[float]) -> dict[str, Any]:
        shares = {"Toeplitz": {"white nulls": accuracies}}
        filters = [[{"smoothness": 9.0}, {"smoothness": value}] for value in accuracies]  # the last epoch counts
        on_u = [0.3] * len(accuracies)
        return {"name": name, "accuracy": accuracies, "filters": filters, "shares": shares, "toeplitz_on_u": on_u}

    paper, changed, released = [0.91, 0.93, 0.94, 0.9], [0.95, 0.98, 0.96], [0.5, 0.6]
    samples = [sample("paper", paper), sample("paper, norm 1.0", changed), sample("released", released)]
    (row,) = less_preset(samples)
    assert row["name"] == "paper, norm 1.0"
    interval = ttest_ind(changed, paper, equal_var=False).confidence_interval(0.95)
    for name, scale in (("test accuracy, points", 100), ("smoothness", 1), ("Toeplitz, white nulls", 1)):
        found = [row[name]["low"] / scale, row[name]["high"] / scale]
        assert found == pytest.approx([interval.low, interval.high])
        assert (row[name]["runs"], row[name]["others"]) == (3, 4)
    assert row["Toeplitz on U, white nulls"]["low"] == row["Toeplitz on U, white nulls"]["high"] == 0
    assert less_preset(samples[1:]) == []  # without its preset there is nothing to compare with


def test_the_figure_has_a_row_for_every_setting(tmp_path: Path) -> None:
    shares = {"Toeplitz": {"white nulls": [0.5, 0.7], "all nulls": [0.0, 0.0]}}
    facts = [[{"norms": [1.0, 30.0], "generator_norm": 2.0, "smoothness": 0.4}]] * 2
    by_epoch = [[1.0, 10.0, 100.0], [4.0, 40.0, 400.0]]
    samples = [
        {"name": name, "runs": 2, "accuracy": [0.99, 0.991], "conditions": by_epoch, "filters": facts, "shares": shares}
        for name in ("paper", "paper, norm 1.0", "released")
    ]
    figure = setting_differences(samples, "MNIST")
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["paper (2)", "paper, norm 1.0 (2)", "released (2)"]
    paper, released = figure.axes[-2:]
    assert list(released.lines[0].get_ydata()) == pytest.approx([2.0, 20.0, 200.0])
    assert [text.get_text() for text in paper.get_legend().get_texts()] == ["paper", "norm 1.0"]
    assert all(path.stat().st_size > 1_000 for path in save(figure, tmp_path / "differences"))
