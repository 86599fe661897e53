"""The most specific structure first: of spaces within each other, the smallest that says as much."""

import math

from torch import Tensor

from lgn.actions import Patch
from lgn.analysis import scores, structure
from lgn.analysis.generator import Finding

#: Spaces of matrices, each within those that it is listed with.
WITHIN = {
    "circulant": ("Toeplitz", "block-Toeplitz"),
    "doubly block-circulant": ("block-Toeplitz",),
    "Toeplitz": ("block-Toeplitz",),
}
LEVEL, MARGIN = 0.01, 0.05


def most_specific_first(found: list[Finding], matrix: Tensor, patch: Patch, dimensions: int) -> list[Finding]:
    """Findings on one matrix (d, d), in the order in which they describe it.

    What a finding explains is its score beyond chance, as a share of what is left to explain. Of two nested spaces the
    larger comes first only if it explains more than its further dimensions would: of white noise by an F-test, and of
    noise as smooth as the matrix by what chance gives.

    dimensions: of the space that the matrix lives on: d, or dim U where it is restricted.
    """
    explains = {each.name: _excess(each) for each in found}
    nested = [(small, large) for small, many in WITHIN.items() for large in many if {small, large} <= explains.keys()]
    second = {
        small if explains[large] > explains[small] + MARGIN and adds(small, large, matrix, patch, dimensions) else large
        for small, large in nested
    }
    return sorted(found, key=lambda each: (each.name in scores.SPECTRAL, each.name in second, -_excess(each)))


def adds(small: str, large: str, matrix: Tensor, patch: Patch, dimensions: int) -> bool:
    """Whether a matrix (d, d) has more energy in the larger space than the smaller and noise would give: an F-test."""
    from scipy.special import fdtrc

    shares = scores.score(matrix, patch, [small, large])
    sizes = scores.dimensions(patch)
    live = dimensions / matrix.shape[-1]
    further, rest = live * (sizes[large] - sizes[small]), live * (matrix.numel() - sizes[large])
    between = max(float(shares[large] - shares[small]), 0.0)
    left = max(1.0 - float(shares[large]), 0.0)
    if between < 1e-9 or float(structure.energy(matrix)) == 0:
        return False
    ratio = (between / further) / (left / rest) if left > 1e-12 else math.inf
    return bool(fdtrc(further, rest, ratio) <= LEVEL)


def _excess(each: Finding) -> float:
    return (each.score - each.chance) / max(1 - each.chance, 1e-12)
