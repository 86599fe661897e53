"""The unfolded encoder agrees with eqs. 3 and 10, and with many layers it solves the lasso."""

import math
from typing import Any

import pytest
import torch
from nn.dense import dense_matrix
from torch import Tensor

from lgn.nn import UnfoldedEncoder, soft_threshold
from lgn.nn.kernels.adjoint import Margins, correlate, synthesise
from lgn.nn.unfolded import largest_eigenvalue

each_side = pytest.mark.parametrize("two_sided", [False, True], ids=["one-sided", "two-sided"])
each_path = pytest.mark.parametrize("path", ["plain", "fast"])
SIZE = (7, 8)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def encoder(**options: Any) -> UnfoldedEncoder:
    """A small encoder in float64 with different thresholds."""
    made = UnfoldedEncoder(
        **{"in_channels": 2, "num_layers": 3, "num_sets": 2, "group": 3, "kernel_size": 4, "dtype": torch.float64}
        | options
    )
    with torch.no_grad():
        made.threshold.uniform_(0.2, 1.5)
    return made


def matrices(made: UnfoldedEncoder) -> list[Tensor]:
    return [dense_matrix(bank, made.margins, SIZE) for bank in made.filters().detach()]


def thresholds(made: UnfoldedEncoder, places: int) -> Tensor:
    """One threshold per code; codes of a filter or a set share it.  (layers or 1, codes)"""
    per_filter = made.threshold.detach().repeat_interleave(6 // made.threshold.shape[1], 1)
    return per_filter.repeat_interleave(places, 1)


@each_side
@each_path
@pytest.mark.parametrize("padding", [0, 1, "same"])
def test_layers_are_the_formula_with_dense_matrices(two_sided: bool, path: Any, padding: Any) -> None:
    """`z <- S_(a lambda)(z + a W^T (x - W z))` (eq. 3), from z = 0, after one layer and after three."""
    x = torch.randn(2, 2, *SIZE, dtype=torch.float64)
    for layers in (1, 3):
        made = encoder(num_layers=layers, step=0.05, two_sided=two_sided, normalise=False, path=path, padding=padding)
        codes = made(x)
        z = torch.zeros(2, codes[0].numel(), dtype=torch.float64)
        lambdas = thresholds(made, codes[0, 0].numel())
        for w, lam in zip(matrices(made), lambdas, strict=True):
            z = soft_threshold(z + 0.05 * (x.flatten(1) - z @ w.T) @ w, 0.05 * lam, two_sided=two_sided)
        torch.testing.assert_close(codes.flatten(1), z, rtol=1e-11, atol=1e-12)
        assert 0 < float((codes != 0).double().mean()) < 1


def test_decode_is_the_adjoint_of_the_analysis_of_the_last_layer() -> None:
    made = encoder(padding="same")
    z = torch.randn(2, 6, *SIZE, dtype=torch.float64)
    torch.testing.assert_close(made.decode(z).flatten(1), z.flatten(1) @ matrices(made)[-1].T)
    torch.testing.assert_close(made.decode(z, layer=0).flatten(1), z.flatten(1) @ matrices(made)[0].T)


def lasso_objective(x: Tensor, z: Tensor, w: Tensor, lam: Tensor) -> Tensor:
    return 0.5 * (x - z @ w.T).square().sum(1) + (lam * z.abs()).sum(1)


def plain_ista(x: Tensor, w: Tensor, lam: Tensor, two_sided: bool, steps: int) -> Tensor:
    """ISTA with its textbook step, independent of the package."""
    step = 1 / torch.linalg.matrix_norm(w, 2) ** 2
    z = x.new_zeros(len(x), w.shape[1])
    for _ in range(steps):
        u = z + step * (x - z @ w.T) @ w
        shrunk = (u.abs() - step * lam).clamp_min(0)
        z = shrunk * u.sign() if two_sided else (u - step * lam).clamp_min(0)
    return z


@each_side
@pytest.mark.parametrize("algorithm", ["ista", "fista"])
def test_many_tied_layers_reach_the_minimum_of_the_lasso(two_sided: bool, algorithm: Any) -> None:
    """`1/2 ||x - W z||^2 + lambda ||z||_1`, with z >= 0 if one-sided, against a long plain ISTA."""
    shape = {"in_channels": 1, "num_sets": 1, "group": 6, "kernel_size": 3}
    made = encoder(
        **shape, num_layers=800, tied=True, step="safe", two_sided=two_sided, normalise=False, algorithm=algorithm
    )
    x = torch.randn(2, 1, *SIZE, dtype=torch.float64)
    with torch.no_grad():
        codes = made(x)
    (w,), lam = matrices(made), thresholds(made, codes[0, 0].numel())[0]
    best = plain_ista(x.flatten(1), w, lam, two_sided, 6_000)
    found = lasso_objective(x.flatten(1), codes.flatten(1), w, lam)
    least = lasso_objective(x.flatten(1), best, w, lam)
    assert float((found / least - 1).abs().max()) < 1e-8
    assert float((least / lasso_objective(x.flatten(1), torch.zeros_like(best), w, lam)).max()) < 0.9
    assert two_sided or codes.min() >= 0
    assert not two_sided or codes.min() < 0
    # The minimum is one where no direction leads down: |W^T r| <= lambda, with equality where a code is.
    pull = (x.flatten(1) - best @ w.T) @ w
    over = pull.abs() - lam if two_sided else pull - lam
    assert over.max() < 1e-6
    assert over[best != 0].abs().max() < 1e-6


def test_fista_is_ista_with_momentum() -> None:
    """`u_k = z_k + (t_k - 1) / t_(k+1) (z_k - z_(k-1))` with `t_(k+1) = (1 + sqrt(1 + 4 t_k^2)) / 2`."""
    made = encoder(num_layers=5, algorithm="fista", step=0.05, normalise=False)
    x = torch.randn(2, 2, *SIZE, dtype=torch.float64)
    codes = made(x)
    z = u = torch.zeros(2, codes[0].numel(), dtype=torch.float64)
    t = 1.0
    for w, lam in zip(matrices(made), thresholds(made, codes[0, 0].numel()), strict=True):
        previous, z = z, soft_threshold(u + 0.05 * (x.flatten(1) - u @ w.T) @ w, 0.05 * lam, two_sided=False)
        following = (1 + math.sqrt(1 + 4 * t * t)) / 2
        # The first step has no momentum: t_1 = 1.
        u, t = z + (t - 1) / following * (z - previous), following
    torch.testing.assert_close(codes.flatten(1), z, rtol=1e-11, atol=1e-12)
    ista = encoder(num_layers=5, step=0.05, normalise=False)
    ista.load_state_dict(made.state_dict())
    assert (ista(x) - codes).abs().max() > 1e-3


@pytest.mark.parametrize("algorithm", ["ista", "fista"])
def test_batch_normalisation_follows_every_layer_but_the_last(algorithm: Any) -> None:
    """Codes by the formula with a normalised input of the next layer, momentum included."""
    made = encoder(algorithm=algorithm, step=0.05).train()
    assert len(made.norms) == 2
    x = torch.randn(4, 2, *SIZE, dtype=torch.float64)
    codes = made(x)
    shape = codes.shape
    z: Tensor = torch.zeros(4, codes[0].numel(), dtype=torch.float64)
    u, t = z, 1.0
    for w, lam in zip(matrices(made), thresholds(made, codes[0, 0].numel()), strict=True):
        previous, z = z, soft_threshold(u + 0.05 * (x.flatten(1) - u @ w.T) @ w, 0.05 * lam, two_sided=False)
        following = (1 + math.sqrt(1 + 4 * t * t)) / 2
        u = z + (t - 1) / following * (z - previous) if algorithm == "fista" else z
        t = following
        maps = u.view(shape)
        mean, variance = maps.mean((0, 2, 3), keepdim=True), maps.var((0, 2, 3), keepdim=True, correction=0)
        u = ((maps - mean) / (variance + 1e-5).sqrt()).flatten(1)
    torch.testing.assert_close(codes.flatten(1), z, rtol=1e-9, atol=1e-11)
    assert (codes >= 0).all()  # the last layer's codes come straight from the threshold


def test_the_threshold_scales_with_the_step_and_starts_at_one() -> None:
    made = UnfoldedEncoder(1, 2, 3, num_layers=1, group=2, step=0.01, dtype=torch.float64)
    assert torch.equal(made.threshold, torch.ones_like(made.threshold))
    x = torch.randn(1, 1, 9, 9, dtype=torch.float64)
    analysed = correlate(x, made.filters()[0], made.margins)
    torch.testing.assert_close(made(x), torch.relu(0.01 * analysed - 0.01))


def test_tied_layers_share_everything() -> None:
    made = encoder(tied=True, step=0.01, normalise=False)
    assert made.filters().shape[0] == 1
    assert made.threshold.shape == (1, 6)
    untied = encoder(normalise=False, step=0.01)
    with torch.no_grad():
        untied.bank.basis.copy_(made.bank.basis.repeat(3, 1, 1, 1))
        untied.bank.generator.weight.copy_(made.bank.generator.weight.repeat(3, 1, 1, 1))
        untied.threshold.copy_(made.threshold.expand(3, -1))
    x = torch.randn(2, 2, *SIZE, dtype=torch.float64)
    torch.testing.assert_close(made(x), untied(x), rtol=1e-10, atol=1e-12)


def test_step_sizes_and_step_conditions() -> None:
    made = encoder(step=0.02)
    sizes = made.step_sizes(made.filters(), SIZE)
    torch.testing.assert_close(sizes, torch.full((3,), 0.02, dtype=torch.float64))
    spectra = torch.stack([torch.linalg.matrix_norm(w, 2) ** 2 for w in matrices(made)])
    conditions = made.step_conditions(SIZE)
    assert (conditions >= sizes * spectra * (1 - 1e-12)).all()
    assert (conditions < 2 * sizes * spectra).all()
    torch.testing.assert_close(encoder(step="safe").step_conditions(SIZE), torch.ones(3, dtype=torch.float64))


def gradients(made: UnfoldedEncoder, x: Tensor, weights: Tensor) -> dict[str, Tensor]:
    """The code, and the gradient of a weighted sum of it by the image and every parameter."""
    made.zero_grad()
    image = x.clone().requires_grad_()
    codes = made(image)
    (codes * weights).sum().backward()
    assert image.grad is not None
    found = {name: parameter.grad for name, parameter in made.named_parameters() if parameter.grad is not None}
    return {"codes": codes.detach(), "image": image.grad, **found}


PLAIN_AND_FAST = [
    {"in_channels": 1, "kernel_size": 6},
    {"in_channels": 2, "kernel_size": 5, "size": (13, 14)},
    {"in_channels": 3, "kernel_size": 6, "size": (11, 15)},
    {"in_channels": 4, "kernel_size": 3, "size": (9, 13), "padding": "same"},
    {"in_channels": 1, "kernel_size": (4, 6), "size": (15, 12), "padding": "same"},
    {"in_channels": 3, "kernel_size": 4, "algorithm": "fista", "size": (10, 10)},
    {"in_channels": 3, "kernel_size": 5, "normalise": False, "padding": 0},
    {"in_channels": 1, "kernel_size": 4, "two_sided": True, "size": (9, 9)},
    {"in_channels": 2, "kernel_size": 4, "step": 0.05},
    {"in_channels": 2, "kernel_size": 4, "step": "safe", "tied": True, "share": "channel"},
    {"in_channels": 3, "kernel_size": 5, "generator": "free", "size": (12, 13)},
]


@pytest.mark.parametrize("options", PLAIN_AND_FAST, ids=str)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-11), (torch.float32, 1e-4)], ids=str)
def test_the_fast_path_agrees_with_the_plain_one(options: dict[str, Any], dtype: torch.dtype, tolerance: float) -> None:
    """Codes and all gradients of both paths, relative to their size."""
    options = {"num_layers": 4, "num_sets": 2, "group": 3, "step": 0.05, "dtype": dtype, **options}
    size = options.pop("size", (12, 16))
    fast = UnfoldedEncoder(**options, path="fast")
    plain = UnfoldedEncoder(**options, path="plain")
    with torch.no_grad():
        fast.threshold.uniform_(0.2, 1.0)
    plain.load_state_dict(fast.state_dict())
    x = torch.randn(4, options["in_channels"], *size, dtype=dtype)
    weights = torch.randn_like(plain(x))
    plain.load_state_dict(fast.state_dict())  # the running statistics too
    mine, expected = gradients(fast, x, weights), gradients(plain, x, weights)
    assert mine.keys() == expected.keys()
    assert {"codes", "image", "threshold"} < mine.keys()
    for name, value in expected.items():
        assert float((mine[name] - value).norm() / value.norm()) < tolerance, name
    for name, buffer in plain.named_buffers():
        torch.testing.assert_close(fast.get_buffer(name), buffer, rtol=1e-5, atol=1e-6)


