"""Controls of learned generators: unrelated generators lose an operator, and analyses find planted structures."""

from itertools import pairwise

import pytest
import torch
from torch import Tensor

from lgn.actions import vec
from lgn.analysis import analyze_matrices
from lgn.analysis.structure import energy, offset_share, quadrant_signs, symmetry
from lgn.generators import Share
from lgn.generators.starts import start_matrices
from lgn.nn import OrbitBank
from lgn.training import build_model, preset, snapshot
from studies.paper.excerpt import Scores, summarise
from studies.truth.controls import PARTS, Generators, fitted, free, orthogonal_to, planted, repaired, with_other_inputs

SETS, ORDER = 6, 4
SMALL = {"num_layers": 2, "num_sets": 3, "kernel_size": 4}


def _network(channels: int = 1, **changes: object) -> torch.nn.Module:
    torch.manual_seed(0)
    return build_model(preset("paper", **(SMALL | changes)), (channels, 16, 16), 10, "classify")


def _filters(model: torch.nn.Module) -> Tensor:
    return model.encoder.bank().detach().double().unflatten(0, (-1, ORDER))  # (S, p, C, n, m)


def _orbit(made: Generators, member: int, element: int) -> Tensor:
    return torch.linalg.matrix_power(made.matrices[member], element) @ made.filters[member]  # (d, C or 1)


@pytest.mark.parametrize("channels", [1, 3])
def test_generators_of_a_free_network_make_its_filters(channels: int) -> None:
    model = _network(channels, generator="free")
    filters = vec(_filters(model))  # (S, p, C, d)
    together, apart = free(model, ORDER, "set", 0), free(model, ORDER, "channel", 0)
    assert len(together.matrices) == SETS
    assert len(apart.matrices) == SETS * channels
    for k in range(SETS):
        for j in range(ORDER):
            torch.testing.assert_close(_orbit(together, k, j), filters[k, j].mT)
            torch.testing.assert_close(_orbit(apart, k * channels, j), filters[k, j, :1].mT)


def test_off_u_stands_a_start_with_the_energy_asked_for() -> None:
    generator = torch.Generator().manual_seed(0)
    sets = torch.randn(5, ORDER, 1, 4, 4, generator=generator, dtype=torch.float64)
    start = torch.randn(5, 1, 16, 16, generator=generator, dtype=torch.float64)
    energies = torch.linspace(1, 2, 5, dtype=torch.float64)[:, None]
    made = fitted(sets, "set", start, energies)
    on_u = fitted(sets, "set", start, torch.zeros(5, 1)).matrices
    rest = made.matrices - on_u
    torch.testing.assert_close(rest.square().sum((-2, -1)), energies[:, 0])
    torch.testing.assert_close(rest @ vec(sets[:, 0, 0])[..., None], torch.zeros(5, 16, 1, dtype=torch.float64))
    torch.testing.assert_close(torch.linalg.matrix_rank(on_u), torch.full((5,), ORDER - 1))
    # Off U it is the start, but for its scale.
    off = start[0, 0] @ orthogonal_to(vec(sets[0, :-1, 0]).mT)
    assert float(torch.cosine_similarity(rest[0].flatten(), off.flatten(), 0).abs()) > 0.999


@pytest.mark.parametrize("share", ["set", "channel"])
def test_re_paired_filters_come_from_other_sets_and_keep_place_and_norm(share: str) -> None:
    model = _network(channels=2, share=share)
    with torch.no_grad():
        model.encoder.bank.basis.mul_(torch.rand(SETS, 2, 1, 1) + 0.5)  # norms that differ
    filters = vec(_filters(model))
    made = repaired(model, snapshot(model), share, 0)  # type: ignore[arg-type]
    channels = 2 if share == "channel" else 1
    assert len(made.matrices) == SETS * channels
    for k in range(SETS):
        sources = []
        for j in range(ORDER):
            column = _orbit(made, k * channels, j)[:, 0]
            assert column.norm() == pytest.approx(float(filters[k, j, 0].norm()), rel=1e-4)
            likeness = torch.cosine_similarity(filters[:, j, 0], column[None], dim=-1)
            assert float(likeness.max()) > 1 - 1e-6
            sources.append(int(likeness.argmax()))
        assert all(a != b for a, b in pairwise(sources))


def test_other_inputs_leave_what_is_written_and_change_what_is_read() -> None:
    model = _network()
    with torch.no_grad():
        model.encoder.bank.generator.weight.add_(torch.randn_like(model.encoder.bank.generator.weight))
    own = model.encoder.bank.generator.matrix().detach().double()[:, 0]
    made = with_other_inputs(model, "set", 0)
    torch.testing.assert_close(torch.linalg.svdvals(made.matrices), torch.linalg.svdvals(own))
    torch.testing.assert_close(made.matrices @ made.matrices.mT, own @ own.mT)  # left singular vectors and values
    reads = [[float((a.mT @ a - b.mT @ b).norm()) for b in own] for a in made.matrices]
    assert all(min(row) > 1 for row in reads)  # singular values of one, right singular vectors of another


