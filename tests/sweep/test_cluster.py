"""A sweep on a real local Ray: two workers, one of which is killed in the middle."""

import dataclasses
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from training.small import equal, weights

from lgn.cli import main
from lgn.sweep import Job, plan, run_jobs
from lgn.training import Run, preset, train

ray = pytest.importorskip("ray", reason="needs the extra ray")

TINY = preset("quick", num_layers=2, num_sets=2, group="C2", kernel_size=3, epochs=4, train_images=1000)


@pytest.fixture(scope="module")
def _ray() -> Iterator[None]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray's workers are nice by 15: on a machine that is busy with other tests they would hardly run at all.
    os.environ.setdefault("RAY_worker_niceness", "0")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


pytestmark = [pytest.mark.usefixtures("_ray"), pytest.mark.slow]


def holder(lock: Path) -> int | None:
    """The worker that has the lock of a run open; all others are passed over unread, for it must be found quickly."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if not (process / "cmdline").read_bytes().startswith(b"ray::"):
                continue
            if str(lock) in {os.readlink(descriptor) for descriptor in (process / "fd").iterdir()}:
                return int(process.name)
        except OSError:  # it has ended, or closed a file
            continue
    return None


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to find the worker")
def test_a_killed_worker_is_replaced_and_its_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    # A checkpoint after every step: from the first on there are sixty more to be stopped in.
    slow = dataclasses.replace(TINY, epochs=3, batch_size=50, checkpoint_seconds=0)
    jobs = plan([dataclasses.replace(slow, seed=seed) for seed in range(2)], tmp_path / "sweep")
    # One dies; the other is asked to stop, as a machine does that shuts down.
    signals = {jobs[0]: signal.SIGKILL, jobs[1]: signal.SIGTERM}
    started: dict[str, int] = {}

    def stop(job: Job) -> None:
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and not (job.path / "checkpoint.pt").is_file():
            time.sleep(0.02)
        pid = holder(job.path / ".lock")
        assert pid is not None
        assert pid != os.getpid()
        os.kill(pid, signals[job])
        if not job.finished:  # it was in the middle
            started[job.name] = (job.path / "initial.safetensors").stat().st_mtime_ns

    stoppers = [threading.Thread(target=stop, args=(job,)) for job in jobs]
    for stopper in stoppers:
        stopper.start()
    failures = run_jobs(jobs, threads=1)
    for stopper in stoppers:
        stopper.join()
    assert failures == {}
    for job in jobs:
        assert job.finished
        # A run that begins anew writes its start again; these went on.
        assert (job.path / "initial.safetensors").stat().st_mtime_ns == started[job.name]
    # What was written names the sweep's command and not that of Ray's worker.
    command = json.loads((jobs[0].path / "environment.json").read_text())["command"]
    assert command == [Path(sys.argv[0]).name, *sys.argv[1:]]

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        whole = train(jobs[0].config, tmp_path / "whole")
    finally:
        torch.set_num_threads(threads)
    assert equal(weights(whole), weights(Run(jobs[0].path)))
    assert len(whole.metrics) == slow.epochs


def test_a_run_that_fails_leaves_the_others_alone_and_finished_ones_are_not_run_again(tmp_path: Path) -> None:
    good = dataclasses.replace(TINY, epochs=2, train_images=100)
    bad = dataclasses.replace(good, seed=1, learning_rate=1e30)
    jobs = plan([good, bad], tmp_path)
    failures = run_jobs(jobs)
    assert list(failures) == ["digits-auto-paper-1"]
    assert "learning_rate" in failures["digits-auto-paper-1"]
    assert jobs[0].finished
    written = (jobs[0].path / "model.safetensors").stat().st_mtime_ns
    assert run_jobs(jobs[:1]) == {}
    assert (jobs[0].path / "model.safetensors").stat().st_mtime_ns == written


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`lgn sweep` from arguments to summary, on the same Ray."""
    small = [f"--set={setting}" for setting in ("train_images=100", "num_layers=2", "num_sets=2", "kernel_size=3")]
    status = main(
        ["sweep", "--data", "digits", "--seeds", "2", "--epochs", "1", "--out", str(tmp_path / "out"), *small]
    )
    printed = capsys.readouterr().out
    assert status == 0
    (setting,) = json.loads((tmp_path / "out" / "summary.json").read_text())["settings"]
    assert setting["runs"] == ["digits-auto-paper-0", "digits-auto-paper-1"]
    assert all((tmp_path / "out" / name / "model.safetensors").is_file() for name in setting["runs"])
    accuracy = setting["quantities"]["test accuracy"]
    assert len(accuracy["values"]) == 2
    assert f"{accuracy['mean']:.4f}" in printed
    assert (tmp_path / "out" / "summary.html").is_file()
