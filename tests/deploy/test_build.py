"""`lgn build` and `lgn predict`, from images to a network that answers."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from found import found

import lgn.data
from lgn.cli import main
from lgn.deploy.build import Question, build
from lgn.deploy.predicting import predict
from lgn.front.run_page import facts_of_run
from lgn.training import Interrupted, Run, preset
from lgn.training.networks import with_found, with_group

SMALL = {"train_images": 200, "epochs": 1, "parameters": 3000, "device": "cpu"}
WORDS = ["--train-images", "200", "--epochs", "1", "--parameters", "3000"]
TURNS = ("turn 90", "turn 180", "turn 270")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("build") / "run"
    assert main(["build", "digits", *WORDS, "--group", "C4", "--out", str(out)]) == 0
    return out


def test_both_networks_are_there_with_as_many_parameters(built: Path) -> None:
    stored = json.loads((built / "built.json").read_text())
    one, other = stored["networks"]
    assert (one["name"], other["name"]) == ("C4", "free filters")
    assert one["parameters"] == pytest.approx(3000, rel=0.02)
    assert other["parameters"] == pytest.approx(3000, rel=0.02)
    assert one["equivariance_error"] < 1e-5 < 1e-2 < other["equivariance_error"]
    assert one["accuracy"] == Run(built).metrics[-1]["test_accuracy"]
    assert "free filters" in stored["sentence"]


def test_what_is_finished_is_not_trained_again(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in built.rglob("*.safetensors")}
    assert main(["build", "--resume", str(built)]) == 0
    assert capsys.readouterr().out.startswith("network")
    assert before == {path: path.stat().st_mtime_ns for path in built.rglob("*.safetensors")}


def test_other_settings_are_refused(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "digits", *WORDS, "--group", "C2", "--out", str(built)]) == 1
    assert "out must be a new directory or a build of the same settings" in capsys.readouterr().err
    assert main(["build", "--resume", str(built), "--epochs", "3"]) == 1
    assert "resume must stand alone" in capsys.readouterr().err


def test_the_run_and_its_onnx_file_agree(built: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    np.savez(tmp_path / "some.npz", images=lgn.data.load("digits").test.samples[:40].numpy())
    one, other = (predict(source, [tmp_path / "some.npz"]) for source in (built, built / "merged.onnx"))
    assert [each.label for each in one] == [each.label for each in other]
    confidences = [torch.tensor([each.confidence for each in some]) for some in (one, other)]
    torch.testing.assert_close(*confidences, rtol=1e-5, atol=1e-5)
    model, run = Run(built).model(), Run(built)
    with torch.no_grad():
        outputs = model(run.prepare(lgn.data.load("digits").test.samples[:40])).softmax(1)
    torch.testing.assert_close(outputs.max(1).values, confidences[0])


def test_the_onnx_file_has_plain_convolutions(built: Path) -> None:
    onnx = pytest.importorskip("onnx")
    kinds = {node.op_type for node in onnx.load(str(built / "merged.onnx")).graph.node}
    assert "Conv" in kinds
    assert not kinds & {"Einsum", "GatherElements", "GatherND", "ScatterND"}


def test_files_and_folders_are_read_and_fitted(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from PIL import Image

    (tmp_path / "deep").mkdir()
    image = Image.fromarray(lgn.data.load("digits").test.samples[0, 0].numpy())
    image.save(tmp_path / "deep" / "one.png")
    image.resize((56, 56)).convert("RGB").save(tmp_path / "large.jpg", quality=95)
    assert main(["predict", str(built), str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["predictions"]
    assert [Path(each["image"]).name for each in found] == ["one.png", "large.jpg"]
    assert all(0.1 <= each["confidence"] <= 1 and each["label"] in set("0123456789") for each in found)
    assert main(["predict", str(built), str(tmp_path / "none.png")]) == 1
    assert "none.png" in capsys.readouterr().err
    assert main(["predict", str(tmp_path / "none.onnx"), str(tmp_path)]) == 1
    assert "run must be a run or an ONNX file" in capsys.readouterr().err


def test_without_a_symmetry_free_filters_are_the_network_to_take(tmp_path: Path) -> None:
    (tmp_path / "found").mkdir()
    found().save(tmp_path / "found" / "answer.json")
    config = preset("net", "classify", data="digits", **SMALL)
    answer = build(Question(config, symmetries=tmp_path / "found"), tmp_path / "run", onnx=False)
    assert [each.name for each in answer.networks] == ["free filters"]
    assert answer.sentence.startswith("no symmetry kept: free filters are the network to take")
    assert not (tmp_path / "run" / "free").exists()


def test_found_and_given_are_the_same_training(tmp_path: Path) -> None:
    (tmp_path / "found").mkdir()
    found(*TURNS).save(tmp_path / "found" / "answer.json")
    config = preset("net", "classify", data="digits", **SMALL)
    questions = (Question(config, symmetries=tmp_path / "found"), Question(config, group="C4"))
    one, other = (build(each, tmp_path / str(number), onnx=False) for number, each in enumerate(questions))
    weights = [each.networks[0].run.model().state_dict() for each in (one, other)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[1])
    assert with_found(config, found(*TURNS)) == with_group(config, "C4")


def test_turns_within_a_range_are_learned_by_gates_and_shown(tmp_path: Path) -> None:
    """As wide as a step of the group at least: handwriting leans by a few degrees of its own."""
    config = preset("net", "classify", data="digits", **SMALL)
    assert with_found(config, found(within=12)).network.generator == "free"
    assert with_found(config, found(*TURNS, within=45)) == with_group(config, "C4")
    (tmp_path / "found").mkdir()
    found(within=45).save(tmp_path / "found" / "answer.json")
    answer = build(Question(config, symmetries=tmp_path / "found"), tmp_path / "run", onnx=False)
    assert [each.name for each in answer.networks] == ["C8 in part", "free filters"]
    gates = answer.networks[0].gates
    assert gates is not None
    assert list(gates) == ["e", "r", "r^2", "r^3", "r^4"]
    assert gates["e"] == 1
    assert "gates, of elements with their inverses: e 1.00, r 0." in str(answer)
    assert json.loads((tmp_path / "run" / "built.json").read_text())["networks"][0]["gates"] == gates
    facts = dict(facts_of_run(Run(tmp_path / "run")))
    assert facts["gates"].startswith("e 1.00, r 0.")


def test_the_file_of_a_network_with_gates_answers_as_it_does(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    (tmp_path / "found").mkdir()
    found(within=45).save(tmp_path / "found" / "answer.json")
    config = preset("net", "classify", data="digits", **SMALL)
    build(Question(config, symmetries=tmp_path / "found"), tmp_path / "run")
    np.savez(tmp_path / "some.npz", images=lgn.data.load("digits").test.samples[:40].numpy())
    one, other = (
        predict(source, [tmp_path / "some.npz"]) for source in (tmp_path / "run", tmp_path / "run/merged.onnx")
    )
    assert [each.label for each in one] == [each.label for each in other]


def test_a_build_that_is_stopped_goes_on_to_the_same_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question = Question(preset("net", "classify", data="digits", **{**SMALL, "epochs": 2}), group="D1")
    whole = build(question, tmp_path / "whole", onnx=False)
    import signal

    from lgn.training import checkpoint

    add, steps = checkpoint.State.add, []

    def stopped(state: checkpoint.State, *values: float) -> None:
        add(state, *values)  # type: ignore[arg-type]
        steps.append(1)
        if len(steps) == 5:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(checkpoint.State, "add", stopped)
    with pytest.raises(Interrupted, match="continue with: lgn build --resume"):
        build(question, tmp_path / "stopped", onnx=False)
    again = build(Question.load(tmp_path / "stopped"), tmp_path / "stopped", onnx=False)
    for one, other in zip(whole.networks, again.networks, strict=True):
        assert one.accuracy == other.accuracy
        first, second = one.run.model().state_dict(), other.run.model().state_dict()
        assert all(torch.equal(first[name], second[name]) for name in first)
