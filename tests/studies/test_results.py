"""README, docs/reproduction.md and results/training.md say what `results` holds, and only what is finished."""

import importlib
import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest
import scipy.stats
from training.small import small

from lgn.files import write_json
from lgn.training import Run, train
from studies.paper.claims.statement import CLAIMS, Statement

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """studies/make_results.py"""
    return importlib.import_module("studies.make_results")


def test_the_pages_are_what_the_results_say(tool: ModuleType) -> None:
    for page, text in tool.pages().items():
        assert page.read_text() == text, f"{page.name} is out of date: python -m studies.make_results"


def test_what_is_not_finished_is_not_listed_and_verdicts_are_counted(tool: ModuleType, tmp_path: Path) -> None:
    for name in ("speed.json", "recovery.json"):
        shutil.copyfile(ROOT / "results" / name, tmp_path / name)
    assert "not measured on the full data yet" in tool.readme(tmp_path)
    assert "No training of a preset is finished yet" in tool.readme(tmp_path)
    run = train(small(), tmp_path / "runs" / "done")
    shutil.copytree(run.path, tmp_path / "runs" / "going-on")
    (tmp_path / "runs" / "going-on" / "model.safetensors").unlink()
    metrics = tmp_path / "runs" / "going-on" / "metrics.jsonl"
    metrics.write_text(metrics.read_text().splitlines()[0] + "\n")  # the first of two epochs
    verdicts = ["holds", "holds in part", "not seen"] * 5
    claims = [Statement(number, "", "", "", verdicts[number - 1]).to_json() for number in CLAIMS]  # type: ignore[arg-type]
    claims[3]["released"] = "not seen"
    write_json(tmp_path / "claims.json", {"quick": False, "claims": claims})
    page = tool.trainings(tmp_path)
    accuracy = 100 * run.metrics[-1]["test_accuracy"]
    (row,) = [line for line in page.splitlines() if line.startswith("| done |")]
    assert f"| 0 | 2 | {accuracy:.2f} % |" in row
    assert "going-on" not in page
    assert "Over seeds" not in page  # one run has no spread
    assert tool.verdicts(tmp_path).count("**holds**") == 5
    assert "15 of them: holds 5, holds in part 5, not seen 5, not tested 0; with" in tool.readme(tmp_path)
    assert "authors' code, for 1 of them: holds 0, holds in part 0, not seen 1" in tool.readme(tmp_path)


def test_only_the_longest_run_of_a_preset_is_in_the_readme(tool: ModuleType, tmp_path: Path) -> None:
    for name in ("speed.json", "recovery.json"):
        shutil.copyfile(ROOT / "results" / name, tmp_path / name)
    shorter = ROOT / "results" / "runs" / "mnist-paper-15"
    shutil.copytree(shorter, tmp_path / "runs" / "a")
    for name, change in (("b", {"epochs": 20}), ("c", {"epochs": 30, "penalty": "none"})):
        shutil.copytree(shorter, tmp_path / "runs" / name)
        path = tmp_path / "runs" / name / "config.json"
        stored = json.loads(path.read_text())
        stored["config"] |= change
        path.write_text(json.dumps(stored))
        metrics = json.loads((shorter / "metrics.jsonl").read_text().splitlines()[-1]) | {"epoch": change["epochs"]}
        (path.parent / "metrics.jsonl").write_text(json.dumps(metrics) + "\n")
    rows = [line for line in tool.readme(tmp_path).splitlines() if line.startswith("| MNIST")]
    accuracy = 100 * Run(shorter).metrics[-1]["test_accuracy"]
    assert rows == [f"| MNIST | classification | paper | 20 | 1 | {accuracy:.2f} % |"]


def test_seeds_of_one_training_have_a_mean_and_a_spread(tool: ModuleType, tmp_path: Path) -> None:
    first, second = (ROOT / "results" / "runs" / f"mnist-paper-15{ending}" for ending in ("", "-seed1"))
    for path in (first, second, ROOT / "results" / "runs" / "mnist-released-15"):
        shutil.copytree(path, tmp_path / "runs" / path.name)
    page = tool.trainings(tmp_path)
    accuracies = [100 * Run(path).metrics[-1]["test_accuracy"] for path in (first, second)]
    spread = abs(accuracies[0] - accuracies[1]) / 2**0.5
    both = f"{sum(accuracies) / 2:.2f} ± {spread:.2f} %"
    assert page.endswith(f"| mnist-paper-15 | 2 | 15 | {both} |")
    for name in ("speed.json", "recovery.json"):
        shutil.copyfile(ROOT / "results" / name, tmp_path / name)
    assert f"| MNIST | classification | paper | 15 | 2 | {both} |" in tool.readme(tmp_path)


