"""The numbers of an analysis that claims need, in a file a tenth as large, and the effects on the identity (fig. 2)."""

import json
import lzma
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lgn.actions import power
from lgn.analysis import Analysis, GeneratorAnalysis
from lgn.analysis.generator import IDENTIFIABLE, WHOLE, Match, Score, tensor
from lgn.analysis.identifiability import change_share
from lgn.files import SCHEMA, decode, encode, write_atomic


@dataclass(frozen=True)
class Number:
    """A score or a cosine, its value by chance, and its p-values by null."""

    value: float
    chance: float
    p_values: dict[str, float]


@dataclass(frozen=True)
class GeneratorScores:
    """One generator. The keys of `scores` and `matches` are "matrix" (whole) and "identifiable"."""

    name: str
    findings: tuple[tuple[str, str], ...]  # (structure, "matrix" or "identifiable")
    operators: tuple[tuple[str, str], ...]  # families of known operators beyond chance
    undecided: tuple[tuple[str, str], ...]
    scores: dict[str, dict[str, Number]]
    matches: dict[str, dict[str, Number]]  # the values are cosines without their signs
    facts: dict[str, float | None]

    def score(self, name: str) -> float:
        """A score of the whole matrix."""
        return self.scores[WHOLE][name].value


@dataclass(frozen=True)
class Scores:
    """The generators of one run."""

    generators: tuple[GeneratorScores, ...]
    false_discovery_rate: float
    size: int  # d

    def to_json(self, path: Path) -> None:
        rounded = json.loads(json.dumps(encode(self)), parse_float=lambda number: float(f"{float(number):.5g}"))
        text = json.dumps({"schema": SCHEMA, **rounded}, separators=(",", ":"))
        write_atomic(path, lzma.compress(text.encode(), preset=9))

    @classmethod
    def from_json(cls, path: Path) -> "Scores":
        value = json.loads(lzma.decompress(path.read_bytes()))
        if value.pop("schema", None) != SCHEMA:
            raise ValueError(f"{path} must have schema {SCHEMA}")
        return decode(cls, value)


def summarise(analysis: Analysis) -> Scores:
    entries, half = analysis.generators, -(-len(analysis.generators) // 2)
    others = [*entries[half:], *entries[:half]]  # of another set, also if channels have their own generators
    generators = tuple(_summary(*pair, analysis) for pair in zip(entries, others, strict=True))
    return Scores(generators, analysis.false_discovery_rate, analysis.patch[0] * analysis.patch[1])


def _summary(entry: GeneratorAnalysis, other: GeneratorAnalysis, analysis: Analysis) -> GeneratorScores:
    about = entry.identifiability
    scores, nearest = {WHOLE: entry.scores}, {WHOLE: entry.nearest}
    if about is not None and about.scores:
        scores[IDENTIFIABLE], nearest[IDENTIFIABLE] = about.scores, about.nearest
    rate = analysis.false_discovery_rate
    return GeneratorScores(
        name=entry.name,
        findings=_places(entry.findings),
        operators=tuple((m.name, on) for on, found in nearest.items() for m in found if m.adjusted_p_value <= rate),
        undecided=_places(entry.undecided),
        scores={on: {s.name: _number(s) for s in found} for on, found in scores.items()},
        matches={on: {m.name: _number(m) for m in found} for on, found in nearest.items()},
        facts=_facts(entry, other, analysis.order),
    )


def _facts(entry: GeneratorAnalysis, other: GeneratorAnalysis, order: int | None) -> dict[str, float | None]:
    matrix, about, foreign = tensor(entry.matrix), entry.identifiability, other.identifiability
    change = None
    if entry.start is not None and foreign is not None and foreign.dimension:
        change = change_share(matrix, tensor(entry.start), tensor(foreign.basis, columns=foreign.dimension))
    image = tensor(entry.effect_on_identity)
    circulant = next(score.score for score in entry.scores if score.name == "circulant")
    return {
        "place": (circulant - 1 / len(matrix)) / (1 - 1 / len(matrix)),  # 0 for a random matrix, 1 for a circulant one
        "closure": entry.spectrum.closure_error,
        "closure up to scale": None if order is None else _closure_up_to_scale(matrix, order),
        "smallest singular value": entry.spectrum.singular_values[-1],
        "largest singular value": entry.spectrum.singular_values[0],
        "dimension": None if about is None else about.dimension,
        "energy on U": None if about is None else about.energy_share,
        "change on U": None if about is None else about.change_share,
        "change on another U": change,
        **{name: effect(image) for name, effect in EFFECTS.items()},
    }


def _closure_up_to_scale(matrix: torch.Tensor, order: int) -> float:
    """`min_c |c A^p - I| / |I|`, which a generator that is kept at a small norm can reach too."""
    closed = power(matrix / torch.linalg.matrix_norm(matrix, 2), order)
    cosine = closed.trace() / (closed.norm() * len(matrix) ** 0.5).clamp_min(1e-300)
    return float((1 - cosine.square()).clamp_min(0).sqrt())


def _number(of: Score | Match) -> Number:
    value = of.score if isinstance(of, Score) else abs(of.cosine)
    return Number(value, of.chance, dict(of.p_values))


def _places(found: Iterable[Any]) -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys((entry.name, entry.on) for entry in found))


def darkening(image: Tensor) -> float:
    """Less light towards later pixels: minus the correlation of a pixel's value with its place in `vec`."""
    values = image.T.flatten()
    return -float(torch.corrcoef(torch.stack([values, torch.arange(len(values), dtype=values.dtype)]))[0, 1])


def near_diagonal(image: Tensor) -> float:
    """The share of energy within one pixel of the diagonal: a line that was turned a little and smoothed."""
    return float(image.triu(-1).tril(1).square().sum() / image.square().sum())


def across_antidiagonal(image: Tensor) -> float:
    """The size of the mean below the antidiagonal less the mean above it, in standard deviations."""
    n, m = image.shape
    place = torch.arange(n)[:, None] / max(n - 1, 1) + torch.arange(m) / max(m - 1, 1)
    return float(abs(image[place > 1].mean() - image[place < 1].mean()) / image.std())


EFFECTS = {
    "darkening": darkening,
    "near the diagonal": near_diagonal,
    "across the antidiagonal": across_antidiagonal,
}
