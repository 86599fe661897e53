"""A layer of the unfolded encoder, and its decoder, by compiled kernels; see Note [Native step] in layer.h."""

import ctypes
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.nn.kernels.adjoint import Margins, correlate, synthesise
from lgn.nn.kernels.native import compiled
from lgn.nn.kernels.plain_gradients import plain_gradients

OF_CODES = ("codes", "previous", "moments", "weight", "shift")
INPUTS = (*OF_CODES, "image", "bank", "bias")  # the tensors that a step takes


class _Layer(ctypes.Structure):
    """`layer` in layer.h."""

    _fields_ = [
        *((name, ctypes.c_long) for name in ("batch", "filters", "channels", "height", "width", "rows", "columns")),
        *((name, ctypes.c_long) for name in ("top", "left", "code_height", "code_width", "threads", "pool")),
        *((name, ctypes.c_double) for name in ("ahead", "following", "eps")),
        *((name, ctypes.c_void_p) for name in ("codes", "previous", "moments", "weight", "shift")),
        *((name, ctypes.c_void_p) for name in ("image", "bank", "bias", "residual", "out", "pooled", "next_moments")),
        *((name, ctypes.c_void_p) for name in ("g_pooled", "g_out", "g_passed", "g_next_moments")),
        *((name, ctypes.c_void_p) for name in ("g_codes", "g_previous", "g_image", "g_bank")),
        *((name, ctypes.c_void_p) for name in ("g_bias", "g_weight", "g_shift", "g_moments")),
    ]


class Numbers(NamedTuple):
    """The inputs of a step that are no tensors: `v = ahead z + (1 - ahead) y`, with `following` for the next layer.

    measured: compute the moments for the next layer. pool: average the codes over this many cells per side.
    """

    margins: Margins
    ahead: float = 1.0
    following: float = 1.0
    eps: float = 0.0
    measured: bool = False
    pool: int = 0


