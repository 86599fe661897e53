"""Two kinds of runs on the same images: the larger of two variances, and Student's t."""

import pytest
import torch
from scipy import stats

from lgn.discovery.filters import judge


def test_where_runs_vary_it_is_students_test_of_two_samples() -> None:
    """Images that are all alike leave the variance over seeds alone; scipy is an independent method."""
    generator = torch.Generator().manual_seed(0)
    ours, control = (torch.rand(5, 1, generator=generator, dtype=torch.float64).expand(-1, 50) for _ in range(2))
    expected = stats.ttest_ind(ours[:, 0], control[:, 0], alternative="greater")
    assert float(judge(ours, control).p_value) == pytest.approx(expected.pvalue)


def test_where_images_vary_it_is_the_paired_error_over_images() -> None:
    """Runs that are all alike leave the variance over images alone."""
    generator = torch.Generator().manual_seed(0)
    one, other = (torch.rand(2, 400, generator=generator) < 0.5).double()
    ours, control = one.expand(4, -1), other.expand(4, -1)
    found = judge(ours, control)
    assert float(found.standard_error) == pytest.approx(float((one - other).std()) / 20)
    assert float(found.p_value) == pytest.approx(stats.t.sf(float(found.advantage / found.standard_error), 6))


def test_a_batch_is_judged_as_each_alone() -> None:
    generator = torch.Generator().manual_seed(0)
    ours, control = (torch.rand(2, 3, 4, 100, generator=generator) < 0.7).double()
    together = judge(ours, control)
    for number in range(3):
        alone = judge(ours[number], control[number])
        assert [float(part[number]) for part in together] == pytest.approx([float(part) for part in alone])


def test_better_worse_and_equal() -> None:
    right, wrong = torch.ones(3, 10), torch.zeros(3, 10)
    assert [float(judge(*pair).p_value) for pair in ((right, wrong), (wrong, right), (right, right))] == [0, 1, 0.5]
    with pytest.raises(ValueError, match=r"ours and control must both be .* got \(1, 10\) and \(1, 10\)"):
        judge(right[:1], wrong[:1])
