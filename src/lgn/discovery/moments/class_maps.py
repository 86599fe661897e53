"""Maps that preserve the moments of every class, or permute the classes."""

import torch
from torch import Tensor

from lgn.discovery.moments.ascent import Moments, climb
from lgn.discovery.moments.elements import Solution
from lgn.discovery.moments.invariants import invariants_and_noise
from lgn.discovery.moments.sample import CLEAR, Frame, Sample, View, choose_frame
from lgn.discovery.moments.search import closed, distinct, polish, promising, search
from lgn.discovery.moments.tensors import Blocks, Classes, permuted, rotate, weakest_direction
from lgn.linalg import assignment

#: The largest number of directions, and of solutions.
MOST, SOLUTIONS = 14, 16
#: The number of cycles of classes whose means and covariances can decide alone.
ENOUGH = 4

# Note [Means and covariances]
# A covariance is preserved by all changes of signs in its eigenbasis, and turns of a plane by all angles may preserve
# the covariances of all classes. Third moments of all classes together exclude such maps. If third moments are not
# clear, means and covariances decide only if the map has at least four cycles of classes, and if they have no
# continuous symmetry.


def moments_by_class(searching: Sample, rank: int | None) -> tuple[Frame, Blocks, tuple[str, ...]]:
    """The frame, the means and covariances of every class with the third moments of all classes, and notes.

    Third moments that are not clear are left out: see Note [Means and covariances].
    """
    frame, found = choose_frame(searching, (1, 2), rank, MOST)
    third = searching.moments(frame, (3,))
    if weakest_direction(third, len(searching.x)) >= CLEAR or searching.classes < ENOUGH:
        return frame, {**found, **third}, ()
    return frame, found, ("Third moments are not clear, so means and covariances of the classes decide.",)


def solutions_by_class(view: View, starts: int) -> tuple[int, list[Solution]]:
    """Maps that preserve every class, and maps of the data with the best permutation of classes.

    The result is the number of solutions and the promising ones.
    """
    sample, found, moments = view.sample, view.blocks, view.moments
    seed, stay = sample.seed, tuple(range(sample.classes))
    kept = polish(search(moments, invariants_and_noise(found), starts, seed), moments)
    third = {3: found[3] if 3 in found else sample.moments(view.frame, (3,))[3]}
    data = {3: third[3].mean(0)}
    lower = sample.pooled().moments(view.frame, (1, 2))
    free = polish(search(data, invariants_and_noise({**lower, **third}), starts, seed), data)
    free = torch.cat([free, closed(free[:6], data, third)])
    maps, classes = list(kept), [stay] * len(kept)
    for matrix in free:
        target = permuted(moments, _best_classes(matrix, moments))
        maps.append(climb(matrix[None], moments, target, steps=200, tolerance=1e-8)[0][0])
        classes.append(_best_classes(maps[-1], moments))
    best = promising(torch.stack(maps), found, classes=classes)
    numbers = best[distinct(torch.stack(maps)[best], -torch.arange(len(best)), SOLUTIONS)]
    return len(maps), [Solution(maps[number], classes[number]) for number in numbers.tolist()]


def has_enough_cycles(classes: Classes) -> bool:
    """Whether a permutation has enough cycles: their number is the dimension of the vectors that it keeps."""
    eye = torch.eye(len(classes))
    return len(eye) - int(torch.linalg.matrix_rank(eye[list(classes)] - eye)) >= ENOUGH


def _best_classes(matrix: Tensor, moments: Moments) -> Classes:
    """The permutation of classes that is nearest to a map."""
    means, covariances = (rotate(matrix, moments[n], n).flatten(1) @ moments[n].flatten(1).T for n in (1, 2))
    return tuple(assignment(means + covariances).tolist())
