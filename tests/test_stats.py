"""Statistics against scipy and against their definitions."""

import numpy as np
import pytest
import scipy.stats
import torch

from lgn import stats

VALUES, OTHERS = [1.0, 2.0, 4.0, 4.5], [0.5, 3.0, 2.5]


def random(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_intervals_agree_with_scipy(confidence: float) -> None:
    mean, low, high = stats.student_interval(VALUES, confidence)
    student = scipy.stats.ttest_1samp(VALUES, 0).confidence_interval(confidence)
    assert (mean, low, high) == pytest.approx((np.mean(VALUES), student.low, student.high))
    welch = scipy.stats.ttest_ind(VALUES, OTHERS, equal_var=False).confidence_interval(confidence)
    expected = (np.mean(VALUES) - np.mean(OTHERS), welch.low, welch.high)
    assert stats.welch_interval(torch.tensor(VALUES), OTHERS, confidence) == pytest.approx(expected)
    exact = scipy.stats.binomtest(3, 10).proportion_ci(confidence)
    assert stats.clopper_pearson(3, 10, confidence) == pytest.approx((exact.low, exact.high))


def test_intervals_of_few_or_equal_values() -> None:
    mean, low, high = stats.student_interval([0.7])
    assert mean == 0.7
    assert np.isnan([low, high]).all()
    assert np.isnan(stats.welch_interval(VALUES, [1.0])[1:]).all()
    assert stats.welch_interval([1.0, 1.0], [3.0, 3.0]) == (-2.0, -2.0, -2.0)
    assert stats.clopper_pearson(0, 10) == (0.0, pytest.approx(1 - 0.025**0.1))
    assert stats.clopper_pearson(10, 10)[1] == 1.0
    with pytest.raises(ValueError, match="values"):
        stats.student_interval([])


def test_quantiles_and_p_values_agree_with_scipy() -> None:
    assert stats.normal_quantile(0.99) == pytest.approx(scipy.stats.norm.ppf(0.99))
    assert stats.student_quantile(0.99, 3.5) == pytest.approx(scipy.stats.t.ppf(0.99, 3.5))
    statistics = torch.tensor([-1.0, 0.0, 2.5])
    assert stats.student_p_value(statistics, 4).tolist() == pytest.approx(scipy.stats.t.sf(statistics.numpy(), 4))


def test_corrections_for_multiple_tests() -> None:
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02]
    assert stats.holm([0.5, 0.9]) == [1.0, 1.0]
    assert stats.holm([]) == []
    p = torch.rand(200, generator=random(), dtype=torch.float64) ** 3
    assert np.allclose(stats.benjamini_hochberg(p).numpy(), scipy.stats.false_discovery_control(p.numpy()))
    assert stats.benjamini_hochberg(torch.tensor([])).tolist() == []


def test_runs_on_equal_images_are_compared_by_students_test_of_two_samples() -> None:
    ours, control = (torch.rand(5, 1, generator=random(seed), dtype=torch.float64).expand(-1, 50) for seed in (0, 1))
    expected = scipy.stats.ttest_ind(ours[:, 0], control[:, 0], alternative="greater")
    assert float(stats.compare_runs(ours, control).p_value) == pytest.approx(expected.pvalue)


def test_equal_runs_are_compared_by_the_paired_error_over_images() -> None:
    ours, control = (torch.rand(2, 400, generator=random()) < 0.5).double()
    found = stats.compare_runs(ours.expand(4, -1), control.expand(4, -1))
    assert float(found.standard_error) == pytest.approx(float((ours - control).std()) / 20)
    assert float(found.p_value) == pytest.approx(scipy.stats.t.sf(float(found.advantage / found.standard_error), 6))


def test_a_batch_of_comparisons_equals_single_comparisons() -> None:
    ours, control = (torch.rand(2, 3, 4, 100, generator=random()) < 0.7).double()
    batch = stats.compare_runs(ours, control)
    for number in range(3):
        single = stats.compare_runs(ours[number], control[number])
        assert [float(part[number]) for part in batch] == pytest.approx([float(part) for part in single])


def test_p_values_of_better_worse_and_equal_runs() -> None:
    right, wrong = torch.ones(3, 10), torch.zeros(3, 10)
    pairs = ((right, wrong), (wrong, right), (right, right))
    assert [float(stats.compare_runs(*pair).p_value) for pair in pairs] == [0, 1, 0.5]
    with pytest.raises(ValueError, match=r"ours and control.*\(1, 10\)"):
        stats.compare_runs(right[:1], wrong[:1])


def test_halves_are_disjoint_and_cover_all_indices() -> None:
    first, second = stats.halves(7, random())
    assert (len(first), len(second)) == (3, 4)
    assert sorted([*first.tolist(), *second.tolist()]) == list(range(7))


def test_stratified_halves_have_the_same_classes_without_single_samples() -> None:
    labels = torch.tensor([0, 1, 1, 2, 2, 2, 2, 3, 3])
    first, second = (labels[half] for half in stats.stratified_halves(labels, random()))
    assert first.bincount().tolist() == second.bincount().tolist() == [0, 1, 2, 1]
