"""Candidates of signals and volumes: they are groups, commute with looking from afar, and are judged as of images."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import lgn
from lgn.discovery.images import volumes
from lgn.discovery.images.candidates import families_of, usual
from lgn.discovery.images.division import near_duplicates
from lgn.discovery.images.observer import SIDES, learn, logits, network, smaller
from lgn.discovery.images.result import patch_matrix
from lgn.discovery.images.statistic import answers, read
from lgn.front.answer import answer_of
from lgn.groups import as_group
from lgn.report.answer_page import write_answer
from studies.signals.signals import chirps, process, pulses
from studies.signals.volumes import fields


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


CASES = [
    ("reversal", torch.Size([3, 2, 40])),
    ("sign", torch.Size([3, 2, 40])),
    ("shift", torch.Size([3, 2, 40])),
    ("channels", torch.Size([3, 3, 40])),
    ("turns", torch.Size([3, 1, 4, 4, 4])),
    ("mirrors", torch.Size([3, 1, 4, 6, 5])),
]


@pytest.mark.parametrize(("name", "shape"), CASES, ids=[f"{name}-{len(shape) - 2}" for name, shape in CASES])
def test_versions_are_the_elements_of_a_group(name: str, shape: torch.Size) -> None:
    """`act(act(x, h), g)` is `act(x, g h)`, the identity does nothing, and no two elements are one."""
    x = torch.randn(shape)
    (family,) = families_of([name], x, origin=0.3)
    assert family.group is not None
    for g, h in torch.randint(family.versions, (64, 2)).tolist():
        expected = family.act(x, int(family.group.table[g, h]))
        torch.testing.assert_close(family.act(family.act(x, h), g), expected)
    assert torch.equal(family.act(x, 0), x)
    assert len({tuple(family.act(x, g).flatten().tolist()) for g in range(family.versions)}) == family.versions


def test_the_cube_has_48_and_names_tell_what_they_do() -> None:
    x = torch.randn(2, 1, 4, 4, 4)
    (family,) = families_of(usual(x), x)
    assert family.versions == 48
    names = [each.name for each in family.candidates]
    assert len(set(names)) == 47
    assert names[:3] == ["mirror 1", "mirror 2", "mirror 3"]
    for axis in (1, 2, 3):
        mirror, turn = family.candidate(f"mirror {axis}"), family.candidate(f"turn {axis} 90")
        assert mirror.element is not None
        assert turn.element is not None
        assert torch.equal(family.act(x, mirror.element), x.flip(axis + 1))
        across = [other + 1 for other in (1, 2, 3) if other != axis]
        assert torch.equal(family.act(x, turn.element), x.rot90(1, across))
    table, elements = as_group(volumes.CUBE).table, volumes.elements(volumes.CUBE)
    for g, h in torch.randint(48, (50, 2)).tolist():
        assert torch.equal(elements[int(table[g, h])], elements[g] @ elements[h])


def test_the_sign_is_about_zero_and_not_about_the_mean() -> None:
    """Signals that are never negative do not keep it, however symmetric about their mean."""
    (family,) = families_of(["sign"], torch.zeros(1, 1, 8), origin=-2.0)
    x = torch.randn(3, 1, 8)
    torch.testing.assert_close(family.act(x, 1) + 2, -(x + 2))


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_what_is_seen_from_afar_commutes_with_mirrors(axes: int) -> None:
    x = torch.randn(2, 1, *(2 * SIDES[axes] + 5,) * axes)
    small = smaller(x)
    assert max(small.shape[2:]) <= SIDES[axes]
    torch.testing.assert_close(smaller(x.flip(-1)), small.flip(-1))
    assert network(small.shape[1:], 4)(small).shape == (2, 4)


def test_near_duplicates_are_found_turned_or_reversed() -> None:
    signals = torch.randn(30, 1, 64)
    signals[20:] = signals[:10].flip(-1) + 1e-3 * torch.randn(10, 1, 64)
    assert near_duplicates(signals)[20:].tolist() == list(range(10))
    cubes = torch.randn(30, 1, 8, 8, 8)
    cubes[20:] = cubes[:10].rot90(1, (2, 4)).flip(3)
    assert near_duplicates(cubes)[20:].tolist() == list(range(10))


def test_a_stretch_of_a_signal_and_a_plain_shift() -> None:
    x = torch.randn(2, 1, 128)
    shifts, stretches, gain = families_of(["shifts", "stretches", "gain"], x)
    assert [each.name for each in shifts.candidates] == [f"shift {k} later" for k in (2, 4, 6, 8)]
    assert torch.equal(shifts.show(x, 3)[..., 2:], shifts.show(x, 2)[..., :-2])
    line = torch.linspace(-1, 1, 129)[None, None]
    ratio = stretches.show(line, 1) / stretches.show(line, 0)
    assert float(ratio[..., 70]) == pytest.approx(1 / 1.08, rel=1e-3)
    assert gain.candidates[0].name == "gain 1.11"


def told(x: Tensor, name: str, **options: float) -> lgn.discovery.images.Row:
    return lgn.symmetries(x, candidates=name, **options).row(name)  # type: ignore[arg-type]


def test_what_is_broken_is_told_apart_and_what_is_kept_is_not() -> None:
    """Few signals and little training: enough to see a plain break, and to see none where there is none."""
    random = torch.Generator().manual_seed(0)
    assert told(chirps(400, random), "reversal", effort=0.1).images == "broken"
    assert told(pulses(400, random), "sign", effort=0.1).images == "broken"
    kept = told(process(800, random), "reversal", effort=0.05)
    assert kept.images != "broken"
    assert abs(kept.told_apart - 0.5) < 0.06


@pytest.mark.parametrize("shape", [(1, 96), (1, 6, 6, 6)], ids=str)
def test_a_pattern_that_is_the_same_at_no_two_places_is_seen(shape: tuple[int, ...]) -> None:
    """Noise and a little of one pattern, of which no part says much: Note [Signals and volumes are looked at whole]."""
    x = torch.randn(1500, *shape) + 0.1 * torch.randn(shape)
    (family,) = families_of(["reversal" if len(shape) == 2 else "mirrors"], x)
    candidate = family.candidate("reversal" if len(shape) == 2 else "mirror 1")
    assert candidate.element is not None
    pair = family.restricted((0, candidate.element))
    seen = logits(learn(pair, x[:1000], 0, effort=0.5), pair, x[1000:], 0)
    assert read(answers(seen, pair.candidates[0])).share > 0.6


def test_of_volumes_with_one_mirror_the_others_are_told_apart() -> None:
    x = fields(200, torch.Generator().manual_seed(0))
    found = lgn.symmetries(x, candidates="mirrors", effort=0.05)
    assert found.kind == "volumes"
    assert found.row("mirror 1").told_apart < 0.6 < found.row("mirror 2").told_apart
    assert found.row("mirror 3").images == "broken"
    assert "volumes: 200 of 6x6x6" in str(found)


def test_of_many_that_are_broken_the_sentence_gives_the_number_and_the_page_shows_what_is_kept() -> None:
    x = torch.randn(40, 1, 4, 4, 4)
    found = lgn.symmetries(x, effort=0.02)
    rows = (
        replace(row, images="kept") if row.name == "mirror 1" else replace(row, images="broken", told_apart=1.0)
        for row in found.rows
    )
    kept = replace(found, rows=tuple(rows))
    assert kept.group.order == 2
    assert kept.sentence == "The volumes look the same after mirror 1 (C2). No turn is kept. The 37 others are broken."
    shown = [sample.name for sample in answer_of(kept, x).samples]
    assert shown[0] == "mirror 1"
    assert len(shown) == 16


def test_matrices_of_what_is_found_are_ready_for_layers() -> None:
    assert torch.equal(patch_matrix("reversal", (5,)), lgn.transforms.operator("reversal", (5,)))
    assert torch.equal(patch_matrix("mirror 2", (3, 3, 3)), lgn.transforms.operator("mirror", (3, 3, 3), axis=2))
    turn = lgn.transforms.operator("turn", (3, 3, 3), axis=1, degrees=90)
    assert torch.equal(patch_matrix("turn 1 90", (3, 3, 3)), turn)


def test_bad_questions_are_named() -> None:
    signals = torch.randn(40, 1, 30)
    with pytest.raises(ValueError, match=r"candidates must be of reversal, sign, shift.* got 'turns'"):
        lgn.symmetries(signals, candidates="turns")
    with pytest.raises(ValueError, match="candidates 'channels' needs signals of 2 to 4 channels, got 1"):
        lgn.symmetries(signals, candidates="channels")
    with pytest.raises(ValueError, match="evidence must be of images, labels for signals, got 'network'"):
        lgn.symmetries(signals, torch.arange(40) % 2, evidence=("network",))
    with pytest.raises(ValueError, match="volumes must be at least 4x4x4 pixels"):
        lgn.symmetries(torch.randn(40, 1, 3, 8, 8))
    with pytest.raises(ValueError, match=r"images must be a tensor \(N, C, H, W\), signals \(N, C, T\) or volumes"):
        lgn.symmetries(torch.randn(40, 30))


@pytest.mark.parametrize("kind", ["signals", "volumes"])
def test_the_page_draws_signals_as_lines_and_volumes_as_slices(kind: str, tmp_path: Path) -> None:
    x = torch.randn(40, 1, 30) if kind == "signals" else torch.randn(40, 1, 4, 4, 4)
    name = "reversal" if kind == "signals" else "mirrors"
    found = lgn.symmetries(x, candidates=name, effort=0.02)
    text = write_answer(answer_of(found, x), "<noise>", tmp_path / "page.html").read_text()
    assert "<title>&lt;noise&gt;</title>" in text
    assert found.sentence in text
    if kind == "signals":
        assert text.count("<polyline") == 2 * 6  # six signals as they are, and reversed
    else:
        assert text.count("<img") == (1 + 16) * 6 * 3  # of 23 mirrors those not broken first, three slices each


def test_discover_answers_about_signals_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the file to the page: what is broken plainly is said, and no network is trained."""
    from lgn.cli import main

    np.savez(tmp_path / "tones.npz", signals=chirps(300, torch.Generator().manual_seed(0)).numpy())
    out = tmp_path / "out"
    asked = ["--candidates", "reversal", "--evidence", "images", "--out", str(out)]
    assert main(["discover", str(tmp_path / "tones.npz"), *asked]) == 0
    said = capsys.readouterr().out
    assert "signals: 300 of 96" in said
    assert "broken" in said
    assert (out / "symmetries.html").is_file()
    assert sorted(path.name for path in out.iterdir()) == ["symmetries.html", "symmetries.json"]


def test_a_network_of_images_is_not_built_on_signals() -> None:
    found = lgn.symmetries(torch.randn(60, 1, 30), candidates="reversal", effort=0.02)
    kept = replace(found, rows=(replace(found.rows[0], images="kept"),))
    assert kept.group.name == "C2"
    assert torch.equal(kept.generators(5)[0], lgn.transforms.operator("reversal", (5,)))
    with pytest.raises(ValueError, match="found must be what images keep, got generators on 5 pixels"):
        lgn.nn.GroupNet(1, 2, found=kept)
