"""Jobs as Ray tasks: on this machine, or on every machine of a cluster."""

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import torch

from lgn.sweep.plan import Job
from lgn.sweep.watch import Watch
from lgn.training import Config, Interrupted, load_data, train
from lgn.training.memory import keep_freed_memory

POLL_SECONDS = 0.5
CONNECT_SECONDS = 10.0
GOODBYE_SECONDS = 30.0  # how long runs have to write a checkpoint when the user stops the sweep


def run_jobs(
    jobs: Sequence[Job],
    *,
    address: str | None = None,
    threads: int | None = None,
    gpus: float = 0.0,
    retries: int = 3,
    progress: bool = True,
) -> dict[str, str]:
    """Train all jobs that are not finished, as many at a time as there is room for.  -> why each that failed did

    `address` is that of a Ray cluster; without it Ray starts on this machine. Each run has `threads` processors of its
    own, and no more threads than that: by default what is there, divided by the runs that are left. A worker that dies
    is replaced up to `retries` times, and its run continues from its checkpoint. A run that fails leaves the others
    alone.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, got {threads}")
    if retries < 0:
        raise ValueError(f"retries must not be negative, got {retries}")
    if gpus < 0:
        raise ValueError(f"gpus must not be negative, got {gpus}")
    waiting = [job for job in jobs if not job.finished]
    if not waiting:
        return {}
    for config in {(job.config.data, job.config.data_dir): job.config for job in waiting}.values():
        # Once, and before many workers ask for the same download; what is wrong with the data shows here.
        load_data(config)
    ray = _import_ray()
    started_here = not ray.is_initialized()
    if started_here:
        _start(ray, address)
    try:
        share = threads or threads_per_run(len(waiting), _largest_machine(ray), _processors(ray))
        # A machine that shuts down asks its runs to stop first: they go on elsewhere like those that were not asked.
        task = ray.remote(_train_one).options(
            num_cpus=share, num_gpus=gpus, max_retries=retries, retry_exceptions=[Interrupted]
        )
        place = (os.getcwd(), sys.argv)
        pending = {task.remote(job.config, str(job.path.absolute()), share, *place): job for job in waiting}
        return _wait(ray, pending, Watch(jobs, progress))
    finally:
        if started_here:
            ray.shutdown()


def threads_per_run(runs: int, machine: int, total: int) -> int:
    """The processors of each run, so that all are used and none twice: `total / runs`, at most one machine's."""
    return max(1, min(machine, total // runs))


def _train_one(config: Config, out: str, threads: int, directory: str, command: list[str]) -> None:
    """What a worker does. It may have done the same before, and died: `train` continues from the checkpoint."""
    os.chdir(directory)  # so that paths mean what they mean where the sweep was started
    sys.argv = command  # for environment.json, which is to name the sweep and not Ray's own command
    torch.set_num_threads(threads)
    keep_freed_memory()
    train(config, out, progress=False)


def _wait(ray: Any, pending: dict[Any, Job], watch: Watch) -> dict[str, str]:
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
            watch.update(len(failures))
    except KeyboardInterrupt:
        for reference in pending:
            ray.cancel(reference)  # asks as Ctrl-C does: `train` writes a checkpoint
        with suppress(KeyboardInterrupt):
            ray.wait(list(pending), num_returns=len(pending), timeout=GOODBYE_SECONDS)
        raise
    finally:
        watch.close()
    return failures


def _import_ray() -> Any:
    # A sweep tells nobody that it runs, unless the user has said otherwise.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # A run that asks for no GPU sees none: otherwise all would take the first.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "1")
    try:
        import ray
    except ImportError:
        raise ValueError("ray must be installed for a sweep: pip install 'lgn[ray]'") from None
    return ray


def _start(ray: Any, address: str | None) -> None:
    options = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is not None:
        _require_reachable(address)
    try:
        if address is None:
            # "local" starts Ray anew, also where a cluster happens to be running.
            ray.init(address="local", include_dashboard=False, **options)
        else:
            ray.init(address=address, **options)
    except Exception as error:  # Ray raises bare ones, for a machine too busy to start it among others
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        if address is None:
            raise RuntimeError(f"Ray could not start on this machine: {reason}") from None
        raise ValueError(f"address must be that of a running Ray cluster, got {address!r}: {reason}") from None


def _require_reachable(address: str) -> None:
    """Ask before Ray does, which waits for minutes. `auto` and the like have no host to ask."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        raise ValueError(f"address must be that of a running Ray cluster, got {address!r}: {error}") from None


def _processors(ray: Any) -> int:
    return int(ray.cluster_resources().get("CPU", 1))


def _largest_machine(ray: Any) -> int:
    return max((int(node["Resources"].get("CPU", 1)) for node in ray.nodes() if node["Alive"]), default=1)
