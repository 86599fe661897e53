"""The numbers that are kept of runs, and the likeness of the filters of a set."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from training.small import small

import lgn
from lgn.actions import orbit
from lgn.analysis import Analysis, analyze_matrices
from lgn.training import Run, train
from studies.paper import summaries
from studies.paper.claims.groups import actions_form_groups
from studies.paper.claims.samples import Sample
from studies.paper.claims.statement import Measured
from studies.paper.claims.structures import (
    OPERATOR,
    WHITE,
    found,
    found_under,
    share,
    share_found,
    share_on_u,
    share_undecided,
)
from studies.paper.context import SCORES, Context
from studies.paper.excerpt import Number, Scores, across_antidiagonal, darkening, near_diagonal, summarise
from studies.truth.controls import PARTS


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    """Five noisy skew-symmetric matrices, five rotations and five of noise on 4x4 patches, with filters."""
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(15, 16, 16, generator=generator, dtype=torch.float64)
    noise[:5] = 3 * (noise[:5] - noise[:5].mT) + noise[:5]
    noise[5:10] = 20 * lgn.transforms.operator("rotation", (4, 4), degrees=90) + noise[5:10]
    filters = torch.randn(15, 16, 1, generator=generator)
    return analyze_matrices(noise, patch=(4, 4), filters=filters, order=4, start=noise.roll(1, 0), draws=300)


def test_scores_are_read_back_to_the_digits_that_are_kept(analysis: Analysis, tmp_path: Path) -> None:
    scores = summarise(analysis)
    scores.to_json(tmp_path / "scores.json.xz")
    again = Scores.from_json(tmp_path / "scores.json.xz")
    assert again.size == 16
    for one, other in zip(scores.generators, again.generators, strict=True):
        assert (one.name, one.findings, one.operators) == (other.name, other.findings, other.operators)
        assert other.facts == pytest.approx(one.facts, rel=1e-3)
        for on, numbers in one.scores.items():
            assert [n.value for n in other.scores[on].values()] == pytest.approx(
                [n.value for n in numbers.values()], rel=1e-3
            )
            assert other.scores[on].keys() == numbers.keys()


def test_asking_every_null_finds_what_the_analysis_found(analysis: Analysis) -> None:
    """The correction within a run, done again on p-values alone, agrees with the analysis' own."""
    scores = summarise(analysis)
    nulls = {
        null for g in scores.generators for some in g.scores.values() for n in some.values() for null in n.p_values
    }
    assert nulls >= {"gaussian", "relabelled"}
    assert found_under(scores, nulls) == found(scores)
    everywhere = found(scores)
    assert share(everywhere[:5], "skew-symmetric") == 1
    assert share(everywhere[5:10], OPERATOR) == 1
    assert share(everywhere[10:], "skew-symmetric") == 0
    assert sum(len(item) for item in everywhere[10:]) <= 2


def test_only_the_chosen_nulls_decide(analysis: Analysis) -> None:
    before = summarise(analysis)

    def stricter(number: Number) -> Number:
        return replace(number, p_values=number.p_values | ({"sign-and-turn": 1.0} if number.p_values else {}))

    generators = tuple(
        replace(item, scores={on: {n: stricter(x) for n, x in of.items()} for on, of in item.scores.items()})
        for item in before.generators
    )
    after = replace(before, generators=generators)
    assert found_under(after, WHITE) == found_under(before, WHITE)
    assert share(found_under(after, [*WHITE, "sign-and-turn"]), "skew-symmetric") == 0


def test_what_is_undecided_is_counted_where_it_was_not_found(analysis: Analysis) -> None:
    scores = summarise(analysis)
    undecided = (("skew-symmetric", "matrix"),)
    scores = replace(scores, generators=tuple(replace(item, undecided=undecided) for item in scores.generators))
    assert share_undecided(scores, "skew-symmetric") == pytest.approx(1 - share_found(scores, "skew-symmetric"))
    assert share_undecided(scores, "Toeplitz") == 0


def test_a_finding_on_a_matrix_that_is_all_identifiable_is_one_on_what_the_data_can_say() -> None:
    noise = torch.randn(1, 16, 16, generator=torch.Generator().manual_seed(0))
    skew = {"matrices": noise - noise.mT, "patch": (4, 4), "order": 4, "draws": 200}
    few, all_of_them = (
        summarise(analyze_matrices(**skew, filters=torch.randn(1, 16, n, generator=torch.Generator().manual_seed(1))))  # type: ignore[arg-type]
        for n in (1, 16)
    )
    assert share_found(few, "skew-symmetric") == share_found(all_of_them, "skew-symmetric") == 1
    assert share_on_u(few, "skew-symmetric") == (("skew-symmetric", "identifiable") in few.generators[0].findings)
    assert all_of_them.generators[0].facts["dimension"] == 16
    assert ("skew-symmetric", "identifiable") not in all_of_them.generators[0].findings
    assert share_on_u(all_of_them, "skew-symmetric") == 1


