"""Networks in files: convolutions are read, code is never run, and damaged files are refused."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from lgn.discovery.networks.convolutions import inspected
from lgn.discovery.networks.weight_files import read_convolutions


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 8, 5), nn.ReLU(), nn.Conv2d(8, 4, 1), nn.Conv2d(4, 6, 3, groups=2))


def onnx_file(path: Path, weights: dict[str, np.ndarray]) -> Path:
    """A chain of convolutions."""
    from onnx import TensorProto, helper, numpy_helper, save

    names = ["images", *(f"{name}.out" for name in weights)]
    nodes = [helper.make_node("Conv", [names[i], name], [names[i + 1]]) for i, name in enumerate(weights)]
    constants = [numpy_helper.from_array(weight, name) for name, weight in weights.items()]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, None, None, None]) for name in names]
    save(helper.make_model(helper.make_graph(nodes, "chain", ends[:1], ends[-1:], constants)), str(path))
    return path


def test_torch_weights_safetensors_and_onnx_have_equal_convolutions(tmp_path: Path) -> None:
    state = network().state_dict()
    torch.save(state, tmp_path / "a.pth")
    save_file(state, tmp_path / "a.safetensors")
    onnx_file(tmp_path / "a.onnx", {name: value.numpy() for name, value in state.items() if value.ndim == 4})
    for kind in ("pth", "safetensors", "onnx"):
        found = read_convolutions(tmp_path / f"a.{kind}")
        assert [layer.name for layer in found] == ["0", "2", "3"]
        assert [layer.name for layer in found if layer.reason] == ["2"]
        assert torch.equal(inspected(found)["0"], state["0.weight"])


def test_checkpoints_are_searched_and_half_precision_is_read(tmp_path: Path) -> None:
    torch.save(
        {"epoch": 3, "nested": {"state_dict": network().half().state_dict()}, "more": [torch.ones(2)]}, tmp_path / "a"
    )
    assert inspected(read_convolutions(tmp_path / "a"))["nested.state_dict.0"].dtype == torch.float16


class Hostile:
    """A pickle that runs code when it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("ran"),))


def test_pickles_that_run_code_and_whole_models_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pth").write_bytes(pickle.dumps(Hostile()))
    torch.save({"weights": torch.ones(4, 1, 3, 3), "more": Hostile()}, tmp_path / "b.pth")
    torch.save(network(), tmp_path / "c.pth")
    for name in ("a.pth", "b.pth", "c.pth"):
        with pytest.raises(ValueError, match="source must") as refused:
            read_convolutions(tmp_path / name)
        assert "\n" not in str(refused.value)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("kind", ["pth", "safetensors", "onnx", "txt"])
def test_incomplete_and_other_files_are_refused(tmp_path: Path, kind: str) -> None:
    state = network().state_dict()
    path = tmp_path / f"a.{kind}"
    if kind == "safetensors":
        save_file(state, path)
    elif kind == "onnx":
        onnx_file(path, {"a": state["0.weight"].numpy()})
    else:
        torch.save(state, path)
    whole = path.read_bytes()
    for content in (b"", whole[:20], whole[: len(whole) // 2], whole[:-1], b"\x80\x02 not a network", b"not a network"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="source must") as refused:
            read_convolutions(path)
        assert "\n" not in str(refused.value)


def test_files_without_convolutions_and_directories_are_refused(tmp_path: Path) -> None:
    save_file({"linear.weight": torch.ones(3, 4)}, tmp_path / "a.safetensors")
    for path in (tmp_path / "a.safetensors", tmp_path):
        with pytest.raises(ValueError, match="source must"):
            read_convolutions(path)


def test_rounded_and_undefined_weights_are_not_inspected(tmp_path: Path) -> None:
    weights = {"a": torch.full((4, 1, 3, 3), float("nan")), "b": torch.ones(4, 1, 3, 3), "c": torch.ones(4, 1, 3, 3)}
    save_file(weights | {"c": weights["c"].to(torch.int8)}, tmp_path / "a.safetensors")
    found = read_convolutions(tmp_path / "a.safetensors")
    assert list(inspected(found)) == ["b"]
    assert [layer.name for layer in found if layer.reason] == ["a", "c"]
    path = onnx_file(tmp_path / "b.onnx", {"a": np.ones((4, 3, 3, 3), np.int8)})
    assert inspected(read_convolutions(path)) == {}


def test_external_data_of_onnx_is_read_only_from_the_same_directory(tmp_path: Path) -> None:
    import onnx

    inside, weight = tmp_path / "inside", np.ones((4, 3, 3, 3), np.float32)
    inside.mkdir()
    path = onnx_file(inside / "a.onnx", {"a": weight})
    model = onnx.load(str(path))
    onnx.save(model, str(path), save_as_external_data=True, location="a.data", size_threshold=0)
    assert torch.equal(inspected(read_convolutions(path))["a"], torch.from_numpy(weight))
    (inside / "a.data").rename(tmp_path / "a.data")
    model = onnx.load(str(path), load_external_data=False)
    model.graph.initializer[0].external_data[0].value = "../a.data"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ValueError, match="source must"):
        read_convolutions(path)
