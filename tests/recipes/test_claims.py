"""Claims: controls of equal size, verdicts by intervals, and what is said of runs that are not all there."""

import json
import shutil
from pathlib import Path
from statistics import fmean

import pytest
import torch

import lgn
from lgn.analysis import Analysis, analyze_matrices
from lgn.recipes import Context, reproduce
from lgn.recipes.claims import measure
from lgn.recipes.claims.accuracy import verdict, within
from lgn.recipes.claims.actions import BY_CHANCE, _across_antidiagonal
from lgn.recipes.claims.groups import singular_values_kept, smallest_singular_value
from lgn.recipes.claims.samples import Sample, judged
from lgn.recipes.claims.statement import CLAIMS, Statement, estimate
from lgn.recipes.claims.structures import share_found, task_dependence
from lgn.recipes.controls import CONTROLS, parameters, with_equal_filters, with_equal_parameters
from lgn.recipes.runs import classification
from lgn.training import Run, build_model, preset, train


@pytest.mark.parametrize("data", ["mnist", "cifar10"])
@pytest.mark.parametrize("control", list(CONTROLS))
def test_controls_have_as_many_parameters_as_sets_allow(data: str, control: str) -> None:
    group = classification(data)
    wanted = parameters(group)
    equal = with_equal_parameters(group, control)
    sets = equal.network.num_sets
    distances = [
        abs(parameters(lgn.training.preset("paper", "classify", data=data, num_sets=n, **CONTROLS[control])) - wanted)
        for n in (sets - 1, sets, sets + 1)
    ]
    assert distances[1] == min(distances)
    assert distances[1] < 0.02 * wanted
    assert with_equal_filters(group, control).network.num_sets == group.network.num_sets


def test_parameters_are_those_of_the_network_alone() -> None:
    # 4 layers of 5 sets: bases, generators and thresholds; three normalisations; a head on 20 codes in 16 cells
    assert parameters(classification("mnist")) == 20 * 36 + 20 * 36**2 + 80 + 3 * 40 + 20 * 16 * 10 + 10


def test_as_well_allows_for_half_a_point_or_a_tenth_of_the_errors() -> None:
    gap = estimate([-0.2, -0.1, -0.3])
    assert within(gap, accuracy=70.0)
    assert not within(gap, accuracy=99.0)  # 0.2 points are a fifth of its errors
    assert not within(estimate([-2.0, -1.5, -1.8]), accuracy=70.0)
    assert within(estimate([3.0]), accuracy=70.0) is None


def test_to_hold_on_accuracy_no_comparison_may_be_missing() -> None:
    assert verdict([True, True], 2) == "holds"
    assert verdict([True, True], 4) == "holds in part"
    assert verdict([True, False, None], 3) == "holds in part"
    assert verdict([False, None], 2) == "not seen"
    assert verdict([None], 1) == "not tested"


def test_the_difference_across_the_antidiagonal_is_judged_by_what_noise_has() -> None:
    noise = torch.randn(4_000, 6, 6, generator=torch.Generator().manual_seed(0))
    assert fmean(map(_across_antidiagonal, noise)) == pytest.approx(BY_CHANCE, abs=0.01)
    assert _across_antidiagonal(torch.ones(6, 6).triu().fliplr()) > 5 * BY_CHANCE


def test_singular_values_are_kept_only_if_every_penalty_lifts_them_above_none() -> None:
    model = build_model(preset("paper"), (1, 28, 28), 10, "classify")
    assert smallest_singular_value(model) == pytest.approx(1, abs=1e-5)  # an orthogonal start
    bare, lifted = [1e-4, 2e-4, 3e-4], [0.1, 0.2, 0.3]
    names = ("inverse", "closure")
    assert singular_values_kept("", {"none": bare, **dict.fromkeys(names, lifted)}, []).verdict == "holds"
    assert singular_values_kept("", {"none": bare, "inverse": lifted}, ["closure"]).verdict == "holds in part"
    assert singular_values_kept("", {"none": lifted, "inverse": lifted}, []).verdict == "not seen"
    assert singular_values_kept("", {"none": bare[:1], "inverse": lifted[:1]}, []).verdict == "not tested"


def test_rounding_is_no_finding() -> None:
    edge = estimate([0.05, 0.05, 0.1])
    assert edge.low == pytest.approx(0.05)
    assert not edge.above(0.05)
    assert edge.above(0.049)
    assert not estimate([0.15, 0.1 + 0.05, 0.15]).below(0.15)


def test_tasks_that_differ_more_than_seeds_are_half_of_claim_three() -> None:
    """Symmetric matrices for one task and skew-symmetric ones for the other: apart, and no blocks in either."""
    generator = torch.Generator().manual_seed(0)

    def analyses(sign: int, count: int) -> list[Analysis]:
        noise = torch.randn(count, 2, 9, 9, generator=generator)
        return [analyze_matrices(each + sign * each.mT, (3, 3), draws=20) for each in noise]

    classified, rebuilt = analyses(1, 3), analyses(-1, 2)
    assert task_dependence("", classified, rebuilt).verdict == "holds in part"
    assert task_dependence("", classified, analyses(1, 2)).verdict == "not seen"
    assert "between seeds of a task: one seed" in task_dependence("", classified[:1], rebuilt[:1]).effect


