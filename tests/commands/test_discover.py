"""`lgn discover`: the printed answer, its files, and refused options."""

from pathlib import Path

import numpy as np
import pytest
import torch

import lgn
from lgn.cli import main


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bright corners, all upright."""
    generator = torch.Generator().manual_seed(0)
    pixels = 40 * torch.rand(150, 12, 12, generator=generator)
    pixels[:, 1:5, 1:5] += 150 * torch.rand(150, 4, 4, generator=generator)
    path = tmp_path_factory.mktemp("data") / "corners.npz"
    np.savez(path, images=pixels.to(torch.uint8).numpy(), labels=np.arange(150) % 2)
    return path


def test_the_answer_is_printed_and_stored(images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "answer"
    words = ["discover", str(images), "--evidence", "data", "--candidates", "turns", "--out", str(out)]
    assert main(words) == 0
    printed = capsys.readouterr().out
    found = lgn.Answer.load(out / "answer.json")
    assert found.settings["candidates"] == ("turns",)
    assert found.data.count == 120  # training samples only
    assert printed == f"{found}\n\npage: {out / 'answer.html'}\n"
    assert (out / "answer.html").is_file()
    written = (out / "answer.json").stat().st_mtime_ns
    assert main(words) == 0
    assert (out / "answer.json").stat().st_mtime_ns == written
    assert capsys.readouterr().out == printed
    assert main([*words, "--seed", "1"]) == 0
    assert lgn.Answer.load(out / "answer.json").seed == 1


def test_a_table_with_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.random.default_rng(0).normal(size=(300, 2))
    lines = [f"{a},{b},{'p' if a > 0 else 'q'}" for a, b in x.tolist()]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,side", *lines]))
    assert main(["discover", str(tmp_path / "table.csv"), "--target", "side", "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.startswith("table of 240 rows and 2 columns in 2 classes")


@pytest.mark.parametrize(
    ("words", "argument"),
    [
        (["--evidence", "smell"], "evidence"),
        (["--evidence", "data,,labels"], "evidence"),
        (["--candidates", "spirals"], "candidates"),
        (["--minutes", "0"], "minutes"),
        (["--kind", "volumes"], "kind"),
        (["--device", "abacus"], "device"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(
    images: Path, tmp_path: Path, words: list[str], argument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["discover", str(images), *words, "--out", str(tmp_path / "run")]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"lgn: error: {argument} ")
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "run").exists()
