"""What a sweep consists of, and what it refuses before anything is trained."""

from pathlib import Path

import pytest
from training.small import small

from lgn.sweep import plan
from lgn.sweep.cluster import threads_per_run
from lgn.training import Config, train


def test_each_run_has_a_directory_that_says_what_it_is(tmp_path: Path) -> None:
    jobs = plan([Config(data="digits", seed=seed) for seed in range(2)], tmp_path)
    assert [job.path for job in jobs] == [tmp_path / "digits-auto-paper-0", tmp_path / "digits-auto-paper-1"]
    assert {job.setting for job in jobs} == {"digits-auto-paper"}


def test_two_runs_never_share_a_directory(tmp_path: Path) -> None:
    """Two folders of the same last name would."""
    with pytest.raises(ValueError, match="images-auto-paper-0 more than once"):
        plan([Config(data="a/images"), Config(data="b/images")], tmp_path)


def test_a_directory_with_other_settings_is_refused_by_their_names(tmp_path: Path) -> None:
    config = small(epochs=1)
    (job,) = plan([config], tmp_path)
    train(config, job.path)
    plan([config], tmp_path)
    with pytest.raises(ValueError, match="num_sets 2 instead of 3"):
        plan([small(epochs=1, num_sets=3)], tmp_path)


@pytest.mark.parametrize(
    ("runs", "machine", "total", "threads"),
    [(10, 2, 2, 1), (2, 8, 8, 4), (3, 8, 8, 2), (1, 8, 32, 8), (4, 8, 32, 8), (100, 64, 128, 1)],
)
def test_the_machine_is_full_and_not_oversubscribed(runs: int, machine: int, total: int, threads: int) -> None:
    assert threads_per_run(runs, machine, total) == threads
