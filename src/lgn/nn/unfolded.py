"""The unfolded encoder: its layers are steps of sparse coding, and its filters are orbits (eqs. 3, 10, 11)."""

import math
from collections.abc import Callable
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from lgn.actions import Patch, size_text
from lgn.generators import Family, Share, Start
from lgn.groups import Group
from lgn.nn.bank import FreeBank, OrbitBank, filter_norms, group_of_layer, require_choice, require_positive
from lgn.nn.kernels import KERNELS, Kernel
from lgn.nn.kernels.adjoint import Margins, synthesise
from lgn.nn.kernels.batch_norm import CodeBatchNorm
from lgn.nn.kernels.fast import Synthesis
from lgn.nn.kernels.native.layer import is_native
from lgn.nn.kernels.native.step import NativeSynthesis
from lgn.nn.kernels.plain import Unfolding
from lgn.nn.kernels.plain_gradients import is_transformed

Algorithm = Literal["ista", "fista"]
Path = Literal["auto", "native", "fast", "plain"]
StepSize = float | Literal["safe"]
NORMS: dict[int, type[nn.Module]] = {1: nn.BatchNorm1d, 2: CodeBatchNorm, 3: nn.BatchNorm3d}


class UnfoldedEncoder(nn.Module):
    """`num_layers` steps `z <- S_(a lambda)(z + a W^T * (x - W * z))` from z = 0 (eqs. 3 and 10).

    The threshold is `step * lambda`, with a trained lambda that begins at 1. In eq. 3 lambda is not scaled, which
    leaves no code for a step of 0.01. Batch normalisation follows every layer but the last; under FISTA it acts on the
    momentum variable.

    kernel_size: an int for images; a tuple with one side per axis for signals, (9,), and volumes, (3, 3, 3).
    group: a `lgn.groups.Group`, its name, such as "D4", or an int, the cyclic group of that order.
    generator: as in `GroupConv2d`; "free" has filters without a group, as a control.
    step: a number, or "safe", the largest step at which ISTA converges, computed from the current filters.
    path: "plain" is the expression itself, "fast" is arranged for a CPU, "native" is compiled C (`lgn.nn.kernels`). All
    give equal results. "auto" takes the fastest that supports the input; second derivatives and `torch.func` always use
    the plain expression, and so do signals and volumes.

    Shapes: (N, in_channels, H, W) -> (N, num_sets * order, H', W')
    """

    def __init__(
        self,
        in_channels: int,
        num_sets: int = 5,
        kernel_size: int | tuple[int, ...] = 6,
        num_layers: int = 4,
        *,
        group: Group | str | int = 4,
        algorithm: Algorithm = "ista",
        tied: bool = False,
        step: StepSize = 0.01,
        two_sided: bool = False,
        normalise: bool = True,
        padding: int | Literal["same"] = 1,
        generator: Family = "dense",
        share: Share = "set",
        start: Start = "orthogonal",
        basis_norm: float | None = None,
        path: Path = "auto",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_layers=num_layers)
        require_choice("algorithm", algorithm, get_args(Algorithm))
        require_choice("path", path, get_args(Path))
        if isinstance(step, str):
            require_choice("step", step, ("safe",))
        elif step <= 0:
            raise ValueError(f"step must be positive, got {step}")
        self.patch = patch = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
        if len(patch) != 2 and path not in ("auto", "plain"):
            raise ValueError(f"path must be auto or plain for a kernel of {size_text(patch)}, got {path!r}")
        self.group = group_of_layer(group)
        self.num_layers, self.num_sets, self.order = num_layers, num_sets, self.group.order
        self.algorithm, self.two_sided, self.path, self.step = algorithm, two_sided, path, step
        self.margins = Margins.of(padding, patch)
        banks, filters = 1 if tied else num_layers, num_sets * self.order
        self.bank: OrbitBank | FreeBank
        if generator == "free":
            free = torch.randn(banks * filters, in_channels, *patch, device=device, dtype=dtype)
            self.bank = FreeBank(free / filter_norms(free))
        else:
            self.bank = OrbitBank(
                in_channels,
                num_sets,
                patch,
                group=self.group,
                num_layers=banks,
                generator=generator,
                share=share,
                start=start,
                basis_norm=basis_norm,
                device=device,
                dtype=dtype,
            )
        self.threshold = nn.Parameter(torch.ones(banks, filters, device=device, dtype=dtype))
        norms, norm = num_layers - 1 if normalise else 0, NORMS[len(patch)]
        self.norms = nn.ModuleList(norm(filters, device=device, dtype=dtype) for _ in range(norms))

    def filters(self) -> Tensor:
        """The filters of all layers; tied layers share them.  (layers or 1, sets * order, channels, n, m)"""
        return self.bank().unflatten(0, (-1, self.num_sets * self.order))

    def step_sizes(self, filters: Tensor, image_size: Patch) -> Tensor:
        """The step of every bank.  (layers or 1,)"""
        if self.step == "safe":
            return 1 / largest_eigenvalue(filters, image_size)
        return torch.full_like(filters.flatten(1)[:, 0], float(self.step)).detach()

    def forward(self, x: Tensor) -> Tensor:
        return self._encode(x, None)

    def pooled(self, x: Tensor, cells: int) -> Tensor:
        """The codes averaged over a grid of `cells x cells`; the last layer averages them itself if that is faster.

        Shapes: (N, in_channels, H, W) -> (N, num_sets * order, cells, cells)
        """
        return self._encode(x, cells)

    def _encode(self, x: Tensor, cells: int | None) -> Tensor:
        if not torch.compiler.is_compiling():
            sizes = self.margins.code_size(x, self.patch)
            if min(sizes) < 1:
                padded = tuple(size + n - 1 for size, n in zip(sizes, self.patch, strict=True))
                raise ValueError(f"x must be at least {size_text(self.patch)} after padding, got {size_text(padded)}")
        filters = self.filters()
        steps = self.step_sizes(filters, tuple(x.shape[2:]))
        # With sqrt(a) in the filters and in the image, a layer is u + S^T(x - S u), and no codes need scaling.
        roots = steps.sqrt()
        layers = KERNELS[self.kernel(x)](
            Unfolding(
                filters * roots.view(-1, *(1,) * (filters.ndim - 1)),
                steps.unsqueeze(1) * self.threshold,
                self.two_sided,
                self.margins,
                momenta(self.num_layers) if self.algorithm == "fista" else [1.0] * self.num_layers,
                list(self.norms),
            )
        )
        scaled = [root * x for root in roots] if self.step == "safe" else [roots[0] * x]
        images = [layers.image(image) for image in scaled]
        u, codes, previous, last = None, images[0], images[0], self.num_layers - 1
        for number in range(last):
            previous, codes = codes, layers(u, images[number % len(images)], number)
            u = layers.layer_input(codes, previous, number + 1)
        image = images[last % len(images)]
        return layers(u, image, last) if cells is None else layers.pooled(u, image, last, cells)

    def decode(self, codes: Tensor, layer: int = -1, *, filters: Tensor | None = None) -> Tensor:
        """`W * z` with the filters of a layer, or with given filters.

        Shapes: (N, sets * order, H', W') -> (N, channels, H, W)
        """
        filters = self.filters()[layer] if filters is None else filters
        if self.path == "plain" or self._must_be_plain(codes):
            return synthesise(codes, filters, self.margins)
        native = self.path != "fast" and is_native(codes, filters.dtype, self.patch, codes.shape[-2:])
        return (NativeSynthesis if native else Synthesis).apply(codes, filters, self.margins)

    @torch.no_grad()
    def step_conditions(self, image_size: Patch) -> Tensor:
        """`step * sigma_max(W^T W)` of every bank; the paper requires at most 1.  (layers or 1,)"""
        filters = self.filters()
        return self.step_sizes(filters, image_size) * largest_eigenvalue(filters, image_size)

    def kernel(self, x: Tensor, report: Callable[[str], None] | None = None) -> Kernel:
        """The path that encodes an input like `x`; `report` gets a message if kernels must be compiled first."""
        if self.path == "plain" or self._must_be_plain(x):
            return "plain"
        if self.path == "fast":
            return "fast"
        codes = self.margins.code_size(x, self.patch)
        if not self.two_sided and is_native(x, self.threshold.dtype, self.patch, codes, report):
            return "native"
        if self.path == "native":
            raise ValueError(
                "path must be auto, fast or plain for this input, got 'native': native needs a C compiler on Linux, "
                "AVX2, a one-sided threshold, float32, patches up to 11x11 and codes of at least 8x8"
            )
        return "fast"

    def _must_be_plain(self, x: Tensor) -> bool:
        """Whether only the plain expression is supported, or path is auto and it is preferred."""
        compiling = torch.compiler.is_compiling()
        if not compiling and is_transformed():
            return True
        # Under autocast torch chooses the type of every operation, but the fast path is one operation with one type.
        # The fast and the native path support images only.
        images = len(self.patch) == 2
        autocast = torch.is_autocast_enabled("cpu")
        return self.path == "auto" and (not images or compiling or x.device.type != "cpu" or autocast)

    def __prepare_scriptable__(self) -> "UnfoldedEncoder":
        """Called by `torch.jit.script`."""
        raise TypeError("torch.jit.script does not support UnfoldedEncoder: use lgn.merge(model) and torch.export")

    def extra_repr(self) -> str:
        sides = "two-sided" if self.two_sided else "one-sided"
        return f"{self.num_layers} layers of {self.algorithm.upper()}, step {self.step}, {sides} threshold"


