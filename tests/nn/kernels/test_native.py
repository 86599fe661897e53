"""The compiled layers agree with the plain layers, which replace them if there is no compiler."""

import os
import stat
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from forked import Forked, start
from torch import Tensor
from torch.nn import functional as F

from lgn.nn import UnfoldedEncoder
from lgn.nn.kernels import KERNELS
from lgn.nn.kernels.adjoint import Margins, correlate, synthesise
from lgn.nn.kernels.batch_norm import CodeBatchNorm
from lgn.nn.kernels.native import compiled
from lgn.nn.kernels.native.command import build_command
from lgn.nn.kernels.native.compiled import kernels
from lgn.nn.kernels.native.layer import NativeLayers
from lgn.nn.kernels.native.step import NativeStep, NativeSynthesis, Numbers
from lgn.nn.kernels.plain import Unfolding

needs_kernels = pytest.mark.skipif(kernels() is None, reason="needs a C compiler and a processor with AVX2")
TOLERANCE = 1e-4


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def relative_error(found: Tensor, expected: Tensor) -> float:
    return float((found - expected).detach().double().norm() / expected.detach().double().norm())


def plain_step(*inputs: Any, numbers: Numbers) -> list[Tensor]:
    """A step by its definition: the codes, and the moments of the input of the next layer."""
    codes, previous, moments, weight, shift, x, filters, bias = inputs
    margins = numbers.margins
    if codes is None:
        out = mixed = F.relu(correlate(x, filters, margins, bias))
    else:
        v = codes if previous is None else numbers.ahead * codes + (1 - numbers.ahead) * previous
        normal = (v - moments[0].view(-1, 1, 1)) / (moments[1].view(-1, 1, 1) + numbers.eps).sqrt()
        u = weight.view(-1, 1, 1) * normal + shift.view(-1, 1, 1)
        out = F.relu(u + correlate(x - synthesise(u, filters, margins), filters, margins, bias))
        mixed = numbers.following * out + (1 - numbers.following) * codes
    if numbers.pool:
        out = F.adaptive_avg_pool2d(out, numbers.pool)
    outputs = [out, torch.stack([mixed.mean((0, 2, 3)), mixed.var((0, 2, 3), correction=0)])]
    return outputs if numbers.following == 1 else [*outputs, codes]


# Odd and even patches, one to four channels, any number of filters, odd heights, rows of no whole number of vectors.
SHAPES: list[tuple[int, int, tuple[int, int], tuple[int, int], Any]] = [
    (1, 20, (6, 6), (28, 28), 1),
    (2, 7, (5, 5), (12, 23), 1),
    (3, 20, (6, 6), (17, 32), 1),
    (4, 3, (3, 3), (11, 41), "same"),
    (1, 6, (4, 6), (16, 13), "same"),
    (3, 5, (11, 11), (20, 18), 0),
    (2, 4, (5, 5), (9, 6), 4),
    (3, 9, (7, 8), (21, 70), 3),
    (1, 11, (2, 1), (10, 33), 0),
]


@pytest.fixture(params=[16, 8])
def lanes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """All widths of vectors that this machine has."""
    library = kernels()
    if library is None or library.lanes_here(request.param) != request.param:
        pytest.skip(f"needs vectors of {request.param}")
    monkeypatch.setattr(compiled, "LANES_LIMIT", request.param)
    return request.param


