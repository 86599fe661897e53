"""What is said of one generator: frozen dataclasses of plain numbers.

A matrix is a tuple of its rows. The formulas behind the numbers are in the docstrings of the modules that
compute them, and in words in docs/analysis.md.
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
    """One number in [0, 1] about one matrix, and what chance says about it."""

    name: str
    score: float
    #: What chance gives on average, under the null that gives most.
    chance: float
    #: The p-value under each null that applies, by the null's name (`lgn.analysis.nulls`).
    p_values: dict[str, float]
    #: The largest of `p_values`; None where nothing is tested (by construction, or a condition, not a test).
    p_value: float | None
    #: `p_value` after Benjamini-Hochberg over all generators and tests; None for a part of a joint finding.
    adjusted_p_value: float | None
    #: The same score of the matrix before training, where it was given.
    start: float | None
    #: True where the family has this structure by law, so that it can never be a finding.
    by_construction: bool


@dataclass(frozen=True)
class Finding:
    """A structure beyond every null that applies to it, at the analysis' false-discovery rate."""

    name: str
    score: float
    #: What chance gives on average, under the null that gives most.
    chance: float
    p_value: float
    adjusted_p_value: float
    #: The nulls that it is beyond.
    nulls: tuple[str, ...]
    #: "matrix" for the whole generator, "identifiable" for its restriction `A P_U`.
    on: str
    #: What it means, in a short sentence.
    words: str


@dataclass(frozen=True)
class Undecided:
    """A structure, or a family of operators, that no draw surpassed and that is no finding all the same.

    A null has only so many different draws, some of which tie with what was observed: its p-value cannot be small
    enough for so many tests, whatever is true.
    """

    name: str
    score: float
    #: The smallest p-value that could be had, and the null that binds it.
    p_value: float
    null: str
    on: str


@dataclass(frozen=True)
class Match:
    """The nearest member of one family of known operators."""

    name: str
    #: Rotation: degrees. Pooling: radius. Pooling then rotation: (radius, degrees). Shift: (rows, columns).
    #: Scaling: factor. Shear: amount. Blur: sigma. Reflection, derivative: the axis. Of signals, shift: places;
    #: stretch: factor; smoothing: sigma; modulation: cycles. Of volumes, mirror: axis; turn: (axis, degrees); cube: its
    #: number; shift: along three axes. Otherwise None.
    parameter: Parameter
    #: `<A, B> / (|A| |B|)`, negative where `-B` is what is near.
    cosine: float
    #: `min_c |A - c B| / |A| = sqrt(1 - cosine^2)`.
    relative_error: float
    #: The mean of the same maximum under the null that gives most: what a family this rich gains by being rich.
    chance: float
    #: `(|cosine| - chance) / (1 - chance)`: 0 is chance, 1 is equality. Families are ordered by it.
    excess: float
    p_values: dict[str, float]
    p_value: float
    adjusted_p_value: float
    #: `lgn.transforms.operator(name, patch, **keywords)` is the matched matrix.
    keywords: dict[str, int | float | str]


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues and singular values, and how near the generator is to a finite cyclic group."""

    #: (real, imaginary) pairs, by falling modulus.
    eigenvalues: tuple[tuple[float, float], ...]
    singular_values: tuple[float, ...]
    rank: int
    condition_number: float
    #: The q <= 24 that A is nearest to having, `argmin_q |A^q - I|`, and `|A^q - I|_F / sqrt(d)` at it.
    period: int
    period_error: float
    #: `|A^p - I|_F / sqrt(d)` for the order p, and the mean distance of eigenvalues from the p-th roots of
    #: unity.
    closure_error: float | None
    root_distance: float | None


@dataclass(frozen=True)
class Fourier:
    """`F A F^-1` (app. D) in one basis: "1-D" is the paper's, "2-D" is `F_m (x) F_n` of the patch."""

    name: str
    #: The share of energy on the diagonal: equals the circulant ("2-D": doubly block-circulant) score.
    diagonal_share: float
    #: `t = (s - 1/d) / (1 - 1/d)`: 0 is random, 1 is circulant.
    position: float
    closer_to_circulant: bool


@dataclass(frozen=True)
class Identifiability:
    """What the data can say: the span U of the vectors that the generator was applied to."""

    dimension: int
    #: How many vectors were given; the dimension cannot be larger.
    vectors: int
    #: Orthonormal, (d, dimension).
    basis: Matrix = field(repr=False)
    #: `|A P_U|^2 / |A|^2`. For an orthogonal A it is dimension / d, whatever was learned.
    energy_share: float
    orthogonal: bool
    #: `|(A - A_0) P_U|^2 / |A - A_0|^2`, where the start was given and training changed it.
    change_share: float | None
    #: The scores and matches of the restricted matrix `A P_U`, against `G P_U` with the same U.
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
    #: The most specific first, those of the whole matrix before those on U.
    findings: tuple[Finding, ...]
    undecided: tuple[Undecided, ...]
    #: The nearest member of each family, the nearest family first.
    nearest: tuple[Match, ...]
    spectrum: Spectrum
    fourier: tuple[Fourier, ...]
    #: `phi_A(I)`, an (n, m) image (fig. 2); of signals and volumes, what becomes of an impulse in the middle.
    effect_on_identity: Matrix = field(repr=False)
    identifiability: Identifiability | None


def rows(matrix: Tensor) -> Matrix:
    """A tensor (a, b) as a tuple of rows; numbers that float32 holds have the few digits that tell them apart there."""
    exact = matrix.detach().double().cpu()
    single = exact.float()
    if torch.equal(single.double(), exact):
        return tuple(tuple(map(float, row)) for row in single.numpy().astype(str))
    return tuple(tuple(row) for row in exact.tolist())


def tensor(matrix: Matrix, columns: int | None = None) -> Tensor:
    """The inverse of `rows`, in float64; `columns` matters where there may be none."""
    result = torch.tensor(matrix, dtype=torch.float64)
    return result if columns is None else result.reshape(len(matrix), columns)
