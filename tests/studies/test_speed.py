"""The study of speed: what it compares computes the same."""

from pathlib import Path
from typing import Any

import pytest
import torch

from lgn.nn import Classifier, GroupNet, UnfoldedEncoder
from studies.speed import group_steps, processes, steps
from studies.speed.authors import authors_step
from studies.speed.measure import multiplications
from studies.speed.straightforward import StraightforwardClassifier


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
    for path in steps.paths():
        assert torch.isfinite(steps.paper_step((1, 28, 28), path=path, batch=4)())
    for step in (steps.released_step((1, 28, 28)), steps.straightforward_step((1, 28, 28), released=True)):
        assert torch.isfinite(step())


def test_a_step_projects_where_the_authors_do() -> None:
    step, model = steps.released_step((1, 28, 28)), StraightforwardClassifier(1, released=True)
    step()
    with torch.no_grad():
        for layer in model.layers:
            layer.bases[0].mul_(3)
    model.project()
    for layer in model.layers:
        for matrix in (*layer.bases, *layer.generators):
            norms = torch.linalg.matrix_norm(matrix.detach())
            torch.testing.assert_close(norms, torch.ones_like(norms))


def test_other_code_must_be_where_it_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="authors"):
        authors_step(tmp_path, (1, 28, 28))
    (tmp_path / "model.py").write_text("import torchvision.transforms.functional as tf")
    with pytest.raises(ValueError, match="LearnGroupAction_inv"):
        authors_step(tmp_path, (1, 28, 28))
    with pytest.raises(ValueError, match="escnn"):
        group_steps.group_steps(1, 1, tmp_path)


def test_plain_convolutions_have_the_channels_of_the_group_and_are_trained() -> None:
    net = GroupNet(1, 10, group="C4", parameters=3000)
    plain = group_steps.plain_of(net)
    assert [each.out_channels for each in plain.convolutions] == [4 * sets for sets in net.widths]
    assert all(parameter.requires_grad for parameter in plain.parameters())
    assert sum(p.numel() for p in plain.parameters()) > 3 * sum(p.numel() for p in net.parameters())
    row = group_steps.steps_of("C4", 2, 1, 1, with_escnn=False)
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
    mine = bytearray(b"x") * (1 << 30)
    assert (
        128 * 20 * 25 * 25 * 4 * 4 / 2**20
        < processes.in_a_process(processes.peak_of, "mnist", "fast")
        < len(mine) / 2**20
    )