@needs_kernels
@pytest.mark.parametrize("kind", ["u = 0", "u", "momentum", "pooled"])
@pytest.mark.parametrize(("channels", "filters", "patch", "size", "padding"), SHAPES)
def test_a_step_and_its_gradients_agree_with_autograd(
    channels: int, filters: int, patch: tuple[int, int], size: tuple[int, int], padding: Any, kind: str, lanes: int
) -> None:
    """Codes, moments for the next layer, and their gradients by all inputs."""
    margins = Margins.of(padding, patch)
    x, bank, bias = (
        torch.randn(5, channels, *size),
        0.2 * torch.randn(filters, channels, *patch),
        0.3 * torch.randn(filters),
    )
    codes, previous = torch.randn(2, *correlate(x, bank, margins).shape)
    moments = torch.stack([torch.randn(filters), 0.5 + torch.rand(filters)]).double()
    of_norm = [moments, *torch.rand(2, filters)]
    numbers = Numbers(margins, eps=1e-3, measured=True)
    given: list[Tensor | None] = [None] * 5
    if kind in ("u", "pooled"):
        given = [codes, None, *of_norm]
    if kind == "pooled":
        numbers = numbers._replace(pool=3)
    if kind == "momentum":
        given, numbers = [codes, previous, *of_norm], numbers._replace(ahead=1.3, following=1.45)
    inputs = [*given, x, bank, bias]
    mine = [None if value is None else value.clone().requires_grad_() for value in inputs]
    exact = [None if value is None else value.double().requires_grad_() for value in inputs]
    found = [value for value in NativeStep.apply(*mine, numbers) if value is not None]
    expected = plain_step(*exact, numbers=numbers)
    weights = [torch.randn_like(value) for value in expected]
    weights[1] *= 1e3  # moments are means, of which the gradient at a place is small
    assert found[0].shape == expected[0].shape
    assert numbers.pool or 0.1 < float((found[0] > 0).double().mean()) < 0.9  # else the threshold is not tested
    of_found = [weight.to(value.dtype) for weight, value in zip(weights, found, strict=True)]
    found += torch.autograd.grad(found, [value for value in mine if value is not None], of_found)
    expected += torch.autograd.grad(expected, [value for value in exact if value is not None], weights)
    for value, right in zip(found, expected, strict=True):
        assert relative_error(value, right) < TOLERANCE


@needs_kernels
@pytest.mark.parametrize(("channels", "filters", "patch", "size", "padding"), SHAPES)
def test_the_decoder_and_its_gradients_agree_with_autograd(
    channels: int, filters: int, patch: tuple[int, int], size: tuple[int, int], padding: Any, lanes: int
) -> None:
    margins = Margins.of(padding, patch)
    bank = torch.randn(filters, channels, *patch)
    codes = torch.randn(3, filters, *margins.code_size(torch.empty(size), patch))
    mine, exact = [tensor.clone().requires_grad_() for tensor in (codes, bank)], [codes.double(), bank.double()]
    exact = [tensor.requires_grad_() for tensor in exact]
    found, expected = NativeSynthesis.apply(*mine, margins), synthesise(*exact, margins)
    weights = torch.randn_like(expected)
    assert relative_error(found, expected) < TOLERANCE
    of_found = torch.autograd.grad(found, mine, weights.float())
    for value, right in zip(of_found, torch.autograd.grad(expected, exact, weights), strict=True):
        assert relative_error(value, right) < TOLERANCE


ENCODERS = [
    {"in_channels": 1, "kernel_size": 6},
    {"in_channels": 3, "kernel_size": 5, "generator": "free"},
    {"in_channels": 2, "kernel_size": 6, "algorithm": "fista", "num_layers": 6},
    {"in_channels": 2, "kernel_size": 6, "algorithm": "fista", "normalise": False},
    {"in_channels": 4, "kernel_size": 3, "normalise": False, "padding": "same"},
    {"in_channels": 2, "kernel_size": 5, "step": 0.05},
    {"in_channels": 1, "kernel_size": 6, "step": "safe", "tied": True},
]


@needs_kernels
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("options", ENCODERS, ids=str)
def test_a_native_encoder_agrees_with_the_plain_one(options: dict[str, Any], training: bool) -> None:
    """Codes, all gradients, and the running statistics, with batch normalisation folded into the layers."""
    options = {"num_layers": 4, "num_sets": 2, "group": 3, "step": 0.05, **options}
    native, plain = UnfoldedEncoder(**options, path="native"), UnfoldedEncoder(**options, path="plain").double()
    with torch.no_grad():
        native.threshold.uniform_(0.2, 1.0)
        for norm in native.norms:
            norm.running_mean.uniform_(0, 0.1)
            norm.weight.uniform_(0.5, 2)
    plain.load_state_dict(native.state_dict())
    x = torch.randn(4, options["in_channels"], 15, 21)
    images = x.clone().requires_grad_(), x.double().requires_grad_()
    codes = native.train(training)(images[0]), plain.train(training)(images[1])
    weights = torch.randn_like(codes[1])
    codes[0].backward(weights.float())
    codes[1].backward(weights)
    pairs = {"codes": codes, "image": (images[0].grad, images[1].grad)}
    pairs |= {name: (native.get_parameter(name).grad, p.grad) for name, p in plain.named_parameters()}
    pairs |= {name: (native.get_buffer(name), b) for name, b in plain.named_buffers() if b.is_floating_point()}
    for name, (found, expected) in pairs.items():
        assert relative_error(found, expected) < TOLERANCE, name
    assert all(int(norm.num_batches_tracked) == training for norm in native.norms)


