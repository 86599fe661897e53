"""`lgn.inspect`: planted groups are found, unrelated banks have none, and everything is said."""

import json
from pathlib import Path

import pytest
import torch
from torch import nn

import lgn
from lgn.discovery.networks import Inspection, inspect_bank
from lgn.discovery.networks.page import write_inspection_page
from lgn.discovery.networks.result import BankInspection
from studies.inspection.filters import farthest_point, gabors, tilted_gabors
from studies.inspection.planted import GROUPS, planted


@pytest.fixture(scope="module")
def turned() -> tuple[BankInspection, torch.Tensor]:
    bank, _ = planted(torch.Generator().manual_seed(0), "C4", 32, 24, 0.1)
    return lgn.inspect(bank), bank


@pytest.mark.parametrize(("group", "name"), [("flip", "C2"), ("D4", "D4")])
def test_planted_groups_are_found(group: str, name: str) -> None:
    bank, orbit = planted(torch.Generator().manual_seed(3), group, 64, 48, 0.2)
    found = inspect_bank(bank, draws=399)
    assert (found.group.name, set(found.group.elements[1:])) == (name, set(GROUPS[group]))
    true = {frozenset((orbit == number).nonzero().flatten().tolist()) for number in range(int(orbit.max()) + 1)}
    assert len(true & set(map(frozenset, found.orbits))) >= 0.9 * len(true)


def test_rows_groups_and_orbits(turned: tuple[BankInspection, torch.Tensor]) -> None:
    found, _ = turned
    assert (found.group.name, found.group.order) == ("C4", 4)
    assert [row.name for row in found.rows if row.twins] == ["turn 90", "turn 180", "turn 270"]
    assert all(row.p_value <= 0.05 for row in found.rows if row.twins)
    assert found.balanced_group.order >= 4
    inside = sum(map(len, found.orbits))
    assert inside >= 22
    assert inside + len(found.outside) == 32
    assert found.in_orbits_by_chance is not None
    assert found.in_orbits_by_chance < inside
    assert [each.nearest for each in found.maps] == ["turn 90"]
    assert found.maps[0].cosine > 0.9 > 0.6 > abs(found.maps[0].next_cosine)
    assert found.row("flip columns").balance in ("balanced", "neither")
    assert "<td" in found._repr_html_()
    with pytest.raises(ValueError, match="name must be one of turn 90"):
        found.row("turn 45")


def test_unrelated_filters_have_no_group() -> None:
    """Even where they repel each other, and so fool the twist."""
    found = lgn.inspect(farthest_point(torch.Generator().manual_seed(0), 64, 3, 7))
    assert found.group.name == "trivial"
    assert found.orbits == ()
    assert not any(row.twins for row in found.rows)
    assert min(row.p_twist for row in found.rows if row.kind == "place") <= 0.01  # fooled, and alone not enough
    assert found.power >= 0.8


def test_a_distribution_that_no_flip_keeps_is_broken() -> None:
    found = lgn.inspect(tilted_gabors(torch.Generator().manual_seed(0), 64, 3, 7))
    assert found.row("flip columns").balance == found.row("turn 90").balance == "broken"
    assert found.row("turn 180").balance == "balanced"
    assert found.balanced_group.elements == ("identity", "turn 180")


def test_sign_pairs_are_told_from_twins() -> None:
    half = gabors(torch.Generator().manual_seed(0), 24, 3, 7)
    found = inspect_bank(torch.cat([half, -half]))
    assert found.row("negative").twins
    assert found.group.order == 1


def test_channel_permutations_are_seen() -> None:
    half = gabors(torch.Generator().manual_seed(5), 48, 3, 7)
    half = half[(half.flatten(2).norm(dim=2).std(1) > 0.1)][:16]  # coloured ones: grey is its own permutation
    found = inspect_bank(torch.cat([half, half[:, [1, 0, 2]]]))
    assert [row.name for row in found.rows if row.twins] == ["channels 1 0 2"]


def test_shifts_are_seen() -> None:
    half = 0.0 * torch.zeros(24, 1, 9, 9)
    half[:, :, 2:6, 3:7] = torch.randn(24, 1, 4, 4, generator=torch.Generator().manual_seed(0))
    found = inspect_bank(torch.cat([half, half.roll(1, -2)]))
    assert "shift down" in [row.name for row in found.rows if row.twins]
    assert not found.row("shift right").twins


def test_the_same_seed_says_the_same() -> None:
    bank = gabors(torch.Generator().manual_seed(1), 16, 1, 5)
    assert inspect_bank(bank, seed=1) == inspect_bank(bank, seed=1)
    assert inspect_bank(bank, seed=1) != inspect_bank(bank, seed=2)


def test_scale_sign_and_order_of_filters_do_not_matter() -> None:
    generator = torch.Generator().manual_seed(2)
    bank, _ = planted(generator, "flip", 64, 48, 0.1)
    signs = torch.tensor([1.0, -1.0]).repeat(32).view(-1, 1, 1, 1)
    changed = (
        bank[torch.randperm(64, generator=generator)] * signs * (torch.rand(64, 1, 1, 1, generator=generator) + 0.5)
    )
    for some in (bank, changed):
        assert inspect_bank(some, draws=399).group.elements[1:] == ("flip columns",)


