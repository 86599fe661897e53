"""Layers of any finite group: orbits, stacks and networks against their definitions, and equivariance through depth."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import lgn
from lgn import groups
from lgn.actions import vec
from lgn.generators import Fixed, Representation
from lgn.nn import (
    BrokenEquivarianceWarning,
    GroupConv2d,
    GroupLinear,
    GroupStackConv2d,
    OrbitBank,
    SetBatchNorm2d,
    advance,
    pool_sets,
)
from lgn.transforms import operator

D4 = groups.dihedral(4)
NAMES = ["D4", "C2 x C2", "S3", "C2 x C6"]
each_group = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def image_operators(size: int) -> list[Tensor]:
    patch = (size, size)
    return [operator("rotation", patch, degrees=90), operator("reflection", patch, axis="columns")]


@each_group
@pytest.mark.parametrize("share", ["set", "channel", "layer"])
@pytest.mark.parametrize("family", ["dense", "representation"])
def test_orbits_are_dense_products(name: str, share: lgn.generators.Share, family: str) -> None:
    group = groups.as_group(name)
    bank = OrbitBank(2, 3, (2, 3), group=group, num_layers=2, generator=family, share=share, dtype=torch.float64)
    several = bank.generator.matrix().unflatten(0, (len(group.generators), -1))
    rho = group.representation(several)  # (order, rows, channels or 1, d, d)
    rows = rho.repeat_interleave(6 // rho.shape[1], 1).expand(-1, 6, 2, -1, -1)
    expected = torch.einsum("gkcij,kcj->kgci", rows, vec(bank.basis))
    torch.testing.assert_close(vec(bank()).unflatten(0, (6, group.order)), expected)


def test_a_group_is_given_by_itself_by_name_or_by_order() -> None:
    by_name = GroupConv2d(3, 2, kernel_size=5, group="D4", generator="representation")
    itself = GroupConv2d(3, 2, kernel_size=5, group=D4, generator="representation")
    assert by_name.out_channels == itself.out_channels == 16
    assert by_name.group == itself.group
    positional = GroupConv2d(3, 2, 5, group=4)
    assert positional.group == groups.cyclic(4)
    assert GroupStackConv2d(2, 3, kernel_size=3, group=D4).bank.orbits.generator.name == "representation"
    assert GroupLinear(6, 2, group="S3").out_features == 12
    x = torch.randn(2, 16, 6, 6)
    assert GroupStackConv2d(2, 3, kernel_size=3, group=D4)(x).shape == (2, 24, 4, 4)
    fixed = GroupConv2d(1, 2, kernel_size=3, group=D4, generator="fixed", start=image_operators(3))
    torch.testing.assert_close(fixed.filters()[1], fixed.filters()[0].rot90(1, (-2, -1)))
    torch.testing.assert_close(fixed.filters()[4], fixed.filters()[0].flip(-1))


@pytest.mark.parametrize(
    "options",
    [
        {"group": "C1"},
        {"start": [torch.eye(9)] * 3, "generator": "fixed"},
        {"generator": Fixed(image_operators(3)[0][None, None], (3, 3), 4)},
        {"share": "channel", "channel_generator": "representation"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_wrong_arguments_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(options))} must"):
        GroupConv2d(**{"in_channels": 3, "num_sets": 2, "kernel_size": 3, "group": D4, **options})


@each_group
def test_a_stack_is_the_direct_sum_over_the_table(name: str) -> None:
    group = groups.as_group(name)
    layer = GroupStackConv2d(2, 3, kernel_size=2, group=group, dtype=torch.float64)
    rho = group.representation(layer.bank.orbits.generator.matrix())[:, 0]  # (order, d, d)
    basis = layer.bank.orbits.basis.unflatten(1, (2, group.order))
    inverse = group.inverses.tolist()
    x = torch.randn(1, 2 * group.order, 3, 3, dtype=torch.float64)
    out = layer(x).unflatten(1, (3, group.order))
    for g in range(group.order):
        total = torch.zeros(1, 3, 2, 2, dtype=torch.float64)
        for h in range(group.order):
            source = basis[:, :, int(group.table[inverse[g], h])]  # (sets, in_sets, n, m)
            filters = lgn.act(rho[g], source)
            total += nn.functional.conv2d(x.unflatten(1, (2, group.order))[:, :, h], filters)
        torch.testing.assert_close(out[:, :, g], total + layer.bias.view(3, 1, 1))


def four_layers(matrices: list[Tensor], dtype: torch.dtype, kernel: int = 3) -> nn.Sequential:
    """Lifting, three group convolutions (one strided, one 1x1), normalisation, group pooling."""
    shared = Fixed(torch.stack(matrices).unsqueeze(1).to(dtype), (kernel, kernel), D4)
    one = Fixed(torch.ones(2, 1, 1, 1, dtype=dtype), (1, 1), D4)

    def stack(sets_in: int, sets: int, size: int, **options: int) -> nn.Module:
        generator = one if size == 1 else shared
        return GroupStackConv2d(sets_in, sets, kernel_size=size, group=D4, generator=generator, dtype=dtype, **options)

    model = nn.Sequential(
        GroupConv2d(2, 3, kernel_size=kernel, group=D4, padding=1, bias="set", generator=shared, dtype=dtype),
        SetBatchNorm2d(3, group=D4, dtype=dtype),
        nn.ReLU(),
        stack(3, 4, kernel, padding=1, stride=2),
        SetBatchNorm2d(4, group=D4, dtype=dtype),
        nn.ReLU(),
        stack(4, 4, 1),
        nn.ReLU(),
        stack(4, 2, kernel, padding=1),
    )
    with torch.no_grad():
        for _ in range(3):
            model(torch.randn(8, 2, 13, 13, dtype=dtype) + 0.3)
    return model.eval()


def symmetries() -> list[Callable[[Tensor], Tensor]]:
    """The eight symmetries in the order of the elements of D4: r^j, then r^j s."""
    return [
        lambda x, j=j, flip=flip: (x.flip(-1) if flip else x).rot90(j, (-2, -1)) for flip in (0, 1) for j in range(4)
    ]


@pytest.mark.parametrize(("dtype", "most"), [(torch.float64, 1e-10), (torch.float32, 1e-4)])
def test_a_d4_network_of_four_layers_is_equivariant_for_all_eight(dtype: torch.dtype, most: float) -> None:
    model = four_layers(image_operators(3), dtype)
    x = torch.randn(3, 2, 13, 13, dtype=dtype)
    for element, move in enumerate(symmetries()):
        error = lgn.equivariance_error(model, x, move, lambda c, g=element, t=move: advance(t(c), g, group=D4))
        assert error <= most, D4.words[element]
        pooled = pool_sets(model(x), group=D4)
        torch.testing.assert_close(pool_sets(model(move(x)), group=D4), move(pooled), atol=1e-4, rtol=1e-4)
    table = lgn.equivariance_table(model, x)
    assert table.elements == D4.words[1:]
    assert table.worst <= most
    assert max(error for row in table.errors for error in row) <= most


def test_the_table_shows_which_element_a_perturbed_generator_breaks() -> None:
    turn, flip = image_operators(3)
    model = four_layers([turn, flip + 0.1 * torch.randn(9, 9, dtype=torch.float64)], torch.float64)
    x = torch.randn(3, 2, 13, 13, dtype=torch.float64)
    table = lgn.equivariance_table(model, x, action=["turn 90", "flip columns"])
    output = dict(zip(table.elements, table.errors[-1], strict=True))
    assert output["s"] > 0.05
    assert table.worst > 0.05
    # The error begins in the first layer.
    first = dict(zip(table.elements, table.errors[0], strict=True))
    assert first["s"] > 0.01


def test_a_learned_network_keeps_its_relations_and_moves_its_codes() -> None:
    """With a Representation that was trained, W -> rho(u) W still moves elements by the table."""
    shared = Representation(lgn.generators.start_matrices("orthogonal", (2, 1), 9), (3, 3), D4)
    model = nn.Sequential(
        GroupConv2d(1, 3, kernel_size=3, group=D4, generator=shared, share="layer"),
        nn.ReLU(),
        GroupStackConv2d(3, 2, kernel_size=3, group=D4, generator=shared),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.randn(16, 1, 8, 8)
    for _ in range(200):
        optimizer.zero_grad()
        (model(x).mean((1, 2, 3)) - x.mean((1, 2, 3))).square().mean().backward()
        optimizer.step()
    assert float(shared.guarantee_error().max()) <= 1e-5
    rho = D4.representation(shared.matrix().detach())[:, 0]
    filters = model[0].filters().detach().unflatten(0, (3, 8))
    for u in range(8):
        moved = lgn.act(rho[u], filters)
        torch.testing.assert_close(moved, filters[:, D4.table[u]], atol=1e-4, rtol=1e-4)


def test_a_filter_bank_across_channels_is_the_kronecker_product() -> None:
    """B (x) A on the channels and pixels of a filter, for S3 on colours."""
    group = groups.symmetric(3)
    swaps = [torch.eye(3)[[1, 0, 2]], torch.eye(3)[[0, 2, 1]]]
    layer = GroupConv2d(
        3, 2, kernel_size=3, group=group, generator="representation", channel_generator="fixed", channel_start=swaps,
        dtype=torch.float64,
    )  # fmt: skip
    a = group.representation(layer.bank.generator.matrix().unflatten(0, (2, -1)))[:, :, 0]  # (order, sets, d, d)
    b = group.representation(torch.stack(swaps).double())  # (order, 3, 3)
    w = vec(layer.bank.basis)  # (sets, 3, d)
    both = torch.stack([torch.stack([torch.kron(b[g], a[g, k]) for k in range(2)]) for g in range(6)])
    expected = torch.einsum("gkij,kj->kgi", both, w.flatten(1)).unflatten(-1, (3, 9))
    torch.testing.assert_close(vec(layer.filters()).unflatten(0, (2, 6)), expected)
    # An image whose colours are permuted has its codes moved, if the pixels stay where they are.
    still = GroupConv2d(
        3, 2, kernel_size=3, group=group, bias="set", generator="fixed", start=[torch.eye(9)] * 2,
        channel_generator="fixed", channel_start=swaps, dtype=torch.float64,
    )  # fmt: skip
    x = torch.randn(2, 3, 6, 6, dtype=torch.float64)
    for u in range(6):
        mixed = torch.einsum("ij,njhw->nihw", b[u], x)
        torch.testing.assert_close(still(mixed), advance(still(x), u, group=group))


def test_a_sign_of_grey_images() -> None:
    layer = GroupConv2d(
        1, 2, kernel_size=3, group="C2", bias=False, generator="fixed", start=torch.eye(9),
        channel_generator="fixed", channel_start=-torch.eye(1),
    )  # fmt: skip
    x = torch.randn(1, 1, 5, 5)
    torch.testing.assert_close(layer(-x), advance(layer(x), group=2))
    assert {place.generator.patch for place in lgn.nn.generator_sites(nn.Sequential(layer))} == {(3, 3)}


def test_the_analysis_finds_the_permutation_of_channels() -> None:
    group = groups.symmetric(3)
    swaps = [torch.eye(3)[[1, 0, 2]], torch.eye(3)[[0, 2, 1]]]
    layer = GroupConv2d(
        3, 40, kernel_size=3, group=group, generator="fixed", start=image_operators(3)[1:] * 2, share="layer",
        channel_generator="fixed", channel_start=swaps,
    )  # fmt: skip
    analysis = lgn.analyze(nn.Sequential(layer), patch=(3, 1), draws=100)
    assert [generator.name for generator in analysis.generators] == ["0, t1, channels", "0, t2, channels"]
    for generator, swap in zip(analysis.generators, swaps, strict=True):
        score = next(score for score in generator.scores if score.name == "permutation")
        assert score.score == pytest.approx(1.0)
        assert torch.equal(lgn.analysis.generator.tensor(generator.matrix).float(), swap)
        assert generator.order == 2


def test_merge_convert_and_summary_know_groups() -> None:
    plain = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 8, 3))
    model = lgn.convert(plain, group="D4", generator="representation")
    x = torch.randn(2, 3, 8, 8)
    assert model[0].group == D4
    torch.testing.assert_close(lgn.merge(model)(x), model(x))
    assert {(bank.family, bank.order) for bank in lgn.summary(model).banks} == {("Representation of D4", 8)}


def test_one_warning_names_the_option_that_breaks_equivariance() -> None:
    strided = GroupStackConv2d(1, 1, kernel_size=3, group=D4, stride=2, padding=1)
    with pytest.warns(BrokenEquivarianceWarning, match="stride=2"):
        strided(torch.randn(1, 8, 8, 8))
    strided(torch.randn(1, 8, 8, 8))  # warnings are errors here: there is no second one
    GroupStackConv2d(1, 1, kernel_size=3, group=D4, stride=2, padding=1)(torch.randn(1, 8, 9, 9))
    uneven = GroupStackConv2d(1, 1, kernel_size=4, group=D4, padding="same", padding_mode="reflect")
    with pytest.warns(BrokenEquivarianceWarning, match="padding"):
        uneven(torch.randn(1, 8, 8, 8))
    apart = GroupStackConv2d(1, 1, kernel_size=3, group=D4, bias=True)
    with pytest.warns(BrokenEquivarianceWarning, match="bias"):
        apart(torch.randn(1, 8, 8, 8))
    # The error is large where the warning is right.
    turn, flip = image_operators(3)
    for size, broken in ((8, True), (9, False)):
        model = nn.Sequential(
            GroupStackConv2d(1, 2, 3, 2, 1, group=D4, generator="fixed", start=[turn, flip], dtype=torch.float64)
        )
        x = torch.randn(2, 8, size, size, dtype=torch.float64)
        model[0]._warned = True
        error = lgn.equivariance_error(
            model, x, lambda i: advance(i.flip(-1), "s", group=D4), lambda c: advance(c.flip(-1), "s", group=D4)
        )
        assert (error > 0.05) == broken


def test_merging_a_layer_on_sets_keeps_the_outputs_and_gradients_flow() -> None:
    model = nn.Sequential(GroupStackConv2d(2, 3, 3, group=4, padding=1))
    x = torch.randn(2, 8, 6, 6)
    torch.testing.assert_close(lgn.merge(model)(x), model(x))
    model(x).square().mean().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    with pytest.raises(ValueError, match="in_sets must"):
        GroupStackConv2d(0, 3, 3, group=4)
    with pytest.raises(ValueError, match="codes must"):
        pool_sets(torch.zeros(2, 6, 3, 3), group=4)


def test_wrong_arguments_of_the_table_are_named() -> None:
    model = four_layers(image_operators(3), torch.float64)
    x = torch.randn(2, 2, 13, 13, dtype=torch.float64)
    for action in (["turn 90"], ["turn 180", "flip columns"]):
        with pytest.raises(ValueError, match="action must"):
            lgn.equivariance_table(model, x, action=action)
    with pytest.raises(ValueError, match="group must"):
        lgn.equivariance_table(nn.Conv2d(1, 1, 3), x)


def test_the_table_of_any_network_has_its_output() -> None:
    x = torch.randn(4, 1, 6, 6, dtype=torch.float64)
    scores = nn.Sequential(nn.Flatten(), nn.Linear(36, 1, bias=False, dtype=torch.float64))
    nn.init.constant_(scores[1].weight, 1.0)
    shift = nn.Linear(1, 3, dtype=torch.float64)
    table = lgn.equivariance_table(nn.Sequential(scores, shift), x, group="D4")
    assert table.layers == ("output",)
    assert table.elements == D4.words[1:]
    assert table.worst < 1e-12
    nn.init.uniform_(scores[1].weight)
    assert min(lgn.equivariance_table(nn.Sequential(scores, shift), x, group="D4").output.values()) > 1e-2
    # Images move with the input.
    assert lgn.equivariance_table(nn.ReLU(), x, group="D4").worst == 0


def test_the_penalty_on_relations_equals_closure_for_cyclic_groups() -> None:
    cyclic = GroupConv2d(1, 3, 3, group=4)
    assert torch.equal(lgn.penalties.Relations(cyclic, 0.5)(), lgn.penalties.Closure(cyclic, 0.5)())
    dense = GroupConv2d(1, 3, kernel_size=3, group=D4, dtype=torch.float64)
    r, s = dense.bank.generator.matrix()[:, 0].unflatten(0, (2, 3))
    eye = torch.eye(9, dtype=torch.float64)
    words = [r @ r @ r @ r, s @ s, s @ r @ s @ r]
    expected = sum((word - eye).norm(dim=(-2, -1)).sum() for word in words)
    torch.testing.assert_close(lgn.penalties.Relations(dense, 1.0)(), expected)
    learned = GroupConv2d(1, 3, kernel_size=3, group=D4, generator="representation", dtype=torch.float64)
    assert float(lgn.penalties.Relations(learned, 1.0)().detach()) <= 1e-10
    # By it, dense matrices come to satisfy the relations.
    small = GroupConv2d(1, 1, kernel_size=2, group=D4)
    penalty = lgn.penalties.Relations(small, 1.0)
    optimizer = torch.optim.Adam(small.bank.generator.parameters(), lr=1e-2)
    for _ in range(400):
        optimizer.zero_grad()
        penalty().backward()
        optimizer.step()
    assert float(groups.relation_error(D4, small.bank.generator.matrix().detach()).max()) < 0.05


@pytest.mark.parametrize("share", ["set", "layer"])
def test_filters_that_are_orbits_survive_conversion(share: lgn.generators.Share) -> None:
    group = GroupConv2d(9, 4, kernel_size=3, group=D4, generator="representation", share=share, dtype=torch.float64)
    converted = lgn.convert(
        nn.Sequential(group.merged()), group=D4, generator="representation", share=share, from_filters=True
    )
    assert converted.conversion.filter_error["0"] <= 1e-9  # type: ignore[union-attr]
    torch.testing.assert_close(converted[0].filters(), group.filters())  # type: ignore[index,operator]