def test_an_operator_that_is_there_is_lost_by_re_pairing_and_found_before() -> None:
    model = _network(generator="fixed", operator="rotation 90", num_sets=5)
    bank = model.encoder.bank
    matrices = bank.generator.matrix().detach().double()[:, 0]
    bases = list(vec(bank.basis.detach().double()).mT)

    def turned(matrices: Tensor, filters: list[Tensor]) -> float:
        scores: Scores = summarise(analyze_matrices(matrices, patch=(4, 4), filters=filters, order=ORDER, draws=200))
        return sum(any(name == "rotation" for name, _ in item.operators) for item in scores.generators) / len(matrices)

    unlearned = {"encoder.bank.generator.matrix": start_matrices("orthogonal", (len(matrices), 1), 16)}
    made = repaired(model, unlearned, "set", 0)
    assert turned(matrices, bases) == 1
    assert turned(made.matrices, list(made.filters)) <= 0.1


def test_generators_that_are_shared_cannot_be_compared() -> None:
    model = _network(share="layer")
    with pytest.raises(ValueError, match="share must be 'set' or 'channel'"):
        repaired(model, snapshot(model), "layer", 0)


PATCH = (4, 4)
SCORES = {
    "skew-symmetric": lambda a: symmetry(a)[1],
    "Toeplitz": lambda a: offset_share(a, (a.shape[-1],)),
    "multi-scale": lambda a: quadrant_signs(a, PATCH),
}


def _trained(channels: int, share: Share) -> tuple[OrbitBank, torch.nn.Module, dict[str, Tensor]]:
    """A network whose generators have left their start."""
    model = _network(channels, num_layers=1, num_sets=6, share=share)
    initial = snapshot(model)
    with torch.no_grad():
        model.encoder.bank.generator.weight.add_(torch.randn_like(model.encoder.bank.generator.weight))
    return model.encoder.bank, model, initial


@pytest.mark.parametrize("name", PARTS)
def test_a_part_has_its_structure_and_a_matrix_that_has_it_is_its_own_part(name: str) -> None:
    matrices = torch.randn(5, 16, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    part = PARTS[name](matrices, PATCH)
    torch.testing.assert_close(SCORES[name](part), torch.ones(5, dtype=torch.float64))
    torch.testing.assert_close(PARTS[name](part, PATCH), part)
    assert float(SCORES[name](matrices).max()) < 0.8


def _span(matrix: Tensor, first: Tensor) -> Tensor:
    """The projector on what the first p - 1 elements of the orbits span."""
    columns = torch.cat([torch.linalg.matrix_power(matrix, k) @ first for k in range(ORDER - 1)], -1)
    return columns @ torch.linalg.pinv(columns, rtol=1e-9)


@pytest.mark.parametrize(("channels", "share"), [(1, "set"), (2, "set"), (2, "channel")])
def test_the_action_and_the_start_have_the_energy_of_the_learned_generator(channels: int, share: Share) -> None:
    bank, model, initial = _trained(channels, share)
    learned = bank.generator.matrix().detach().double().flatten(0, 1)
    starts = initial["encoder.bank.generator.matrix"].double().flatten(0, 1)
    whole, names = planted(model, initial, share, through_filters=False)
    through, _ = planted(model, initial, share, through_filters=True)
    first = whole.filters
    for k, name in enumerate(names):
        on = _span(learned[k], first[k])
        action = PARTS[name](learned[k : k + 1], PATCH)[0]
        wanted = float(energy(learned[k] @ on)), float(energy(learned[k] - learned[k] @ on))
        there = [(w / float(energy(m))) ** 0.5 * m for w, m in zip(wanted, (action, starts[k]), strict=True)]
        torch.testing.assert_close(whole.matrices[k], there[0] + there[1], rtol=1e-4, atol=1e-5)
        # What filters cannot say is the start; on what they can say, the matrix is the action, but for its scale.
        span = _span(action, first[k])
        seen, rest = through.matrices[k] @ span, through.matrices[k] - through.matrices[k] @ span
        assert float(energy(seen)) == pytest.approx(wanted[0], rel=1e-4)
        assert float(energy(rest)) == pytest.approx(wanted[1], rel=1e-4)
        assert float(torch.cosine_similarity(seen.flatten(), (action @ span).flatten(), 0)) > 1 - 1e-6
        assert float(torch.cosine_similarity(rest.flatten(), (starts[k] - starts[k] @ span).flatten(), 0)) > 1 - 1e-6


def test_each_structure_is_planted_in_turn_and_only_there_it_is_found() -> None:
    _, model, initial = _trained(4, "set")  # the orbits of four channels span 12 of 16 dimensions
    made, names = planted(model, initial, "set", through_filters=False)
    assert names == [*PARTS, *PARTS]
    analysis = analyze_matrices(made.matrices, patch=PATCH, filters=made.filters, order=ORDER, draws=200)
    found = [{finding.name for finding in item.findings} for item in analysis.generators]
    for name in ("skew-symmetric", "Toeplitz"):
        assert all(name in one for one, there in zip(found, names, strict=True) if there == name)
    assert not any("Toeplitz" in one for one, there in zip(found, names, strict=True) if there == "skew-symmetric")
