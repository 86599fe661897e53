import math

import pytest
import torch
from torch import Tensor

from lgn.analysis import analyze_matrices
from lgn.transforms import operator

SIX = (6, 6)
PATCH, D = (4, 4), 16


def noise(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_known_operators_are_named() -> None:
    known = [
        ("rotation", {"degrees": 90}, 90),
        ("pooling", {"radius": 3}, 3),
        ("shift", {"columns": 1}, (0, 1)),
        ("pooling then rotation", {"radius": 4, "degrees": 60}, (4, 60)),
        ("identity", {}, None),
    ]
    matrices = torch.stack([0.7 * operator(name, SIX, **keywords) for name, keywords, _ in known])
    analysis = analyze_matrices(matrices, patch=SIX, order=4, draws=200)
    for found, (name, _, parameter) in zip(analysis.generators, known, strict=True):
        best = found.nearest[0]
        assert (best.name, best.parameter) == (name, parameter)
        assert best.cosine == pytest.approx(1)
        assert best.adjusted_p_value <= 0.05
        assert torch.allclose(operator(best.name, SIX, **best.keywords).flatten(), operator(name, SIX, **_).flatten())
    text = str(analysis)
    assert "5 generators" in repr(analysis)
    assert len(repr(analysis.generators[0])) < 15_000  # not the 1,296 entries of its matrix
    for words in ("rotation 90", "pooling 3", "shift (0, 1)", "pooling 4 then rotation 60", "identity"):
        assert words in text


def planted(name: str) -> Tensor:
    a = noise(D, D, seed=1)
    if name == "skew-symmetric":
        return a - a.T
    if name == "Toeplitz":
        place = torch.arange(D)
        return noise(2 * D, seed=2)[place[:, None] - place[None]]
    if name == "causal":
        return a.abs().triu(1)
    if name == "concentrated blocks":
        mask = torch.zeros(4, 4, dtype=torch.float64)
        mask[0, 2] = mask[3, 1] = 1
        return torch.kron(mask, torch.ones(4, 4)) * a
    assert name == "Kronecker"
    return torch.kron(noise(4, 4, seed=3), noise(4, 4, seed=4))


def test_planted_structure_is_found_in_noise() -> None:
    names = ["skew-symmetric", "Toeplitz", "causal", "concentrated blocks", "Kronecker"]
    matrices = noise(40, D, D, seed=10)
    for matrix, name in zip(matrices, names, strict=False):
        ideal = planted(name)
        matrix += 1.5 * ideal / ideal.norm() * D
    analysis = analyze_matrices(matrices, patch=PATCH, draws=500)
    for found, name in zip(analysis.generators, names, strict=False):
        findings = {finding.name: finding for finding in found.findings}
        assert name in findings
        assert findings[name].p_value <= findings[name].adjusted_p_value <= 0.05
    true, false = (
        sum(len(found.findings) for found in part) for part in (analysis.generators[:5], analysis.generators[5:])
    )
    # The false-discovery rate is 5 percent on average over analyses; a single one may have a little more.
    assert false <= 0.15 * (true + false)


STARTS = {
    "gaussian": lambda count, g: torch.randn(count, D, D, generator=g, dtype=torch.float64),
    "orthogonal": lambda count, g: torch.linalg.qr(torch.randn(count, D, D, generator=g, dtype=torch.float64))[0],
    "identity": lambda count, g: torch.eye(D, dtype=torch.float64).expand(count, D, D),
    "near identity": lambda count, g: (
        torch.eye(D, dtype=torch.float64) + 0.1 * torch.randn(count, D, D, generator=g, dtype=torch.float64)
    ),
    "symmetric": lambda count, g: (lambda a: a + a.mT)(torch.randn(count, D, D, generator=g, dtype=torch.float64)),
    "quarter turn": lambda count, g: operator("rotation", PATCH, degrees=90).expand(count, D, D),
}


@pytest.mark.parametrize("start", STARTS)
def test_fresh_starts_have_no_findings(start: str) -> None:
    draw, generator = STARTS[start], torch.Generator().manual_seed(1)
    matrices = draw(10, torch.Generator().manual_seed(0))
    analysis = analyze_matrices(
        matrices,
        patch=PATCH,
        order=4,
        start=matrices,
        filters=noise(10, D, 2, seed=5),
        fresh_starts=lambda count: draw(count, generator),
        draws=200,
    )
    assert [finding for found in analysis.generators for finding in found.findings] == []
    assert all(match.adjusted_p_value > 0.05 for found in analysis.generators for match in found.nearest)
    for found in analysis.generators:
        assert found.identifiability is not None
        assert found.identifiability.change_share is None  # nothing was trained
        assert all(score.start == pytest.approx(score.score) for score in found.scores)


def test_a_structure_on_u_is_found_on_u() -> None:
    """A quarter turn on U and noise off U: the restriction shows the turn, the whole matrix hardly."""
    turn, identity = operator("rotation", SIX, degrees=90), torch.eye(36, dtype=torch.float64)
    filters = noise(4, 36, 3, seed=0)
    vectors = torch.cat([torch.linalg.matrix_power(turn, j) @ filters for j in range(3)], dim=-1)
    left = torch.linalg.svd(vectors, full_matrices=False)[0]
    projectors = left @ left.mT
    matrices = turn @ projectors + 3 * noise(4, 36, 36, seed=1) @ (identity - projectors)
    analysis = analyze_matrices(matrices, patch=SIX, order=4, filters=filters, draws=200)
    found = analysis.generators[0]
    on_u = found.identifiability
    assert on_u is not None
    assert on_u.dimension == 9
    assert on_u.energy_share < 0.2
    assert (on_u.nearest[0].name, on_u.nearest[0].parameter) == ("rotation", 90)
    assert on_u.nearest[0].cosine == pytest.approx(1)
    assert on_u.nearest[0].adjusted_p_value <= 0.05
    assert abs(found.nearest[0].cosine) < 0.3
    assert {score.name for score in on_u.scores} == {score.name for score in found.scores}
    assert set(on_u.scores[0].p_values) == {"gaussian", "gaussian orbits", "remixed", "re-paired filters"}
    assert "9 of 36" in str(analysis)


def test_vectors_that_span_everything_or_nothing() -> None:
    matrices = noise(2, D, D, seed=0)
    full, empty = noise(D, 20, seed=1), torch.zeros(D, 1)
    analysis = analyze_matrices(matrices, patch=PATCH, vectors=[full, empty], draws=20)
    whole, none = (found.identifiability for found in analysis.generators)
    assert whole is not None
    assert none is not None
    assert (whole.dimension, whole.scores, whole.nearest) == (D, (), ())
    assert whole.energy_share == pytest.approx(1)
    assert (none.dimension, none.scores, none.energy_share) == (0, (), 0)


def test_structures_by_construction_are_never_findings() -> None:
    a = noise(D, D, seed=0)
    analysis = analyze_matrices(a - a.T, patch=PATCH, by_construction=["skew-symmetric"], draws=50)
    (found,) = analysis.generators
    score = next(score for score in found.scores if score.name == "skew-symmetric")
    assert (score.by_construction, score.p_value, score.adjusted_p_value) == (True, None, None)
    assert score.score == pytest.approx(1)
    assert "skew-symmetric" not in {finding.name for finding in found.findings}
    assert "skew-symmetric by construction" in str(analysis)
    assert analysis.tests == 15


def test_numbers_of_one_generator() -> None:
    turn = operator("rotation", PATCH, degrees=90)
    analysis = analyze_matrices(turn, patch=PATCH, order=4, names=["turn"], draws=50)
    (found,) = analysis.generators
    assert found.name == "turn"
    assert found.effect_on_identity == tuple(map(tuple, torch.eye(4).flip(1).tolist()))
    assert found.identifiability is None
    assert set(analysis.nulls) == {"gaussian", "relabelled", "shuffled entries", "remixed", "matched smoothness"}


def test_the_same_seed_gives_the_same_analysis() -> None:
    matrices = noise(3, D, D, seed=0)
    first, second, other = (analyze_matrices(matrices, patch=PATCH, draws=50, seed=seed) for seed in (4, 4, 5))
    assert first == second
    assert first != other


def test_one_dimensional_and_oblong_patches() -> None:
    for patch in ((5, 1), (1, 5), (2, 3)):
        d = math.prod(patch)
        analysis = analyze_matrices(noise(2, d, d, seed=0), patch=patch, draws=20)
        assert analysis.patch == patch
        assert len(analysis.generators) == 2


GOOD = torch.zeros(2, D, D)


@pytest.mark.parametrize(
    ("matrices", "keywords", "message"),
    [
        (torch.zeros(2, 9, 9), {}, r"matrices .*\(2, 9, 9\)"),
        (torch.full((2, D, D), math.nan), {}, r"matrices .*finite"),
        (torch.zeros(2, D, D, dtype=torch.complex64), {}, r"matrices .*complex64"),
        (GOOD, {"start": torch.zeros(3, D, D)}, r"start .*got 3"),
        (GOOD, {"draws": 0}, r"draws .*got 0"),
        (GOOD, {"order": 0}, r"order .*got 0"),
        (GOOD, {"filters": torch.zeros(2, D, 1)}, r"order .*got None"),
        (GOOD, {"vectors": torch.zeros(3, D, 1)}, r"vectors .*got 3"),
        (GOOD, {"vectors": torch.zeros(2, 9, 1)}, r"vectors .*\(9, 1\)"),
        (GOOD, {"names": ["a"]}, r"names .*got 1"),
        (GOOD, {"by_construction": ["round"]}, r"by_construction .*'round'"),
        (GOOD, {"false_discovery_rate": 1.5}, r"false_discovery_rate .*1.5"),
    ],
)
def test_wrong_arguments_are_named(matrices: Tensor, keywords: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        analyze_matrices(matrices, patch=PATCH, **keywords)  # type: ignore[arg-type]


def test_patches_that_would_take_hours_are_refused_before_anything_is_computed() -> None:
    with pytest.raises(ValueError, match=r"patch .*144 .*29x29"):
        analyze_matrices(torch.eye(29 * 29), patch=(29, 29))
    with pytest.raises(ValueError, match="145x1"):
        analyze_matrices(torch.eye(145), patch=(145, 1))


def test_a_matrix_of_zeros_has_no_findings() -> None:
    analysis = analyze_matrices(GOOD, patch=PATCH, order=4, draws=20)
    assert all(found.findings == () for found in analysis.generators)
