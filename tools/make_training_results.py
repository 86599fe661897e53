"""Make `results/training.md` from the runs below `results/runs`: what was trained, by which command, to what."""

from pathlib import Path

from lgn.training import Run
from lgn.training.files import read_json

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "results" / "runs"

HEAD = """# Trainings

Made by `tools/make_training_results.py` from the run directories beside this file. Minutes are those of the clock, on
two cores that other work shared: they say little about speed, which [docs/speed.md](../docs/speed.md) measures. Nothing
was chosen by test accuracy: every number is that of the last epoch.

Runs whose name ends in `no-clip` were made before the preset `paper` clipped gradients. Their commands are shown as
they were given then; today the same training needs `--clip None` too.
"""


def table(runs: list[Run], task: str) -> str:
    """The runs of a task, a row each."""
    quality = "test accuracy" if task == "classify" else "test error | non-zero codes"
    columns = quality.count("|") + 1
    lines = [f"| run | command | seed | epochs | {quality} | minutes |", "|" + "---|" * (5 + columns)]
    for run in runs:
        last, config = run.metrics[-1], run.config
        words = read_json(run.path / "environment.json")["command"]
        if task == "classify":
            measured = f"{100 * last['test_accuracy']:.2f} %"
        else:
            measured = f"{last['test_error']:.4f} | {100 * last['test_active']:.0f} %"
        command = f"`{' '.join(words)}`"
        minutes = f"{last['seconds'] / 60:.0f}"
        lines.append(f"| {run.path.name} | {command} | {config.seed} | {last['epoch']} | {measured} | {minutes} |")
    return "\n".join(lines)


def document() -> str:
    """All finished runs, by task."""
    runs = [Run(path.parent) for path in sorted(RUNS.glob("*/model.safetensors"))]
    by_task = {task: [run for run in runs if run.facts["task"] == task] for task in ("classify", "reconstruct")}
    parts = [HEAD]
    titles = {"classify": "## Classification", "reconstruct": "## Reconstruction (mean squared error per pixel)"}
    for task, title in titles.items():
        if by_task[task]:
            parts += [title, table(by_task[task], task)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


if __name__ == "__main__":
    (ROOT / "results" / "training.md").write_text(document())
