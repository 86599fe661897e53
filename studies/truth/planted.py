"""Generators that have a structure, made of a network's own: what an analysis of such networks would find of it.

A structure that was not found may not be there, or may not be seen. So the part of each learned generator that has the
structure is taken for the action, and put into the network in two ways. *Whole*: it is the matrix, and the start is
noise on it. *Through filters*: it makes the filters, from which the matrix is known on their span U alone, and off U
stands the start (`Note [Off U]`). On both sides there is as much energy as in the learned generator on U and off it.
"""

from collections.abc import Callable
from itertools import product

import torch
from torch import Tensor, nn

from lgn.actions import Patch, vec
from lgn.analysis.structure import by_offset, energy
from lgn.generators import Share
from lgn.nn import OrbitBank
from studies.truth.unrelated import (
    Generators,
    first_elements,
    matrices_of,
    orthogonal_to,
    over_banks,
    unit_pairs,
    with_energy,
)

WHOLE, THROUGH_FILTERS = "whole", "through filters"


def _skew_symmetric(matrices: Tensor, patch: Patch) -> Tensor:
    del patch
    return (matrices - matrices.mT) / 2


def _toeplitz(matrices: Tensor, patch: Patch) -> Tensor:
    del patch
    return by_offset(matrices, (matrices.shape[-1], 1))


def _multi_scale(matrices: Tensor, patch: Patch) -> Tensor:
    """The same entries, those of a quadrant with the sign that most of it has."""
    half = patch[1] // 2 * patch[0]
    sides = (slice(None, half), slice(matrices.shape[-1] - half, None))
    result = matrices.clone()
    for rows, columns in product(sides, sides):
        quadrant = matrices[..., rows, columns]
        result[..., rows, columns] = quadrant.abs() * quadrant.sum((-2, -1), keepdim=True).sign()
    return result


#: The part of matrices that has a structure.
PARTS: dict[str, Callable[[Tensor, Patch], Tensor]] = {
    "skew-symmetric": _skew_symmetric,
    "Toeplitz": _toeplitz,
    "multi-scale": _multi_scale,
}


def planted(
    model: nn.Module, initial: dict[str, Tensor], share: Share, through_filters: bool
) -> tuple[Generators, list[str]]:
    """The generators of a network with the structures of `PARTS` in turn, and which of them each one has."""
    made = [_with_part(model, initial, share, part, through_filters) for part in PARTS.values()]
    turn = torch.arange(len(made[0].matrices)) % len(PARTS)
    matrices = torch.stack([each.matrices for each in made])[turn, torch.arange(len(turn))]
    return Generators(matrices, made[0].filters, made[0].patch, made[0].order), [list(PARTS)[k] for k in turn]


def _with_part(
    model: nn.Module,
    initial: dict[str, Tensor],
    share: Share,
    part: Callable[[Tensor, Patch], Tensor],
    through_filters: bool,
) -> Generators:
    def of(name: str, bank: OrbitBank) -> Generators:
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

    return over_banks(model, of)


def _orbit(action: Tensor, basis: Tensor, length: int, share: Share) -> Tensor:
    """Unit vectors along the first elements of orbits, as columns: those of all channels together, or of each apart.

    Shapes: action (S, C or 1, d, d), basis (S, C, n, m) -> (S, C or 1, d, length or C length)
    """
    columns = [vec(basis)[..., None]]  # (S, C, d, 1)
    for _ in range(length - 1):
        columns.append(action @ columns[-1])
        columns[-1] = columns[-1] / columns[-1].norm(dim=-2, keepdim=True).clamp_min(1e-30)
    orbits = torch.cat(columns, -1)
    return orbits if share == "channel" else orbits.transpose(1, 2).flatten(-2)[:, None]