@needs_kernels
@pytest.mark.parametrize("algorithm", ["ista", "fista"])
@pytest.mark.parametrize("pool", [1, 4, 20])
def test_pooling_in_the_last_layer_equals_pooling_after_it(pool: int, algorithm: Any) -> None:
    """The features of a classifier and their gradients; 20 cells are more than there are rows."""
    made, x = UnfoldedEncoder(2, path="native", algorithm=algorithm), torch.randn(4, 2, 19, 23)
    ways = made.pooled(x, pool), F.adaptive_avg_pool2d(made(x), pool)
    weights = torch.randn_like(ways[0])
    gradients = [torch.autograd.grad(way, list(made.parameters()), weights) for way in ways]
    for mine, other in zip([ways[0], *gradients[0]], [ways[1], *gradients[1]], strict=True):
        assert relative_error(mine, other) < TOLERANCE


@needs_kernels
def test_the_number_of_threads_changes_rounding_only() -> None:
    made, x = UnfoldedEncoder(3, path="native"), torch.randn(9, 3, 20, 20)

    def gradient(threads: int) -> Tensor:
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            (found,) = torch.autograd.grad(made(x).square().sum(), made.bank.basis)
        finally:
            torch.set_num_threads(before)
        return found

    assert torch.equal(gradient(2), gradient(2))
    torch.testing.assert_close(gradient(1), gradient(2), rtol=1e-3, atol=1e-6)


@needs_kernels
def test_hooks_on_a_normalisation_are_called_with_its_output() -> None:
    made, x, seen = UnfoldedEncoder(1, num_layers=2, path="native"), torch.randn(3, 1, 16, 16), []
    without = made(x)
    made.norms[0].register_forward_hook(lambda module, inputs, output: seen.append(output))
    assert relative_error(made(x), without) < TOLERANCE
    torch.testing.assert_close(seen[0].mean((0, 2, 3)), torch.zeros(20), rtol=0, atol=1e-5)


@needs_kernels
def test_nan_stays_nan() -> None:
    x = torch.randn(2, 1, 16, 16)
    x[1, 0, 8, 8] = float("nan")
    codes = UnfoldedEncoder(1, num_layers=2, normalise=False, path="native")(x)
    assert torch.isfinite(codes[0]).all()
    assert torch.isnan(codes[1, :, 4:9, 4:9]).all()


