"""Claims: controls of equal size, verdicts against controls, and missing runs."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import lgn
from lgn.analysis import analyze_matrices
from lgn.training import Run, preset, train
from studies.paper.claims import measure
from studies.paper.claims.actions import (
    between_random_and_circulant,
    composition_beats_parts,
    product_errors,
    products_of_learned,
    same_on_both,
    task_dependence,
)
from studies.paper.claims.groups import singular_values_kept, what_is_identifiable, within
from studies.paper.claims.samples import Sample, judged, sample
from studies.paper.claims.statement import CONTROLS as BESIDE
from studies.paper.claims.statement import TEXTS, Measured, Statement, estimate
from studies.paper.claims.structures import causal_averaging, emergence, found, share
from studies.paper.context import Context
from studies.paper.excerpt import GeneratorScores, Scores, summarise
from studies.paper.figures import SETTINGS
from studies.paper.recipes import reproduce
from studies.paper.runs import (
    CONTROLS,
    classification,
    parameters,
    reconstruction,
    seeds_of,
    with_equal_filters,
    with_equal_parameters,
)
from studies.truth.controls import REPAIRED


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


def test_as_well_allows_for_half_a_point_or_a_tenth_of_the_errors() -> None:
    gap = estimate([-0.2, -0.1, -0.3, -0.2, -0.2])
    assert within(gap, accuracy=70.0) is True
    assert within(gap, accuracy=99.0) is False  # 0.2 points are a fifth of its errors
    assert within(estimate([-2.0, -1.5, -1.8, -1.7, -1.6]), accuracy=70.0) is False
    assert within(estimate([3.0] * 4), accuracy=70.0) is None


def test_five_seeds_are_run_where_a_verdict_is_wanted() -> None:
    assert {len(seeds_of(classification(data))) for data in ("mnist", "cifar10")} == {5}
    assert len(seeds_of(classification("mnist", architecture="cnn"))) == 5
    assert len(seeds_of(classification("cifar10", architecture="cnn"))) == 3
    assert len(seeds_of(with_equal_filters(classification("mnist"), "free filters"))) == 5
    assert len(seeds_of(with_equal_parameters(classification("mnist"), "free filters"))) == 3


def test_the_papers_penalties_are_judged_and_ours_stand_beside_them() -> None:
    bare, lifted = [1e-4, 2e-4, 3e-4, 1e-4, 2e-4], [0.1, 0.2, 0.3, 0.2, 0.1]
    paper = dict.fromkeys(("inverse", "singular-values", "log-determinant"), lifted)
    statement = singular_values_kept("", {"none": bare, **paper, "closure": bare}, [])
    assert statement.verdict == "holds"
    assert any(detail.startswith("closure, a penalty of ours") for detail in statement.details)
    assert singular_values_kept("", {"none": bare, "inverse": lifted}, ["closure"]).verdict == "holds in part"
    assert singular_values_kept("", {"none": lifted, **dict.fromkeys(paper, lifted)}, []).verdict == "not seen"
    assert singular_values_kept("", {"none": bare[:4], "inverse": lifted[:4]}, []).verdict == "not tested"


Make = Callable[[torch.Tensor], torch.Tensor]
PATCH = (4, 4)


def _scores(make: Make, seed: int, **options: object) -> Scores:
    """A run of four generators: what is made of noise."""
    noise = torch.randn(4, 16, 16, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return summarise(analyze_matrices(make(noise), patch=PATCH, draws=60, **options))  # type: ignore[arg-type]


def _skew(noise: torch.Tensor) -> torch.Tensor:
    return noise - noise.mT


def _symmetric(noise: torch.Tensor) -> torch.Tensor:
    return noise + noise.mT


def _runs(make: Make, first: int, count: int = 5) -> list[Scores]:
    return [_scores(make, seed) for seed in range(first, first + count)]


def _against(runs: list[Scores], control: list[Scores]) -> Measured:
    return Measured(runs, dict.fromkeys(BESIDE, control))


@pytest.fixture(scope="module")
def plain() -> list[Scores]:
    return _runs(lambda noise: noise, 100)


@pytest.fixture(scope="module")
def skew() -> list[Scores]:
    return _runs(_skew, 200)


def test_a_share_must_be_beyond_every_control(plain: list[Scores], skew: list[Scores]) -> None:
    seen = emergence(1, "", _against(skew, plain))
    assert seen.verdict == "holds in part"  # skew-symmetric, and neither Toeplitz nor multi-scale
    (row, *_) = seen.tables[0].rows
    assert (row[0], row[-1]) == ("skew-symmetric", "yes")
    # Where a control has as much of it, it was not learned; where there are too few, it is not known.
    others = dict.fromkeys(BESIDE, plain)
    assert emergence(1, "", Measured(skew, others | {REPAIRED: skew})).verdict == "not seen"
    few = emergence(1, "", Measured(skew, others | {REPAIRED: plain[:4]}))
    assert few.tables[0].rows[0][-1] == "not tested"
    missing = emergence(1, "", Measured(skew, {REPAIRED: plain}))
    assert missing.tables[0].rows[0][-1] == "not tested"
    assert missing.tables[0].rows[0][2] == "not run"
    assert emergence(1, "", _against(skew[:4], plain)).verdict == "not tested"


def test_what_is_not_found_is_absent_only_where_it_would_be_found(plain: list[Scores], skew: list[Scores]) -> None:
    def with_planted(**planted: float) -> Statement:
        shares = {"skew-symmetric": 1.0, "Toeplitz": 1.0, "multi-scale": 1.0} | planted
        measured = [{"whole": shares, "through filters": dict.fromkeys(shares, 0.25)}] * 5
        return emergence(1, "", replace(_against(plain, plain), planted=measured))

    assert with_planted().verdict == "not seen"
    most = with_planted(**{"multi-scale": 0.5})
    assert most.verdict == "not seen"  # of the two others
    blind = with_planted(**{"skew-symmetric": 0.7, "Toeplitz": 0.0, "multi-scale": 0.79})
    assert blind.verdict == "not tested"
    assert emergence(1, "", _against(plain, plain)).verdict == "not tested"  # nobody asked


def test_what_too_few_draws_leave_undecided_is_not_called_absent(plain: list[Scores]) -> None:
    names = ("skew-symmetric", "Toeplitz", "multi-scale")

    def undecided(item: GeneratorScores) -> GeneratorScores:
        return replace(item, undecided=tuple((name, "matrix") for name in names))

    silent = [replace(item, generators=tuple(map(undecided, item.generators))) for item in plain]
    assert emergence(1, "", _against(silent, plain)).verdict == "not tested"
    assert emergence(1, "", _against(plain, silent)).verdict == "not tested"


def test_the_papers_causal_picture_can_hold(plain: list[Scores], skew: list[Scores]) -> None:
    """Plus above and minus below the diagonal: exactly skew, one sign on each side, as much energy on both."""

    def picture(noise: torch.Tensor) -> torch.Tensor:
        above = noise.abs().triu(1)
        return above - above.mT

    assert causal_averaging("", _against(_runs(picture, 300), plain)).verdict == "holds"
    assert causal_averaging("", _against(skew, plain)).verdict == "not seen"


def test_between_random_and_circulant_is_not_closer_to_circulant(plain: list[Scores]) -> None:
    shift = torch.eye(16, dtype=torch.float64).roll(1, 0)
    near, far = (_runs(lambda noise, s=scale: s * shift + noise, 400) for scale in (12, 2))  # type: ignore[misc]
    assert between_random_and_circulant("", _against(near, plain)).verdict == "holds"
    assert between_random_and_circulant("", _against(far, plain)).verdict == "holds in part"
    assert between_random_and_circulant("", _against(far, far)).verdict == "not seen"


def test_a_composition_is_told_from_its_parts(plain: list[Scores]) -> None:
    both = lgn.transforms.operator("pooling then rotation", PATCH, radius=3, degrees=60).double()
    pooling = lgn.transforms.operator("pooling", PATCH, radius=3).double()
    composed, pooled = (_runs(lambda noise, b=b: 8 * b + 0.3 * noise, 500) for b in (both, pooling))  # type: ignore[misc]
    assert composition_beats_parts("", _against(composed, plain)).verdict == "holds"
    assert composition_beats_parts("", _against(pooled, plain)).verdict == "not seen"
    assert composition_beats_parts("", _against(composed, composed)).verdict == "not seen"


def test_tasks_that_differ_more_than_seeds_are_half_of_claim_three(plain: list[Scores], skew: list[Scores]) -> None:
    """Symmetric matrices for one task and skew-symmetric ones for the other: apart, and no blocks in either."""
    symmetric = _runs(_symmetric, 600)
    one, other = _against(symmetric, plain), _against(skew, skew)
    assert task_dependence("", one, other).verdict == "holds in part"
    assert task_dependence("", one, _against(_runs(_symmetric, 740), plain)).verdict == "not seen"
    few = task_dependence("", Measured(symmetric[:1]), _against(skew[:1], skew[:1]))
    assert "too few seeds" in few.effect
    assert few.verdict == "not tested"


def test_resemblance_must_be_more_than_filters_alone_give(plain: list[Scores], skew: list[Scores]) -> None:
    other = _runs(_skew, 800)
    one, apart = Measured(skew), Measured(_runs(_symmetric, 900))
    assert same_on_both("", one, Measured(other, {REPAIRED: plain}), apart).verdict == "holds"
    assert same_on_both("", one, Measured(other, {REPAIRED: _runs(_skew, 950)}), apart).verdict == "holds in part"
    assert same_on_both("", one, Measured(plain, {REPAIRED: plain}), Measured(other)).verdict == "not seen"


@pytest.mark.slow
def test_a_change_on_u_is_compared_with_the_u_of_others() -> None:
    """A change of rank one on the own filter is on U; one on the first filter of all is on no own U but the first."""
    generator = torch.Generator().manual_seed(0)

    def runs(own: bool) -> Measured:
        scores = []
        for _ in range(5):
            filters = torch.randn(6, 16, 1, generator=generator, dtype=torch.float64)
            start = torch.randn(6, 16, 16, generator=generator, dtype=torch.float64)
            read = filters if own else torch.randn(6, 16, 1, generator=generator, dtype=torch.float64)
            change = torch.randn(6, 16, 1, generator=generator, dtype=torch.float64) @ read.mT
            # No finding is asked for: at this rate no test is given more draws.
            options = {"draws": 20, "false_discovery_rate": 0.99}
            found = analyze_matrices(start + change, patch=PATCH, filters=filters, start=start, order=3, **options)
            scores.append(summarise(found))
        return Measured(scores)

    assert what_is_identifiable("", runs(own=True)).verdict == "holds"
    assert what_is_identifiable("", runs(own=False)).verdict == "not seen"


def test_a_product_is_told_from_the_nearest_wrong_one() -> None:
    exact = {setting: setting.exact((6, 6)).double() for setting in SETTINGS}
    errors = product_errors(exact)
    assert max(item["right"] for item in errors.values()) < 1e-6
    assert 0.1 < min(item["nearest wrong"] for item in errors.values()) < 1  # smooth products are near each other
    assert products_of_learned({"data": "", "seeds": [errors] * 5}).verdict == "holds"
    assert products_of_learned({"data": "", "seeds": [errors] * 4}).verdict == "not tested"
    swapped = {title: {"right": e["nearest wrong"], "nearest wrong": e["right"]} for title, e in errors.items()}
    assert products_of_learned({"data": "", "seeds": [swapped] * 5}).verdict == "not seen"


@pytest.fixture(scope="module")
def as_if_trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five seeds of the short classification of MNIST, by their settings: in truth one on a few digits."""
    out = tmp_path_factory.mktemp("reproduction")
    config = preset("paper", epochs=1, train_images=200, device="cpu")  # the task is left to the data
    made = train(config, out / "made")
    found = lgn.analyze(made, draws=20)
    found.save(made.path / "analysis.json")
    for name in ("scores", "re-paired", "other-inputs"):  # controls that are as the run is
        summarise(found).to_json(made.path / f"{name}.json.xz")
    for seed in range(5):
        shutil.copytree(made.path, out / "runs" / f"seed-{seed}")
        path = out / "runs" / f"seed-{seed}" / "config.json"
        stored = json.loads(path.read_text())
        stored["config"] |= {"data": "mnist", "epochs": 10, "train_images": None, "seed": seed}
        path.write_text(json.dumps(stored))
    return out


