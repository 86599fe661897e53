"""What an inspection found: frozen dataclasses of plain numbers, and the table that people read."""

from dataclasses import dataclass
from typing import Any

from lgn.discovery.networks.balance import Verdict
from lgn.discovery.networks.candidates import Kind
from lgn.discovery.networks.orbits import Orbit
from lgn.discovery.networks.power import ENOUGH
from lgn.discovery.networks.square import FoundGroup
from lgn.files import encode
from lgn.text import bar, html_table, paragraphs


@dataclass(frozen=True)
class Row:
    """One transformation T: what the bank says about it."""

    name: str
    kind: Kind
    #: Whether filters are each other's T-copies: both tests agree after correction, and the gap is at least 0.25.
    twins: bool
    #: The larger of both tests', corrected (Holm) for all transformations that were asked.
    p_value: float
    p_twist: float
    p_gap: float
    #: How much nearer the nearest filter is to T f_i than it would be among others, in nats.
    gap: float
    #: Filters whose T-copy has a cosine of 0.8 with another filter, and how many have under twists.
    alike: int
    alike_by_chance: float
    #: Filters that are their own T-copies, up to sign, at a cosine of 0.8.
    self_symmetric: int
    #: Of turns, flips and transpositions; None for the others.
    balance: Verdict | None = None
    #: See Note [Balance needs a reference] in `lgn.discovery.networks.balance`.
    rho: float | None = None
    smooth_reference: float | None = None
    ring_reference: float | None = None
    #: Corrected (Holm) as well.
    p_balanced: float | None = None
    p_broken: float | None = None


@dataclass(frozen=True)
class FittedMap:
    """The one orthogonal map that takes filters to their twins best, and the known operator that it is nearest to."""

    name: str
    pairs: int
    residual: float
    p_value: float
    identifiable_dimension: int
    #: The transformation of the square's that is nearest, its cosine, and the best cosine of the others.
    nearest: str
    cosine: float
    next_cosine: float


