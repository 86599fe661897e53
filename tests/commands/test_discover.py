"""`lgn discover`: the answer first, from what was kept where the question is the same."""

from pathlib import Path

import numpy as np
import pytest
import torch

from lgn.answer import Answer
from lgn.cli import main


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bright corners, all upright."""
    generator = torch.Generator().manual_seed(0)
    pixels = 40 * torch.rand(120, 12, 12, generator=generator)
    pixels[:, 1:5, 1:5] += 150 * torch.rand(120, 4, 4, generator=generator)
    path = tmp_path_factory.mktemp("data") / "corners.npz"
    np.savez(path, images=pixels.to(torch.uint8).numpy(), labels=np.arange(120) % 2)
    return path


def test_evidence_from_images_prints_a_table_and_keeps_it(
    images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    words = ["discover", str(images), "--evidence", "data", "--candidates", "turns", "--out", str(out)]
    assert main(words) == 0
    said = capsys.readouterr().out
    found = Answer.load(out / "answer.json")
    assert found.settings["candidates"] == ("turns",)
    assert said.splitlines()[-1] == found.sentence
    assert "turn 180" in said
    written = (out / "answer.json").stat().st_mtime_ns
    assert main(words) == 0  # the same question of the same images
    assert (out / "answer.json").stat().st_mtime_ns == written
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--evidence", "smell"], "evidence must be of data, labels, network, affine, got 'smell'"),
        (["--candidates", "spirals"], "candidates must be of turns"),
        (["--minutes", "0"], "minutes must be above 0"),
    ],
)
def test_what_cannot_be_asked(
    images: Path, tmp_path: Path, words: list[str], refusal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["discover", str(images), *words, "--out", str(tmp_path / "run")]) == 1
    said = capsys.readouterr().err
    assert refusal in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_labels_must_be_there_where_they_are_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "bare.npz", images=np.random.default_rng(0).integers(0, 255, (40, 8, 8), dtype=np.uint8))
    words = [str(tmp_path / "bare.npz"), "--evidence", "labels", "--out", str(tmp_path / "run")]
    assert main(["discover", *words]) == 1
    assert "labels must be given" in capsys.readouterr().err
