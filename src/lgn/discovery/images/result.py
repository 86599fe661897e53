"""What was found: a row for every candidate, the group, and one sentence."""

import json
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from lgn import groups
from lgn.actions import Patch
from lgn.data.kinds import GRID_KINDS
from lgn.discovery.images.affine import AffineMap
from lgn.discovery.images.row import FamilyFacts, Row
from lgn.discovery.images.volumes import on_patches
from lgn.files import SCHEMA, decode, encode, read_json, write_json
from lgn.groups import Group
from lgn.transforms import operator


@dataclass(frozen=True, repr=False)
class Symmetries:
    """The symmetries of a set of images. `print` it for a table; `.sentence` is the answer."""

    rows: tuple[Row, ...]
    families: tuple[FamilyFacts, ...]
    count: int
    learned_from: int
    judged_with: int
    shape: tuple[int, ...]
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
    #: The affine map that a network learned by itself; None where it was not asked.
    learned: AffineMap | None = None

    @property
    def kind(self) -> str:
        """What was asked: "images", "signals" or "volumes"."""
        return GRID_KINDS[len(self.shape) + 1]

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
            if (
                facts.group is None
                or len(elements) < 2
                or _moves_pixels(facts.name)
                or facts.name.startswith("unknown")
            ):
                continue
            subgroup = groups.as_group(facts.group).subgroup(elements).group()
            if facts.name == "angles" and any(name.startswith("flip") for name in self.kept):
                subgroup = groups.dihedral(subgroup.order)
            total = subgroup if total.order == 1 else total * subgroup
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
        allowed = groups.as_group(facts.group).subgroup([e for e in kept if e is not None]).elements
        fitting = [
            each.elements
            for each in groups.as_group(facts.group).subgroups()
            if all(e in allowed and verdicts.get(e, "kept") == "kept" for e in each.elements if e)
        ]
        return max(fitting, key=len)

    @property
    def generators_kept(self) -> tuple[str, ...]:
        """Names of kept turns and flips that generate the group of those: as few as possible."""
        for facts in self.families:
            if _moves_pixels(facts.name) and facts.group is not None:
                names = {row.element: row.name for row in self.rows if row.family == facts.name}
                elements = self.kept_elements(facts.name)
                group = groups.as_group(facts.group)
                chosen: list[int] = []
                for element in sorted((e for e in elements if e in names), key=lambda e: -group.element_orders[e]):
                    if element not in group.subgroup(chosen).elements:
                        chosen.append(element)
                return tuple(names[element] for element in chosen)
        return ()

    def generators(self, kernel_size: int) -> Tensor:
        """Matrices on patches of the turns and flips that generate the group: ready for layers.  (count, d, d)"""
        patch = (kernel_size,) * (len(self.shape) - 1)
        pixels = math.prod(patch)
        found = [patch_matrix(name, patch) for name in self.generators_kept]
        return torch.stack(found) if found else torch.zeros(0, pixels, pixels, dtype=torch.float64)

    @property
    def sentence(self) -> str:
        """The answer, to be told to a colleague."""
        from lgn.discovery.images.words import sentence  # noqa: PLC0415  (words are about results: they cannot come first)

        return sentence(self)

    def __str__(self) -> str:
        from lgn.discovery.images.answer_table import table  # noqa: PLC0415

        return table(self)

    def __repr__(self) -> str:
        return f"<Symmetries of {self.count:,} {self.kind}: {self.group.name}; {self.sentence}>"

    def _repr_html_(self) -> str:
        from lgn.discovery.images.answer_table import html  # noqa: PLC0415

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


def _moves_pixels(family: str) -> bool:
    """Whether its elements are matrices on patches of any size."""
    return family.startswith("turns") or family == "reversal"


def patch_matrix(name: str, patch: Patch) -> Tensor:
    """A turn or flip by quarters as a matrix on patches; of signals the reversal, of volumes any of the 48.  (d, d)"""
    if len(patch) == 3:
        return on_patches(name, patch)
    if name == "reversal":
        return operator("reversal", patch)
    if name.startswith("turn "):
        return operator("rotation", patch, degrees=float(name.removeprefix("turn ")))
    if name.startswith("flip "):
        return operator("reflection", patch, axis=name.removeprefix("flip "))
    if name == "transposition":
        return operator("transposition", patch)
    if name == "antitransposition":
        return operator("rotation", patch, degrees=180) @ operator("transposition", patch)
    raise ValueError(f"name must be a turn, a flip or a transposition, got {name!r}")
