"""The order of findings: the smallest of nested spaces comes first, if it explains as much as the larger ones."""

import math

from torch import Tensor

from lgn.actions import Patch
from lgn.analysis import scores, structure
from lgn.analysis.generator import Finding
from lgn.stats import LEVEL

#: Spaces of matrices, with the larger spaces that contain them.
WITHIN = {
    "circulant": ("Toeplitz", "block-Toeplitz"),
    "doubly block-circulant": ("block-Toeplitz",),
    "Toeplitz": ("block-Toeplitz",),
}
MARGIN = 0.05


def most_specific_first(found: list[Finding], matrix: Tensor, patch: Patch, dimensions: int) -> list[Finding]:
    """Sort the findings on one matrix (d, d).

    A finding explains its score beyond chance, as a share of the largest possible. Of two nested spaces the larger
    comes first only if it explains more than its additional dimensions explain of white noise (an F-test) and of noise
    as smooth as the matrix (its chance).

    dimensions: of the space of the matrix: d, or dim U for a restricted matrix.
    """
    explained = {finding.name: _excess(finding) for finding in found}
    nested = [
        (small, large) for small, larger in WITHIN.items() for large in larger if {small, large} <= set(explained)
    ]
    second = {
        small
        if explained[large] > explained[small] + MARGIN and adds(small, large, matrix, patch, dimensions)
        else large
        for small, large in nested
    }
    return sorted(
        found, key=lambda finding: (finding.name in scores.SPECTRAL, finding.name in second, -_excess(finding))
    )


def adds(small: str, large: str, matrix: Tensor, patch: Patch, dimensions: int) -> bool:
    """Whether a matrix (d, d) has more energy in the larger space than the smaller space and noise give: an F-test."""
    from scipy.special import fdtrc

    shares = scores.score(matrix, patch, [small, large])
    sizes = scores.dimensions(patch)
    live = dimensions / matrix.shape[-1]
    added, rest = live * (sizes[large] - sizes[small]), live * (matrix.numel() - sizes[large])
    between, left = float(shares[large] - shares[small]), 1.0 - float(shares[large])
    if between < 1e-9 or float(structure.energy(matrix)) == 0:
        return False
    ratio = (between / added) / (left / rest) if left > 1e-12 else math.inf
    return bool(fdtrc(added, rest, ratio) <= LEVEL)


def _excess(finding: Finding) -> float:
    return (finding.score - finding.chance) / max(1 - finding.chance, 1e-12)