def test_too_few_filters_are_said_to_be() -> None:
    assert "16 filters are too few" in str(lgn.inspect(gabors(torch.Generator().manual_seed(0), 16, 3, 7)))
    found = lgn.inspect(torch.randn(2, 3, 5, 5))
    assert (found.rows, found.power) == ((), 0.0)


def test_kernels_that_are_not_square_are_asked_about_what_they_have() -> None:
    found = lgn.inspect(torch.randn(12, 2, 3, 5, generator=torch.Generator().manual_seed(0)))
    assert [row.name for row in found.rows if row.kind == "place"] == ["turn 180", "flip columns", "flip rows"]


class Net(nn.Module):
    def __init__(self, bank: torch.Tensor) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 32, 7), nn.Conv2d(32, 4, 1)
        self.line, self.group = nn.Conv1d(2, 2, 3), lgn.nn.GroupConv2d(3, 2, 3, group=4)
        with torch.no_grad():
            self.first.weight.copy_(bank)


def test_models_are_inspected_layer_by_layer(turned: tuple[BankInspection, torch.Tensor], tmp_path: Path) -> None:
    model = Net(turned[1])
    found = lgn.inspect(model)
    assert isinstance(found, Inspection)
    assert [layer.name for layer in found.layers] == ["first", "group"]
    assert found.layer("first").group.name == "C4"
    assert found.left_alone == {
        "second": "its kernels of 1x1 are smaller than 3x3",
        "line": "it has 1 dimensions of place, and two are inspected",
    }
    assert {(each.first, each.second) for each in found.deeper} == {("first", "second")}
    said = json.loads(json.dumps(found.to_dict()))
    assert said["layers"][0]["orbits"] == [list(orbit) for orbit in found.layers[0].orbits]
    weights = {"first": model.first.weight.detach(), "group": model.group.filters().detach()}
    text = write_inspection_page(tmp_path / "page.html", found, weights).read_text()
    assert text.count('class="orbit"') == len(found.layers[0].orbits)
    assert "<script" not in text
    with pytest.raises(ValueError, match="layer 'second' cannot be inspected: its kernels of 1x1"):
        lgn.inspect(model, "second")
    with pytest.raises(ValueError, match="layer must be one of first, group, got 'third'"):
        lgn.inspect(model, "third")


def test_names_from_files_are_escaped(tmp_path: Path) -> None:
    found = lgn.inspect(nn.Sequential(nn.Conv2d(1, 8, 3)))
    hostile = Inspection("<script>alert(1)</script>", found.layers, {"<b>": "why"}, ())
    text = write_inspection_page(tmp_path / "a.html", hostile, {"0": torch.randn(8, 1, 3, 3)}).read_text()
    assert "<script>" not in text
    assert "<b>" not in text


@pytest.mark.parametrize("weights", [torch.zeros(8, 3, 5, 5), torch.ones(8, 3, 5, 5), torch.eye(9).view(9, 1, 3, 3)])
def test_banks_without_much_in_them_are_shown(weights: torch.Tensor, tmp_path: Path) -> None:
    found = lgn.inspect(weights)
    assert found.group.order == 1
    assert found.filters + len(found.dead) + len(found.flat) == len(weights)
    whole = Inspection("odd", (found,), {}, ())
    assert "too few" in write_inspection_page(tmp_path / "a.html", whole, {"bank": weights}).read_text()


def test_orbits_become_layers(turned: tuple[BankInspection, torch.Tensor]) -> None:
    """`convert_found`: fewer numbers, filters near, and the original's place in the network kept."""
    model = nn.Sequential(nn.Conv2d(3, 32, 7, 2, 3, padding_mode="reflect"), nn.ReLU(), nn.Conv2d(32, 4, 1))
    with torch.no_grad():
        model[0].weight.copy_(turned[1])
    converted = lgn.convert_found(model, lgn.inspect(model))
    layer = converted[0]
    assert isinstance(layer, lgn.nn.OrbitConv2d)
    assert converted.conversion.filter_error["0"] < 0.12
    assert "numbers instead of 4,704" in converted.conversion.converted["0"]
    assert sum(each.numel() for each in (layer.basis, layer.gain, layer.free)) < 0.5 * 4704
    x = torch.randn(2, 3, 20, 20)
    with torch.no_grad():
        assert float((converted(x) - model(x)).norm() / model(x).norm()) < 0.2
        assert torch.allclose(lgn.merge(converted)(x), converted(x), atol=1e-6)
    converted(x).sum().backward()
    assert all(each.grad is not None for each in (layer.basis, layer.gain, layer.free))
    with pytest.raises(ValueError, match="model must have a layer"):
        lgn.convert_found(nn.Sequential(nn.Conv2d(1, 8, 3)), lgn.inspect(nn.Sequential(nn.Conv2d(1, 8, 3))))
