import pytest
import torch
from scipy.stats import kstest

from lgn.analysis import nulls
from lgn.analysis.dictionary import dictionary
from lgn.analysis.null_distributions import NullDistributions
from lgn.analysis.significance import Hypothesis, adjusted_p_values
from lgn.analysis.subject import Subject

PATCH, D = (3, 4), 12
COUNT = 200


def gaussian(count: int, seed: int) -> torch.Tensor:
    return nulls.gaussian(count, D, torch.Generator().manual_seed(seed)).double()


def subjects(matrices: torch.Tensor, **known: object) -> list[Subject]:
    return [Subject(matrix.double(), PATCH, f"generator {i}", **known) for i, matrix in enumerate(matrices)]


@pytest.fixture(scope="module")
def whole() -> NullDistributions:
    fresh = torch.Generator().manual_seed(7)
    chance = NullDistributions(
        subjects(gaussian(COUNT, 1), fresh_starts=lambda count: nulls.gaussian(count, D, fresh)),
        torch.Generator().manual_seed(2),
    )
    for null in chance.models:
        # Draws that all matrices share are one sample, which must be larger than the sample of matrices.
        chance.draw(null, null.applies.expand(COUNT, -1), 200 if len(set(null.keys)) > 1 else 5000)
    return chance


@pytest.mark.parametrize("name", [nulls.GAUSSIAN, nulls.RELABELLED, nulls.FRESH, nulls.REMIXED, nulls.MATCHED])
@pytest.mark.slow
def test_p_values_of_gaussian_matrices_are_uniform(whole: NullDistributions, name: str) -> None:
    (null,) = (model for model in whole.models if model.name == name)
    p = whole.p_values()[name]
    tested = [statistic for statistic, applies in zip(whole.names, null.applies, strict=True) if applies]
    assert len(tested) > 10
    for name in tested:
        # Relabelling keeps the cosine with the identity, which most families contain: if that is the largest cosine,
        # p is 1. Models that keep the mean entry and the singular values keep a part of other statistics. The p-values
        # are then too large, never too small.
        keeps = null.name in (nulls.REMIXED, nulls.MATCHED, nulls.REPAIRED)
        ties = keeps or (null.name == nulls.RELABELLED and name in dictionary(PATCH).families)
        test = kstest(p[:, whole.names.index(name)].numpy(), "uniform", alternative="greater" if ties else "two-sided")
        assert test.pvalue > 0.0003, name  # 0.01 over thirty statistics


def test_null_models_that_do_not_apply_give_no_p_value(whole: NullDistributions) -> None:
    p = whole.p_values()[nulls.RELABELLED]
    silent = {name for index, name in enumerate(whole.names) if p[:, index].isnan().all()}
    assert silent == {
        "symmetric", "skew-symmetric", "permutation", "low stable rank", "low effective rank", "causal sign",
        "block variety", "identity",
    }  # fmt: skip


def test_p_values_on_u_are_uniform_with_own_orbits() -> None:
    """A generator maps most of its U into U; a random matrix does not on the U of another generator."""
    matrices, filters = gaussian(COUNT, 3), torch.randn(COUNT, D, 1, dtype=torch.float64)
    known = [Subject(a, PATCH, "", order=4, filters=w) for a, w in zip(matrices, filters, strict=True)]
    chance = NullDistributions(known, torch.Generator().manual_seed(4), restricted=True)
    wanted = torch.zeros(chance.observed.shape, dtype=torch.bool)
    for name in ("skew-symmetric", "Toeplitz", "Kronecker", "rotation"):
        wanted[:, chance.names.index(name)] = True
    for null in chance.models:
        if null.name in (nulls.GAUSSIAN, nulls.ORBITS):
            chance.draw(null, wanted, 100)
    p = chance.p_values()
    for name in ("skew-symmetric", "Toeplitz", "Kronecker", "rotation"):
        assert kstest(p[nulls.ORBITS][:, chance.names.index(name)].numpy(), "uniform").pvalue > 0.001, name
    skew = p[nulls.GAUSSIAN][:, chance.names.index("skew-symmetric")]
    assert kstest(skew.numpy(), "uniform").pvalue < 1e-6


def hypotheses_on(chance: NullDistributions, names: list[str]) -> list[Hypothesis]:
    return [
        Hypothesis(0, member, name, chance.names.index(name), "structures")
        for member in range(len(chance.subjects))
        for name in names
    ]


def test_the_largest_p_value_over_the_nulls_counts() -> None:
    # Symmetric by its start: beyond Gaussian chance, but not beyond fresh starts.
    def symmetric(count: int) -> torch.Tensor:
        draws = gaussian(count, 5)
        return draws + draws.mT

    chance = NullDistributions(subjects(symmetric(3), fresh_starts=symmetric), torch.Generator())
    p, _ = adjusted_p_values([chance], hypotheses_on(chance, ["symmetric"]), draws=100, rate=0.05)
    assert (chance.p_values()[nulls.GAUSSIAN][:, 0] < 1e-6).all()
    assert (p == 1).all()


def test_only_tests_at_the_floor_get_more_draws() -> None:
    matrices = gaussian(40, 6)
    matrices[0] = torch.kron(gaussian(1, 8)[0, :4, :4], gaussian(1, 9)[0, :3, :3])
    chance = NullDistributions(subjects(matrices), torch.Generator().manual_seed(1))
    p, adjusted = adjusted_p_values(
        [chance], hypotheses_on(chance, ["Kronecker", "concentrated blocks"]), draws=100, rate=0.05
    )
    draws = chance.draws[nulls.GAUSSIAN][:, chance.names.index("Kronecker")]
    # 80 tests at 5 percent: one finding alone needs 1,600 draws, which 100 cannot give.
    assert draws[0] >= 1600
    assert (adjusted <= 0.05).nonzero().flatten().tolist() == [0]
    assert float(p[0]) == pytest.approx(1 / (1 + int(draws[0])))
    others = torch.cat([chance.draws[null][1:] for null in chance.draws])
    assert int(others.max()) <= 50_000
    assert float((others > 100).double().mean()) < 0.05


def test_a_void_hypothesis_has_a_p_value_of_one() -> None:
    a = gaussian(1, 1) + gaussian(1, 1).mT
    chance = NullDistributions(subjects(a), torch.Generator())
    hypothesis = Hypothesis(0, 0, "symmetric", 0, "structures", void=True)
    p, adjusted = adjusted_p_values([chance], [hypothesis], draws=10, rate=0.05)
    assert (float(p), float(adjusted)) == (1, 1)


def test_fresh_starts_must_have_the_shape() -> None:
    one = subjects(gaussian(1, 1), fresh_starts=lambda count: torch.zeros(count, 3, 3))
    chance = NullDistributions(one, torch.Generator())
    (fresh,) = (null for null in chance.models if null.name == nulls.FRESH)
    with pytest.raises(ValueError, match=r"fresh_starts .*\(10, 3, 3\)"):
        chance.draw(fresh, torch.ones(chance.observed.shape, dtype=torch.bool), 10)
