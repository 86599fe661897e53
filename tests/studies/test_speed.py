"""The study of speed: its timing, and networks and penalties that compute the same."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from lgn.nn import Classifier, GroupNet, UnfoldedEncoder
from lgn.penalties import AuxiliaryInverse, Penalty, SingularValues
from studies.speed import processes, steps, timing
from studies.speed.measure import multiplications
from studies.speed.others import StraightforwardClassifier, authors_step, straightforward_step
from studies.speed.steps import LoopedInverse, LoopedSingularValues
from studies.speed.timing import interleaved, ratios


@pytest.fixture
def take(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """The clock of the timing stands still; `take(0.5)` lets half a second pass."""
    passed = [0.0]
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: sum(passed)))
    return passed.append


def test_ratios_see_through_a_machine_that_slows_down(take: Callable[[float], None]) -> None:
    """Every call takes longer than the one before, sixfold in the end: the ratio within a round stays."""
    calls = count()

    def wait(seconds: float) -> None:
        take(seconds * (1 + next(calls) / 10))

    measured = ratios({"base": lambda: wait(0.005), "twice": lambda: wait(0.01)}, "base", 20)
    assert list(measured) == ["twice"]
    assert measured["twice"] == pytest.approx(2, rel=0.05)


def test_the_minimum_is_taken_and_the_warm_up_left_out(take: Callable[[float], None]) -> None:
    waits = iter([0.001, 0.03, 0.01, 0.02])  # the first is the warm-up
    times = interleaved({"wait": lambda: take(next(waits))}, rounds=3, warm_up=1)
    assert times == {"wait": pytest.approx(10)}


def test_the_thread_count_is_given_back() -> None:
    before, seen = torch.get_num_threads(), set()

    def fail() -> None:
        seen.add(torch.get_num_threads())
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        interleaved({"f": fail}, threads=before + 1)
    assert seen == {before + 1}
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("batched", "looped"), [(AuxiliaryInverse, LoopedInverse), (SingularValues, LoopedSingularValues)]
)
def test_a_loop_computes_the_batched_penalty_and_its_gradient(batched: type[Penalty], looped: type[Penalty]) -> None:
    torch.manual_seed(0)
    model = Classifier(UnfoldedEncoder(1, 2, 3, num_layers=2, group=3, dtype=torch.float64), 10)
    penalties = [batched(model, 0.5), looped(model, 0.5)]
    weight = model.encoder.bank.generator.weight
    with torch.no_grad():
        weight.add_(0.2 * torch.randn_like(weight))  # away from where the inverses start
    values = [penalty() for penalty in penalties]
    assert abs(values[0]) > 0.1
    assert torch.allclose(values[0], values[1], rtol=1e-10)
    assert torch.allclose(*(torch.autograd.grad(value, weight)[0] for value in values), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("released", [False, True])
def test_the_straightforward_network_is_the_same_network(released: bool) -> None:
    torch.manual_seed(0)
    plain = StraightforwardClassifier(3, num_layers=4, num_sets=2, order=3, size=4, step=0.05, released=released)
    options: dict[str, Any] = {"algorithm": "fista", "share": "channel"} if released else {}
    model = Classifier(UnfoldedEncoder(3, 2, 4, num_layers=4, group=3, step=0.05, **options), 10)
    with torch.no_grad():
        model.encoder.bank.basis.copy_(torch.stack([w for layer in plain.layers for w in layer.bases]))
        generators = torch.stack([a for layer in plain.layers for a in layer.generators])
        model.encoder.bank.generator.weight.copy_(generators if released else generators.unsqueeze(1))
        model.head.load_state_dict(plain.head.state_dict())
    images = torch.randn(8, 3, 14, 14)
    assert torch.allclose(plain(images), model(images), atol=1e-4)


def test_multiplications_of_the_papers_network() -> None:
    # 128 images, 20 filters of 6x6 on one channel, 25x25 places; one layer of two products and three of six.
    assert multiplications((1, 28, 28)) == 20 * 128 * 20 * 36 * 25 * 25


def test_every_way_makes_a_step() -> None:
    made = [steps.paper_step((1, 28, 28), path=path, batch=4) for path in steps.paths()]
    for step in (*made, steps.released_step((1, 28, 28)), straightforward_step((1, 28, 28), released=True)):
        assert torch.isfinite(step())


def test_bases_and_generators_are_projected_to_unit_norm() -> None:
    model = StraightforwardClassifier(1, released=True)
    with torch.no_grad():
        for layer in model.layers:
            layer.bases[0].mul_(3)
    model.project()
    matrices = [matrix.detach() for layer in model.layers for matrix in (*layer.bases, *layer.generators)]
    norms = torch.cat([torch.linalg.matrix_norm(matrix).flatten() for matrix in matrices])
    torch.testing.assert_close(norms, torch.ones_like(norms))


def test_other_code_must_be_in_its_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="authors"):
        authors_step(tmp_path, (1, 28, 28))
    (tmp_path / "model.py").write_text("import torchvision.transforms.functional as tf")
    with pytest.raises(ValueError, match="LearnGroupAction_inv"):
        authors_step(tmp_path, (1, 28, 28))
    monkeypatch.setenv("LGN_ESCNN", str(tmp_path))
    with pytest.raises(ValueError, match="LGN_ESCNN"):
        processes.group_steps(1, 1)


def test_plain_convolutions_have_the_channels_of_the_group_and_are_trained() -> None:
    net = GroupNet(1, 10, group="C4", parameters=3000)
    plain = processes.plain_of(net)
    assert [item.out_channels for item in plain.convolutions] == [4 * sets for sets in net.widths]
    assert all(parameter.requires_grad for parameter in plain.parameters())
    assert sum(p.numel() for p in plain.parameters()) > 3 * sum(p.numel() for p in net.parameters())
    row = processes.steps_of("C4", 2, 1, 1, with_escnn=False)
    assert row["over"]["plain"] == pytest.approx(row["milliseconds"]["group"] / row["milliseconds"]["plain"], rel=0.02)


@pytest.mark.slow
def test_growth_says_which_path_is_taken_and_what_it_takes() -> None:
    """A kernel of 13 is not for the compiled path, which was not measured there."""
    setting = processes.USUAL | {"kernel_size": 13, "batch": 2}
    row = processes.in_a_process(processes.growth_of, setting, "auto", 1, 1)
    assert row["path"] == "fast"
    assert row["milliseconds"] > 0
    assert row["peak_mb"] > 100


@pytest.mark.slow
def test_the_memory_of_a_process_of_its_own() -> None:
    """In MB: more than the codes of four layers for 128 images, and nothing of what its parent has had."""
    mine, codes = bytearray(b"x") * (1 << 30), 128 * 20 * 25 * 25 * 4 * 4
    assert codes < processes.in_a_process(processes.peak_of, "mnist", "fast") * 2**20 < len(mine)
