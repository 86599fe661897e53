"""Trainings of groups with several generators: the run, its analysis and its page."""

from pathlib import Path

import pytest
import torch

import lgn
from lgn.groups import relation_error
from lgn.nn import UnfoldedEncoder
from lgn.training import Run, build_model, build_penalty, preset, train

SMALL = {"num_layers": 2, "num_sets": 1, "kernel_size": 3, "epochs": 1, "train_images": 256, "device": "cpu"}
D4 = {"group": "D4"}
FIXED = {"generator": "fixed", "operator": ("rotation 90", "reflection columns")}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    config = preset("quick", **D4, generator="representation", **SMALL)
    return train(config, tmp_path_factory.mktemp("runs") / "d4")


def test_a_run_keeps_its_group_and_its_relations(trained: Run) -> None:
    assert trained.config.network.finite_group == lgn.groups.dihedral(4)
    encoder = trained.model().encoder
    assert isinstance(encoder, UnfoldedEncoder)
    generator = encoder.bank.generator
    matrices = generator.matrix().detach().unflatten(0, (2, -1))
    assert float(relation_error(generator.group, matrices).max()) <= 1e-5
    initial = trained.initial()["encoder.bank.generator.matrix"].unflatten(0, (2, -1))
    assert float((matrices - initial).norm()) > 0


def test_its_analysis_and_page_have_both_generators(trained: Run, tmp_path: Path) -> None:
    analysis = lgn.analyze(trained, draws=20)
    assert [generator.name for generator in analysis.generators] == [
        f"layer {layer}, set 1, {letter}" for letter in "rs" for layer in (1, 2)
    ]
    assert [generator.order for generator in analysis.generators] == [4, 4, 2, 2]
    assert all((generator.spectrum.closure_error or 0) <= 1e-5 for generator in analysis.generators)
    page = lgn.write_report(trained, tmp_path / "page.html").read_text()
    assert "orbits of D4" in page
    assert '"relations":["r^4","s^2","s r s r"]' in page


def test_operators_become_the_generators() -> None:
    model = build_model(preset("quick", **D4, **FIXED), (1, 28, 28), 10, "classify")
    r, s = model.encoder.bank.generator.matrix()[:, 0].unflatten(0, (2, -1))[:, 0]  # type: ignore[union-attr,operator]
    assert torch.equal(r, lgn.transforms.operator("rotation", (6, 6), degrees=90).float())
    assert torch.equal(s, lgn.transforms.operator("reflection", (6, 6)).float())


def test_nets_and_penalties_take_the_group() -> None:
    assert build_model(preset("net", **D4), (1, 28, 28), 10, "classify").group == lgn.groups.dihedral(4)
    related = preset("quick", **D4, penalty="relations")
    model = build_model(related, (1, 28, 28), 10, "classify")
    assert isinstance(build_penalty(related, model), lgn.penalties.Relations)


@pytest.mark.parametrize("operator", [("rotation 90",), ("rotation 90", "rotation 180")])
def test_operators_that_do_not_fit_the_group_are_refused(operator: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="operator"):
        preset("quick", **D4, generator="fixed", operator=operator)
