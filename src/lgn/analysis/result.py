"""What an analysis says: frozen dataclasses of plain numbers, and JSON both ways.

A matrix is a tuple of its rows. The formulas behind the numbers are in the docstrings of the modules that
compute them, and in words in docs/analysis.md.
"""

import gzip
import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from lgn.codec import decode, encode

SCHEMA = 2
Matrix = tuple[tuple[float, ...], ...]
Parameter = None | int | float | str | tuple[float, ...]

WHOLE, IDENTIFIABLE = "matrix", "identifiable"


class OldAnalysis(ValueError):
    """An analysis by nulls that did not hold."""


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
    #: Scaling: factor. Shear: amount. Blur: sigma. Reflection, derivative: the axis. Otherwise None.
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
    #: `lgn.operators.operator(name, patch, **keywords)` is the matched matrix.
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
    patch: tuple[int, int]
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
    #: `phi_A(I)`, an (n, m) image (fig. 2).
    effect_on_identity: Matrix = field(repr=False)
    identifiability: Identifiability | None

    def restricted(self) -> Matrix | None:
        """`A P_U`, the part that the data speak to."""
        if self.identifiability is None:
            return None
        basis = tensor(self.identifiability.basis, columns=self.identifiability.dimension)
        return rows(tensor(self.matrix) @ basis @ basis.T)


@dataclass(frozen=True, repr=False)
class Analysis:
    """The analysis of all generators of one model, or of any matrices. `print` it for a table."""

    generators: tuple[GeneratorAnalysis, ...]
    #: Draws a null first has, and the most that any test at the floor was given.
    draws: int
    most_draws: int
    seed: int
    false_discovery_rate: float
    #: How many tests Benjamini-Hochberg corrected for: structures, and matches (a family of their own).
    tests: int
    match_tests: int
    nulls: tuple[str, ...]
    schema: int = SCHEMA

    @property
    def patches(self) -> tuple[tuple[int, int], ...]:
        """The sizes of patches that generators act on, the smallest first."""
        return tuple(sorted({each.patch for each in self.generators}))

    @property
    def patch(self) -> tuple[int, int]:
        """The size of patches that all generators act on."""
        if len(self.patches) > 1:
            raise ValueError(f"patch must be asked of each generator where there are several, got {self.patches}")
        return self.patches[0]

    @property
    def order(self) -> int | None:
        """The order that all generators have; None where there is none, or several."""
        orders = {each.order for each in self.generators}
        return orders.pop() if len(orders) == 1 else None

    def __repr__(self) -> str:
        sizes = ", ".join(f"{height}x{width}" for height, width in self.patches)
        found = sum(1 for each in self.generators if each.findings)
        return f"<Analysis of {len(self.generators)} generators on {sizes} patches, {found} with findings>"

    def __str__(self) -> str:
        from lgn.analysis.table import table  # noqa: PLC0415  (a table is made of results: it cannot come first)

        return table(self)

    def to_json(self, path: str | Path | None = None) -> str:
        """The analysis as JSON text; written to `path` too, whole or not at all, where one is given.

        A path that ends in `.gz` is packed, to a third of the size.
        """
        text = json.dumps(encode(self), allow_nan=False, separators=(",", ":"))
        if path is not None:
            path = Path(path)
            temporary = path.with_name(path.name + ".part")
            temporary.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())
            temporary.replace(path)
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> "Analysis":
        """Read what `to_json` wrote: the text itself, or a `Path` of the file."""
        text = _read(source) if isinstance(source, Path) else source
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"source must be the JSON of an analysis, got text that is not JSON: {error}") from None
        schema = value.get("schema") if isinstance(value, dict) else None
        if schema != SCHEMA:
            kind = OldAnalysis if isinstance(schema, int) and schema < SCHEMA else ValueError
            raise kind(f"schema must be {SCHEMA}, got {schema!r}: analyse again, nulls and verdicts have changed")
        return decode(cls, value)

    @classmethod
    def stored(cls, path: Path) -> "Analysis | None":
        """The analysis in a file; None where there is none, or one by nulls that are no longer used."""
        if not path.is_file():
            return None
        try:
            return cls.from_json(path)
        except OldAnalysis:
            return None


def _read(path: Path) -> str:
    try:
        return (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()
    except (gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"source must be the JSON of an analysis, got {path}: {error}") from None


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