@needs_kernels
@pytest.mark.parametrize(
    ("options", "change", "native"),
    [
        ({}, {}, True),
        ({"path": "fast"}, {}, False),
        ({"two_sided": True}, {}, False),
        ({"kernel_size": 12}, {"size": 40}, False),
        ({}, {"size": 10}, False),
        ({}, {"dtype": torch.float64}, False),
        ({}, {"LGN_NATIVE": "0"}, False),
    ],
    ids=str,
)
def test_auto_chooses_native_for_supported_inputs(
    options: dict[str, Any], change: dict[str, Any], native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "LGN_NATIVE" in change:
        monkeypatch.setenv("LGN_NATIVE", change["LGN_NATIVE"])
    size, dtype, made = change.get("size", 14), change.get("dtype"), []

    class Seen(NativeLayers):
        def __init__(self, *args: Any) -> None:
            made.append(1)
            super().__init__(*args)

    monkeypatch.setitem(KERNELS, "native", Seen)
    codes = UnfoldedEncoder(
        1, 1, num_layers=2, group=2, **{"kernel_size": 6, "path": "auto", "dtype": dtype} | options
    )(torch.randn(2, 1, size, size, dtype=dtype))
    assert torch.isfinite(codes).all()
    assert bool(made) == native


def test_native_is_refused_for_unsupported_inputs() -> None:
    with pytest.raises(ValueError, match="path must"):
        UnfoldedEncoder(1, two_sided=True, path="native")(torch.randn(1, 1, 28, 28))


@needs_kernels
@pytest.mark.parametrize("level", [0.0, 1e2, 1e4])
def test_the_variance_of_nearly_constant_codes_is_accurate(level: float) -> None:
    """Codes with a mean much larger than their deviation, compared with float64."""
    x, filters, margins = torch.randn(6, 1, 20, 20), 0.1 * torch.randn(1, 4, 1, 6, 6), Margins((1, 1), (1, 1))
    norm = CodeBatchNorm(4, eps=1e-12)
    layer = NativeLayers(Unfolding(filters, torch.full((1, 4), -level), False, margins, [1.0, 1.0], [norm]))
    codes = layer(None, x, 0)
    exact = codes.double()
    given = layer.layer_input(codes, codes, 1)
    variance = exact.var((0, 2, 3), correction=0)
    assert level == 0 or float((exact.mean((0, 2, 3)) / variance.sqrt()).min()) > level / 10
    torch.testing.assert_close(given.moments[1].rsqrt(), variance.rsqrt(), rtol=1e-5, atol=0)
    torch.testing.assert_close(norm.running_mean.double(), 0.1 * exact.mean((0, 2, 3)), rtol=1e-6, atol=0)


UNOPTIMISED = 'exec /usr/bin/env cc "$@" -O0'  # where the cache is what is tested: compiled in a third of the time


def encode_elsewhere(cache: Path, **environment: str) -> Forked:
    """A new process with its own cache that encodes and prints whether it had kernels, and the sum of the codes."""
    return start("nn.encode", [], {"XDG_CACHE_HOME": str(cache), "CC": quick_compiler(), **environment})


@cache
def quick_compiler() -> str:
    return str(program(Path(tempfile.mkdtemp()) / "cc", UNOPTIMISED))


def answers(processes: list[Forked]) -> list[tuple[bool, float, str]]:
    """For every process: whether it had kernels, the sum of its codes, and its messages."""
    ends = [(process, *process.communicate(timeout=300)) for process in processes]
    assert [process.returncode for process, _, _ in ends] == [0] * len(ends), ends
    return [(out.split()[0] == "True", float(out.split()[1]), errors) for _, out, errors in ends]


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def kept(cache: Path) -> list[str]:
    """The files in a cache, without the lock."""
    return sorted(entry.name for entry in (cache / "lgn" / "native").iterdir() if entry.name != ".lock")


@needs_kernels
@pytest.mark.slow
def test_two_processes_compile_one_library_and_none_is_needed(tmp_path: Path) -> None:
    """Two processes that compile at the same time, and one without a compiler."""
    marked = program(tmp_path / "bin" / "marked", f'echo "$@" >> {tmp_path / "calls"}\n{UNOPTIMISED}')
    both = [encode_elsewhere(tmp_path / "shared", CC=f"{marked} -fno-plt") for _ in range(2)]
    neither = encode_elsewhere(tmp_path / "none", PATH=str(tmp_path / "none"), CC="")
    first, second, without = answers([*both, neither])
    assert first == second
    assert first[0]
    assert first[2] == without[2] == ""
    (name,) = kept(tmp_path / "shared")  # one, and nothing half-made beside it
    assert name.endswith(".so")
    (call,) = (tmp_path / "calls").read_text().splitlines()  # of CC, with its arguments, by one of the two
    assert call.startswith("-fno-plt ")
    assert not without[0]
    assert without[1] == pytest.approx(first[1], rel=TOLERANCE)
    assert not (tmp_path / "none").exists()


@needs_kernels
@pytest.mark.parametrize(("text", "reason"), [("echo broken >&2; exit 1", "broken"), ("sleep 600", "2 s")])
@pytest.mark.slow
def test_a_compiler_that_fails_or_hangs_is_called_once(tmp_path: Path, text: str, reason: str) -> None:
    """One message the first time, none after that, and another attempt after the compiler has changed."""
    calls = tmp_path / "calls"
    compiler = program(tmp_path / "cc", f"echo called >> {calls}\n{text}")
    limit = {"SECONDS_TO_COMPILE": "2"} if "sleep" in text else {}
    (first,) = answers([encode_elsewhere(tmp_path, CC=str(compiler), **limit)])
    (second,) = answers([encode_elsewhere(tmp_path, CC=str(compiler), **limit)])
    assert not first[0]
    assert not second[0]
    assert reason in first[2]
    assert first[2].count("the compiled kernels are not used") == 1
    assert second[2] == ""
    assert calls.read_text().split() == ["called"]
    (marker,) = kept(tmp_path)
    assert marker.endswith(".failed")
    program(compiler, UNOPTIMISED)
    (third,) = answers([encode_elsewhere(tmp_path, CC=str(compiler))])
    assert third[0]
    assert third[2] == ""


@needs_kernels
@pytest.mark.slow
def test_a_damaged_library_is_compiled_again(tmp_path: Path) -> None:
    """A truncated library, and a library with one changed byte."""
    (first,) = answers([encode_elsewhere(tmp_path)])
    path = tmp_path / "lgn" / "native" / kept(tmp_path)[0]
    whole = path.read_bytes()
    for damaged in (whole[:8000], whole[:20000] + bytes([whole[20000] ^ 1]) + whole[20001:]):
        path.write_bytes(damaged)
        (again,) = answers([encode_elsewhere(tmp_path)])
        assert again == first
        assert first[0]
        assert len(path.read_bytes()) == len(whole)


@needs_kernels
@pytest.mark.slow
def test_a_library_that_other_users_can_write_is_not_loaded(tmp_path: Path) -> None:
    """A directory that others can write, and one of another owner; the message has the reason."""
    (first,) = answers([encode_elsewhere(tmp_path)])
    directory = tmp_path / "lgn" / "native"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    directory.chmod(0o777)
    (shared,) = answers([encode_elsewhere(tmp_path)])
    assert "must be of user" in shared[2]
    assert "mode 777" in shared[2]
    directory.chmod(0o700)
    foreign = []
    if os.geteuid() == 0:
        os.chown(directory, 12345, -1)
        foreign = answers([encode_elsewhere(tmp_path)])
        os.chown(directory, 0, -1)
        os.chown(directory / kept(tmp_path)[0], 12345, -1)
        (mended,) = answers([encode_elsewhere(tmp_path)])  # somebody else's file in our directory is replaced
        assert mended == first
        assert (directory / kept(tmp_path)[0]).stat().st_uid == 0
    for answer in [shared, *foreign]:
        assert not answer[0]
        assert answer[2].count("the compiled kernels are not used") == 1
        assert answer[1] == pytest.approx(first[1], rel=TOLERANCE)


@needs_kernels
@pytest.mark.slow
def test_a_library_in_the_package_needs_no_compiler_and_no_cache(tmp_path: Path) -> None:
    """A library as in a wheel built with LGN_BUILD_KERNEL=1; a broken library causes a warning."""
    library = tmp_path / "kernels.so"
    subprocess.run([*build_command([quick_compiler()]), "-o", str(library)], check=True)
    bare = {"PATH": str(tmp_path / "none"), "CC": "", "PREBUILT": str(library)}
    (found,) = answers([encode_elsewhere(tmp_path / "cache", **bare)])
    (compiled_here,) = answers([encode_elsewhere(tmp_path / "other")])
    assert found == compiled_here
    assert found[0]
    assert not (tmp_path / "cache").exists()
    library.write_bytes(b"no library")
    (broken,) = answers([encode_elsewhere(tmp_path / "cache", **bare)])
    assert not broken[0]
    assert broken[2].count("the compiled kernels are not used") == 1


@needs_kernels
@pytest.mark.slow
def test_portable_kernels_give_equal_codes(tmp_path: Path) -> None:
    """Vectors of four, which every processor supports."""
    portable, own = answers([encode_elsewhere(tmp_path, CC="cc -DPORTABLE"), encode_elsewhere(tmp_path, CC="cc")])
    assert portable[0]
    assert portable[1] == pytest.approx(own[1], rel=TOLERANCE)
