"""A round trip over a directory, without a network; what is shared is enough, and no more."""

import json
import shutil
from pathlib import Path

import pytest
import torch

import lgn
from lgn.analysis.result import SHOWN
from lgn.deploy import from_pretrained, hub_model, model_card
from lgn.deploy.hub import escape
from lgn.training import Run

pytest.importorskip("huggingface_hub", reason="needs the extra hub")
pytestmark = pytest.mark.usefixtures("offline")


@pytest.fixture(scope="module")
def analysed(classifier: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run with a small analysis in it, so that no card has to make one."""
    path = tmp_path_factory.mktemp("analysed") / "run"
    shutil.copytree(classifier.path, path)
    lgn.analyze(path, draws=50).save(path / "analysis.json")
    return Run.open(path)


def test_round_trip(analysed: Run, tmp_path: Path) -> None:
    model = hub_model(analysed)
    model.save_pretrained(tmp_path / "shared")
    again = from_pretrained(tmp_path / "shared")
    images = torch.randn(2, 1, 28, 28)
    with torch.no_grad():
        assert torch.equal(again(images), analysed.model()(images))
    assert not again.training
    # What was shared is a run: it loads and can be analysed again, down to the change since the start.
    assert again.run.metrics == analysed.metrics
    found = lgn.analyze(tmp_path / "shared", draws=10)
    assert found.generators[0].start is not None


def test_what_stays_at_home(analysed: Run, tmp_path: Path) -> None:
    """No path of this machine, no environment, no optimiser leaves it."""
    private = tmp_path / "secret" / "photos"
    run = tmp_path / "run"
    shutil.copytree(analysed.path, run)
    settings = json.loads((run / "config.json").read_text())
    settings["config"] |= {"data": str(private), "data_dir": str(private)}
    (run / "config.json").write_text(json.dumps(settings))
    hub_model(run).save_pretrained(tmp_path / "shared")
    names = {path.name for path in (tmp_path / "shared").iterdir()}
    assert names == {"README.md", "config.json", "initial.safetensors", "metrics.jsonl", "model.safetensors"}
    for name in ("README.md", "config.json", "metrics.jsonl"):
        assert "secret" not in (tmp_path / "shared" / name).read_text()
    assert Run(tmp_path / "shared").config.data == "photos"


def test_card_says_what_the_analysis_found(analysed: Run) -> None:
    analysis = lgn.Analysis.load(analysed.path / "analysis.json")
    card = model_card(analysed)
    accuracy = analysed.metrics[-1]["test_accuracy"]
    assert card.startswith("---\nlibrary_name: lgn\n")
    assert f"test accuracy {100 * accuracy:.2f} %" in card
    rows = [line for line in card.splitlines() if line.startswith("| layer")]
    assert len(rows) == len(analysis.generators) == 4
    for row, generator in zip(rows, analysis.generators, strict=True):
        assert row.startswith(f"| {generator.name} |")
        assert f"| {generator.nearest[0].cosine:.3f} |" in row
        assert all(finding.name in row for finding in generator.findings[:SHOWN])


def test_text_of_others_stays_text() -> None:
    assert escape("<img src=x>") == "&lt;img src=x&gt;"
    assert escape("a|b\n# c [d](e)") == "a\\|b \\# c \\[d\\]\\(e\\)"


def test_an_unfinished_run_is_not_shared(analysed: Run, tmp_path: Path) -> None:
    shutil.copytree(analysed.path, tmp_path / "run")
    (tmp_path / "run" / "model.safetensors").unlink()
    with pytest.raises(ValueError, match="run must be finished to be shared"):
        hub_model(tmp_path / "run")


def test_a_pickle_is_not_read(analysed: Run, tmp_path: Path) -> None:
    """Weights that are not safetensors are refused, whatever they are called."""
    hub_model(analysed).save_pretrained(tmp_path / "shared")
    torch.save({"weight": torch.zeros(1)}, tmp_path / "shared" / "model.safetensors")
    with pytest.raises(ValueError, match="not a safetensors file"):
        from_pretrained(tmp_path / "shared")