def test_a_group_is_one_at_any_scale_and_an_exact_one_counts() -> None:
    turn = lgn.transforms.operator("rotation", (4, 4), degrees=90).double()
    groups = summarise(analyze_matrices(torch.stack([turn, turn / 16]), patch=(4, 4), order=4, draws=20))
    exact, small = (item.facts for item in groups.generators)
    assert exact["closure"] == 0  # which must not be taken for an unknown one
    assert small["closure"] == pytest.approx(1, abs=1e-3)
    assert small["closure up to scale"] == pytest.approx(0, abs=1e-6)
    noise = torch.randn(2, 16, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    none = summarise(analyze_matrices(noise, patch=(4, 4), order=4, draws=20))
    assert min(item.facts["closure up to scale"] or 0 for item in none.generators) > 0.5
    assert actions_form_groups("", Measured([groups] * 5)).verdict == "holds"
    assert actions_form_groups("", Measured([groups] * 4)).verdict == "not tested"
    assert actions_form_groups("", Measured([none] * 5)).verdict == "not seen"


def test_effects_on_the_identity_are_what_their_words_say() -> None:
    ramp = torch.arange(36, 0, -1, dtype=torch.float64).reshape(6, 6).T  # brightest first, down the columns
    assert darkening(ramp) == pytest.approx(1)
    assert darkening(-ramp) == pytest.approx(-1)
    assert near_diagonal(torch.eye(6)) == 1
    assert near_diagonal(torch.ones(6, 6)) == pytest.approx(16 / 36)
    noise = torch.randn(4_000, 6, 6, generator=torch.Generator().manual_seed(0))
    assert sum(map(across_antidiagonal, noise)) / len(noise) == pytest.approx(0.29, abs=0.01)
    assert across_antidiagonal(torch.ones(6, 6).triu().fliplr()) > 1.4


def test_scores_stay_when_weights_go(tmp_path: Path) -> None:
    run = train(small(), tmp_path / "runs" / "one")
    context = Context(tmp_path, quick=True)
    scores, controls, smallest = (
        summaries.scores_of(context, run),
        summaries.controls_of(context, run),
        summaries.smallest_singular_value(run),
    )
    assert set(controls) == {"re-paired", "other inputs"}
    assert smallest > 0
    assert not list(run.path.glob("analysis*"))  # the large file was not asked for
    for name in ("model.safetensors", "initial.safetensors"):
        (run.path / name).unlink()
    assert (run.path / SCORES).is_file()
    assert summaries.scores_of(context, run).generators[0].name == scores.generators[0].name
    assert summaries.smallest_singular_value(run) == smallest
    kept = Context(tmp_path).train(run.config)
    assert kept.path == run.path
    assert not kept.finished  # nothing was trained again


def test_planted_structures_are_asked_once_and_only_where_there_are_weights(tmp_path: Path) -> None:
    run = train(small(num_sets=3, epochs=1), tmp_path / "run")
    context = Context(tmp_path, quick=True)
    free = train(small(num_sets=3, epochs=1, generator="free"), tmp_path / "free")
    (found,) = Sample(context, "", (run,), (free,)).measured.planted
    assert list(found) == ["whole", "through filters"]
    assert all(list(shares) == list(PARTS) for shares in found.values())
    assert all(0 <= share <= 1 for shares in found.values() for share in shares.values())
    (run.path / "model.safetensors").unlink()
    assert summaries.planted_of(context, Run(run.path)) == found
    (run.path / "planted.json").unlink()
    assert summaries.planted_of(context, Run(run.path)) is None


def test_a_quarter_turn_in_a_plane_comes_back_with_the_other_sign() -> None:
    q, _ = torch.linalg.qr(torch.randn(9, 9, generator=torch.Generator().manual_seed(0), dtype=torch.float64))
    turn = torch.zeros(9, 9, dtype=torch.float64)
    turn[0, 1], turn[1, 0] = -1, 1
    sets = torch.stack([orbit(q @ turn @ q.T, (q[:, 0] * size).reshape(3, 3).T, 4)[:, None] for size in (1.0, 5.0)])
    found = summaries.likeness_by_step(sets)
    assert found["in a set"] == pytest.approx([0, 1, 0], abs=1e-9)
    assert found["between sets"] == pytest.approx([0, 1, 0], abs=1e-9)  # both sets are in one plane


def test_sets_are_compared_with_themselves_and_with_others_by_channel() -> None:
    one, two = torch.eye(9, dtype=torch.float64)[:2].reshape(2, 3, 3)
    # Two sets of three filters with two channels: all filters of a set are the same, and none is that of the other.
    sets = torch.stack([torch.stack([one, two]).expand(3, 2, 3, 3), torch.stack([two, one]).expand(3, 2, 3, 3)])
    assert summaries.likeness_by_step(sets) == {"in a set": [1, 1], "between sets": [0, 0]}


def test_layers_are_apart_and_free_filters_are_taken_as_they_stand(tmp_path: Path) -> None:
    group, free = (train(small(generator=kind, epochs=1), tmp_path / kind) for kind in ("dense", "free"))
    sets = group.model().encoder.bank().detach().double().unflatten(0, (2, 2, 4))  # type: ignore[operator, union-attr]
    by_hand = torch.cosine_similarity(sets[:, :, 1:].flatten(4), sets[:, :, :-1].flatten(4), dim=-1).abs().mean()
    assert summaries.repetition(group)["in a set"][0] == pytest.approx(float(by_hand))
    whole = summaries.over_runs([group, free])
    assert [len(step) for step in whole["in a set"]] == [2, 2, 2]
    assert whole["between sets"][1][1] == pytest.approx(summaries.repetition(free)["between sets"][1])
