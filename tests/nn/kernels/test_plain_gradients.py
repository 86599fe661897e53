"""Second derivatives, `torch.func` and forward mode, for which the plain path is used."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.func import functional_call, grad, hessian, jvp, stack_module_state, vmap

from lgn.nn import Autoencoder, UnfoldedEncoder
from lgn.nn.kernels.batch_norm import CodeBatchNorm

each_path = pytest.mark.parametrize("path", ["auto", "fast"])  # auto: native where there is a compiler
MODELS = [
    {"num_layers": 3},
    {"num_layers": 3, "normalise": False},
    {"num_layers": 3, "algorithm": "fista", "step": "safe"},
]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def pair(path: str, model: type[nn.Module] = UnfoldedEncoder, **options: Any) -> tuple[nn.Module, nn.Module]:
    """The same network on a path and on the plain path."""
    options = {"in_channels": 2, "num_sets": 2, "group": 2, "kernel_size": 4, "step": 0.05, **options}
    made = [UnfoldedEncoder(**options, path=kind) for kind in (path, "plain")]
    with torch.no_grad():
        made[0].threshold.uniform_(0.2, 1.0)
    made[1].load_state_dict(made[0].state_dict())
    if model is UnfoldedEncoder:
        return made[0], made[1]
    return model(made[0]), model(made[1])


def curvature(model: nn.Module, x: Tensor) -> list[Tensor]:
    """The gradient of the squared norm of a gradient, as in a gradient penalty."""
    x = x.clone().requires_grad_()
    inputs = [x, *model.parameters()]
    first = torch.autograd.grad(model(x).square().sum(), inputs, create_graph=True)
    penalty = sum(gradient.square().sum() for gradient in first)
    return list(torch.autograd.grad(penalty, inputs))


@each_path
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("options", MODELS, ids=str)
def test_second_derivatives_agree_with_the_plain_path(path: str, options: dict[str, Any], training: bool) -> None:
    x = torch.randn(3, 2, 12, 12)
    found, expected = (curvature(model.train(training), x) for model in pair(path, **options))
    for one, other in zip(found, expected, strict=True):
        assert float((one - other).norm() / other.norm()) < 1e-3
        assert float(other.norm()) > 0


@each_path
def test_second_derivatives_of_a_decoder(path: str) -> None:
    x = torch.randn(2, 2, 12, 12)
    found, expected = (curvature(model, x) for model in pair(path, Autoencoder, normalise=False, num_layers=2))
    for one, other in zip(found, expected, strict=True):
        assert float((one - other).norm() / other.norm()) < 1e-3


def test_second_derivatives_by_finite_differences() -> None:
    """The fast path in float64, with batch normalisation."""
    model = UnfoldedEncoder(1, 1, 2, num_layers=2, group=2, step=0.1, path="fast", dtype=torch.float64)
    x = torch.randn(2, 1, 3, 3, dtype=torch.float64, requires_grad=True)
    names = [name for name, _ in model.named_parameters()]

    def codes(x: Tensor, *values: Tensor) -> Tensor:
        return functional_call(model, dict(zip(names, values, strict=True)), x)

    values = tuple(p.detach().clone().requires_grad_() for p in model.parameters())
    assert torch.autograd.gradgradcheck(codes, (x, *values))


def test_second_derivatives_of_batch_normalisation() -> None:
    norm = CodeBatchNorm(3, dtype=torch.float64)
    with torch.no_grad():
        norm.weight.uniform_(0.5, 2)
    codes = torch.randn(4, 5, 2, 3, dtype=torch.float64).permute(0, 3, 1, 2).requires_grad_()  # channels-last
    assert torch.autograd.gradgradcheck(lambda c: norm(c).sin(), (codes,))


@each_path
def test_a_tensor_that_is_used_twice_has_the_sum_of_both_gradients(path: str) -> None:
    """If codes have the size of the image, the codes and the image of the first layer can be one tensor."""
    x = torch.randn(2, 4, 12, 12)
    found, expected = (curvature(m, x) for m in pair(path, in_channels=4, padding="same", normalise=False))
    assert float((found[0] - expected[0]).norm() / expected[0].norm()) < 1e-3


@each_path
def test_grad_of_torch_func(path: str) -> None:
    x = torch.randn(3, 2, 12, 12)
    gradients = []
    for model in pair(path, num_layers=3):
        parameters = dict(model.eval().named_parameters())
        gradients.append(grad(lambda p, model=model: functional_call(model, p, (x,)).square().sum())(parameters))
    model = pair(path, num_layers=3)[1]
    for name, found in gradients[0].items():
        torch.testing.assert_close(found, gradients[1][name], rtol=1e-3, atol=1e-5)
    assert set(gradients[0]) == {name for name, _ in model.named_parameters()}


@each_path
def test_vmap_over_the_parameters_of_an_ensemble(path: str) -> None:
    """Several networks at once agree with the single networks."""
    models = [pair(path, num_layers=3)[0].eval() for _ in range(3)]
    x = torch.randn(2, 2, 12, 12)
    parameters, buffers = stack_module_state(models)
    together = vmap(lambda p, b: functional_call(models[0], (p, b), (x,)))(parameters, buffers)
    apart = torch.stack([model(x) for model in models])
    torch.testing.assert_close(together, apart, rtol=1e-4, atol=1e-5)


@each_path
def test_vmap_over_images(path: str) -> None:
    model, x = pair(path, num_layers=3)[0].eval(), torch.randn(5, 2, 12, 12)
    codes = vmap(lambda image: model(image[None])[0])(x)
    torch.testing.assert_close(codes, model(x), rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # torch's own use
@each_path
def test_jvp_and_forward_mode(path: str) -> None:
    """Directional derivatives in forward mode and in backward mode are equal."""
    model = pair(path, num_layers=3)[0].eval()
    x, v = torch.randn(2, 2, 12, 12, requires_grad=True), torch.randn(2, 2, 12, 12)
    codes = model(x)
    w = torch.randn_like(codes)
    backwards = (torch.autograd.grad(codes, x, w)[0] * v).sum()
    _, tangent = jvp(model, (x.detach(),), (v,))
    torch.testing.assert_close((tangent * w).sum(), backwards, rtol=1e-3, atol=1e-3)
    with forward_ad.dual_level():
        dual = forward_ad.unpack_dual(model(forward_ad.make_dual(x.detach(), v)))
    assert dual.tangent is not None
    torch.testing.assert_close((dual.tangent * w).sum(), backwards, rtol=1e-3, atol=1e-3)


def test_the_hessian_of_torch_func_agrees_with_autograd() -> None:
    model = UnfoldedEncoder(1, 1, 3, num_layers=2, group=2, step=0.1, dtype=torch.float64).eval()
    x = torch.randn(1, 1, 4, 4, dtype=torch.float64)
    found = hessian(lambda image: model(image).square().sum())(x)
    expected = torch.autograd.functional.hessian(lambda image: model(image).square().sum(), x)
    torch.testing.assert_close(found, expected)
    assert float(expected.norm()) > 0
