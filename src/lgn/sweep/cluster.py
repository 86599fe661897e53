"""Jobs as Ray tasks: on this machine, or on every machine of a cluster."""

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import torch

from lgn.sweep.display import Display
from lgn.sweep.jobs import Job
from lgn.training import Config, Interrupted, load_data, train
from lgn.training.processes import keep_freed_memory

POLL_SECONDS = 0.5
CONNECT_SECONDS = 10.0
CHECKPOINT_SECONDS = 30.0  # the time for checkpoints after the user stops the sweep


def run_jobs(
    jobs: Sequence[Job],
    *,
    address: str | None = None,
    threads: int | None = None,
    gpus: float = 0.0,
    retries: int = 3,
    progress: bool = True,
) -> dict[str, str]:
    """Train all jobs that are not finished, in parallel.  -> the names of failed runs and the reasons

    address: the address of a Ray cluster; by default Ray starts on this machine.
    threads: processors and threads of every run; by default all processors, divided by the number of runs.
    gpus: GPUs of every run.
    retries: how often a worker that dies is replaced. Its run continues from the checkpoint.
    """
    for name, value, least in (("threads", threads, 1), ("retries", retries, 0), ("gpus", gpus, 0)):
        if value is not None and value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}")
    waiting = [job for job in jobs if not job.finished]
    if not waiting:
        return {}
    for config in {(job.config.data, job.config.data_dir): job.config for job in waiting}.values():
        load_data(config)  # downloads the data once, and raises errors before a worker starts
    ray = _import_ray()
    started_here = not ray.is_initialized()
    if started_here:
        _start(ray, address)
    try:
        machines = [node["Resources"].get("CPU", 1) for node in ray.nodes() if node["Alive"]]
        processors = int(ray.cluster_resources().get("CPU", 1))
        share = threads or threads_per_run(len(waiting), int(max(machines, default=1)), processors)
        # A machine that shuts down interrupts its runs: they continue on another machine.
        task = ray.remote(_train_one).options(
            num_cpus=share, num_gpus=gpus, max_retries=retries, retry_exceptions=[Interrupted]
        )
        place = (os.getcwd(), sys.argv)
        pending = {task.remote(job.config, str(job.path.absolute()), share, *place): job for job in waiting}
        return _wait(ray, pending, Display(jobs, progress))
    finally:
        if started_here:
            ray.shutdown()


def threads_per_run(runs: int, machine: int, total: int) -> int:
    """The number of processors of every run: `total / runs`, from 1 to those of the largest machine."""
    return max(1, min(machine, total // runs))


def _train_one(config: Config, out: str, threads: int, directory: str, command: list[str]) -> None:
    """The task of a worker. If an earlier worker died, `train` continues from its checkpoint."""
    os.chdir(directory)  # relative paths are those of the sweep
    sys.argv = command  # environment.json names the command of the sweep
    torch.set_num_threads(threads)
    keep_freed_memory()
    train(config, out, progress=False)


def _wait(ray: Any, pending: dict[Any, Job], display: Display) -> dict[str, str]:
    failures: dict[str, str] = {}
    try:
        while pending:
            done, _ = ray.wait(list(pending), num_returns=len(pending), timeout=POLL_SECONDS)
            for reference in done:
                job = pending.pop(reference)
                try:
                    ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    failures[job.name] = str(error.cause)
                except ray.exceptions.RayError as error:
                    failures[job.name] = str(error).strip().splitlines()[0]
            display.update(len(failures))
    except KeyboardInterrupt:
        for reference in pending:
            ray.cancel(reference)  # like Ctrl-C: `train` writes a checkpoint
        with suppress(KeyboardInterrupt):
            ray.wait(list(pending), num_returns=len(pending), timeout=CHECKPOINT_SECONDS)
        raise
    finally:
        display.close()
    return failures


def _import_ray() -> Any:
    # No usage statistics, unless the user asks for them.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # A run without GPUs sees none. Otherwise all runs would use the first.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "1")
    try:
        import ray
    except ImportError:
        raise ValueError("ray must be installed for a sweep: pip install 'lgn[ray]'") from None
    return ray


def _start(ray: Any, address: str | None) -> None:
    # "local" starts Ray even if a cluster is running on this machine.
    options = {"address": "local", "include_dashboard": False} if address is None else {"address": address}
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    try:
        if host and port.isdigit():  # Ray itself would try for minutes to connect
            socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
        ray.init(log_to_driver=False, logging_level="ERROR", **options)
    except Exception as error:  # Ray raises exceptions of no specific type
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        if address is None:
            raise RuntimeError(f"Ray could not start on this machine: {reason}") from None
        raise ValueError(f"address must be that of a running Ray cluster, got {address!r}: {reason}") from None
