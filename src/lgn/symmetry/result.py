"""What was found: a row for every candidate, the group, and one sentence."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from lgn import groups
from lgn.codec import decode, encode
from lgn.groups import Group
from lgn.operators import operator
from lgn.symmetry.gain import Gain
from lgn.symmetry.labels import LabelEvidence, LabelWord
from lgn.symmetry.verdict import Word
from lgn.whole_files import SCHEMA, read_json, write_json


@dataclass(frozen=True)
class ClassReading:
    """The images of one class: how often they are told apart."""

    name: str
    told_apart: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Row:
    """One candidate, and what images, labels and a network say about it."""

    name: str
    family: str
    #: The verdict of the images.
    images: Word
    #: The share of right answers of an observer, and its interval of 95 % over images.
    told_apart: float
    interval: tuple[float, float]
    #: Against chance, after Holm's correction over all candidates.
    p_value: float
    #: Where it was kept, the largest share that the best observer could reach: the interval corrected for power.
    at_most: float | None
    #: Whether it is kept and told apart more often than chance all the same.
    trace: bool
    #: About how many images would decide; 0 where it is decided.
    needed: int
    element: int | None = None
    parameter: float | None = None
    classes: tuple[ClassReading, ...] = ()
    label_evidence: LabelEvidence | None = None
    gain: Gain | None = None
    #: Where images are few: an exact p-value of a first observer against chance, not corrected; else None.
    exact_p: float | None = None

    @property
    def labels(self) -> LabelWord | None:
        """What becomes of the labels: "survive", "permuted", "lost", "undecided"; None where it was not asked."""
        return None if self.label_evidence is None else self.label_evidence.word

    @property
    def network(self) -> str | None:
        """Whether a network gains: "gains", "no gain"; None where it was not asked."""
        return None if self.gain is None else ("gains" if self.gain.claimed else "no gain")


@dataclass(frozen=True)
class FamilyFacts:
    """What holds for all candidates of a family: its group, and the controls."""

    name: str
    group: str | None
    #: A break of just the margin as it was read, with its interval: what "kept" is measured by.
    control: float | None = None
    control_interval: tuple[float, float] | None = None
    #: Images with the exact symmetry, resampled: what resampling gives away.
    twin: float | None = None
    #: On a line: over how wide a range images seem to be spread, in the family's unit.
    spread: float | None = None


@dataclass(frozen=True, repr=False)
class Symmetries:
    """The symmetries of a set of images. `print` it for a table; `.sentence` is the answer."""

    rows: tuple[Row, ...]
    families: tuple[FamilyFacts, ...]
    count: int
    learned_from: int
    judged_with: int
    shape: tuple[int, int, int]
    class_names: tuple[str, ...]
    margin: float
    seed: int
    #: What was asked, of which images (their checksum), and how long observers were trained.
    candidates: tuple[str, ...]
    evidence: tuple[str, ...]
    checksum: str
    effort: float = 1.0
    notes: tuple[str, ...] = ()
    #: The budget that there was; None without one.
    minutes: float | None = None

    @property
    def kept(self) -> tuple[str, ...]:
        """The names of the candidates that the images keep."""
        return tuple(dict.fromkeys(row.name for row in self.rows if row.images == "kept"))

    @property
    def ranges(self) -> dict[str, float]:
        """Where a symmetry along a line is partial: how far it goes either way, in the unit of the family."""
        return {facts.name: facts.spread / 2 for facts in self.families if facts.spread is not None}

    def row(self, name: str) -> Row:
        """The row of a candidate by its name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise ValueError(f"name must be one of {', '.join(row.name for row in self.rows)}, got {name!r}")

    @cached_property
    def group(self) -> Group:
        """The group that is kept: of each family the largest subgroup whose candidates are all kept, and their product.

        Its first generators are those of `generators`. Quarter turns are not counted twice where turns by angles are
        kept too; maps that were unknown may be any of the others, and are not counted.
        """
        total = groups.cyclic(1)
        if self.generators_kept and not self.continuous:
            total = groups.from_matrices(self.generators(3))
        for facts in self.families:
            elements = self.kept_elements(facts.name)
            if facts.group is None or len(elements) < 2 or facts.name.startswith(("turns", "unknown")):
                continue
            subgroup = groups.named(facts.group).subgroup(elements).group()
            if facts.name == "angles" and any(name.startswith("flip") for name in self.kept):
                subgroup = groups.dihedral(subgroup.order)
            total = subgroup if total.order == 1 else groups.product(total, subgroup)
        return total

    @property
    def continuous(self) -> bool:
        """Whether every turn by an angle that was tried is kept."""
        tried = [row for row in self.rows if row.family == "angles"]
        return bool(tried) and all(row.images == "kept" for row in tried)

    def kept_elements(self, family: str) -> tuple[int, ...]:
        """The largest subgroup of a family's group that has no candidate but kept ones."""
        facts = next(each for each in self.families if each.name == family)
        if facts.group is None:
            return (0,)
        verdicts = {row.element: row.images for row in self.rows if row.family == family}
        kept = {element for element, word in verdicts.items() if word == "kept"}
        allowed = groups.named(facts.group).subgroup([e for e in kept if e is not None]).elements
        fitting = [
            each.elements
            for each in groups.named(facts.group).subgroups()
            if all(e in allowed and verdicts.get(e, "kept") == "kept" for e in each.elements if e)
        ]
        return max(fitting, key=len)

    @property
    def generators_kept(self) -> tuple[str, ...]:
        """Names of kept turns and flips that generate the group of those: as few as possible."""
        for facts in self.families:
            if facts.name.startswith("turns") and facts.group is not None:
                names = {row.element: row.name for row in self.rows if row.family == facts.name}
                elements = self.kept_elements(facts.name)
                group = groups.named(facts.group)
                chosen: list[int] = []
                for element in sorted((e for e in elements if e in names), key=lambda e: -group.element_orders[e]):
                    if element not in group.subgroup(chosen).elements:
                        chosen.append(element)
                return tuple(names[element] for element in chosen)
        return ()

    def generators(self, kernel_size: int) -> Tensor:
        """Matrices on patches of the turns and flips that generate the group: ready for layers.  (count, d, d)"""
        patch = (kernel_size, kernel_size)
        pixels = kernel_size**2
        found = [patch_matrix(name, patch) for name in self.generators_kept]
        return torch.stack(found) if found else torch.zeros(0, pixels, pixels, dtype=torch.float64)

    @property
    def sentence(self) -> str:
        """The answer, to be told to a colleague."""
        from lgn.symmetry.words import sentence  # noqa: PLC0415  (words are about results: they cannot come first)

        return sentence(self)

    def __str__(self) -> str:
        from lgn.symmetry.words import table  # noqa: PLC0415

        return table(self)

    def __repr__(self) -> str:
        return f"<Symmetries of {self.count:,} images: {self.group.name}; {self.sentence}>"

    def _repr_html_(self) -> str:
        from lgn.symmetry.words import html  # noqa: PLC0415

        return html(self)

    def save(self, path: str | Path) -> None:
        """Write it as JSON, whole or not at all."""
        write_json(Path(path), encode(self))

    @classmethod
    def load(cls, path: str | Path) -> "Symmetries":
        """Read what `save` wrote. Nothing in the file can run code."""
        value = read_json(Path(path))
        return decode(cls, {key: item for key, item in value.items() if key != "schema"}, "symmetries")

    def to_json(self) -> str:
        """The text that `save` writes, without line breaks."""
        return json.dumps({"schema": SCHEMA, **encode(self)}, allow_nan=False)


def patch_matrix(name: str, patch: tuple[int, int]) -> Tensor:
    """A turn or flip by quarters as a matrix on patches.  (d, d)"""
    if name.startswith("turn "):
        return operator("rotation", patch, degrees=float(name.removeprefix("turn ")))
    if name.startswith("flip "):
        return operator("reflection", patch, axis=name.removeprefix("flip "))
    if name == "transposition":
        return operator("transposition", patch)
    if name == "antitransposition":
        return operator("rotation", patch, degrees=180) @ operator("transposition", patch)
    raise ValueError(f"name must be a turn, a flip or a transposition, got {name!r}")
