"""Generators learned by gradient descent on the moments that they must keep, from many random starts at once."""

import math
from functools import partial

import torch
from torch import Tensor
from tqdm import tqdm

from lgn.actions import Patch, size_text
from lgn.answer import Answer, DataSummary, Defect, Evidence, Row, Verdict
from lgn.data.seeds import generator_for
from lgn.generators import FAMILIES, Generator, Representation, make_generator, permutation_like, rebase
from lgn.groups import Group, as_group, cyclic, relation_error
from lgn.linalg import identity_like
from lgn.penalties import KeptMoments, PatchMoments
from lgn.stats import stratified_halves
from lgn.transforms import Space, Transformation

KEPT = 3.0  # the largest violation of a symmetry at any degree, in units of the difference of the halves
POWER = 0.1  # the largest difference of the halves that allows a verdict
REBASE = 20  # the number of steps between two rebasings, see Note [Rebasing]
SENTENCES = {
    "kept": "The images keep a learned {}.",
    "broken": "The images do not keep the learned {}.",
    "undecided": "The images are too few to decide whether they keep the learned {}.",
}
NEAR = 0.5  # a map with a smaller relative distance to the identity is the identity in many directions

# Note [Kept on other images]
# One half of the images trains all starts and chooses the start with the smallest violation; the other half judges that
# start. Two halves of the same images differ by noise at every degree, and the violation of a symmetry on the second
# half is about as large: 0.3 to 1.6 times the difference on rotated and flipped digits. A map that is wrong in one of
# 25 directions violates third moments by 20 times the difference and more. Up to 3 times is "kept". With few images,
# the halves differ so much that every map is kept: then the verdict is "undecided".


def learn_generator(
    images: Tensor,
    labels: Tensor | None = None,
    *,
    patch: int | Patch,
    group: Group | str | int = 4,
    family: str | None = None,
    starts: int = 24,
    steps: int = 250,
    learning_rate: float = 0.1,
    seed: int = 0,
    progress: bool = False,
) -> Answer:
    """Learn generators that keep the moments of patches in every class, and judge them on other images.

    The loss is `lgn.penalties.KeptMoments` of a batch of generators, one per start. The families `cyclic` (the default
    for groups with one generator) and `representation` satisfy every relation and exclude the identity. For the
    families `orthogonal` and `dense`, starts that end near the identity or violate the relations are left out. About a
    third of the starts reach a quarter turn that the images keep; with few starts, none may, and the verdict "broken"
    is about the map that was learned.

    The answer has one row per generator of the group, whose matrix acts on patches. The value of its evidence is the
    violation on the other half of the images, and the noise the difference of the halves, at the degree that is
    violated most. See Note [Kept on other images].

    Shapes: images (N, C, H, W), labels (N,)
    """
    group, patch = as_group(group), (patch, patch) if isinstance(patch, int) else patch
    family = family or ("cyclic" if len(group.generators) == 1 else "representation")
    if starts < 1 or steps < 2:
        raise ValueError(f"starts must be at least 1 and steps at least 2, got {starts} and {steps}")
    training, judging = _halves(images, labels, seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        generator = random_generators(family, patch, group, starts).to(images)
    penalty = KeptMoments(generator, *training)
    _descend(generator, penalty, steps, learning_rate, progress)
    matrices, note = _best_start(generator, penalty, starts)
    (moments,) = penalty.moments.children()
    assert isinstance(moments, PatchMoments)
    verdict, needed, evidence = _judged(matrices, moments, PatchMoments(*judging, patch, frame=moments), len(images))
    kept = verdict == "kept"
    classes = () if labels is None else tuple(str(label) for label in labels.unique().tolist())
    return Answer(
        question="data" if labels is None else "labels",
        data=DataSummary("images", len(images), tuple(images.shape[1:]), classes),
        rows=tuple(
            Row(transformation, verdict, (evidence,), element=name if kept else None, needed=needed)
            for name, transformation in _transformations(matrices, group, patch, images.shape[1]).items()
        ),
        sentence=SENTENCES[verdict].format(f"{group.name} on patches of {size_text(patch)}"),
        name=group.name if kept else "",
        group=group if kept else cyclic(1),
        notes=(note,),
        seed=seed,
        settings={"group": group.name, "patch": size_text(patch), "family": family, "starts": starts, "steps": steps},
    )


def random_generators(family: str, patch: Patch, group: Group | str | int, count: int) -> Generator:
    """`count` generators of a family from random starts; representations are orthogonal."""
    if family not in FAMILIES:
        raise ValueError(f"family must be one of {', '.join(FAMILIES)}, got {family!r}")
    kind, group = FAMILIES[family], as_group(group)
    if group.order < 2:
        raise ValueError(f"group must have at least 2 elements, got the {group.name} group")
    if issubclass(kind, Representation):
        exact = partial(kind, stretched=False)
        return make_generator(exact, patch, group, (count, 1), permutation_like(group, math.prod(patch), count))
    return make_generator(kind, patch, group, (count, 1))


def _descend(generator: Generator, penalty: KeptMoments, steps: int, rate: float, progress: bool) -> None:
    """Adam with a learning rate that rises and falls once."""
    optimizer = torch.optim.Adam(generator.parameters(), lr=rate)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.15)
    for step in tqdm(range(steps), disable=not progress):
        if step and step % REBASE == 0:
            rebase(generator)
        optimizer.zero_grad()
        penalty().backward()
        optimizer.step()
        scheduler.step()


