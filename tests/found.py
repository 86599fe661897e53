"""Symmetries as `lgn.symmetries` would find them, without asking."""

from lgn.discovery.images.result import Symmetries
from lgn.discovery.images.row import FamilyFacts, Row
from lgn.discovery.images.verdict import Word


def found(*kept: str, angles: bool = False, within: float | None = None) -> Symmetries:
    """What `lgn.symmetries` would answer of images that keep some turns and flips, or turns within some degrees."""

    def row(name: str, family: str, word: Word, element: int) -> Row:
        return Row(name, family, word, 0.5, (0.49, 0.51), 1.0, None, False, 0, element)

    names = ("turn 90", "turn 180", "turn 270", "flip columns", "antitransposition", "flip rows", "transposition")
    rows = [row(name, "turns and flips", "kept" if name in kept else "broken", i) for i, name in enumerate(names, 1)]
    word: Word = "kept" if angles else "broken"
    rows += [row(f"turn {45 * i}", "angles", word, i) for i in range(1, 8)]
    families: tuple[FamilyFacts, ...] = (
        FamilyFacts("turns and flips", "D4"),
        FamilyFacts("angles", "C8"),
    )
    if within is not None:
        families = (*families, FamilyFacts("tilts", None, spread=2 * within))
    return Symmetries(tuple(rows), families, 100, 60, 40, (1, 28, 28), (), 0.05, 0, ("turns",), ("images",), "")
