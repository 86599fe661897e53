"""What the page of an inspection shows: the bank, its orbits as rows, copies beside their transformations."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from lgn.discovery.networks.bank import prepare
from lgn.discovery.networks.candidates import SQUARE
from lgn.discovery.networks.inspect import Inspection
from lgn.discovery.networks.orbits import place_cosines
from lgn.discovery.networks.pictures import can_be_shown, pictures
from lgn.discovery.networks.result import BankInspection, sentences
from lgn.discovery.networks.square import ELEMENTS
from lgn.files import write_atomic
from lgn.report.inspection import render

PAIRS = 8  # of nearest copies that are shown for each transformation


def write_inspection_page(path: str | Path, inspection: Inspection, banks: Mapping[str, Tensor]) -> Path:
    """Write the page, whole or not at all, and return its path. It runs no script, and fetches nothing.

    banks: the weights of the layers, by name.
    """
    path = Path(path)
    layers = [_layer(each, banks[each.name]) for each in inspection.layers]
    write_atomic(path, render(inspection.source, layers, inspection.left_alone, inspection.deeper).encode())
    return path


def _layer(found: BankInspection, weights: Tensor) -> dict[str, Any]:
    """What the template shows of one bank."""
    shown = {"found": found, "sentences": sentences(found), "filters": [], "orbits": [], "nearest": []}
    if not can_be_shown(weights):
        return shown
    images = pictures(weights)
    shown["filters"] = list(enumerate(images))
    shown["orbits"] = [
        [
            {"number": number, "element": element, "image": images[number], "negative": negative}
            for number, element, negative in zip(orbit.filters, orbit.elements, orbit.negative, strict=True)
        ]
        for orbit in found.orbit_details
    ]
    shown["nearest"] = _nearest(weights) if found.rows else []  # too few filters were asked nothing
    return shown


def _nearest(weights: Tensor) -> list[tuple[str, list[dict[str, Any]]]]:
    """For each transformation the filters whose copies are nearest: the filter, its copy, and the one that is near."""
    bank = prepare(weights)
    cosines = place_cosines(bank.filters)
    plain = pictures(bank.filters)
    rows = []
    for candidate in SQUARE:
        likeness = cosines[ELEMENTS.index(candidate.name)].clone().fill_diagonal_(0)
        if candidate.swaps and bank.filters.shape[-2] != bank.filters.shape[-1]:
            continue
        moved = pictures(candidate.power(bank.filters, 1))
        pairs: list[dict[str, Any]] = []
        seen: set[frozenset[int]] = set()
        for place in likeness.abs().flatten().argsort(descending=True)[: 4 * PAIRS].tolist():
            i, j = divmod(place, len(likeness))
            if frozenset((i, j)) in seen or len(pairs) == PAIRS:
                continue
            seen.add(frozenset((i, j)))
            pairs.append(
                {
                    "first": int(bank.numbers[i]),
                    "second": int(bank.numbers[j]),
                    "plain": plain[i],
                    "moved": moved[i],
                    "near": plain[j],
                    "cosine": float(likeness[i, j]),
                }
            )
        rows.append((candidate.name, pairs))
    return rows
