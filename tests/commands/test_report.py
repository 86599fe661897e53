"""`lgn report`: from a run, or from a file of matrices, to a page and figures."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from lgn.cli import main
from lgn.front import analyze, contents_of
from lgn.training import Run, preset, train


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    config = preset("quick", data="digits", device="cpu", num_layers=2, num_sets=2, group="C3", kernel_size=4,
                    epochs=1, train_images=100, batch_size=32)  # fmt: skip
    found = train(config, tmp_path_factory.mktemp("runs") / "digits")
    analyze(found, draws=20).save(found.path / "analysis.json")
    return found


def data_of(page: Path) -> dict:
    found = re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_run_gets_a_page_beside_it(trained: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(trained.path)]) == 0
    page = trained.path / "report.html"
    assert capsys.readouterr().out == f"page: {page}\n"
    (shown,) = data_of(page)["runs"]
    assert shown["title"] == "digits, classification"
    assert dict(shown["facts"])["network"] == "2 layers of ISTA, 2 sets of 3 filters, orbits of C3, 4 x 4"
    assert len(shown["generators"]) == 4
    assert shown["classes"] == [str(digit) for digit in range(10)]
    assert shown["notes"] == []


def test_contents_are_those_of_the_model(trained: Run) -> None:
    contents = contents_of(trained.path)
    bank = trained.model().encoder.bank  # type: ignore[union-attr]
    assert contents.bases is not None
    assert torch.equal(torch.cat(contents.bases), bank.basis.detach()[:, 0])
    assert contents.base_names == (("basis",),) * 4
    assert contents.crops is not None
    assert contents.crops.shape == (24, 4, 4)
    assert contents.network is not None
    assert contents.network.head == "10 classes"


def test_two_runs_of_one_name_are_told_apart(trained: Run, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(trained.path, other)
    out = tmp_path / "both.html"
    assert main(["report", str(trained.path), "--against", str(other), "--out", str(out)]) == 0
    titles = [shown["title"] for shown in data_of(out)["runs"]]
    assert titles == ["digits, classification (digits)", "digits, classification (other)"]


def test_bare_matrices(tmp_path: Path) -> None:
    path = tmp_path / "matrices.npy"
    np.save(path, np.random.default_rng(0).normal(size=(6, 6)))
    assert main(["report", str(path), "--patch", "2", "3"]) == 0
    (shown,) = data_of(tmp_path / "matrices.report.html")["runs"]
    assert shown["patch"] == [2, 3]
    assert len(shown["generators"]) == 1


def test_wrong_sources_and_paths_are_refused(trained: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = preset("quick", data="digits", device="cpu", num_layers=1, num_sets=1, group="C2", kernel_size=4,
                    epochs=1, train_images=50, generator="free", penalty="none")  # fmt: skip
    free = train(config, tmp_path / "free")
    for words, argument in (
        ([tmp_path / "nothing"], "run"),
        ([trained.path, "--out", tmp_path / "no" / "page.html"], "path"),
        ([free.path], "generator"),
    ):
        assert main(["report", *map(str, words)]) == 1
        assert argument in capsys.readouterr().err
    assert not (free.path / "report.html").exists()
