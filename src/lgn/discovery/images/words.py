"""An answer in one sentence, to be told to a colleague."""

from lgn.discovery.images.affine import AffineMap
from lgn.discovery.images.ranges import within
from lgn.discovery.images.result import Symmetries
from lgn.discovery.images.row import FamilyFacts, Row

_PLAIN = {
    "turn 180": "a half turn",
    "flip columns": "a left-right flip",
    "flip rows": "an up-down flip",
    "negative": "the negative",
    "reversal": "reversal",
    "sign": "a change of sign",
    "shift": "shifts round the ring",
}
_NOUNS = {
    "angles": "turn by an angle",
    "tilts": "turn by a few degrees",
    "colour": "exchange of colour channels",
    "negative": "negative",
    "shifts right": "shift",
    "shifts down": "shift",
    "scalings": "scaling",
    "stretches": "stretch",
    "shears": "shear",
    "brightness": "change of brightness",
    "contrast": "change of contrast",
    "sign": "change of sign",
    "shift": "shift round the ring",
    "shifts later": "shift",
    "gain": "change of gain",
    "channels": "exchange of channels",
}


#: A sentence names so many at most: a cube has 47.
LISTED = 12


def sentence(found: Symmetries) -> str:
    """What is kept and by which group, what labels and a network say of it, what is broken, what is undecided."""
    kept = [row for row in found.rows if row.images == "kept"]
    undecided = [row for row in found.rows if row.images == "undecided" and row.element is not None]
    parts = [] if found.rows else ["No map was proposed, and no other candidate was asked about."]
    if kept:
        what = _listed([phrase for facts in found.families if (phrase := _kept_phrase(found, facts))])
        parts.append(f"The {found.kind} look the same after {what}{_label_clause(kept)}.")
        if traces := [row.name for row in kept if row.trace]:
            parts.append(f"Of {_listed(traces)} a trace remains.")
        parts += _network_clause(kept)
    parts += [] if found.learned is None else [_learned_clause(found.learned)]
    if ranges := [within(facts.name, facts.spread) for facts in found.families if facts.spread is not None]:
        parts.append(f"In part {'they' if kept else f'the {found.kind}'} keep {_listed(ranges)}, about, either way.")
    parts += _broken_clause(found, kept, undecided)
    if undecided:
        needed = max(row.needed for row in undecided)
        more = f": about {needed:,} would be needed" if needed else ""
        names = _listed([row.name for row in undecided])
        parts.append(f"Undecided with {found.count:,} {found.kind}{more}: {names}.")
    return " ".join(parts)


def _kept_phrase(found: Symmetries, facts: FamilyFacts) -> str:
    names = [row.name for row in found.rows if row.family == facts.name and row.images == "kept"]
    asked = [row for row in found.rows if row.family == facts.name]
    if not names:
        return ""
    name = "" if facts.group is None else _group_name(found, facts)
    turns = {"turn 90", "turn 180", "turn 270"}
    if facts.name == "angles" and len(names) == len(asked):
        return f"turns by every angle that was tried{name}"
    if facts.name.startswith("turns") and turns <= set(names):
        flips = [each for each in names if each not in turns]
        if not flips:
            return f"quarter turns{name}"
        if len(flips) == 4:
            return f"quarter turns and flips{name}"
    if facts.name == "colour" and len(names) == len(asked):
        return f"any exchange of colour channels{name}"
    return f"{_listed([_PLAIN.get(each, each) for each in names])}{name}"


def _group_name(found: Symmetries, facts: FamilyFacts) -> str:
    from lgn import groups  # noqa: PLC0415

    elements = found.kept_elements(facts.name)
    said = len(elements) > 1 and not facts.name.startswith("unknown")
    return f" ({groups.as_group(facts.group or 'C1').subgroup(elements).name})" if said else ""


def _label_clause(kept: list[Row]) -> str:
    asked = [row for row in kept if row.labels is not None]
    if not asked:
        return ""
    words = {word: [row.name for row in asked if row.labels == word] for word in ("survive", "permuted", "lost")}
    some = {word: names for word, names in words.items() if names}
    it = "it" if len(kept) == 1 else "them"
    told = {"survive": f"their labels survive {it}", "permuted": f"{it} permute{'s' * (it == 'it')} their labels"}
    told["permuted"] = "it permutes their labels" if it == "it" else "they permute their labels"
    told["lost"] = "their labels are lost"
    if len(some) == 1 and len(next(iter(some.values()))) == len(asked):
        return f", and {told[next(iter(some))]}"
    clauses = {"survive": "labels survive", "permuted": "labels are permuted by", "lost": "labels are lost by"}
    return "".join(f"; {clauses[word]} {_listed(names)}" for word, names in some.items())


def _network_clause(kept: list[Row]) -> list[str]:
    asked = [row for row in kept if row.gain is not None]
    if not asked:
        return []
    gains = [row for row in asked if row.gain is not None and row.gain.claimed]
    if len(gains) == len(asked):
        return ["A network gains from it."]
    if not gains:
        return ["That a network gains from it is not shown."]
    return [f"A network gains from {_listed([row.name for row in gains])}."]


def _learned_clause(learned: AffineMap) -> str:
    if not learned.claimed:
        return "From a map that it learns by itself a network is not shown to gain."
    return f"A network learns {geometry_words(learned)} by itself, and gains from it."


def geometry_words(learned: AffineMap) -> str:
    """What a map does to a picture, as far as that is more than a tenth."""
    words = [f"a {'reflection and a ' if learned.stretch < 0 else ''}turn by {learned.degrees:.0f} degrees"]
    words += [f"a scaling by {learned.scale:.2f}"] if abs(learned.scale - 1) > 0.1 else []
    words += [f"a shear of {learned.shear:.2f}"] if abs(learned.shear) > 0.1 else []
    words += [f"a stretch by {abs(learned.stretch):.2f}"] if abs(abs(learned.stretch) - 1) > 0.1 else []
    return _listed(words)


def _broken_clause(found: Symmetries, kept: list[Row], undecided: list[Row]) -> list[str]:
    broken = [row for row in found.rows if row.images == "broken" and row.element is not None]
    if not broken:
        return []
    faint = [row.name for row in broken if is_faint(found, row)]
    faintly = [f"Faintly broken: {_listed(faint)}."] if faint else []
    if not kept and not undecided:
        tried = _listed(_kinds(broken), "or")
        return [f"The {found.kind} change under everything that was tried: no {tried} is kept.", *faintly]
    whole = []
    for kind in _kinds(broken):
        if not any(_kind(row) == kind for row in [*kept, *undecided]):
            whole.append(kind)
    rest = [row.name for row in broken if _kind(row) not in whole and row.name not in faint]
    clauses = [f"No {_listed(whole, 'or')} is kept."] if whole else []
    if len(rest) > LISTED:
        return [*clauses, f"The {len(rest)} others are broken.", *faintly]
    return [*clauses, *([f"Broken: {_listed(rest)}."] if rest else []), *faintly]


def is_faint(found: Symmetries, row: Row) -> bool:
    """Whether it is told beyond chance, and less than a break of the margin would be: near the line to "kept"."""
    control = next(facts.control for facts in found.families if facts.name == row.family)
    return row.images == "broken" and control is not None and row.told_apart < control


def _kind(row: Row) -> str:
    if row.family.startswith("turns"):
        return "turn" if row.name.startswith("turn") else "flip" if row.family == "turns and flips" else "mirror"
    return "unknown map" if row.family.startswith("unknown") else _NOUNS.get(row.family, row.family)


def _kinds(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(_kind(row) for row in rows))


def _listed(words: list[str], last: str = "and") -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
