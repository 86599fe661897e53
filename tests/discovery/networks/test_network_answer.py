"""`lgn.inspect`: planted groups are found, unrelated filters have none, and answers can be stored and used."""

from pathlib import Path

import pytest
import torch
from torch import nn

import lgn
from lgn.answer import Answer, Filters, Row
from lgn.discovery.networks.layer_inspection import inspect_layer
from lgn.discovery.networks.orbit_layers import orbits_in
from studies.inspection.cases import GROUPS, planted
from studies.inspection.filters import farthest_point, gabors, tilted_gabors


@pytest.fixture(scope="module")
def turned() -> tuple[Answer, torch.Tensor]:
    bank, _ = planted(torch.Generator().manual_seed(0), "C4", 32, 24, 0.1)
    return lgn.inspect(bank), bank


def details(row: Row) -> Filters:
    detail = row.evidence[0].detail
    assert isinstance(detail, Filters)
    return detail


def balance_of(row: Row) -> str | None:
    found = row.of("balance")
    return None if found is None else found.verdict


@pytest.mark.parametrize(("group", "name"), [("flip", "C2"), ("D4", "D4")])
def test_planted_groups_are_found(group: str, name: str) -> None:
    bank, orbit = planted(torch.Generator().manual_seed(3), group, 64, 48, 0.2)
    found = inspect_layer(bank)
    assert all(cosine > 0.95 and p_value <= 0.01 for cosine, p_value in found.maps.values())
    assert "flip columns" in found.maps
    assert (found.group.name, set(found.group.elements[1:])) == (name, set(GROUPS[group]))
    true = {frozenset((orbit == number).nonzero().flatten().tolist()) for number in range(int(orbit.max()) + 1)}
    assert len(true & {frozenset(members.values()) for members in found.orbits}) >= 0.9 * len(true)


def test_rows_group_and_pairs(turned: tuple[Answer, torch.Tensor]) -> None:
    found, bank = turned
    assert found.group is not None
    assert (found.question, found.name, found.group.order) == ("filters", "C4", 4)
    assert [row.name for row in found.kept] == ["turn 90", "turn 180", "turn 270"]
    assert found["flip columns"].verdict == "broken"
    assert balance_of(found["flip columns"]) in ("kept", "undecided")
    pairs = details(found["turn 90"]).pairs
    assert len(pairs) >= 20
    assert all((j, i) in details(found["turn 270"]).pairs for i, j in pairs)
    first, second = pairs[0]
    moved, copy = bank[first].rot90(1, (-2, -1)).flatten(), bank[second].flatten()
    assert float(torch.cosine_similarity(moved, copy, 0).abs()) > 0.95


