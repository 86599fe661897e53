"""The compiled layers are the plain ones, and where they cannot be had nothing else changes."""

import os
import stat
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
from lgn.nn.kernels.native.compiled import kernels_for
from lgn.nn.kernels.native.layer import NativeLayers
from lgn.nn.kernels.native.step import NativeStep, at_points

needs_kernels = pytest.mark.skipif(kernels_for((6, 6)) is None, reason="needs a C compiler and a processor with AVX2")
TOLERANCE = 1e-4


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def relative_error(found: Tensor, expected: Tensor) -> float:
    return float((found - expected).detach().double().norm() / expected.detach().double().norm())


def step(
    codes: Tensor | None, scale: Any, shift: Any, x: Tensor, filters: Tensor, bias: Tensor, margins: Margins
) -> Any:
    points, patch = at_points(filters), (filters.shape[-2], filters.shape[-1])
    return NativeStep.apply(codes, scale, shift, x, points, bias, margins, patch)


def plain_step(
    codes: Tensor | None, scale: Any, shift: Any, x: Tensor, filters: Tensor, bias: Tensor, margins: Margins
) -> Any:
    if codes is None:
        out = F.relu(correlate(x, filters, margins, bias))
    else:
        u = scale.view(-1, 1, 1) * codes + shift.view(-1, 1, 1)
        out = F.relu(u + correlate(x - synthesise(u, filters, margins), filters, margins, bias))
    return out, torch.stack([out.sum((0, 2, 3)), out.square().sum((0, 2, 3))])


# Odd and even patches, one to four channels, any number of filters, odd heights, rows of no whole number of vectors.
SHAPES: list[tuple[int, int, tuple[int, int], tuple[int, int], Any]] = [
    (1, 20, (6, 6), (28, 28), 1),
    (2, 7, (5, 5), (12, 23), 1),
    (3, 20, (6, 6), (17, 32), 1),
    (4, 3, (3, 3), (11, 41), "same"),
    (1, 6, (4, 6), (16, 13), "same"),
    (3, 5, (11, 11), (20, 18), 0),
    (2, 4, (5, 5), (9, 6), 4),
]


@needs_kernels
@pytest.mark.parametrize("first", [False, True], ids=["u", "u = 0"])
@pytest.mark.parametrize(("channels", "filters", "patch", "size", "padding"), SHAPES)
def test_a_step_and_all_its_gradients_are_those_of_autograd(
    channels: int, filters: int, patch: tuple[int, int], size: tuple[int, int], padding: Any, first: bool
) -> None:
    """Codes, their sums, and the gradient of both by everything that goes in, against float64."""
    margins = Margins.of(padding, patch)
    x, bank, bias = (
        torch.randn(5, channels, *size),
        0.2 * torch.randn(filters, channels, *patch),
        0.3 * torch.randn(filters),
    )
    codes, scale, shift = torch.randn_like(correlate(x, bank, margins)), *torch.rand(2, filters)
    inputs = [x, bank, bias] if first else [codes, scale + 0.5, shift - 0.5, x, bank, bias]
    mine = [value.clone().requires_grad_() for value in inputs]
    exact = [value.double().requires_grad_() for value in inputs]
    none = [None, None, None] if first else []
    found, expected = step(*none, *mine, margins), plain_step(*none, *exact, margins)
    weights = [torch.randn_like(value) for value in expected]
    assert found[0].shape == expected[0].shape
    assert 0.1 < float((found[0] > 0).double().mean()) < 0.9  # else the threshold is not tested
    found += torch.autograd.grad(found, mine, [weights[0].float(), weights[1]])
    expected += torch.autograd.grad(expected, exact, weights)
    for value, right in zip(found, expected, strict=True):
        assert relative_error(value, right) < TOLERANCE


ENCODERS = [
    {"in_channels": 1, "kernel_size": 6},
    {"in_channels": 3, "kernel_size": 5, "generator": "free"},
    {"in_channels": 2, "kernel_size": 6, "algorithm": "fista"},
    {"in_channels": 4, "kernel_size": 3, "normalise": False, "padding": "same"},
    {"in_channels": 2, "kernel_size": 5, "step": 0.05},
    {"in_channels": 1, "kernel_size": 6, "step": "safe", "tied": True},
]


