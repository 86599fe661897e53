"""`lgn discover`: the answer first, from what was kept where the question is the same."""

from pathlib import Path

import numpy as np
import pytest
import torch

from lgn.cli import main
from lgn.discovery.images import Symmetries


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
    words = ["discover", str(images), "--evidence", "images", "--candidates", "turns", "--out", str(out)]
    assert main(words) == 0
    said = capsys.readouterr().out
    found = Symmetries.load(out / "symmetries.json")
    assert found.candidates == ("turns",)
    assert said.splitlines()[-1] == found.sentence
    assert "turn 180" in said
    written = (out / "symmetries.json").stat().st_mtime_ns
    assert main(words) == 0  # the same question of the same images
    assert (out / "symmetries.json").stat().st_mtime_ns == written
    assert capsys.readouterr().out == said


def test_the_whole_command_ends_with_the_sentence_and_shows_it_on_its_page(
    images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    small = ["--epochs", "1", "--num-layers", "1", "--num-sets", "2", "--kernel-size", "3"]
    assert main(["discover", str(images), *small, "--out", str(out)]) == 0
    sentence = Symmetries.load(out / "symmetries.json").sentence
    assert capsys.readouterr().out.splitlines()[-1] == sentence
    assert sentence in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--evidence", "smell"], "evidence must be of images, labels, network, affine, got 'smell'"),
        (["--candidates", "spirals"], "candidates must be of turns"),
        (["--minutes", "0"], "minutes must be above 0"),
        (["--device", "abacus"], "device must be auto, cpu, cuda or mps, got 'abacus'"),
        (["--train-images", "9999"], "train_images must be from 2, one of each class, to "),
        (["--paper", "--evidence", "images"], "paper must be given without evidence"),
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
    assert "labels must be given for evidence 'labels', got none" in capsys.readouterr().err


def test_a_training_takes_what_was_found(images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from dataclasses import replace

    from lgn.commands.options import TrainOptions, parse
    from lgn.transforms import SQUARE

    out = tmp_path / "run"
    main(["discover", str(images), "--evidence", "images", "--candidates", "turns", "--out", str(out)])
    asked = ["digits", "--generator", "found", "--symmetries", str(out)]
    with pytest.raises(ValueError, match="none is kept"):
        parse(TrainOptions, asked, "lgn train", "")
    found = Symmetries.load(out / "symmetries.json")
    replace(found, rows=tuple(replace(row, images="kept") for row in found.rows)).save(out / "symmetries.json")
    network = parse(TrainOptions, asked, "lgn train", "").config.network
    assert (network.generator, network.operator, network.order) == ("fixed", ("turn 90",), 4)
    flips = tuple(replace(found.rows[0], name=name, element=element, images="kept") for element, name in SQUARE.items())
    families = (replace(found.families[0], group="D4"),)
    replace(found, rows=flips, families=families).save(out / "symmetries.json")
    network = parse(TrainOptions, asked, "lgn train", "").config.network
    assert network.operator == ("turn 90", "flip columns")
    assert network.chosen_group.name == "D4"
    with pytest.raises(ValueError, match="symmetries must be given"):
        parse(TrainOptions, asked[:3], "lgn train", "")
    capsys.readouterr()


def test_a_network_that_cannot_be_made_is_refused_before_anything_is_asked(
    images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert main(["discover", str(images), "--kernel-size", "12", "--padding", "0", "--num-layers", "1",
                 "--generator", "fixed", "--operator", "blur 1e-300", "--out", str(out)]) == 1  # fmt: skip
    assert "operator 'blur' must have parameters of moderate size" in capsys.readouterr().err
    assert not out.exists()