def test_gradients_of_the_plain_path_agree_with_finite_differences() -> None:
    """The plain path, the reference of the fast path, agrees with finite differences."""
    made = encoder(num_layers=2, step=0.05, path="plain", two_sided=True, normalise=False)
    x = torch.randn(1, 2, 5, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(made, (x,), eps=1e-7, atol=1e-5)


def test_the_plain_path_can_be_differentiated_twice() -> None:
    made = encoder(step=0.05, path="plain", normalise=False)
    x = torch.randn(1, 2, *SIZE, dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(made(x).square().sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.square().sum(), x)
    assert second.abs().max() > 0


def test_auto_chooses_fast_on_a_cpu_and_plain_under_autocast() -> None:
    made, x = encoder(dtype=torch.float32, path="auto"), torch.randn(2, 2, *SIZE)
    assert made.kernel(x) in ("fast", "native")
    with torch.autocast("cpu", torch.bfloat16):
        assert made.kernel(x) == "plain"
        codes = made(x)
    assert torch.isfinite(codes).all()
    codes.float().square().sum().backward()
    assert made.threshold.grad is not None


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_other_devices_compute_the_same(device: str) -> None:
    if not (torch.cuda.is_available() if device == "cuda" else torch.backends.mps.is_available()):
        pytest.skip(f"needs a {device} device, and there is none")
    made = encoder(dtype=torch.float32, step=0.05)
    x = torch.randn(2, 2, *SIZE)
    expected = made(x)
    torch.testing.assert_close(made.to(device)(x.to(device)).cpu(), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "options",
    [{"num_layers": 0}, {"algorithm": "lista"}, {"path": "slow"}, {"step": "big"}, {"step": 0.0}, {"group": 1}],
    ids=str,
)
def test_wrong_arguments_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(options))} must"):
        UnfoldedEncoder(**{"in_channels": 1, **options})