@needs_kernels
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("options", ENCODERS, ids=str)
def test_an_encoder_is_the_plain_one(options: dict[str, Any], training: bool) -> None:
    """Codes, all gradients, and the running statistics, with batch normalisation folded into the layers."""
    options = {"num_layers": 4, "num_sets": 2, "order": 3, "step": 0.05, **options}
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
def test_the_same_threads_give_the_same_bits_and_others_nearly() -> None:
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
def test_what_is_not_a_number_stays_so() -> None:
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
def test_auto_is_native_where_it_applies(
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
    codes = UnfoldedEncoder(1, 2, 1, 2, **{"kernel_size": 6, "path": "auto", "dtype": dtype} | options)(
        torch.randn(2, 1, size, size, dtype=dtype)
    )
    assert torch.isfinite(codes).all()
    assert bool(made) == native


def test_native_by_hand_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="path must be auto, fast or plain here, got 'native': it needs a C compiler"):
        UnfoldedEncoder(1, two_sided=True, path="native")(torch.randn(1, 1, 28, 28))


@needs_kernels
@pytest.mark.parametrize("level", [0.0, 1e2, 1e4])
def test_the_variance_of_nearly_constant_codes_keeps_its_digits(level: float) -> None:
    """Codes whose mean is large beside their deviation, normalised by the layer, against float64 of the same codes."""
    x, filters, margins = torch.randn(6, 1, 20, 20), 0.1 * torch.randn(1, 4, 1, 6, 6), Margins(1, 1, 1, 1)
    layer, norm = NativeLayers(filters, torch.full((1, 4), -level), False, margins), CodeBatchNorm(4, eps=1e-12)
    codes = layer(None, x, 0)
    exact = codes.double()
    normalised = layer.following(codes, norm)
    variance = exact.var((0, 2, 3), correction=0)
    assert level == 0 or float((exact.mean((0, 2, 3)) / variance.sqrt()).min()) > level / 10
    torch.testing.assert_close(normalised.scale.double(), variance.rsqrt(), rtol=1e-5, atol=0)
    torch.testing.assert_close(norm.running_mean.double(), 0.1 * exact.mean((0, 2, 3)), rtol=1e-6, atol=0)


def encode_elsewhere(cache: Path, **environment: str) -> Forked:
    """A fresh process with a cache of its own that encodes, and prints whether it had kernels and the sum of codes."""
    return start("nn.encode", [], {"XDG_CACHE_HOME": str(cache), **environment})


def answers(processes: list[Forked]) -> list[tuple[bool, float, str]]:
    """Of each: whether it had kernels, the sum of its codes, and what it said."""
    ends = [(process, *process.communicate(timeout=300)) for process in processes]
    assert [process.returncode for process, _, _ in ends] == [0] * len(ends), ends
    return [(out.split()[0] == "True", float(out.split()[1]), errors) for _, out, errors in ends]


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def kept(cache: Path) -> list[str]:
    """What is left in a cache, but for the lock."""
    return sorted(entry.name for entry in (cache / "lgn" / "native").iterdir() if entry.name != ".lock")


@needs_kernels
@pytest.mark.slow
def test_first_calls_at_once_leave_one_library_and_no_compiler_is_no_matter(tmp_path: Path) -> None:
    """Real processes: two that compile at once, with CC and with its own name, and one that finds no compiler."""
    marked = program(tmp_path / "bin" / "marked", f'echo "$@" >> {tmp_path / "calls"}\nexec /usr/bin/env cc "$@"')
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
@pytest.mark.parametrize(
    ("text", "reason"), [("echo broken >&2; exit 1", "status 1: broken"), ("sleep 600", "did not end in 2 s")]
)
@pytest.mark.slow
def test_a_compiler_that_fails_or_hangs_is_asked_once(tmp_path: Path, text: str, reason: str) -> None:
    """One sentence the first time, nothing after that, and another try when the compiler is another."""
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
    program(compiler, 'exec /usr/bin/env cc "$@"')
    (third,) = answers([encode_elsewhere(tmp_path, CC=str(compiler))])
    assert third[0]
    assert third[2] == ""


@needs_kernels
@pytest.mark.slow
def test_a_library_that_is_not_whole_is_built_again(tmp_path: Path) -> None:
    """Cut short, which would be a bus error, and with one byte changed."""
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
def test_a_library_in_a_directory_of_others_is_not_loaded(tmp_path: Path) -> None:
    """A mode that lets others in, and, where we may give things away, another owner; a sentence says why."""
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
def test_kernels_of_two_sizes_in_one_process_are_not_mixed_up() -> None:
    """Libraries that are loaded by descriptor are known by its number, which must not be used again."""
    first, second = kernels_for((6, 6)), kernels_for((5, 5))
    assert first is not None
    assert second is not None
    assert first._name != second._name
    assert first._handle != second._handle
