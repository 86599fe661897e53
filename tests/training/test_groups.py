"""Trainings of groups with several generators: config, run directory, analysis, page, and what is refused."""

import json
from pathlib import Path

import pytest
import torch

import lgn
from lgn.commands.options import parse_config
from lgn.groups import relation_error
from lgn.nn import UnfoldedEncoder
from lgn.training import NetworkConfig, Run, preset, train
from lgn.training.build import build_model, build_penalty
from lgn.training.stored_config import config_from_json, config_to_json

SMALL = {"num_layers": 2, "num_sets": 1, "kernel_size": 3, "epochs": 1, "train_images": 256, "device": "cpu"}
D4 = ["--group", "D4"]
FIXED = ["--generator", "fixed", "--operator", "rotation 90", "--operator", "reflection columns"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    config = preset("quick", group="D4", generator="representation", **SMALL)
    return train(config, tmp_path_factory.mktemp("runs") / "d4")


def test_a_run_keeps_its_group_and_its_relations(trained: Run) -> None:
    assert trained.config.network.order == 8
    model = trained.model()
    encoder = model.encoder
    assert isinstance(encoder, UnfoldedEncoder)
    generator = encoder.bank.generator
    several = generator.matrix().detach().unflatten(0, (2, -1))
    assert float(relation_error(generator.group, several).max()) <= 1e-5
    started = trained.initial()["encoder.bank.generator.matrix"].unflatten(0, (2, -1))
    assert float((several - started).norm()) > 0
    assert json.loads((trained.path / "config.json").read_text())["config"]["network"]["group"] == "D4"


def test_its_analysis_and_page_know_both_generators(trained: Run, tmp_path: Path) -> None:
    analysis = trained.analysis(draws=20)
    names = [each.name for each in analysis.generators]
    assert names[0] == "layer 1, set 1, r"
    assert names[-1] == "layer 2, set 1, s"
    assert [each.order for each in analysis.generators] == [4, 4, 2, 2]
    for each in analysis.generators:
        assert each.spectrum.closure_error is not None
        assert each.spectrum.closure_error <= 1e-5
        assert each.start is not None
    page = lgn.write_report(trained, tmp_path / "page.html").read_text()
    assert "orbits of D4" in page
    assert '"relations":["r^4","s^2","s r s r"]' in page


def test_the_command_line_of_groups() -> None:
    config = parse_config(["digits", *D4, "--generator", "representation"], "lgn train", "")
    assert (config.network.group, config.network.order, config.penalty) == ("D4", 8, "none")
    config = parse_config(["digits", *D4, *FIXED], "lgn train", "")
    assert config.network.operator == ("rotation 90", "reflection columns")
    model = build_model(config, (1, 28, 28), 10, "classify")
    r, s = model.encoder.bank.generator.matrix()[:, 0].unflatten(0, (2, -1))[:, 0]  # type: ignore[union-attr,operator]
    patch = (6, 6)
    assert torch.equal(r, lgn.transforms.operator("rotation", patch, degrees=90).float())
    assert torch.equal(s, lgn.transforms.operator("reflection", patch).float())
    net = parse_config(["digits", "--preset", "net", "--group", "D4"], "lgn train", "")
    assert build_model(net, (1, 28, 28), 10, "classify").group == lgn.groups.dihedral(4)
    related = parse_config(["digits", *D4, "--penalty", "relations"], "lgn train", "")
    assert isinstance(
        build_penalty(related, build_model(related, (1, 28, 28), 10, "classify")), lgn.penalties.Relations
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([*D4, "--order", "4"], "order must be 8 for the group D4, or left out, got 4"),
        (["--group", "octahedral"], "group.*octahedral"),
        (
            [*D4, "--generator", "fixed", "--operator", "rotation 90"],
            "operator must be given once for each of r, s of D4",
        ),
        (
            [*D4, *FIXED[:-1], "rotation 180"],
            "operator must satisfy r^4, s^2, s r s r for r, s of D4, got rotation 90 and",
        ),
    ],
)
def test_what_contradicts_a_group_is_refused(args: list[str], message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace("^", r"\^")):
        parse_config(["digits", *args], "lgn train", "")


def test_one_operator_is_as_before_and_older_runs_are_read() -> None:
    assert NetworkConfig(generator="fixed", operator="rotation 90").operator == ("rotation 90",)  # type: ignore[arg-type]
    config = preset("quick", generator="fixed", operator="rotation 90")
    stored = config_to_json(config)
    assert config_from_json(stored) == config
    stored["network"]["operator"] = "rotation 90"
    del stored["network"]["group"]
    assert config_from_json(stored) == config
    stored["network"] |= {"operator": None, "generator": "dense"}
    assert config_from_json(stored).network.operator == ()
