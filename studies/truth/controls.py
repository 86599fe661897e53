"""Generators for comparison, made of the filters and generators of a network: unrelated ones, and planted structures.

Three kinds of unrelated generators are compared with learned ones. In *free networks* filters are taken as sets,
although nothing relates them. *Re-paired* generators belong to the filters of one network, and every element of a set
is drawn from another set. With *other inputs* a generator has the right singular vectors of another one of its network.

A structure that was not found may be absent, or invisible to the analysis. So the part of each learned generator that
has the structure is planted in two ways. *Whole*: it is the matrix, and the start is noise on it. *Through filters*: it
makes the filters, from which the matrix is known on their span U alone, and off U stands the start (`Note [Off U]`). On
both sides there is as much energy as in the learned generator on U and off it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import torch
from torch import Tensor, nn

from lgn.actions import Patch, vec
from lgn.analysis.structure import by_offset, energy
from lgn.generators import Share
from lgn.generators.fit import filter_pairs
from lgn.generators.starts import start_matrices
from lgn.groups import cyclic
from lgn.nn import OrbitBank

FREE, REPAIRED, OTHER_INPUTS = "free networks", "re-paired", "other inputs"


@dataclass(frozen=True)
class Generators:
    """Matrices (G, d, d), and for each the filters (d, N) that its orbits begin with."""

    matrices: Tensor
    filters: Sequence[Tensor]
    patch: Patch
    order: int


# Note [Off U]
# Filters determine a generator on the span U of all but the last of each set, and nowhere else. To leave the rest at
# zero would give matrices of rank 3 or 9, which no learned generator is; the isometry nearest to the identity, which
# `lgn.generators.fit` takes where a network is to be built, is Toeplitz, symmetric and nearly a permutation on its own.
# A learned generator still has its start there, so a random start with as much energy is taken.
def fitted(sets: Tensor, share: Share, start: Tensor, energy_off: Tensor | None = None) -> Generators:
    """`A = B_plus pinv(B_minus)` of filter sets, and a start off U with the energy `energy_off` (as on U for None).

    Shapes: sets (S, p, C, n, m), start (S, C or 1, d, d), energy_off (S, C or 1) -> S or S C generators
    """
    before, after = unit_pairs(sets, share)
    on_u = after @ torch.linalg.pinv(before)
    off_u = start.double() @ orthogonal_to(before)
    matrices = on_u + with_energy(off_u, energy(on_u) if energy_off is None else energy_off)
    patch = (sets.shape[-2], sets.shape[-1])
    return Generators(matrices.flatten(0, 1), first_elements(sets[:, 0].double(), share), patch, sets.shape[1])


def free(model: nn.Module, order: int, share: Share, seed: int, shuffled: bool = False) -> Generators:
    """Generators that fit the filters of a free network, `order` at a time, from orthogonal starts.

    The filters stand as they are, or `shuffled` within their layer.
    """
    layers = model.get_submodule("encoder").filters().detach()  # type: ignore[operator]
    if shuffled:
        layers = layers[:, torch.randperm(layers.shape[1], generator=torch.Generator().manual_seed(seed))]
    sets = layers.flatten(0, 1).unflatten(0, (-1, order))
    leading = (len(sets), sets.shape[2] if share == "channel" else 1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        start = start_matrices("orthogonal", leading, sets.shape[-2] * sets.shape[-1], dtype=torch.float64)
    return fitted(sets, share, start)


def repaired(model: nn.Module, initial: dict[str, Tensor], share: Share, seed: int) -> Generators:
    """The filters of a network in new sets: element j of a set becomes element j of another, with the own norms.

    All channels of a filter go together, and no two elements that follow each other come from one set. Off U stands
    the start of the own generator (`Note [Off U]`).
    """
    random = torch.Generator().manual_seed(seed)

    def of(name: str, bank: OrbitBank) -> Generators:
        sets = bank().detach().double().unflatten(0, (-1, bank.order))  # (S, p, C, n, m)
        count, p = sets.shape[:2]
        shifts = torch.randint(1, count, (p,), generator=random).cumsum(0)
        chosen = torch.randperm(count, generator=random)[(torch.arange(count)[:, None] + shifts) % count]  # (S, p)
        moved = sets[chosen, torch.arange(p)]
        norms = [torch.linalg.matrix_norm(item, keepdim=True).clamp_min(1e-30) for item in (sets, moved)]
        off = energy(matrices_of(bank, share) @ orthogonal_to(unit_pairs(sets, share)[0]))
        return fitted(moved * norms[0] / norms[1], share, initial[f"{name}.generator.matrix"], off)

    return over_banks(model, of)


def with_other_inputs(model: nn.Module, share: Share, seed: int) -> Generators:
    """`U_k S_k V_h^T`: what each generator writes, with what another one of the same layer or network reads."""
    random = torch.Generator().manual_seed(seed)

    def of(_: str, bank: OrbitBank) -> Generators:
        left, values, right = torch.linalg.svd(matrices_of(bank, share).flatten(0, 1))
        by = int(torch.randint(1, len(left), (), generator=random))
        matrices = left @ (values[..., None] * right.roll(by, 0))
        first = first_elements(bank.basis.detach().double(), share)
        return Generators(matrices, first, bank.generator.patch, bank.order)

    return over_banks(model, of)


def over_banks(model: nn.Module, of: Callable[[str, OrbitBank], Generators]) -> Generators:
    made = [of(name, bank) for name, bank in model.named_modules() if isinstance(bank, OrbitBank)]
    matrices, filters = torch.cat([item.matrices for item in made]), [first for item in made for first in item.filters]
    return replace(made[0], matrices=matrices, filters=filters)


def matrices_of(bank: OrbitBank, share: Share) -> Tensor:
    matrices = bank.generator.matrix().detach().double()
    if share not in ("set", "channel") or len(matrices) != len(bank.basis):
        raise ValueError(f"share must be 'set' or 'channel' where generators are compared, got {share!r}")
    return matrices


def unit_pairs(sets: Tensor, share: Share) -> tuple[Tensor, Tensor]:
    """Elements j and j + 1 of each set as columns (S, C or 1, d, pairs); in each pair the first has norm 1."""
    before, after = (part[0] for part in filter_pairs(vec(sets.double()), cyclic(sets.shape[1]), share))
    length = before.norm(dim=-2, keepdim=True).clamp_min(1e-30)
    return before / length, after / length


def orthogonal_to(columns: Tensor) -> Tensor:
    """The projector on the orthogonal complement of columns, (..., d, pairs) -> (..., d, d)."""
    return torch.eye(columns.shape[-2], dtype=columns.dtype) - columns @ torch.linalg.pinv(columns)


def with_energy(matrices: Tensor, wanted: Tensor) -> Tensor:
    """The matrices, scaled to the wanted energy. A zero matrix stays zero."""
    there = energy(matrices)
    scale = torch.where(there > 1e-12, wanted / there.clamp_min(1e-12), 0.0).sqrt()
    return scale[..., None, None] * matrices


def first_elements(bases: Tensor, share: Share) -> list[Tensor]:
    columns = vec(bases)  # (S, C, d)
    return list(columns.flatten(0, 1)[..., None]) if share == "channel" else list(columns.mT)


WHOLE, THROUGH_FILTERS = "whole", "through filters"


def _multi_scale(matrices: Tensor, patch: Patch) -> Tensor:
    half = patch[1] // 2 * patch[0]
    sides = (slice(None, half), slice(matrices.shape[-1] - half, None))
    result = matrices.clone()
    for rows, columns in product(sides, sides):
        quadrant = matrices[..., rows, columns]
        result[..., rows, columns] = quadrant.abs() * quadrant.sum((-2, -1), keepdim=True).sign()
    return result


#: The part of matrices that has a structure.
PARTS: dict[str, Callable[[Tensor, Patch], Tensor]] = {
    "skew-symmetric": lambda matrices, _: (matrices - matrices.mT) / 2,
    "Toeplitz": lambda matrices, _: by_offset(matrices, (matrices.shape[-1], 1)),
    "multi-scale": _multi_scale,
}


def planted(
    model: nn.Module, initial: dict[str, Tensor], share: Share, through_filters: bool
) -> tuple[Generators, list[str]]:
    """The generators of a network with the structures of `PARTS` in turn, and which of them each one has."""

    def of(part: Callable[[Tensor, Patch], Tensor], name: str, bank: OrbitBank) -> Generators:
        patch, basis = bank.generator.patch, bank.basis.detach().double()
        learned, start = matrices_of(bank, share), initial[f"{name}.generator.matrix"].double()
        sets = bank().detach().double().unflatten(0, (-1, bank.order))
        start_energy = energy(learned @ orthogonal_to(unit_pairs(sets, share)[0]))
        action = part(learned, patch)
        action_energy = energy(learned) - start_energy
        if through_filters:
            beyond_filters = orthogonal_to(_orbit(action, basis, bank.order - 1, share))
            action, start = action - action @ beyond_filters, start @ beyond_filters
        matrices = with_energy(action, action_energy) + with_energy(start, start_energy)
        return Generators(matrices.flatten(0, 1), first_elements(basis, share), patch, bank.order)

    made = [over_banks(model, partial(of, part)) for part in PARTS.values()]
    turn = torch.arange(len(made[0].matrices)) % len(PARTS)
    matrices = torch.stack([item.matrices for item in made])[turn, torch.arange(len(turn))]
    return replace(made[0], matrices=matrices), [list(PARTS)[k] for k in turn]


def _orbit(action: Tensor, basis: Tensor, length: int, share: Share) -> Tensor:
    """Unit vectors along the first elements of orbits, as columns: of all channels together, or of every channel alone.

    Shapes: action (S, C or 1, d, d), basis (S, C, n, m) -> (S, C or 1, d, length or C length)
    """
    columns = [vec(basis)[..., None]]  # (S, C, d, 1)
    for _ in range(length - 1):
        columns.append(action @ columns[-1])
        columns[-1] = columns[-1] / columns[-1].norm(dim=-2, keepdim=True).clamp_min(1e-30)
    orbits = torch.cat(columns, -1)
    return orbits if share == "channel" else orbits.transpose(1, 2).flatten(-2)[:, None]