def _halves(images: Tensor, labels: Tensor | None, seed: int) -> list[tuple[Tensor, Tensor | None]]:
    """The images and labels of two random halves with the same classes."""
    if len(images) < 4:
        raise ValueError(f"images must have at least 4 samples, got {len(images)}")
    strata = torch.zeros(len(images), device=images.device) if labels is None else labels.to(images.device)
    halves = stratified_halves(strata, generator_for("halves of learned", seed))
    return [(images[half], None if labels is None else labels[half]) for half in halves]


@torch.no_grad()
def _best_start(generator: Generator, penalty: KeptMoments, starts: int) -> tuple[Tensor, str]:
    """The generators of the start with the smallest violation, (generators, d, d), and a note about all starts."""
    shape = len(generator.group.generators), starts
    matrices = generator.matrix()[:, 0].unflatten(0, shape)
    (violations,) = penalty.violations().values()
    violation = violations.unflatten(0, shape).sum(0)
    best = int(torch.where(_is_group(matrices, generator.group), violation, torch.inf).argmin())
    note = (
        f"The violation of the best of {starts} starts on the training half is {float(violation[best]):.2g}, the "
        f"median of all starts {float(violation.median()):.2g}."
    )
    return matrices[:, best].clone(), note


def _is_group(matrices: Tensor, group: Group) -> Tensor:
    """Whether only the first element is near the identity, and the relations hold approximately.

    Shapes: (generators, starts, d, d) -> (starts,)
    """
    elements = group.representation(matrices)  # (order, starts, d, d)
    apart = torch.linalg.matrix_norm(elements[1:] - identity_like(matrices)).amin(0) / matrices.shape[-1] ** 0.5
    return (apart > NEAR) & (relation_error(group, matrices) < NEAR)


@torch.no_grad()
def _judged(
    matrices: Tensor, moments: PatchMoments, other: PatchMoments, images: int
) -> tuple[Verdict, tuple[int, int] | None, Evidence]:
    """The verdict, the number of images needed and the evidence, from the moments of both halves.

    See Note [Kept on other images].
    """
    missed, noise = other(matrices).amax(1).tolist(), moments.difference(other).tolist()  # for each degree
    ratio, value, difference = max((m / h if h else 0.0, m, h) for m, h in zip(missed, noise, strict=True))
    verdict: Verdict = "kept" if ratio <= KEPT else "broken"
    needed = None
    if sum(noise) > POWER:
        count = math.ceil(images * sum(noise) / POWER)
        verdict, needed = "undecided", (count, 2 * count)
    detail = Defect(noise=difference, share=value)
    return verdict, needed, Evidence("moments", value, verdict=verdict, detail=detail)


def _transformations(matrices: Tensor, group: Group, patch: Patch, channels: int) -> dict[str, Transformation]:
    """The transformation of each generator, by its name; patches of (channels, 1) are the colours of pixels."""
    space: Space = "channels" if patch == (channels, 1) and channels > 1 else "images"
    return {
        name: Transformation(f"learned {name}", matrix=matrix, space=space, order=group.element_orders[element])
        for name, element, matrix in zip(group.generators, group.generator_elements, matrices, strict=True)
    }