def momenta(num_layers: int) -> list[float]:
    """The extrapolation of FISTA before every layer: `v = ahead z + (1 - ahead) y`, with ahead = 1 for the first.

    `ahead = 1 + (t - 1) / t'` with `t' = (1 + sqrt(1 + 4 t^2)) / 2` from t = 1.
    """
    ahead, momentum = [1.0], 1.0
    for _ in range(1, num_layers):
        following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead.append(1 + (momentum - 1) / following)
        momentum = following
    return ahead


@torch.no_grad()
def largest_eigenvalue(filters: Tensor, image_size: Patch) -> Tensor:
    """An upper bound of `sigma_max(W^T W)` for images of the given size, zero-padded.

    Convolution with zero padding is a part of circular convolution on a grid of H + n - 1 by W + m - 1, which is
    diagonal in frequency. The bound is the largest squared singular value of the (F, C) matrices of the filters'
    transforms.

    Shapes: (layers, F, C, n, m) -> (layers,)
    """
    grid = [side + n - 1 for side, n in zip(image_size, filters.shape[3:], strict=True)]
    axes = tuple(range(3, filters.ndim))
    transform = torch.fft.rfftn(filters, s=grid, dim=axes).flatten(3)  # (layers, F, C, frequencies)
    gram = torch.einsum("lfcw,lfdw->lwcd", transform.conj(), transform)  # (layers, frequencies, C, C)
    if gram.shape[-1] == 1:
        return gram.real.flatten(1).amax(1)
    return torch.linalg.eigvalsh(gram).flatten(1).amax(1)
