"""The analysis of one generator: frozen dataclasses of plain numbers, with matrices as tuples of rows.

The modules that compute the numbers have the formulas.
"""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from lgn.actions import Patch

Matrix = tuple[tuple[float, ...], ...]
Parameter = None | int | float | str | tuple[float, ...]

WHOLE, IDENTIFIABLE = "matrix", "identifiable"


@dataclass(frozen=True)
class Score:
    """A score in [0, 1] of one matrix, and its tests."""

    name: str
    score: float
    #: The mean score under the null model with the largest mean.
    chance: float
    #: The p-values by the names of the null models (`lgn.analysis.nulls`).
    p_values: dict[str, float]
    #: The largest of `p_values`; None if the score is not tested (by construction, or only a condition).
    p_value: float | None
    #: `p_value` after Benjamini-Hochberg over all generators and tests; None for one score of a joint finding.
    adjusted_p_value: float | None
    #: The score of the matrix before training, if it is known.
    start: float | None
    #: Whether the family guarantees this structure, so that it is never a finding.
    by_construction: bool


@dataclass(frozen=True)
class Finding:
    """A structure that no null model explains, at the false-discovery rate of the analysis."""

    name: str
    score: float
    #: The mean score under the null model with the largest mean.
    chance: float
    p_value: float
    adjusted_p_value: float
    #: "matrix" for the whole generator, "identifiable" for its restriction `A P_U`.
    on: str


@dataclass(frozen=True)
class Undecided:
    """A structure or a family of operators that no draw exceeds, but that is not a finding.

    Too few draws of a null model differ: some tie with the matrix, so no p-value can be small enough for all tests.
    """

    name: str
    score: float
    #: The smallest possible p-value, and the null model that limits it.
    p_value: float
    null: str
    on: str


@dataclass(frozen=True)
class Match:
    """The nearest member of one family of known operators."""

    name: str
    #: The degrees, radius, factor, axis or similar that identifies the operator, or several of them, such as
    #: (rows, columns) of a shift and (radius, degrees) of pooling then rotation; None if the family has one operator.
    parameter: Parameter
    #: `<A, B> / (|A| |B|)`, negative if `-B` is near; `min_c |A - c B| / |A| = sqrt(1 - cosine^2)`.
    cosine: float
    #: The mean of the same maximum under the null model with the largest mean: larger families have a larger chance.
    chance: float
    #: `(|cosine| - chance) / (1 - chance)`: 0 is chance, 1 is equality. It orders the families.
    excess: float
    p_values: dict[str, float]
    p_value: float
    adjusted_p_value: float
    #: `lgn.transforms.operator(name, patch, **keywords)` is the matched matrix.
    keywords: dict[str, int | float | str]


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues, singular values, and the distance from a finite cyclic group."""

    #: (real, imaginary) pairs, the largest modulus first.
    eigenvalues: tuple[tuple[float, float], ...]
    singular_values: tuple[float, ...]
    rank: int
    condition_number: float
    #: The nearest period q <= 24, `argmin_q |A^q - I|`, and its error `|A^q - I|_F / sqrt(d)`.
    period: int
    period_error: float
    #: `|A^p - I|_F / sqrt(d)` for the order p, and the mean distance of the eigenvalues to the p-th roots of unity.
    closure_error: float | None
    root_distance: float | None


@dataclass(frozen=True)
class Identifiability:
    """The span U of the vectors that the generator was applied to: the data determine the generator on U only."""

    dimension: int
    #: Orthonormal, (d, dimension).
    basis: Matrix = field(repr=False)
    #: `|A P_U|^2 / |A|^2`. For an orthogonal A it is always dimension / d.
    energy_share: float
    #: `|(A - A_0) P_U|^2 / |A - A_0|^2`, if the start is known and training changed it.
    change_share: float | None
    #: The scores and matches of the restricted matrix `A P_U`.
    scores: tuple[Score, ...]
    nearest: tuple[Match, ...]


@dataclass(frozen=True)
class GeneratorAnalysis:
    """Everything about one generator."""

    name: str
    patch: Patch
    order: int | None
    layer: int | None
    set: int | None
    channel: int | None
    matrix: Matrix = field(repr=False)
    start: Matrix | None = field(repr=False)
    scores: tuple[Score, ...]
    #: The most specific finding first; findings on the whole matrix before findings on U.
    findings: tuple[Finding, ...]
    undecided: tuple[Undecided, ...]
    #: The nearest operator of each family, the nearest family first.
    nearest: tuple[Match, ...]
    spectrum: Spectrum
    #: `phi_A(I)`, an (n, m) image (fig. 2); for signals and volumes, the image of an impulse in the middle.
    effect_on_identity: Matrix = field(repr=False)
    identifiability: Identifiability | None


def rows(matrix: Tensor) -> Matrix:
    """A tensor (a, b) as a tuple of rows. Numbers that float32 can hold get the digits of float32."""
    exact = matrix.detach().double().cpu()
    single = exact.float()
    if torch.equal(single.double(), exact):
        return tuple(tuple(map(float, row)) for row in single.numpy().astype(str))
    return tuple(tuple(row) for row in exact.tolist())


def tensor(matrix: Matrix, columns: int | None = None) -> Tensor:
    """The inverse of `rows`, in float64. `columns` is needed if there may be no rows or columns."""
    result = torch.tensor(matrix, dtype=torch.float64)
    return result if columns is None else result.reshape(len(matrix), columns)
