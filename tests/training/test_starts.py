"""Many starts: all reported, the best on the validation part chosen, and a claim only against free filters."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from training.small import equal, small, weights

from lgn.discovery.starts import _halves
from lgn.generators import Affine, generators_of
from lgn.operators import operator
from lgn.training import Config, Run, load_images, train
from lgn.training.build import generator_rate
from lgn.training.loop import network_of
from lgn.training.starts import _correct, same_generators, start_configs

SEARCH: dict[str, Any] = {"starts": 3, "start_epochs": 1, "validation": 0.2, "batch_size": 25}


def searching(**changes: Any) -> Config:
    return small(**{**SEARCH, **changes})


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("starts") / "run"
    return train(searching(generator="affine", share="layer"), out, progress=False)


def test_every_start_is_reported_with_what_it_scored(searched: Run) -> None:
    report = json.loads((searched.path / "starts.json").read_text())
    assert [row["start"] for row in report["starts"]] == ["rotation 60", "rotation -180", "rotation -60"]
    images = load_images(searched.config)
    chooses, judges = _halves(len(images.parts["validation"][0]), searched.config.seed)
    for row in report["starts"]:
        run = Run.open(searched.path / "starts" / row["start"].replace(" ", "_"))
        assert row["validation_accuracy"] == pytest.approx(
            float(_correct(run.model(), images)[chooses].double().mean())
        )
        (generator,) = generators_of(run.model()).values()
        assert isinstance(generator, Affine)
        assert row["degrees"] == pytest.approx(generator.geometry().degrees.flatten().tolist())
    for name, key in ((report["best"], "retrained_accuracy"), ("free filters", "free_accuracy")):
        runs = sorted((searched.path / "starts").glob(f"{name} with seed *".replace(" ", "_")))
        right = [_correct(Run.open(path).model(), images)[judges].double().mean() for path in runs]
        assert len(right) == 5
        assert report[key] == pytest.approx(float(sum(right)) / 5)
    assert report["advantage"] == pytest.approx(report["retrained_accuracy"] - report["free_accuracy"])
    assert report["claimed"] == (report["p_value"] <= 0.015)
    assert len(report["retrained"]) == 5


def test_a_retraining_differs_in_all_but_the_generator_that_it_starts_from(searched: Run) -> None:
    best = json.loads((searched.path / "starts.json").read_text())["best"].replace(" ", "_")
    first = Run(searched.path / "starts" / best).initial()
    again = [Run(path).initial() for path in (searched.path / "starts").glob(f"{best}_with_seed_*")]
    assert len(again) == 5
    for each in again:
        assert torch.equal(each["encoder.bank.generator.matrix"], first["encoder.bank.generator.matrix"])
        assert not torch.equal(each["encoder.bank.basis"], first["encoder.bank.basis"])


def test_the_generators_of_a_random_start_are_kept_by_its_retrainings() -> None:
    """Of families without angles a start is a seed: what it drew for the generators is what stays."""
    config = searching()
    start, images = start_configs(config)["seed 1"], load_images(config)
    begun = same_generators(start, replace(start, seed=77), images)
    for seed, kept in ((1, True), (77, False)):
        torch.manual_seed(seed)
        for name, value in network_of(config, images).state_dict().items():
            if name.endswith(("generator.weight", "basis", "head.weight")):  # what is drawn
                assert torch.equal(begun[name], value) == (("generator" in name) == kept), name


def test_the_run_goes_on_from_the_best_start(searched: Run) -> None:
    report = json.loads((searched.path / "starts.json").read_text())
    best = max(report["starts"], key=lambda row: row["validation_accuracy"])
    assert report["best"] == best["start"]
    chosen = Run(searched.path / "starts" / best["start"].replace(" ", "_")).model()
    assert torch.equal(searched.initial()["encoder.bank.basis"], chosen.encoder.bank.basis)
    assert len(searched.metrics) == 2
    assert equal(dict(searched.model().state_dict()), weights(searched, "best.safetensors"))


def test_starts_differ_in_their_angle_alone_and_move_from_it(searched: Run) -> None:
    begun = [
        Run(path).initial() for path in sorted((searched.path / "starts").glob("rotation*")) if "seed" not in path.name
    ]
    assert all(torch.equal(each["encoder.bank.basis"], begun[0]["encoder.bank.basis"]) for each in begun)
    assert not torch.equal(begun[0]["encoder.bank.generator.matrix"], begun[1]["encoder.bank.generator.matrix"])
    report = json.loads((searched.path / "starts.json").read_text())
    assert all(abs(row["degrees"][0] - float(row["start"].split()[1])) % 360 > 0.1 for row in report["starts"])


def test_a_stopped_search_goes_on_and_finished_starts_are_kept(searched: Run, tmp_path: Path) -> None:
    """What a kill after the second start leaves: the same weights in the end, and no start is trained twice."""
    run = Run(tmp_path / "run")
    run.path.mkdir()
    for name in ("config.json", "environment.json"):
        (run.path / name).write_bytes((searched.path / name).read_bytes())
    for name in ("rotation_-180", "rotation_60"):
        (run.path / "starts" / name).mkdir(parents=True)
        for file in (searched.path / "starts" / name).iterdir():
            (run.path / "starts" / name / file.name).write_bytes(file.read_bytes())
    written = (run.path / "starts" / "rotation_60" / "model.safetensors").stat().st_mtime_ns
    train(run.config, run.path, progress=False)
    assert (run.path / "starts" / "rotation_60" / "model.safetensors").stat().st_mtime_ns == written
    assert equal(weights(run), weights(searched))
    assert (run.path / "starts.json").read_bytes() == (searched.path / "starts.json").read_bytes()


def test_other_families_start_from_seeds_that_no_other_run_has() -> None:
    names = [list(start_configs(searching(seed=seed))) for seed in (0, 1)]
    assert names == [["seed 0", "seed 1", "seed 2"], ["seed 3", "seed 4", "seed 5"]]
    short = start_configs(searching(seed=1))["seed 4"]
    assert (short.seed, short.starts, short.epochs, short.network.operator) == (4, 1, 1, None)


def test_an_affine_generator_starts_at_the_angle_that_is_asked_for_and_learns_fast(tmp_path: Path) -> None:
    config = small(generator="affine", share="layer", operator="rotation 40 bilinear", epochs=1)
    assert config.penalty == "none"
    assert generator_rate(config) == 10
    run = train(config, tmp_path / "run", progress=False)
    (generator,) = generators_of(run.model()).values()
    assert isinstance(generator, Affine)
    assert [group["lr"] for group in run.checkpoint()["optimizer"]["param_groups"]] == pytest.approx([0.005, 0.05])
    begun = run.initial()["encoder.bank.generator.matrix"]
    asked = operator("rotation", (5, 5), degrees=40, mode="bilinear").float()
    torch.testing.assert_close(begun, asked.expand_as(begun), atol=1e-6, rtol=0)
    assert float((generator.geometry().degrees - 40).abs().min()) > 0.1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"validation": 0.0}, "validation must be above 0 to choose the best of 3 starts by it, got 0"),
        ({"generator": "free"}, "starts must be 1 for generator 'free', which is not searched for, got 3"),
        ({"generator": "affine", "operator": "rotation 40"}, "starts must be 1 for operator 'rotation 40'"),
        ({"freeze_filters": True}, "starts must be 1 for freeze_filters, which learns no generator, got 3"),
        ({"task": "reconstruct"}, "starts must be 1 for task 'reconstruct'"),
        ({"starts": 0}, "starts must be at least 1, got 0"),
        ({"generator_rate": -1.0}, "generator_rate must be finite and not negative, got -1.0"),
        ({"generator": "affine", "start": "identity"}, "start must not be 'identity' for generator 'affine'"),
    ],
)
def test_what_cannot_be_searched(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        searching(**changes)
    assert str(refusal.value).startswith(message)


def test_images_without_labels_are_refused_before_there_is_a_directory(tmp_path: Path) -> None:
    import numpy as np

    np.savez(tmp_path / "bare.npz", images=np.random.default_rng(0).integers(0, 255, (40, 12, 12), dtype=np.uint8))
    config = searching(task="auto", data=str(tmp_path / "bare.npz"), train_images=None)
    with pytest.raises(ValueError, match="starts must be 1 for task 'reconstruct'"):
        train(config, tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()