@dataclass(frozen=True)
class BankInspection:
    """The filters of one convolution: which transformations they are copies or balanced under."""

    name: str
    shape: tuple[int, ...]
    #: How many filters were inspected; those without weights, and those that are the same everywhere, were not.
    filters: int
    dead: tuple[int, ...]
    flat: tuple[int, ...]
    #: Where the energy is, in pixels down and right of the middle of the kernel, and the window that was inspected.
    off_centre: tuple[float, float]
    window: tuple[int, int, int, int]
    rows: tuple[Row, ...]
    #: Of twins, and of balance: the largest groups of turns, flips and transpositions that hold together.
    group: FoundGroup
    balanced_group: FoundGroup
    #: The orbits of `group`; and how many filters are in such orbits when each is turned or flipped by itself, which
    #: no orbit of the whole group of the square would notice: None for it.
    orbit_details: tuple[Orbit, ...]
    in_orbits_by_chance: float | None
    #: Filters in what looks like orbits of turns and flips, at a cosine of 0.8; None of more than 160 filters.
    lookalikes: int | None
    #: How often twins would have been found, had three quarters of the filters been flipped copies.
    power: float
    maps: tuple[FittedMap, ...]
    seed: int

    @property
    def orbits(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the filters of each orbit."""
        return tuple(orbit.filters for orbit in self.orbit_details)

    @property
    def outside(self) -> tuple[int, ...]:
        """The filters that are in no orbit."""
        inside = {number for orbit in self.orbits for number in orbit}
        left_out = {*self.dead, *self.flat}
        return tuple(number for number in range(self.shape[0]) if number not in inside | left_out)

    def row(self, name: str) -> Row:
        """What was found about one transformation."""
        for row in self.rows:
            if row.name == name:
                return row
        raise ValueError(f"name must be one of {', '.join(row.name for row in self.rows)}, got {name!r}")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, with the orbits as lists of numbers too."""
        return {**encode(self), "orbits": encode(self.orbits), "outside": encode(self.outside)}

    def __str__(self) -> str:
        return describe(self)

    def _repr_html_(self) -> str:
        rows = [
            (
                row.name,
                "yes" if row.twins else "no",
                f"{row.p_value:.2g}",
                bar(max(row.gap, 0.0)),
                row.balance or "",
            )
            for row in self.rows
        ]
        head = ("", "twins", "p, corrected", "gap, 1 nat the whole", "balance")
        return paragraphs(f"{self.name}: {'. '.join(sentences(self))}.", html_table(head, rows))


def describe(bank: BankInspection) -> str:
    """The findings of one bank, for people."""
    size = "x".join(map(str, bank.shape))
    lines = [f"{bank.name}: {size}, {bank.filters} filters inspected{_left_out(bank)}{_centre(bank)}", ""]
    lines.append(
        f"  {'':20}{'twins':7}{'p':>8}{'gap':>7}{'alike':>7}{'chance':>8}{'self':>6}  balance (rho; references)"
    )
    for row in bank.rows:
        found = f"  {row.name:20}{'yes' if row.twins else 'no':7}{row.p_value:8.2g}{row.gap:7.2f}{row.alike:7d}"
        found += f"{row.alike_by_chance:8.1f}{row.self_symmetric:6d}"
        if row.balance is not None:
            found += f"  {row.balance:9} ({row.rho:.2f}; {row.smooth_reference:.2f}, {row.ring_reference:.2f})"
        lines.append(found)
    lines += ["", *(f"  {sentence}" for sentence in sentences(bank))]
    return "\n".join(lines)


def sentences(bank: BankInspection) -> list[str]:
    """What the table comes to: the groups, the orbits, what the eye sees, and what could not have been seen."""
    group, balanced = bank.group, bank.balanced_group
    said = []
    if group.order > 1:
        chance = bank.in_orbits_by_chance
        beside = "" if chance is None else f", where chance gives {chance:.1f}"
        whole = sum(len(orbit) == group.order for orbit in bank.orbits)
        inside = sum(map(len, bank.orbits))
        said.append(
            f"twins: the group {group.name} ({', '.join(group.elements[1:])}); {whole} whole and "
            f"{len(bank.orbits) - whole} partial orbits hold {inside} filters{beside}; "
            f"{len(bank.outside)} are outside"
        )
    else:
        said.append("twins: no group of turns and flips")
    if bank.power < ENOUGH:
        said.append(
            f"{bank.filters} filters are too few: twins would have been found in {100 * bank.power:.0f} % of such banks"
        )
    others = [row.name for row in bank.rows if row.twins and row.kind != "place"]
    if others:
        said.append(f"twins also under: {', '.join(others)}")
    if balanced.order > 1:
        said.append(f"balanced: the group {balanced.name} ({', '.join(balanced.elements[1:])})")
    else:
        said.append("balanced: under nothing that operators as smooth are not")
    broken = [row.name for row in bank.rows if row.balance == "broken"]
    if broken:
        said.append(f"broken: {', '.join(broken)}")
    if bank.lookalikes is not None:
        said.append(
            f"what the eye sees: {bank.lookalikes} filters that look like another one, turned or flipped (cosine 0.8); "
            "the column alike has chance beside it"
        )
    said += [
        f"the map that takes filters to their twins under {each.name} is nearest to {each.nearest} "
        f"(cosine {each.cosine:.2f}, next {each.next_cosine:.2f}; p = {each.p_value:.2g})"
        for each in bank.maps
    ]
    return said


def _left_out(bank: BankInspection) -> str:
    parts = [f"{len(some)} {word}" for some, word in ((bank.dead, "dead"), (bank.flat, "constant")) if some]
    return f" ({' and '.join(parts)} left out)" if parts else ""


def _centre(bank: BankInspection) -> str:
    top, bottom, left, right = bank.window
    if (bottom - top + 1, right - left + 1) == bank.shape[-2:]:
        return ""
    down, across = bank.off_centre
    return (
        f"; their energy is {down:+.2f} pixels down and {across:+.2f} right of the middle: rows {top} to {bottom} and "
        f"columns {left} to {right} are inspected"
    )