@pytest.mark.slow
def test_claims_use_the_runs_that_are_there_and_train_none(as_if_trained: Path) -> None:
    before = set(as_if_trained.rglob("*"))
    statements = {item.number: item for item in measure(Context(as_if_trained, existing=True))}
    assert list(statements) == list(map(int, TEXTS))
    assert "5 of 5 seeds" in statements[2].runs
    assert "over 5 runs" in statements[2].effect
    long_runs = [line for line in statements[2].details if "100 epochs" in line]
    assert len(long_runs) == 3
    assert all(line.endswith("not run") for line in long_runs)
    (released,) = [line for line in statements[2].details if line.endswith("by these alone: not tested")]
    assert "preset released, gaussian start, 10 epochs, 0 of 5 seeds: not run" in released
    assert statements[8].verdict == "not seen"
    assert set(as_if_trained.rglob("*")) == before


def test_free_networks_beside_a_run_have_its_task(as_if_trained: Path, tmp_path: Path) -> None:
    for task in ("classify", "reconstruct"):
        for generator in ("dense", "free"):
            to = tmp_path / "runs" / f"{task}-{generator}"
            shutil.copytree(as_if_trained / "runs" / "seed-0", to)
            stored = json.loads((to / "config.json").read_text())
            stored["config"]["task"] = stored["facts"]["task"] = task
            stored["config"]["network"]["generator"] = generator
            (to / "config.json").write_text(json.dumps(stored))
    context = Context(tmp_path, existing=True)
    for config in (classification("mnist"), reconstruction("mnist")):
        found = sample(context, config, free=True)
        assert [run.path.name for run in found.runs] == [f"{config.task}-dense"]
        assert [run.path.name for run in found.free] == [f"{config.task}-free"]


