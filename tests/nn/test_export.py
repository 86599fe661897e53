"""Export, compilation, tracing, distributed training and storage of group networks."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from nn.resnet import ResNet
from safetensors import safe_open
from safetensors.torch import load_model, save_model
from torch import Tensor, nn

import lgn
from lgn.generators import FAMILIES, Dense, generators_of
from lgn.measures import orthogonality_error
from lgn.nn import GroupConv2d, GroupLinear, GroupStackConv2d, UnfoldedEncoder
from lgn.penalties import AuxiliaryInverse

TRAINED = [family for family in FAMILIES if family != "fixed"]
each_family = pytest.mark.parametrize("family", TRAINED)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


@pytest.fixture
def images() -> Tensor:
    return torch.randn(2, 3, 32, 32)


def small_network(family: str = "dense", share: Any = "set") -> nn.Module:
    return nn.Sequential(
        GroupConv2d(3, 2, 3, group=4, generator=family, share=share),
        nn.ReLU(),
        GroupConv2d(8, 2, (2, 3), group=4, bias="set"),
    ).eval()


@each_family
def test_export_of_a_group_network(family: str, images: Tensor) -> None:
    """Without merging: the orbits are part of the program."""
    model = small_network(family)
    program = torch.export.export(model, (images,))
    torch.testing.assert_close(program.module()(images), model(images))


@each_family
@pytest.mark.slow
def test_compile_as_one_graph(family: str, images: Tensor) -> None:
    """Forward and backward, for all families."""
    torch._dynamo.reset()  # it allows one function no more than so many recompilations
    model = small_network(family)
    compiled = torch.compile(copy.deepcopy(model), fullgraph=True, backend="aot_eager")
    gradients = []
    for network in (model, compiled):
        output = network(images)
        output.square().mean().backward()
        gradients.append([output.detach(), *(parameter.grad for parameter in network.parameters())])
    for plain, fast in zip(*gradients, strict=True):
        torch.testing.assert_close(fast, plain, rtol=1e-4, atol=1e-6)


@each_family
def test_symbolic_trace_of_a_group_network(family: str, images: Tensor) -> None:
    """The graph has the banks of the layers, so training the graph trains them."""
    model = nn.Sequential(small_network(family), nn.Flatten(), nn.Linear(8 * 29 * 28, 4), GroupLinear(4, 2, group=2))
    traced = torch.fx.symbolic_trace(model)
    torch.testing.assert_close(traced(images), model(images))
    traced(images).square().mean().backward()
    assert all(parameter.grad is not None for parameter in traced.parameters())
    assert sum(p.numel() for p in traced.parameters()) == sum(p.numel() for p in model.parameters())


@pytest.mark.parametrize("bias", [True, False, "set"])
@pytest.mark.filterwarnings("ignore:this layer is not equivariant")  # with a bias for each filter it is not
def test_symbolic_trace_of_layers_by_themselves(bias: Any, images: Tensor) -> None:
    for layer in (
        GroupConv2d(3, 2, 3, group=4, padding="same", bias=bias, padding_mode="reflect"),
        GroupStackConv2d(1, 2, 3, group=3, bias=bias),
    ):
        torch.testing.assert_close(torch.fx.symbolic_trace(layer)(images), layer(images))


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
def test_script_accepts_merged_networks_only(images: Tensor) -> None:
    model = small_network()
    with pytest.raises(TypeError, match=r"must be given a plain network, got GroupConv2d: use lgn.merge\(model\)"):
        torch.jit.script(model)
    torch.testing.assert_close(torch.jit.script(lgn.merge(model))(images), model(images))
    with pytest.raises(TypeError, match="UnfoldedEncoder"):
        torch.jit.script(nn.Sequential(UnfoldedEncoder(3)))


@pytest.fixture
def process_group(tmp_path: Path) -> Iterator[None]:
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path / 'rendezvous'}", rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


@pytest.mark.usefixtures("process_group")
@each_family
@pytest.mark.parametrize("share", ["set", "network"])
def test_distributed_data_parallel(family: str, share: Any, images: Tensor) -> None:
    model = lgn.convert(ResNet(widths=(8,)), group=4, generator=family, share=share)
    plain = copy.deepcopy(model)
    parallel = nn.parallel.DistributedDataParallel(model)
    for network in (plain, parallel):
        network(images).square().mean().backward()
    for a, b in zip(plain.parameters(), parallel.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad)


@pytest.mark.parametrize("map", ["matrix_exp", "cayley", "householder"])
def test_orthogonal_of_torch_on_a_dense_generator(map: str, images: Tensor) -> None:
    """torch's parametrisation on `weight`: the layer uses it, training keeps it, merging and penalties accept it."""
    model = small_network()
    generator = model[0].bank.generator
    assert isinstance(generator, Dense)
    nn.utils.parametrizations.orthogonal(generator, "weight", orthogonal_map=map)
    before = generator.matrix().detach().clone()
    penalty = AuxiliaryInverse(model, weight=0.1)
    optimizer = torch.optim.Adam([*model.parameters(), *penalty.parameters()], lr=0.01)
    for _ in range(10):
        optimizer.zero_grad()
        (model(images).square().mean() + penalty()).backward()
        optimizer.step()
    assert float(orthogonality_error(generator.matrix().detach()).max()) < 1e-5
    assert float((generator.matrix() - before).detach().norm()) > 1e-2
    with torch.no_grad():
        expected = model(images)
        torch.testing.assert_close(lgn.merge(model)(images), expected, rtol=0, atol=1e-5)
        assert torch.equal(model(images), expected)
    assert list(generators_of(model)) == ["0.bank.generator", "2.bank.generator"]


@each_family
def test_safetensors_stores_a_shared_generator_once(family: str, images: Tensor, tmp_path: Path) -> None:
    model = lgn.convert(ResNet(), group=4, generator=family, share="network").eval()
    path = tmp_path / "model.safetensors"
    save_model(model, str(path))
    with safe_open(path, framework="pt") as file:
        stored = sum(file.get_tensor(name).numel() for name in file.keys())  # noqa: SIM118
    unique = {t.data_ptr(): t.numel() for t in model.state_dict().values()}
    assert stored == sum(unique.values())
    assert len(generators_of(model)) == 2  # 5x5 and 3x3, however many layers
    torch.manual_seed(1)
    fresh = lgn.convert(ResNet(), group=4, generator=family, share="network").eval()
    load_model(fresh, path)
    with torch.no_grad():
        assert torch.equal(fresh(images), model(images))
    assert fresh.layers[0][0].conv1.bank.generator is fresh.layers[1][1].conv2.bank.generator


def test_importing_lgn_imports_no_heavy_packages() -> None:
    """In a new process: packages for figures, distribution and downloads are not imported."""
    import subprocess
    import sys

    heavy = ["matplotlib", "plotly", "jinja2", "ray", "pooch", "PIL", "scipy", "onnx"]
    program = f"import sys, lgn; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
