"""The question about samples: its defaults, and the checks of its arguments and of the samples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from lgn.actions import size_text
from lgn.apply import Action
from lgn.data.kinds import LAYOUTS, Kind, axes_of
from lgn.transforms import DEFAULTS, Transformation

Of = Literal["data", "labels"]
Candidate = str | Transformation | Action
#: The kinds of evidence; signals and volumes have the first two.
EVIDENCE = ("data", "labels", "network", "affine")
#: The smallest number of different samples, and the smallest side of a sample.
FEWEST, SMALLEST = 20, 4


@dataclass(frozen=True, eq=False)
class Question:
    """A question about samples with all its settings."""

    kind: Kind
    of: Of
    candidates: tuple[Candidate, ...]
    evidence: tuple[str, ...]
    class_names: tuple[str, ...]
    margin: float
    effort: float
    minutes: float | None
    seed: int

    def __post_init__(self) -> None:
        """Check the candidates and the numbers."""
        if not self.candidates:
            raise ValueError("candidates must have at least one candidate, got none")
        if not 0 < self.margin < 0.5:
            raise ValueError(f"margin must be between 0 and 0.5, got {self.margin}")
        if not (self.effort > 0 and math.isfinite(self.effort)):
            raise ValueError(f"effort must be positive, got {self.effort}")
        if self.minutes is not None and not self.minutes > 0:
            raise ValueError(f"minutes must be positive, got {self.minutes}")

    @property
    def names(self) -> tuple[str, ...]:
        """The candidates of the catalogue."""
        return tuple(candidate for candidate in self.candidates if isinstance(candidate, str))

    @property
    def own(self) -> tuple[Transformation | Action, ...]:
        """The candidates of the user."""
        return tuple(candidate for candidate in self.candidates if not isinstance(candidate, str))


def asked(
    kind: Kind, labels: Tensor | None, of: Of | None, evidence: str | Sequence[str] | None
) -> tuple[Of, tuple[str, ...]]:
    """The question and the kinds of evidence, with their defaults."""
    if kind not in DEFAULTS:
        raise ValueError(f"kind must be one of {', '.join(DEFAULTS)}, got {kind!r}")
    if of not in (None, "data", "labels"):
        raise ValueError(f"of must be 'data' or 'labels', got {of!r}")
    if evidence is None:
        evidence = ("data",) if labels is None or of == "data" else ("data", "labels")
    names = (evidence,) if isinstance(evidence, str) else tuple(evidence)
    if unknown := [name for name in names if name not in EVIDENCE]:
        raise ValueError(f"evidence must be among {', '.join(EVIDENCE)}, got {unknown[0]!r}")
    of = of or ("labels" if "labels" in names else "data")
    ordered = tuple(name for name in EVIDENCE if name in {*names, "data", of})
    if kind != "images" and (wrong := [name for name in ordered if name not in EVIDENCE[:2]]):
        raise ValueError(f"evidence must be among data, labels for {kind}, got {wrong[0]!r}")
    if labels is None and ordered != ("data",):
        raise ValueError(f"labels must be given for the evidence {ordered[1]!r}, got None")
    return of, ordered


def require_samples(samples: Tensor, labels: Tensor | None, blocks: Tensor | None, question: Question) -> None:
    """Raise a ValueError unless the samples can answer the question."""
    kind, sides = question.kind, samples.shape[2:]
    if samples.ndim != axes_of(kind):
        raise ValueError(f"samples must be {LAYOUTS[kind]} for {kind}, got {tuple(samples.shape)}")
    if len(samples) < FEWEST:
        raise ValueError(f"samples must be at least {FEWEST}, got {len(samples)} {kind}")
    if min(sides) < SMALLEST or samples.shape[1] < 1:
        least = size_text((SMALLEST,) * len(sides))
        raise ValueError(f"samples must be at least {least} with a channel, got {tuple(samples.shape[1:])}")
    if not torch.isfinite(samples.float() if samples.dtype == torch.float16 else samples).all():
        raise ValueError("samples must be finite, got infinities or NaN")
    if blocks is not None and blocks.shape != (len(samples),):
        raise ValueError(f"blocks must have shape ({len(samples)},), got {tuple(blocks.shape)}")
    if labels is None:
        return
    if labels.shape != (len(samples),) or labels.is_floating_point() or int(labels.min()) < 0:
        given = f"{labels.dtype} {tuple(labels.shape)}"
        raise ValueError(f"labels must be integers from 0 with shape ({len(samples)},), got {given}")
    if int(labels.max()) >= len(question.class_names):
        raise ValueError(f"class_names must name {int(labels.max()) + 1} classes, got {len(question.class_names)}")
    if len(labels.unique()) < 2 and question.evidence != ("data",):
        raise ValueError(f"labels must have at least 2 classes, got {int(labels[0])} only")


def require_different(samples: Tensor, clusters: Tensor) -> None:
    """Raise a ValueError unless enough samples differ from each other and vary."""
    if float(samples.flatten(1).std(1).max()) < 1e-4:
        raise ValueError("samples must vary, but every sample is constant")
    if (different := len(clusters.unique())) < FEWEST:
        raise ValueError(f"samples must have at least {FEWEST} that differ, got {different} and their near-duplicates")