class NativeStep(torch.autograd.Function):
    """`z' = relu(u + S^T(x - S u) + b)` with `u = weight (v - mean) / sqrt(variance + eps) + shift`; u = 0 without z.

    v is `ahead z + (1 - ahead) y` for the codes z and y of the two layers before, or z where y is None; u is v where
    moments, its mean and variance, are None. The second output has the moments of the input of the next layer,
    `following z' + (1 - following) z`. The third output is z again, the y of the next layer, so that the gradients of
    both uses meet in the kernel. With `pool` the first output are means of z' over cells, (N, F, pool, pool).

    Shapes: (N, F, H', W') twice, (2, F) in float64, (F,) twice, (N, C, H, W), (F, C, n, m), (F,) -> (N, F, H', W'),
    (2, F) in float64, (N, F, H', W')
    """

    @staticmethod
    def forward(ctx: Any, *arguments: Any) -> tuple[Tensor, Tensor | None, Tensor | None]:
        *tensors, numbers = arguments
        inputs = dict(zip(INPUTS, tensors, strict=True))
        codes, image, bank = inputs["codes"], inputs["image"], inputs["bank"]
        used = _contiguous(inputs)
        made = {"residual": torch.empty_like(image, memory_format=torch.contiguous_format)}
        made["out"] = image.new_empty(len(image), len(bank), *numbers.margins.code_size(image, bank.shape[-2:]))
        if numbers.pool:
            made["pooled"] = image.new_empty(len(image), len(bank), numbers.pool, numbers.pool)
        if numbers.measured:
            made["next_moments"] = image.new_empty(2, len(bank), dtype=torch.float64)
        _call("layer_forward", numbers, **used, **made)
        ctx.set_materialize_grads(False)
        ctx.numbers, ctx.names = numbers, [*inputs, *made]
        ctx.save_for_backward(*inputs.values(), *made.values())
        return made.get("pooled", made["out"]), made.get("next_moments"), codes if numbers.following != 1 else None

    @staticmethod
    def backward(
        ctx: Any, g_out: Tensor | None, g_next_moments: Tensor | None, g_passed: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        saved = ctx.saved_tensors
        gradients = g_out, g_next_moments, g_passed
        if torch.is_grad_enabled():
            plain = partial(_plain_step, numbers=ctx.numbers, wanted=[gradient is not None for gradient in gradients])
            given = [gradient for gradient in gradients if gradient is not None]
            return (*plain_gradients(plain, saved[: len(INPUTS)], ctx.needs_input_grad[:-1], given), None)
        tensors: dict[str, Any] = _contiguous(dict(zip(ctx.names, saved, strict=True)))
        if g_out is None:
            g_out = torch.zeros_like(tensors["pooled" if ctx.numbers.pool else "out"])
        found = {"bank": torch.empty_like(tensors["bank"]), "bias": torch.empty_like(tensors["bias"])}
        found |= {name: torch.empty_like(tensors[name]) for name in OF_CODES if tensors[name] is not None}
        if ctx.needs_input_grad[5]:
            found["image"] = torch.empty_like(tensors["image"])
        _call(
            "layer_backward",
            ctx.numbers,
            **tensors,
            **{"g_pooled" if ctx.numbers.pool else "g_out": g_out.contiguous()},
            g_next_moments=None if g_next_moments is None else g_next_moments.contiguous(),
            g_passed=None if g_passed is None else g_passed.contiguous(),
            **{f"g_{name}": value for name, value in found.items()},
        )
        return (*(found.get(name) for name in INPUTS), None)


class NativeSynthesis(torch.autograd.Function):
    """`W * z`, for a decoder; its gradients are the analysis of g, and `corr(g, z)`.

    Shapes: (N, F, H', W'), (F, C, n, m) -> (N, C, H, W)
    """

    @staticmethod
    def forward(ctx: Any, codes: Tensor, bank: Tensor, margins: Margins) -> Tensor:
        inputs = codes, bank
        codes, bank = codes.contiguous(), bank.contiguous()
        ctx.save_for_backward(codes, bank, *inputs)
        ctx.margins = margins
        image = codes.new_empty(len(codes), bank.shape[1], *margins.image_size(codes, bank.shape[-2:]))
        _call("decoder_forward", Numbers(margins), codes=codes, bank=bank, residual=image, image=image)
        return image

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        codes, bank, *inputs = ctx.saved_tensors
        if torch.is_grad_enabled():
            plain = partial(synthesise, margins=ctx.margins)
            return (*plain_gradients(plain, inputs, ctx.needs_input_grad[:2], (g,)), None)
        g_codes = torch.empty_like(codes) if ctx.needs_input_grad[0] else None
        g_bank = torch.empty_like(bank)
        gradients = {"g_codes": g_codes, "g_bank": g_bank}
        _call("decoder_backward", Numbers(ctx.margins), codes=codes, bank=bank, image=g.contiguous(), **gradients)
        return g_codes, g_bank, None


def _plain_step(*inputs: Any, numbers: Numbers, wanted: list[bool]) -> list[Tensor]:
    """`NativeStep` as plain expressions: the wanted outputs."""
    codes, previous, moments, weight, shift, image, bank, bias = inputs
    if codes is None:
        out = following = F.relu(correlate(image, bank, numbers.margins, bias))
    else:
        u = codes if previous is None else torch.lerp(previous, codes, numbers.ahead)
        if moments is not None:
            scale = weight * (moments[1] + numbers.eps).rsqrt()
            shift = shift - moments[0] * scale
            u = scale.to(u.dtype).view(-1, 1, 1) * u + shift.to(u.dtype).view(-1, 1, 1)
        out = F.relu(u + correlate(image - synthesise(u, bank, numbers.margins), bank, numbers.margins, bias))
        following = out if numbers.following == 1 else torch.lerp(codes, out, numbers.following)
    exact = following.double()
    of_next = torch.stack([exact.mean((0, 2, 3)), exact.var((0, 2, 3), correction=0)])
    outputs = F.adaptive_avg_pool2d(out, numbers.pool) if numbers.pool else out, of_next, codes
    return [output for output, want in zip(outputs, wanted, strict=True) if want and output is not None]


def _contiguous(tensors: dict[str, Tensor | None]) -> dict[str, Tensor | None]:
    return {name: None if tensor is None else tensor.contiguous() for name, tensor in tensors.items()}


def _call(function: str, numbers: Numbers, **tensors: Any) -> None:
    library = compiled.kernels()
    if library is None:
        raise RuntimeError("there are no native kernels on this machine")
    image, bank = tensors["image"], tensors["bank"]
    margins, code_size = numbers.margins, numbers.margins.code_size(image, bank.shape[-2:])
    sizes = (len(image), len(bank), *image.shape[1:], *bank.shape[2:], *margins.before, *code_size)
    pointers = {name: tensor.data_ptr() for name, tensor in tensors.items() if tensor is not None}
    floats = (numbers.ahead, numbers.following, numbers.eps)
    layer = _Layer(*sizes, torch.get_num_threads(), numbers.pool, *floats, **pointers)
    # A vector cannot read rows that are shorter than itself.
    getattr(library, function)(ctypes.byref(layer), min(compiled.LANES_LIMIT, code_size[1]))