def test_a_sample_beside_is_judged_by_itself(as_if_trained: Path) -> None:
    runs = tuple(Run(as_if_trained / "runs" / f"seed-{seed}") for seed in range(5))
    context = Context(as_if_trained, existing=True)
    none, five = Sample(context, "no run", ()), Sample(context, "five runs", runs)

    def judge(title: str, measured: Measured) -> Statement:
        return Statement(1, title, f"{len(measured.runs)} runs", "", "holds")

    statement = judged(1, judge, none, released=five)
    assert statement.verdict == "not tested"
    assert statement.released == "holds"
    assert statement.details == ("five runs: 5 runs; by these alone: holds",)
    assert judged(1, judge, five, released=none).verdict == "holds"
    assert judged(1, judge, replace(five, runs=runs[:4])).verdict == "not tested"


def test_unfinished_runs_are_not_used_and_accuracy_needs_only_metrics(as_if_trained: Path, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "one"
    run.mkdir(parents=True)
    for name in ("config.json", "environment.json"):
        shutil.copy(as_if_trained / "runs" / "seed-0" / name, run / name)
    row = json.loads((as_if_trained / "runs" / "seed-0" / "metrics.jsonl").read_text().splitlines()[-1])
    context, config = Context(tmp_path, existing=True), classification("mnist")
    for last, points in ((9, []), (10, [75.0])):  # of ten epochs
        (run / "metrics.jsonl").write_text(json.dumps(row | {"epoch": last, "test_accuracy": 0.75}) + "\n")
        assert context.find(classification("mnist", epochs=10)) is not None
        assert sample(context, config).runs == ()
        assert sample(context, config, accuracy=True).points == points


def test_recipes_without_runs_are_left_out_with_a_reason(tmp_path: Path) -> None:
    written, left_out = reproduce(
        ("fig3", "fig6", "fig7", "fig8", "fig10", "structures", "claims"), Context(tmp_path, existing=True)
    )
    assert set(left_out) == {"fig3", "fig6", "fig7", "fig8", "structures"}
    assert left_out["fig6"].startswith("no finished run of MNIST, classification, preset paper, orthogonal start, 100")
    assert {path.name for path in written} >= {"fig10.png", "claims.json"}
    claims = json.loads((tmp_path / "claims.json").read_text())["claims"]
    assert [item["number"] for item in claims] == list(range(1, 16))
    assert {item["verdict"] for item in claims} == {"not tested"}


def test_structures_are_counted_in_runs_and_controls(as_if_trained: Path) -> None:
    (picture, *_), left_out = reproduce(("structures",), Context(as_if_trained, existing=True))
    assert left_out == {}
    assert picture.name == "structures.png"
    measured = json.loads((as_if_trained / "structures.json").read_text())
    assert set(measured["white"]) <= set(measured["nulls"])
    assert "gaussian" in measured["white"]
    samples = {item["name"]: item for item in measured["samples"]}
    assert list(samples) == ["`paper`", "re-paired, `paper`", "other inputs, `paper`"]  # the others have not been run
    scores = Scores.from_json(as_if_trained / "runs" / "seed-0" / "scores.json.xz")
    for name, by_way in samples["`paper`"]["shares"].items():
        assert by_way["all nulls"] == pytest.approx([share(found(scores), name)] * 5)
        assert len(by_way["white nulls"]) == samples["`paper`"]["runs"] == 5


def test_a_figure_is_drawn_from_a_run_that_is_there(as_if_trained: Path, tmp_path: Path) -> None:
    shutil.copytree(as_if_trained / "runs" / "seed-0", tmp_path / "runs" / "long")
    path = tmp_path / "runs" / "long" / "config.json"
    path.write_text(path.read_text().replace('"epochs": 10', '"epochs": 100'))
    assert Run(path.parent).config.epochs == 100
    written, left_out = reproduce(("fig1", "fig6"), Context(tmp_path, existing=True))
    assert list(left_out) == ["fig1"]
    assert "fig6.png" in {item.name for item in written}
    # A long run has its line without a sample.
    statement = measure(Context(tmp_path, existing=True))[1]
    assert statement.verdict == "not tested"
    lines = [line for line in statement.details if "orthogonal start, 100 epochs" in line]
    assert len(lines) == 1
    assert "share of generators with the structure" in lines[0]