@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("patch", [(3, 3), (4, 5)], ids=str)
@pytest.mark.parametrize("padding", [0, 1, "same"])
def test_the_largest_eigenvalue_is_a_bound_for_the_dense_matrix(
    channels: int, patch: tuple[int, int], padding: Any
) -> None:
    filters = torch.randn(2, 4, channels, *patch, dtype=torch.float64)
    bounds = largest_eigenvalue(filters, SIZE)
    assert bounds.shape == (2,)
    for bank, bound in zip(filters, bounds, strict=True):
        matrix = dense_matrix(bank, Margins.of(padding, patch), SIZE)
        exact = torch.linalg.matrix_norm(matrix, 2) ** 2
        assert exact <= bound * (1 + 1e-12)


def test_the_largest_eigenvalue_is_exact_for_a_filter_of_one_pixel() -> None:
    filters = torch.tensor([3.0, 4.0]).view(1, 2, 1, 1, 1)
    assert float(largest_eigenvalue(filters, (5, 5))) == pytest.approx(25)


@pytest.mark.parametrize("channels", [1, 3])
def test_the_largest_eigenvalue_is_close_for_large_images(channels: int) -> None:
    """The bound is compared with the exact value by power iteration."""
    filters, margins = torch.randn(4, channels, 4, 4, dtype=torch.float64), Margins.of("same", (4, 4))
    codes = torch.randn(1, 4, 40, 40, dtype=torch.float64)
    for _ in range(100):
        codes = correlate(synthesise(codes / codes.norm(), filters, margins), filters, margins)
    bound = float(largest_eigenvalue(filters.unsqueeze(0), (40, 40)))
    assert float(codes.norm()) <= bound < 1.1 * float(codes.norm())


