"""Linear maps without names that preserve the moments of data: no candidates are given."""

from collections.abc import Sequence

from torch import Tensor

from lgn.answer import Answer, DataSummary
from lgn.answer.answer import Setting
from lgn.data.kinds import Kind
from lgn.discovery.moments.finder import find_maps
from lgn.discovery.moments.moments_answer import Describer
from lgn.discovery.moments.prepare import prepare
from lgn.transforms import AXES

__all__ = ["discover_moments"]

#: The number of samples in pictures.
EXAMPLES = 6


def discover_moments(
    samples: Tensor,
    labels: Tensor | None = None,
    *,
    kind: Kind,
    columns: Sequence[str] = (),
    class_names: Sequence[str] = (),
    rank: int | None = None,
    size: int | None = None,
    blur: float | None = None,
    patch: int | tuple[int, int] | None = None,
    starts: int = 100,
    blocks: Tensor | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Answer:
    """The linear maps that preserve the distribution of samples, found by their moments.

    The samples are whitened on their leading directions, z = W (x - mean). A linear map that preserves the distribution
    of x is an orthogonal O there, and it preserves the harmonic moments of `z / |z|`: `O . T = T` for the third and
    the fourth. A continuous symmetry `exp(t L)` satisfies the linear equation `L . T = 0`. The maps that each half of
    the samples finds are judged by the other half.

    With labels, a map must preserve the distribution of every class, or permute the classes.

    rank: the number of directions; None for as many as have clear moments.
    size, blur: whole images, signals and volumes are made small (14, 64 or 8 values along each axis) and smooth (by 1
        pixel).
    patch: the size of patches, which are searched in place of whole images.
    starts: the number of random starts of each kind.
    blocks: one label per sample; samples with the same label may depend on each other. Equal samples are one block.

    Shapes: samples of `kind`, labels (N,) integers, blocks (N,)
    """
    if starts < 1:
        raise ValueError(f"starts must be at least 1, got {starts}")
    sample, grid = prepare(samples, labels, kind, blocks, size, blur, patch, seed)
    found = find_maps(sample, rank, starts, progress)
    present = () if labels is None else tuple(labels.cpu().unique().tolist())
    names = tuple(class_names) or tuple(str(label) for label in present)
    examples = samples[:EXAMPLES].cpu() if kind in AXES else None
    data = DataSummary(kind, len(samples), tuple(samples.shape[1:]), names, tuple(columns), examples=examples)
    settings: dict[str, Setting] = {"starts": starts, "size": size, "blur": blur, "patch": patch}
    return Describer(found, grid, data, present).answer(settings, seed)
