import pytest
import torch
from scipy.stats import kstest

from lgn.analysis import identifiability, nulls, scores
from lgn.analysis.scores import NAMES, SPATIAL, score

PATCH, D = (4, 4), 16


@pytest.mark.parametrize("name", list(scores.dimensions(PATCH)))
def test_beta_p_values_of_gaussian_matrices_are_uniform(name: str) -> None:
    noise = nulls.gaussian(2000, D, torch.Generator().manual_seed(3)).double()
    p = nulls.beta_p_value(score(noise, PATCH)[name], scores.dimensions(PATCH)[name], D)
    assert kstest(p.numpy(), "uniform").pvalue > 0.001


def test_beta_p_value_at_the_ends() -> None:
    p = nulls.beta_p_value(torch.tensor([0.0, 1.0]), 16, D)
    assert p.tolist() == [1.0, 0.0]
    assert nulls.beta_p_value(torch.tensor([1.0]), D * D, D).tolist() == [1.0]


def test_relabelling_is_a_similarity_by_permutations() -> None:
    a = torch.randn(D, D, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    draws = nulls.relabelled(a, 20, torch.Generator().manual_seed(1))
    values = torch.linalg.svdvals(a)
    trace_of_cube = torch.linalg.matrix_power(a, 3).trace()
    for draw in draws:
        assert torch.allclose(torch.linalg.svdvals(draw), values)
        assert torch.allclose(torch.linalg.matrix_power(draw, 3).trace(), trace_of_cube)
        assert torch.allclose(draw.flatten().sort().values, a.flatten().sort().values)
        assert torch.allclose(draw.diagonal().sort().values, a.diagonal().sort().values)


def test_relabelling_changes_the_spatial_scores_and_no_others() -> None:
    a = torch.randn(D, D, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    draws = score(nulls.relabelled(a, 50, torch.Generator().manual_seed(1)), PATCH)
    own = score(a, PATCH)
    for name in NAMES:
        moved = float((draws[name] - own[name]).abs().max())
        assert (moved > 1e-3) == (SPATIAL[name] or name == "causal sign"), name
    one_sign = score(nulls.relabelled(a.abs().triu(1), 50, torch.Generator().manual_seed(1)), PATCH)["causal sign"]
    assert torch.allclose(one_sign, torch.ones_like(one_sign))  # so it is not a null model for this score


def test_restricted_gaussian_matrices_live_on_u() -> None:
    basis = identifiability.span(torch.randn(D, 3, generator=torch.Generator().manual_seed(0)))
    draws = nulls.gaussian(4000, D, torch.Generator().manual_seed(1), basis).double()
    assert torch.allclose(draws @ basis @ basis.T, draws, atol=1e-5)
    # On U the entries are independent standard normal numbers.
    inside = (draws @ basis).flatten()
    assert float(inside.std()) == pytest.approx(1, abs=0.01)


def test_own_orbits_restrict_a_draw_to_the_span_of_its_vectors() -> None:
    filters = torch.randn(D, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    draws = torch.randn(5, D, D, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    restricted, projectors = nulls.own_orbits(draws, filters, order=4)
    for draw, a, projector in zip(draws, restricted, projectors, strict=True):
        basis = identifiability.span(identifiability.applied_to(draw, filters, 4))
        assert basis.shape == (D, 6)
        assert torch.allclose(projector, basis @ basis.T, atol=1e-9)
        assert torch.allclose(a, draw @ projector)
