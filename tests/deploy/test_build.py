"""`lgn.build` and `lgn.predict`: from images to a network that classifies."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from found import found

import lgn
from lgn.answer import Answer
from lgn.cli import main
from lgn.data import Split
from lgn.deploy.network_settings import with_answer, with_free_filters, with_group
from lgn.front.run_page import facts_of_run
from lgn.training import Interrupted, Run, checkpoint, preset

SMALL = {"train_images": 200, "epochs": 1, "parameters": 3000}
WORDS = ["--train-images", "200", "--epochs", "1", "--parameters", "3000"]
TURNS = ("turn 90", "turn 180", "turn 270")
CONFIG = preset("net", "classify", data="digits", **SMALL)  # type: ignore[arg-type]


def answer(*kept: str, angles: bool = False, within: float | None = None) -> Answer:
    """An answer about images and labels."""
    return replace(found(*kept, angles=angles, within=within), question="labels")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("build") / "run"
    assert main(["build", "digits", *WORDS, "--group", "C4", "--out", str(out)]) == 0
    return out


def test_both_networks_have_as_many_parameters(built: Path) -> None:
    stored = json.loads((built / "built.json").read_text())
    one, other = stored["networks"]
    assert (one["name"], other["name"]) == ("C4", "free filters")
    assert one["parameters"] == pytest.approx(3000, rel=0.02)
    assert other["parameters"] == pytest.approx(3000, rel=0.02)
    assert one["invariance_error"] < 1e-5 < 1e-2 < other["invariance_error"]
    assert one["accuracy"] == Run(built).metrics[-1]["test_accuracy"]
    assert stored["recommended"] in ("C4", "free filters")


def test_finished_trainings_are_not_repeated_and_other_settings_are_refused(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.stat().st_mtime_ns for path in built.rglob("*.safetensors")}
    assert main(["build", "digits", *WORDS, "--group", "C4", "--out", str(built)]) == 0
    assert before == {path: path.stat().st_mtime_ns for path in built.rglob("*.safetensors")}
    capsys.readouterr()
    assert main(["build", "digits", *WORDS, "--group", "C2", "--out", str(built)]) == 1
    assert "has group" in capsys.readouterr().err


def test_the_recommended_run_and_its_onnx_file_agree(built: Path, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    images = lgn.data.load("digits").test.samples[:40]
    np.savez(tmp_path / "images.npz", images=images.numpy())
    best = json.loads((built / "built.json").read_text())["recommended"]
    run = Run(built if best == "C4" else built / "free")
    predictions = [lgn.predict(run, images), lgn.predict(built / "merged.onnx", [tmp_path / "images.npz"])]
    labels, others = ([one.label for one in some] for some in predictions)
    assert labels == others
    confidences = [torch.tensor([one.confidence for one in some]) for some in predictions]
    torch.testing.assert_close(*confidences, rtol=1e-5, atol=1e-5)
    with torch.no_grad():
        outputs = run.model()(run.prepare(images)).softmax(1)
    torch.testing.assert_close(outputs.max(1).values, confidences[0].float())
    kinds = {node.op_type for node in onnx.load(str(built / "merged.onnx")).graph.node}
    assert "Conv" in kinds
    assert not kinds & {"Einsum", "GatherElements", "GatherND", "ScatterND"}


def test_files_and_folders_are_classified(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from PIL import Image

    (tmp_path / "deep").mkdir()
    image = Image.fromarray(lgn.data.load("digits").test.samples[0, 0].numpy())
    image.save(tmp_path / "deep" / "one.png")
    image.resize((56, 56)).convert("RGB").save(tmp_path / "large.jpg", quality=95)
    assert main(["predict", str(built), str(tmp_path), "--json"]) == 0
    predictions = json.loads(capsys.readouterr().out)["predictions"]
    assert [Path(one["image"]).name for one in predictions] == ["one.png", "large.jpg"]
    assert all(0.1 <= one["confidence"] <= 1 and one["label"] in set("0123456789") for one in predictions)
    with pytest.raises(ValueError, match=r"none\.png"):
        lgn.predict(built, tmp_path / "none.png")
    with pytest.raises(FileNotFoundError, match="run"):
        lgn.predict(tmp_path / "none.onnx", tmp_path)
    with pytest.raises(ValueError, match="images"):
        lgn.predict(built, torch.zeros(2, 1, 20, 20))


@pytest.mark.parametrize(
    ("kept", "angles", "group"),
    [
        (TURNS, False, "C4"),
        (TURNS, True, "C8"),
        (("turn 180",), False, "C2"),
        (("flip columns",), False, "D1"),
        (("turn 180", "flip columns", "flip rows"), False, "D2"),
    ],
)
def test_an_answer_and_its_group_are_the_same_settings(kept: tuple[str, ...], angles: bool, group: str) -> None:
    assert with_answer(CONFIG, answer(*kept, angles=angles)) == with_group(CONFIG, group)


def test_other_symmetries_are_operators_gates_or_free_filters() -> None:
    assert with_answer(CONFIG, answer("flip rows")).network.operator == ("flip rows",)
    assert with_answer(CONFIG, answer()) == with_free_filters(CONFIG)
    assert with_answer(CONFIG, answer(within=12)) == with_free_filters(CONFIG)
    assert with_answer(CONFIG, answer(within=45)) == with_group(CONFIG, "C8", gates=True)
    assert with_answer(CONFIG, answer(*TURNS, within=45)) == with_group(CONFIG, "C4")


def test_images_in_memory_without_a_symmetry_have_free_filters(tmp_path: Path) -> None:
    train = lgn.data.load("digits").train
    images, labels = train.samples[:300], train.labels[:300]  # type: ignore[index]
    result = lgn.build(images, labels, out=tmp_path / "run", found=answer(), epochs=1, parameters=3000)
    assert [one.name for one in result.networks] == ["free filters"]
    assert result.recommended == result.networks[0]
    assert not (tmp_path / "run" / "free").exists()
    with pytest.raises(ValueError, match="target"):
        lgn.build(images, out=tmp_path / "other")
    with pytest.raises(ValueError, match="found"):
        lgn.build(images, labels, out=tmp_path / "other", found=replace(answer(), question="data"))


def test_the_training_images_are_asked(tmp_path: Path) -> None:
    result = lgn.build("digits", out=tmp_path / "run", **SMALL)  # type: ignore[arg-type]
    data = lgn.data.load("digits").train
    assert result.answer is not None
    assert (result.answer.question, result.answer.data.count) == ("labels", 200)
    assert Answer.load(tmp_path / "run" / "answer.json").sentence == result.answer.sentence
    everything = lgn.discover(Split(data.samples[:200], data.labels[:200]), effort=0.1)  # type: ignore[index]
    assert [row.name for row in result.answer.rows] == [row.name for row in everything.rows]


def test_gates_are_shown_and_exported(tmp_path: Path) -> None:
    result = lgn.build("digits", out=tmp_path / "run", found=answer(within=45), **SMALL)  # type: ignore[arg-type]
    assert [one.name for one in result.networks] == ["C8 in part", "free filters"]
    gates = result.networks[0].gates
    assert gates is not None
    assert list(gates) == ["e", "r", "r^2", "r^3", "r^4"]
    assert gates["e"] == 1
    assert json.loads((tmp_path / "run" / "built.json").read_text())["networks"][0]["gates"] == gates
    assert dict(facts_of_run(Run(tmp_path / "run")))["gates"].startswith("e 1.00, r 0.")
    pytest.importorskip("onnxruntime")
    exported = lgn.export(tmp_path / "run", out=tmp_path / "gated.onnx")
    images = lgn.data.load("digits").test.samples[:40]
    one, other = lgn.predict(tmp_path / "run", images), lgn.predict(exported.path, images)
    assert [prediction.label for prediction in one] == [prediction.label for prediction in other]


def test_a_stopped_build_continues_to_the_same_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**SMALL, "epochs": 2, "group": "D1"}
    whole = lgn.build("digits", out=tmp_path / "whole", **options)  # type: ignore[arg-type]
    add, steps = checkpoint.State.add, []

    def stopped(state: checkpoint.State, *values: float) -> None:
        add(state, *values)  # type: ignore[arg-type]
        steps.append(1)
        if len(steps) == 5:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(checkpoint.State, "add", stopped)
    with pytest.raises(Interrupted):
        lgn.build("digits", out=tmp_path / "stopped", **options)  # type: ignore[arg-type]
    again = lgn.build("digits", out=tmp_path / "stopped", **options)  # type: ignore[arg-type]
    for one, other in zip(whole.networks, again.networks, strict=True):
        assert one.accuracy == other.accuracy
        first, second = (Run(network.run).model().state_dict() for network in (one, other))
        assert all(torch.equal(first[name], second[name]) for name in first)