def test_soft_threshold_is_equation_4() -> None:
    u = torch.tensor([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])
    assert soft_threshold(u, 1.0).tolist() == [-2, 0, 0, 0, 0, 0, 2]
    assert soft_threshold(u, 1.0, two_sided=False).tolist() == [0, 0, 0, 0, 0, 0, 2]
    torch.testing.assert_close(soft_threshold(u, 0.7), torch.sign(u) * torch.relu(u.abs() - 0.7))


def test_soft_threshold_is_the_proximal_map_of_the_l1_norm() -> None:
    """`argmin_z 1/2 (z - u)^2 + lambda |z|`, over all numbers or those that are not negative, found on a grid."""
    grid = torch.linspace(-4, 4, 8001, dtype=torch.float64)
    for u in torch.linspace(-3, 3, 13, dtype=torch.float64):
        value = 0.5 * (grid - u) ** 2 + 0.8 * grid.abs()
        assert abs(float(soft_threshold(u, 0.8) - grid[value.argmin()])) < 1e-3
        value = torch.where(grid < 0, torch.inf, value)
        assert abs(float(soft_threshold(u, 0.8, two_sided=False) - grid[value.argmin()])) < 1e-3


def test_the_threshold_broadcasts_over_filters() -> None:
    u, threshold = torch.randn(2, 3, 4, 5), torch.tensor([0.1, 0.5, 2.0])
    together = soft_threshold(u, threshold.view(-1, 1, 1))
    for channel, value in enumerate(threshold.tolist()):
        torch.testing.assert_close(together[:, channel], soft_threshold(u[:, channel], value))


def test_a_negative_threshold_counts_as_zero_if_two_sided() -> None:
    u = torch.randn(100)
    torch.testing.assert_close(soft_threshold(u, -0.5), u)
    torch.testing.assert_close(soft_threshold(u, torch.tensor(-0.5)), u)
    torch.testing.assert_close(soft_threshold(u, -0.5, two_sided=False), torch.relu(u + 0.5))
