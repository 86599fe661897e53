"""An answer about images as `discover_images` would give it, without asking."""

from typing import Literal

import torch

from lgn.answer import Answer, DataSummary, Evidence, Row, ToldApart
from lgn.discovery.images.kept_group import kept_group
from lgn.transforms import families_of

NAMES = ("turns", "flips", "angles", "tilts")


def found(*kept: str, angles: bool = False, within: float | None = None) -> Answer:
    """The answer about images that keep turns and flips, all angles, or turns within a number of degrees."""
    families = families_of(NAMES, "images", torch.zeros(1, 1, 28, 28))
    rows: dict[str, Row] = {}
    for family in families:
        spread = None if within is None or family.group is not None else 2 * within
        for one in family.transformations:
            keep = one.name in kept or (angles and one.name.startswith("turn"))
            verdict: Literal["kept", "broken"] = "kept" if keep else "broken"
            evidence = Evidence("data", 0.5, (0.49, 0.51), 1.0, verdict, ToldApart(spread=spread))
            rows.setdefault(one.name, Row(one, verdict, (evidence,)))
    names = [name for name, row in rows.items() if row.verdict == "kept"]
    group, elements, name, notes = kept_group(families, names, torch.zeros(1, 1, 28, 28))
    final = [Row(row.transformation, row.verdict, row.evidence, elements.get(row.name)) for row in rows.values()]
    settings = {"candidates": NAMES, "evidence": ("data",)}
    data = DataSummary("images", 100, (1, 28, 28))
    return Answer("data", data, tuple(final), "", name, group, notes=notes, settings=settings)  # type: ignore[arg-type]