def test_answers_are_stored_used_and_shown(turned: tuple[Answer, torch.Tensor], tmp_path: Path) -> None:
    found, _ = turned
    found.save(tmp_path / "a.json")
    loaded = Answer.load(tmp_path / "a.json")
    assert str(loaded) == str(found)
    assert loaded.settings == found.settings
    x = torch.randn(2, 3, 6, 6)
    assert torch.equal(loaded.action.elements[1](x), x.rot90(1, (-2, -1)))
    found.save(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert page.count("<figure>") == 4  # all filters, and the pairs of three turns
    assert "<script" not in page


def test_unrelated_filters_have_no_group() -> None:
    """Also if they repel each other, which deceives the twist."""
    found = lgn.inspect(farthest_point(torch.Generator().manual_seed(0), 64, 3, 7))
    assert found.group is not None
    assert found.group.order == 1
    assert {row.verdict for row in found.rows} == {"broken"}
    assert all(details(row).pairs == () for row in found.rows)
    assert min(details(row).p_values[0] for row in found.rows) <= 0.01


def test_a_distribution_that_no_flip_preserves_is_broken() -> None:
    found = lgn.inspect(tilted_gabors(torch.Generator().manual_seed(0), 64, 3, 7))
    assert balance_of(found["flip columns"]) == balance_of(found["turn 90"]) == "broken"
    assert balance_of(found["turn 180"]) == "kept"
    assert found.settings["balanced_groups"] == ("C2",)


def test_copies_under_other_transformations() -> None:
    half = gabors(torch.Generator().manual_seed(5), 48, 3, 7)
    half = half[(half.flatten(2).norm(dim=2).std(1) > 0.1)][:16]  # grey filters are their own permutations
    small = torch.zeros(24, 1, 9, 9)
    small[:, :, 2:6, 3:7] = torch.randn(24, 1, 4, 4, generator=torch.Generator().manual_seed(0))
    cases = {"exchange red and green": (half, half[:, [1, 0, 2]]), "sign": (half, -half)}
    for name, filters in (cases | {"shift 1 down": (small, small.roll(1, -2))}).items():
        assert [row.name for row in lgn.inspect(torch.cat(filters)).kept] == [name]


def test_the_seed_decides_the_random_numbers() -> None:
    bank = gabors(torch.Generator().manual_seed(1), 16, 1, 5)
    first, again, other = (inspect_layer(bank, seed=seed).rows[0].evidence for seed in (1, 1, 2))
    assert first == again != other


def test_scale_sign_and_order_of_filters_do_not_matter() -> None:
    generator = torch.Generator().manual_seed(2)
    bank, _ = planted(generator, "flip", 64, 48, 0.1)
    scales = torch.randn(64, 1, 1, 1, generator=generator)
    assert inspect_layer((bank * scales)[torch.randperm(64, generator=generator)]).group.elements == (0, 4)


def test_few_filters_are_undecided() -> None:
    found = lgn.inspect(gabors(torch.Generator().manual_seed(0), 16, 3, 7))
    assert {row.verdict for row in found.rows} == {"undecided"}
    found = lgn.inspect(torch.randn(2, 3, 5, 5))
    assert (found.rows, found.group, found.settings["power"]) == ((), None, (0.0,))


@pytest.mark.parametrize("weights", [torch.zeros(8, 3, 5, 5), torch.ones(8, 3, 5, 5), torch.eye(9).view(9, 1, 3, 3)])
def test_degenerate_filters_have_no_copies(weights: torch.Tensor, tmp_path: Path) -> None:
    found = lgn.inspect(weights)
    assert found.kept == ()
    found.save(tmp_path / "a.html")
    assert found.sentence in (tmp_path / "a.html").read_text()


def test_kernels_that_are_not_square_have_three_symmetries() -> None:
    found = lgn.inspect(torch.randn(12, 2, 3, 5, generator=torch.Generator().manual_seed(0)))
    assert [row.name for row in found.rows if balance_of(row)] == ["turn 180", "flip columns", "flip rows"]


class Net(nn.Module):
    def __init__(self, bank: torch.Tensor) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 32, 7), nn.Conv2d(32, 4, 1)
        self.line, self.group = nn.Conv1d(2, 2, 3), lgn.nn.GroupConv2d(3, 2, 3, group=4)
        with torch.no_grad():
            self.first.weight.copy_(bank)


def test_models_are_inspected_layer_by_layer(turned: tuple[Answer, torch.Tensor]) -> None:
    model = Net(turned[1])
    found = lgn.inspect(model)
    assert found.settings["layers"] == ("first", "group")
    assert found.settings["groups"] == ("C4", "trivial")
    assert found.settings["not_inspected"] == ("second", "line")
    assert found.settings["steps"] == ("first to second",)
    assert (found.name, found.data.count, found.data.shape) == ("C4", 4, (32, 3, 7, 7))
    assert {row.layer for row in found.rows} == {"first", "group"}
    assert lgn.inspect(model, "group").settings["layers"] == ("group",)
    for name in ("second", "third"):
        with pytest.raises(ValueError, match="layer must be one of first, group"):
            lgn.inspect(model, name)


def test_names_from_files_are_escaped(tmp_path: Path) -> None:
    model = nn.Sequential()
    model.add_module("<b>", nn.Conv2d(1, 8, 3))
    model.add_module("<i>", nn.Conv2d(8, 8, 1))
    lgn.inspect(model).save(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text()
    assert "&lt;b&gt;" in text
    assert "<i>" not in text


def test_orbits_become_layers(turned: tuple[Answer, torch.Tensor]) -> None:
    """The converted network has fewer numbers, nearly equal filters, and the settings of the original layer."""
    model = nn.Sequential(nn.Conv2d(3, 32, 7, 2, 3, padding_mode="reflect"), nn.ReLU(), nn.Conv2d(32, 4, 1))
    with torch.no_grad():
        model[0].weight.copy_(turned[1])
    found = lgn.inspect(model)
    assert sum(map(len, orbits_in(found, "0"))) >= 22
    converted = lgn.convert_found(model, found)
    layer = converted[0]
    assert isinstance(layer, lgn.nn.OrbitConv2d)
    assert converted.conversion.filter_error["0"] < 0.12
    assert sum(part.numel() for part in (layer.basis, layer.gain, layer.free)) < 0.5 * 4704
    x = torch.randn(2, 3, 20, 20)
    with torch.no_grad():
        assert float((converted(x) - model(x)).norm() / model(x).norm()) < 0.2
        assert torch.allclose(lgn.merge(converted)(x), converted(x), atol=1e-6)
    converted(x).sum().backward()
    assert all(part.grad is not None for part in (layer.basis, layer.gain, layer.free))
    with pytest.raises(ValueError, match="model must have a layer"):
        lgn.convert_found(nn.Sequential(nn.Conv2d(1, 8, 3)), lgn.inspect(nn.Sequential(nn.Conv2d(1, 8, 3))))
