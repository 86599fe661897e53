"""A layer of the unfolded encoder by compiled kernels; see Note [Native step] in rows.h."""

import ctypes
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.nn.kernels.adjoint import Margins, correlate, synthesise
from lgn.nn.kernels.native.compiled import kernels_for
from lgn.nn.kernels.plain_gradients import plain_gradients

# As in rows.h.
LANES, POINTS, TAPS, OUTPUTS, FILTERS, SHIFTS = 8, 4, 3, 2, 4, 3
INPUTS = 6  # of a step, that are tensors


class _Layer(ctypes.Structure):
    """`layer` in rows.h."""

    _fields_ = [
        *((name, ctypes.c_long) for name in ("batch", "filters", "channels", "height", "width")),
        *((name, ctypes.c_long) for name in ("top", "left", "code_height", "code_width", "threads")),
        *((name, ctypes.c_void_p) for name in ("codes", "scale", "shift", "image", "bias", "analysis", "synthesis")),
        *((name, ctypes.c_void_p) for name in ("residual", "out", "sums", "g_out", "g_sums", "g_squares")),
        *((name, ctypes.c_void_p) for name in ("g_codes", "g_image", "g_filters", "g_bias", "g_affine")),
    ]


def at_points(filters: Tensor) -> Tensor:
    """Groups of three rows at the points 0, 1, -1 and infinity.  (..., F, C, n, m) -> (..., 4, F, C * groups, m)"""
    rows = filters.new_tensor([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]])
    groups = F.pad(filters, (0, 0, 0, -filters.shape[-2] % TAPS)).unflatten(-2, (-1, TAPS))
    return torch.einsum("pr,...fcgrm->...pfcgm", rows, groups).flatten(-3, -2)