def test_settings_that_were_tried_on_held_out_images_are_told_by_these_images_alone(
    tool: ModuleType, tmp_path: Path
) -> None:
    tried = "mnist-choice-one-cycle-20"
    for name in (tried, "mnist-paper-15"):
        shutil.copytree(ROOT / "results" / "runs" / name, tmp_path / "runs" / name)
    _, told = tool.trainings(tmp_path).split("## What was tried on images that were held out")
    accuracies = [100 * row["validation_accuracy"] for row in Run(tmp_path / "runs" / tried).metrics[-4:]]
    (row,) = [line for line in told.splitlines() if line.startswith("| mnist")]
    assert row.startswith(f"| {tried} | generator rate 0.1, schedule one-cycle, weight decay 0.1 |")
    assert row.endswith(f"| {sum(accuracies) / 4:.2f} % | {accuracies[-1]:.2f} % |")


def test_what_bounds_filters_stands_beside_runs_of_the_paper_that_are_as_long(tool: ModuleType, tmp_path: Path) -> None:
    write_json(tmp_path / "claims.json", {"quick": False, "claims": []})
    short = {name: [f"mnist-{name}-10{ending}" for ending in ("", "-seed1", "-seed2")] for name in ("paper", "stable")}
    for name in (*short["paper"], *short["stable"], "mnist-stable-100"):
        shutil.copytree(ROOT / "results" / "runs" / name, tmp_path / "runs" / name)
    rows = [line.split(" | ") for line in tool.verdicts(tmp_path).splitlines() if line.startswith("| MNIST")]
    assert [row[:4] for row in rows] == [["| MNIST", "10", f"`{name}`", "3"] for name in short]
    paper, stable = (
        [100 * Run(tmp_path / "runs" / name).metrics[-1]["test_accuracy"] for name in names] for names in short.values()
    )
    welch = scipy.stats.ttest_ind(stable, paper, equal_var=False).confidence_interval()
    assert rows[1][5] == f"{(sum(stable) - sum(paper)) / 3:+.2f} [{welch.low:.2f}, {welch.high:.2f}]"


def test_structures_are_told_under_both_kinds_of_nulls(tool: ModuleType, tmp_path: Path) -> None:
    assert tool.structures(tmp_path) == "Not measured on the full data yet."

    def share(white: float, every: float) -> dict[str, list[float]]:
        return {"white nulls": [white - 0.1, white + 0.1], "all nulls": [every, every]}

    samples = [
        {
            "data": "MNIST",
            "name": name,
            "runs": 2,
            "shares": {"Toeplitz": share(0.6, every), "multi-scale": share(0.3, 0)},
            "undecided": {"Toeplitz": [0.0, open_], "multi-scale": [0.0, 0.0]},
        }
        for name, every, open_ in (("`paper`", 0.25, 0.2), ("`released`", 0.0, 0.0), ("free networks", 0.0, 0.0))
    ]
    nulls = {"nulls": ["gaussian", "sign-and-turn"], "white": ["gaussian"]}
    found = [{"whole": {"Toeplitz": 1.0}, "through filters": {"Toeplitz": share}} for share in (0.2, 0.3)]
    planted = [{"data": "MNIST", "name": "`paper`", "shares": found}]
    repeated = [{"data": "MNIST", "name": "`paper`", "in a set": [[0.5, 0.7]], "between sets": [[0.2, 0.2]]}]
    write_json(
        tmp_path / "structures.json",
        {"quick": False, **nulls, "samples": samples, "planted": planted, "repeated": repeated},
    )
    page = tool.structures(tmp_path)
    assert "| MNIST | `paper` | 2 | the matrix has it | 1.00 |" in page
    assert "| MNIST | `paper` | 2 | the filters have it | 0.25 |" in page
    assert "| MNIST | `paper` | 2 | 0.60 ± 0.14; 0.20 ± 0.00 |" in page
    assert "White nulls: gaussian. Nulls that keep smoothness: sign-and-turn." in page
    assert "| `paper` | 2 | 0.60 → 0.25 | 0.30 → 0.00 |" in page
    assert "MNIST, `paper`: Toeplitz 0.25; MNIST, `released`: nothing." in page
    assert "Undecided: at most 0.10, Toeplitz in `paper` (MNIST)." in page
    for name in ("speed.json", "recovery.json"):
        shutil.copyfile(ROOT / "results" / name, tmp_path / name)
    assert "MNIST, `released` 0.60 → 0.00; MNIST, free networks 0.60 → 0.00" in tool.readme(tmp_path)


def test_what_people_wrote_around_the_markers_stays(tool: ModuleType) -> None:
    text = f"before\n{tool.BEGIN}\nold\n{tool.END}\nafter"
    once = tool.between_markers(text, "new")
    assert once == f"before\n{tool.BEGIN}\n\nnew\n\n{tool.END}\nafter"
    assert tool.between_markers(once, "new") == once
