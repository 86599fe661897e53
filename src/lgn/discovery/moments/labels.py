"""Symmetries of a task: maps that keep the moments of every class, or take each class to another one."""

import torch
from torch import Tensor

from lgn.discovery.moments.ascent import Moments, climb
from lgn.discovery.moments.search import NEAR, PROMISING, closed, distinct, polish, search, share_of_chance
from lgn.discovery.moments.significance import Blocks, weakest_direction
from lgn.discovery.moments.split import CLEAR, Sample, choose_frame
from lgn.discovery.moments.starts import invariants_and_noise
from lgn.discovery.moments.tensors import rotate
from lgn.discovery.moments.view import Classes, View, permuted
from lgn.discovery.moments.whitening import Frame
from lgn.linalg import assignment

MOST = 14  # directions
ENOUGH = 4  # classes, not taken to each other, whose means and covariances can decide by themselves

# Note [Means and covariances]
# One covariance is kept by any signs in its eigenbasis, and two by some: only several classes, whose covariances have
# no basis in common, leave no such choice. And where a group turns planes, all covariances are kept by any angle. Third
# moments, of all classes together, decide both; where they are not clear, means and covariances of at least four
# classes may decide, if they leave no continuous family. Classes that the map takes to each other are as one.


def task_moments(searching: Sample, rank: int | None, seed: int) -> tuple[Frame, Blocks, list[str]]:
    """The frame, means and covariances by class, and third moments of all where they are clear."""
    frame, found = choose_frame(searching, (1, 2), rank, seed, MOST)
    third = pooled(searching).moments(frame, (3,), seed)
    if weakest_direction(third, len(searching.x)) >= CLEAR or searching.classes < ENOUGH:
        return frame, {**found, **third}, []
    return frame, found, ["third moments are not clear: means and covariances of the classes decide"]


def pooled(sample: Sample) -> Sample:
    """The samples without their labels."""
    return Sample(sample.x, sample.images, None, 1)


def task_blocks(sample: Sample, frame: Frame, degrees: tuple[int, ...], seed: int) -> Blocks:
    """Degrees 1 and 2 by class, degree 3 of all classes together."""
    by_class = sample.moments(frame, tuple(degree for degree in degrees if degree < 3), seed)
    return {**by_class, **pooled(sample).moments(frame, tuple(degree for degree in degrees if degree > 2), seed)}


def task_solutions(searching: Sample, view: View, starts: int, seed: int) -> tuple[int, list[tuple[Tensor, Classes]]]:
    """Maps with where they take the classes: those that keep each class, and those of the data, with the best order.

    -> how many solutions there were, and those that are promising
    """
    frame, found, moments = view.frame, view.blocks, view.moments
    stay = tuple(range(searching.classes))
    kept = polish(search(moments, invariants_and_noise(found), starts, seed), moments)
    third = found if 3 in found else pooled(searching).moments(frame, (3,), seed)
    data = {3: third[3].mean(0)}
    lower = pooled(searching).moments(frame, (1, 2), seed)
    free = polish(search(data, invariants_and_noise({**lower, 3: third[3]}), starts, seed), data)
    free = torch.cat([free, closed(free[:6], data, {3: third[3]})])
    chosen = [(each, stay) for each in kept]
    for each in free:
        classes = best_classes(each, moments)
        polished = climb(each[None], moments, permuted(moments, classes), steps=200, tolerance=1e-8)[0][0]
        chosen.append((polished, best_classes(polished, moments)))
    return len(chosen), _promising(chosen, found, stay)


def best_classes(matrix: Tensor, moments: Moments) -> Classes:
    """Where the classes go that a map takes them nearest to: an assignment problem."""
    nearness: Tensor | float = 0.0
    for degree in (1, 2):
        moved, there = rotate(matrix, moments[degree], degree).flatten(1), moments[degree].flatten(1)
        nearness = nearness + moved @ there.T
    assert isinstance(nearness, Tensor)
    return tuple(assignment(nearness).tolist())


def cycles(classes: Classes | None) -> int:
    """Into how many cycles classes fall that go where they are told."""
    if classes is None:
        return 0
    left, count = set(range(len(classes))), 0
    while left:
        here = min(left)
        count += 1
        while here in left:
            left.remove(here)
            here = classes[here]
    return count


def _promising(chosen: list[tuple[Tensor, Classes]], blocks: Blocks, stay: Classes) -> list[tuple[Tensor, Classes]]:
    """Distinct ones that the samples that searched keep well, the best first; not the identity."""
    size = chosen[0][0].shape[-1] ** 0.5
    eye = torch.eye(chosen[0][0].shape[-1], dtype=torch.float64)
    shares = []
    for matrix, classes in chosen:
        if float((matrix - eye).norm()) < NEAR * size and classes == stay:
            shares.append(1.0)
        else:
            shares.append(share_of_chance(matrix, blocks, permuted(blocks, classes, axis=1)))
    left = [number for number in range(len(chosen)) if shares[number] < PROMISING]
    if not left:
        return []
    scores = -torch.tensor([shares[number] for number in left], dtype=torch.float64)
    best, _ = distinct(torch.stack([chosen[number][0] for number in left]), scores, 16)
    classes_of = {id_: chosen[number][1] for number in left for id_ in [_key(chosen[number][0])]}
    return [(each, classes_of[_key(each)]) for each in best]


def _key(matrix: Tensor) -> bytes:
    return matrix.numpy().tobytes()
