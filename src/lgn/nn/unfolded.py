"""The unfolded encoder: layers are steps of sparse coding, with filters that are orbits (eqs. 3, 10, 11)."""

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from lgn.actions import Patch, size_text
from lgn.generators import Family, Share, Start
from lgn.groups import Group
from lgn.nn.bank import FreeBank, OrbitBank, filter_norms, layer_group, require_positive
from lgn.nn.kernels import KERNELS, Kernel, Layers
from lgn.nn.kernels.adjoint import Margins, synthesise
from lgn.nn.kernels.batch_norm import CodeBatchNorm
from lgn.nn.kernels.fast import Synthesis
from lgn.nn.kernels.native import NativeSynthesis, is_native
from lgn.nn.kernels.plain_gradients import is_transformed
from lgn.nn.kernels.unfolding import Unfolding
from lgn.nn.step_size import largest_eigenvalue

Algorithm = Literal["ista", "fista"]
Path = Literal["auto", "native", "fast", "plain"]
StepSize = float | Literal["safe"]
NORMS: dict[int, type[nn.Module]] = {1: nn.BatchNorm1d, 2: CodeBatchNorm, 3: nn.BatchNorm3d}


class UnfoldedEncoder(nn.Module):
    """`num_layers` steps `z <- S_(a lambda)(z + a W^T * (x - W * z))` from z = 0 (eqs. 3 and 10).

    The threshold enters as `step * lambda`, with lambda trained and starting at 1: eq. 3 writes lambda unscaled, which
    with a step of 0.01 leaves no code. Batch normalisation follows every layer but the last; under FISTA it acts on
    the momentum variable. Filters are orbits of a finite `group`: one of `lgn.groups`, its name, such as "D4",
    or an int, the cyclic group of that order. `generator="free"` gives the control without a group.

    `step` is a number or "safe" (the largest at which ISTA converges, found anew from the filters each time). `path`
    chooses between the plain expression, the fast one of `lgn.nn.kernels.fast` and the compiled one of
    `lgn.nn.kernels.native`; they are equal. Second derivatives and `torch.func` take the plain one by themselves.

    `kernel_size` has as many numbers as what is encoded has axes: (9,) encodes signals, (3, 3, 3) volumes, both by the
    plain expression; one number alone is for images.

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
        _require_choice("algorithm", algorithm, get_args(Algorithm))
        _require_choice("path", path, get_args(Path))
        if isinstance(step, str):
            _require_choice("step", step, ("safe",))
        elif step <= 0:
            raise ValueError(f"step must be positive, got {step}")
        self.patch = patch = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
        if len(patch) != 2 and path not in ("auto", "plain"):
            raise ValueError(f"path must be auto or plain for a kernel of {size_text(patch)}, got {path!r}")
        self.group = layer_group(group)
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
        """The banks of all layers; a tied network has one.  (layers or 1, sets * order, channels, n, m)"""
        return self.bank().unflatten(0, (-1, self.num_sets * self.order))

    def step_sizes(self, filters: Tensor, image_size: Patch) -> Tensor:
        """The step of each bank.  (layers or 1,)"""
        if self.step == "safe":
            return 1 / largest_eigenvalue(filters, image_size)
        return torch.full_like(filters.flatten(1)[:, 0], float(self.step)).detach()

    def forward(self, x: Tensor) -> Tensor:
        return self._encode(x, None)

    def pooled(self, x: Tensor, cells: int) -> Tensor:
        """The codes averaged over a grid of `cells x cells`, within the last layer where that is faster.

        Shapes: (N, in_channels, H, W) -> (N, num_sets * order, cells, cells)
        """
        return self._encode(x, cells)

    def _encode(self, x: Tensor, cells: int | None) -> Tensor:
        if not torch.compiler.is_compiling() and min(self.margins.code_size(x, self.patch)) < 1:
            kernel, given = size_text(self.patch), size_text(tuple(x.shape[-len(self.patch) :]))
            raise ValueError(f"x must not be smaller than the kernel of {kernel} where it is padded, got {given}")
        filters = self.filters()
        steps = self.step_sizes(filters, tuple(x.shape[2:]))
        # With sqrt(a) in the filters and in the image, a layer is u + S^T(x - S u): no scaling of codes is left.
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
        images = [root * x for root in roots] if self.step == "safe" else [roots[0] * x]
        return self._iterate(layers, [layers.image(image) for image in images], cells)

    def _iterate(self, layers: Layers[Any], images: list[Tensor], cells: int | None) -> Tensor:
        u, codes, previous, last = None, images[0], images[0], self.num_layers - 1
        for number in range(last):
            previous, codes = codes, layers(u, images[number % len(images)], number)
            u = layers.given(codes, previous, number + 1)
        image = images[last % len(images)]
        return layers(u, image, last) if cells is None else layers.pooled(u, image, last, cells)

    def decode(self, codes: Tensor, layer: int = -1, *, filters: Tensor | None = None) -> Tensor:
        """`W * z` with the bank of a layer, or with other filters.  (N, sets * order, H', W') -> (N, channels, H, W)"""
        filters = self.filters()[layer] if filters is None else filters
        if self.path == "plain" or self._must_be_plain(codes):
            return synthesise(codes, filters, self.margins)
        native = self.path != "fast" and is_native(codes, filters.dtype, self.patch, codes.shape[-2:])
        return (NativeSynthesis if native else Synthesis).apply(codes, filters, self.margins)

    @torch.no_grad()
    def step_conditions(self, image_size: Patch) -> Tensor:
        """`step * sigma_max(W^T W)` of each bank: the paper's condition is that it is at most 1.  (layers or 1,)"""
        filters = self.filters()
        return self.step_sizes(filters, image_size) * largest_eigenvalue(filters, image_size)

    def kernel(self, x: Tensor, say: Callable[[str], None] | None = None) -> Kernel:
        """The path by which an image like `x` is encoded here; `say` is told if kernels are compiled for it first."""
        if self.path == "plain" or self._must_be_plain(x):
            return "plain"
        if self.path == "fast":
            return "fast"
        codes = self.margins.code_size(x, self.patch)
        if not self.two_sided and is_native(x, self.threshold.dtype, self.patch, codes, say):
            return "native"
        if self.path == "native":
            raise ValueError(
                "path must be auto, fast or plain here, got 'native': it needs a C compiler on Linux, AVX2, "
                "a one-sided threshold, float32, patches up to 11x11 and codes of at least 8x8"
            )
        return "fast"

    def _must_be_plain(self, x: Tensor) -> bool:
        """Whether what goes on knows plain expressions alone, or would rather have them."""
        compiling = torch.compiler.is_compiling()
        if not compiling and is_transformed():
            return True
        # Under autocast torch chooses types operation by operation; the fast path, one operation, has one type.
        # The others are made for images.
        images = len(self.patch) == 2
        autocast = torch.is_autocast_enabled("cpu")
        return self.path == "auto" and (not images or compiling or x.device.type != "cpu" or autocast)

    def __prepare_scriptable__(self) -> "UnfoldedEncoder":
        """Called by `torch.jit.script`."""
        raise TypeError("torch.jit.script does not know UnfoldedEncoder: use lgn.merge(model) and torch.export")

    def extra_repr(self) -> str:
        sides = "two-sided" if self.two_sided else "one-sided"
        return f"{self.num_layers} layers of {self.algorithm.upper()}, step {self.step}, {sides} threshold"


def momenta(num_layers: int) -> list[float]:
    """How far FISTA goes ahead of the codes before each layer, `v = ahead z + (1 - ahead) y`; the first step does not.

    `ahead = 1 + (t - 1) / t'` with `t' = (1 + sqrt(1 + 4 t^2)) / 2` from t = 1.
    """
    ahead, momentum = [1.0], 1.0
    for _ in range(1, num_layers):
        following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead.append(1 + (momentum - 1) / following)
        momentum = following
    return ahead


def _require_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
