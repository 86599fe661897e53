"""What is exported computes what the run computes, in a program that knows nothing of lgn."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

import lgn
from lgn.deploy import export
from lgn.nn import OrbitBank
from lgn.training import Run

# An interpreter that cannot import lgn reads the file: images in, outputs out.
PT2 = "import sys, torch; p = torch.export.load(sys.argv[1]).module(); x = torch.load(sys.argv[2]); y = p(x)"
ONNX = """import sys, torch, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
x = torch.load(sys.argv[2])
y = torch.from_numpy(session.run(["outputs"], {"images": x.numpy()})[0])"""


@pytest.mark.parametrize(("format", "program"), [("pt2", PT2), ("onnx", ONNX)])
def test_another_program_reads_it_for_any_number_of_images(
    format: str, program: str, classifier: Run, tmp_path: Path
) -> None:
    if format == "onnx":
        pytest.importorskip("onnxscript", reason="needs the extra onnx")
    exported = export(classifier, format, out=tmp_path / f"network.{format}")  # type: ignore[arg-type]
    assert exported.difference <= 1e-5 * max(exported.largest_output, 1)
    assert exported.largest_output > 0.01  # a network that gives nothing would be easy to match
    assert [path.name for path in tmp_path.iterdir()] == [f"network.{format}"]
    images = torch.randn(3, 1, 28, 28)
    torch.save(images, tmp_path / "x.pt")
    guard = "import sys; sys.modules['lgn'] = None\n"
    command = [sys.executable, "-c", guard + program + "; torch.save(y.detach(), sys.argv[3])"]
    paths = [str(exported.path), str(tmp_path / "x.pt"), str(tmp_path / "y.pt")]
    subprocess.run([*command, *paths], check=True, capture_output=True, cwd=tmp_path)
    with torch.no_grad():
        torch.testing.assert_close(torch.load(paths[2]), classifier.model()(images), rtol=1e-4, atol=1e-5)


def test_weights_are_plain_filters_with_their_config(classifier: Run, tmp_path: Path) -> None:
    exported = export(classifier, "safetensors", out=tmp_path / "network.safetensors")
    assert exported.difference == 0
    assert [path.name for path in tmp_path.iterdir()] == ["network.safetensors"]
    bank = next(module for module in classifier.model().modules() if isinstance(module, OrbitBank))
    with safe_open(exported.path, "pt") as file:
        torch.testing.assert_close(file.get_tensor("encoder.bank.filters"), bank().detach(), rtol=0, atol=0)
        assert not [name for name in file.keys() if "generator" in name]  # noqa: SIM118
        assert json.loads(file.metadata()["config"])["network"]["group"] == "C2"


def test_a_reconstruction(autoencoder: Run, tmp_path: Path) -> None:
    exported = export(autoencoder, "pt2", out=tmp_path / "network.pt2")
    assert exported.difference <= 1e-5 * max(exported.largest_output, 1)


def test_the_run_is_not_harmed(classifier: Run) -> None:
    before = lgn.load(classifier).state_dict()
    with pytest.raises(ValueError, match="out"):
        export(classifier, "safetensors", out=classifier.path / "model.safetensors")
    with pytest.raises(ValueError, match="format"):
        export(classifier, "zip")  # type: ignore[arg-type]
    assert all(torch.equal(tensor, before[name]) for name, tensor in lgn.load(classifier).state_dict().items())