def from_points(points: Tensor, patch: tuple[int, int]) -> Tensor:
    """The filters that `at_points` was given.  (4, F, C * groups, m) -> (F, C, n, m)"""
    rows = torch.stack([points[0], points[1] - points[2], points[3]], -2)  # (F, C * groups, 3, m)
    return rows.unflatten(1, (-1, -(-patch[0] // TAPS))).flatten(2, 3)[..., : patch[0], :]


def packed(points: Tensor) -> tuple[Tensor, Tensor]:
    """Filters in the order in which analysis and synthesis read them.  -> (..., 4, outputs / 2, inputs, m, 2) each"""
    return _by_outputs(points), _by_outputs(points.transpose(-3, -2).flip(-1))


def _by_outputs(points: Tensor) -> Tensor:
    even = F.pad(points, (0, 0, 0, 0, 0, -points.shape[-3] % OUTPUTS))
    return even.unflatten(-3, (-1, OUTPUTS)).movedim(-3, -1).contiguous()


class NativeStep(torch.autograd.Function):
    """`z' = relu(u + S^T(x - S u) + b)` with `u = scale z + shift`, or u = 0 where z is None.

    Also the sums of z' and of its squares over batch and places, which batch normalisation is made from. `points` are
    `at_points(S)`.

    Shapes: (N, F, H', W'), (F,), (F,), (N, C, H, W), (4, F, slices, m), (F,) -> (N, F, H', W'), (2, F) in float64
    """

    @staticmethod
    def forward(
        ctx: Any,
        codes: Tensor | None,
        scale: Tensor | None,
        shift: Tensor | None,
        image: Tensor,
        points: Tensor,
        bias: Tensor,
        margins: Margins,
        patch: tuple[int, int],
    ) -> tuple[Tensor, Tensor]:
        inputs = codes, scale, shift, image, points, bias
        image, bias = image.contiguous(), bias.contiguous()
        analysis, synthesis = packed(points)
        codes = None if codes is None else codes.contiguous()
        batch, channels, height, width = image.shape
        code_size = code_shape(image, patch, margins)
        threads = torch.get_num_threads()
        out = image.new_empty(batch, len(bias), *code_size)
        residual = torch.empty_like(image)
        sums = image.new_zeros(threads, 2, len(bias), dtype=torch.float64)
        ctx.sizes = (batch, len(bias), channels, height, width, margins.top, margins.left, *code_size, threads)
        ctx.patch, ctx.margins = patch, margins
        tensors = {"codes": codes, "scale": scale, "shift": shift, "analysis": analysis, "synthesis": synthesis}
        tensors |= {"residual": residual, "out": out}
        _call("forward", patch, ctx.sizes, **tensors, image=image, bias=bias, sums=sums)
        ctx.names = list(tensors)
        ctx.save_for_backward(*inputs, *tensors.values())
        return out, sums.sum(0)

    @staticmethod
    def backward(ctx: Any, g_out: Tensor, g_sums: Tensor) -> tuple[Tensor | None, ...]:
        inputs, saved = ctx.saved_tensors[:INPUTS], ctx.saved_tensors[INPUTS:]
        if torch.is_grad_enabled():
            plain = partial(_plain_step, margins=ctx.margins, patch=ctx.patch)
            return (*plain_gradients(plain, inputs, ctx.needs_input_grad[:INPUTS], (g_out, g_sums)), None, None)
        tensors = dict(zip(ctx.names, saved, strict=True))
        codes, residual = tensors["codes"], tensors["residual"]
        filters, channels, threads = ctx.sizes[1], ctx.sizes[2], ctx.sizes[-1]
        (rows, columns), blocks = ctx.patch, -(-filters // FILTERS)
        slices, shift_blocks = channels * -(-rows // TAPS), -(-columns // SHIFTS)
        lanes = residual.new_zeros(threads, POINTS, blocks, slices, shift_blocks, FILTERS, SHIFTS, LANES)
        g_codes = None if codes is None else torch.empty_like(codes)
        g_image = torch.empty_like(residual) if ctx.needs_input_grad[3] else None
        g_bias, g_affine = residual.new_zeros(2, threads, 2, filters, dtype=torch.float64)
        _call(
            "backward",
            ctx.patch,
            ctx.sizes,
            **tensors,
            g_out=g_out.contiguous(),
            g_sums=g_sums[0].to(g_out.dtype),
            g_squares=2 * g_sums[1].to(g_out.dtype),
            g_codes=g_codes,
            g_image=g_image,
            g_filters=lanes,
            g_bias=g_bias,
            g_affine=g_affine,
        )
        g_points = lanes.sum((0, -1)).transpose(-3, -2).transpose(-4, -3).flatten(1, 2).flatten(3)
        g_shift, g_scale = g_affine.sum(0).to(g_out.dtype) if codes is not None else (None, None)
        by_filter = g_points[:, :filters, :, :columns]
        return g_codes, g_scale, g_shift, g_image, by_filter, g_bias.sum(0)[0].to(g_out.dtype), None, None


def _plain_step(*inputs: Tensor | None, margins: Margins, patch: tuple[int, int]) -> tuple[Tensor, Tensor]:
    """The same of the tensors that `NativeStep` is given."""
    codes, scale, shift, image, points, bias = inputs
    assert image is not None
    assert points is not None
    assert bias is not None
    filters = from_points(points, patch)
    if codes is None or scale is None or shift is None:
        out = F.relu(correlate(image, filters, margins, bias))
    else:
        u = scale.view(-1, 1, 1) * codes + shift.view(-1, 1, 1)
        out = F.relu(u + correlate(image - synthesise(u, filters, margins), filters, margins, bias))
    exact = out.double()
    return out, torch.stack([exact.sum((0, 2, 3)), exact.square().sum((0, 2, 3))])


def code_shape(image: Tensor, patch: tuple[int, int], margins: Margins) -> tuple[int, int]:
    """The height and width of the codes of an image."""
    height, width = image.shape[-2:]
    return (
        height + margins.top + margins.bottom - patch[0] + 1,
        width + margins.left + margins.right - patch[1] + 1,
    )


def _call(function: str, patch: tuple[int, int], sizes: tuple[int, ...], **tensors: Tensor | None) -> None:
    kernels = kernels_for(patch)
    if kernels is None:
        raise RuntimeError(f"there are no native kernels for a patch of {patch[0]}x{patch[1]} on this machine")
    pointers = {name: tensor.data_ptr() for name, tensor in tensors.items() if tensor is not None}
    getattr(kernels, function)(ctypes.byref(_Layer(*sizes, **pointers)))