def test_a_finding_on_a_matrix_that_is_all_identifiable_is_one_on_what_the_data_can_say() -> None:
    noise = torch.randn(1, 9, 9, generator=torch.Generator().manual_seed(0))
    skew = {"matrices": noise - noise.mT, "patch": (3, 3), "order": 4, "draws": 200}
    few, all_of_them = (
        analyze_matrices(**skew, filters=torch.randn(1, 9, n, generator=torch.Generator().manual_seed(1)))  # type: ignore[arg-type]
        for n in (1, 9)
    )
    assert share_found(few, "skew-symmetric") == share_found(all_of_them, "skew-symmetric") == 1
    on_u = any(f.name == "skew-symmetric" and f.on == "identifiable" for f in few.generators[0].findings)
    assert share_found(few, "skew-symmetric", "identifiable") == on_u
    assert not any(f.on == "identifiable" for f in all_of_them.generators[0].findings)
    assert share_found(all_of_them, "skew-symmetric", "identifiable") == 1


@pytest.fixture(scope="module")
def as_if_trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seeds of the short classification of MNIST, by their settings: in truth one on a few digits."""
    out = tmp_path_factory.mktemp("reproduction")
    config = preset("paper", epochs=1, train_images=200, device="cpu")  # the task is left to the data
    made = train(config, out / "made", progress=False)
    lgn.analyze(made, draws=20).to_json(made.path / "analysis.json.gz")
    for seed in (0, 1):
        shutil.copytree(made.path, out / "runs" / f"seed-{seed}")
        path = out / "runs" / f"seed-{seed}" / "config.json"
        stored = json.loads(path.read_text())
        stored["config"] |= {"data": "mnist", "epochs": 10, "train_images": None, "seed": seed}
        path.write_text(json.dumps(stored))
    return out


def test_claims_use_the_runs_that_are_there_and_train_none(as_if_trained: Path) -> None:
    before = sorted(as_if_trained.rglob("*"))
    statements = {each.number: each for each in measure(Context(as_if_trained, existing=True))}
    assert list(statements) == list(CLAIMS)
    assert "2 of 5 seeds" in statements[2].runs
    assert statements[2].verdict != "not tested"
    assert "over 2 runs" in statements[2].effect
    long_runs = [line for line in statements[2].details if "100 epochs" in line]
    assert len(long_runs) == 3
    assert all(line.endswith("not run") for line in long_runs)
    (released,) = [line for line in statements[2].details if "preset released, gaussian start, 10 epochs" in line]
    assert released.endswith("0 of 5 seeds: not run; by these alone: not tested")
    missing = {number for number, each in statements.items() if each.verdict == "not tested"}
    assert missing >= {1, 3, 4, 5, 6, 7, 10, 11, 12, 14, 15}
    assert "2 of 5 seeds" in statements[8].runs  # what there is of both data sets
    assert sorted(as_if_trained.rglob("*")) == before


def test_a_sample_beside_is_judged_by_itself(as_if_trained: Path) -> None:
    runs = tuple(Run(as_if_trained / "runs" / f"seed-{seed}") for seed in (0, 1))
    context = Context(as_if_trained, existing=True)
    none, two = Sample(context, "no run", ()), Sample(context, "two runs", runs)

    def judge(words: str, analyses: list[Analysis]) -> Statement:
        return Statement(1, words, f"{len(analyses)} analyses", "", "holds")

    statement = judged(1, judge, none, beside=two)
    assert statement.verdict == "not tested"
    assert statement.released == "holds"
    assert statement.details == ("two runs: 2 analyses; by these alone: holds",)
    assert judged(1, judge, two, beside=none).verdict == "holds"


def test_one_seed_is_measured_but_gives_no_verdict(as_if_trained: Path, tmp_path: Path) -> None:
    shutil.copytree(as_if_trained / "runs" / "seed-0", tmp_path / "runs" / "one")
    statements = {each.number: each for each in measure(Context(tmp_path, existing=True))}
    assert "1 of 5 seeds" in statements[8].runs
    assert "one run" in statements[8].effect
    assert statements[8].verdict == "not tested"


def test_an_unfinished_run_is_not_used(as_if_trained: Path, tmp_path: Path) -> None:
    shutil.copytree(as_if_trained / "runs" / "seed-0", tmp_path / "runs" / "one")
    (tmp_path / "runs" / "one" / "model.safetensors").unlink()
    context = Context(tmp_path, existing=True)
    assert context.find(classification("mnist", epochs=10)) is not None
    assert context.finished(classification("mnist", epochs=10)) is None
    assert measure(context)[1].verdict == "not tested"


def test_recipes_without_runs_are_left_out_with_a_reason(tmp_path: Path) -> None:
    written, left_out = reproduce(("fig3", "fig6", "fig7", "fig8", "fig10", "claims"), Context(tmp_path, existing=True))
    assert set(left_out) == {"fig3", "fig6", "fig7", "fig8"}
    assert left_out["fig6"].startswith("no finished run of MNIST, classification, preset paper, orthogonal start, 100")
    assert {path.name for path in written} >= {"fig10.png", "claims.md"}
    claims = json.loads((tmp_path / "claims.json").read_text())["claims"]
    assert [each["number"] for each in claims] == list(range(1, 16))
    assert {each["verdict"] for each in claims} == {"not tested"}


def test_a_figure_is_drawn_from_a_run_that_is_there(as_if_trained: Path, tmp_path: Path) -> None:
    shutil.copytree(as_if_trained / "runs" / "seed-0", tmp_path / "runs" / "long")
    path = tmp_path / "runs" / "long" / "config.json"
    path.write_text(path.read_text().replace('"epochs": 10', '"epochs": 100'))
    assert Run(path.parent).config.epochs == 100
    written, left_out = reproduce(("fig1", "fig6"), Context(tmp_path, existing=True))
    assert list(left_out) == ["fig1"]
    assert "fig6.png" in {each.name for each in written}
    # A long run has its line although there is no sample to stand beside.
    statement = measure(Context(tmp_path, existing=True))[1]
    assert statement.verdict == "not tested"
    lines = [line for line in statement.details if "orthogonal start, 100 epochs" in line]
    assert len(lines) == 1
    assert "share of generators with the structure" in lines[0]
