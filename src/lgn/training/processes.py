"""One process or several: the same loop under torchrun."""

import ctypes
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch import distributed as dist

from lgn.devices import choose_device

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # of malloc.h


@dataclass(frozen=True)
class Processes:
    """The rank of this process, the number of processes, and the device. All processes train; rank 0 writes files."""

    rank: int
    count: int
    device: torch.device

    @property
    def writes(self) -> bool:
        """Whether this process writes files."""
        return self.rank == 0

    def part(self, indices: Tensor) -> Tensor:
        """The part of a batch that this process computes."""
        return indices[self.rank :: self.count]

    def require_part(self, images: int, batch_size: int) -> None:
        """Refuse batches with fewer images than processes: every process needs an image of every batch."""
        smallest = min(batch_size, images % batch_size or batch_size)
        if smallest < self.count:
            raise ValueError(
                f"batch_size must leave an image for each of {self.count} processes in every batch, "
                f"got {batch_size} for {images} images, whose smallest batch has {smallest}"
            )

    def wrap(self, module: nn.Module) -> nn.Module:
        """The module with gradients averaged over processes."""
        if self.count == 1:
            return module
        ids = [self.device.index] if self.device.type == "cuda" else None
        return nn.parallel.DistributedDataParallel(module, device_ids=ids)

    def totals(self, values: Sequence[float]) -> list[float]:
        """The sum of every value over all processes."""
        if self.count == 1:
            return list(values)
        sums = torch.tensor(values, dtype=torch.float64, device=self.device)
        dist.all_reduce(sums)
        return sums.tolist()

    def wait(self) -> None:
        """Wait until all processes are here, so that they can read the files that one of them wrote."""
        if self.count > 1:
            dist.barrier()

    def any(self, flag: bool) -> bool:
        """Whether the flag is set in any process: all of them must stop together."""
        return self.totals([float(flag)])[0] > 0


def is_first_process() -> bool:
    """Whether this process is the only one, or the first of those that torchrun started."""
    return int(os.environ.get("RANK", "0")) == 0


@contextmanager
def processes(device: str) -> Iterator[Processes]:
    """Join the processes that torchrun started; without torchrun there is one."""
    count, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    chosen = choose_device(device)
    if chosen.type == "cuda" and count > 1:
        chosen = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    if count > 1:
        dist.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
    try:
        yield Processes(rank, count, chosen)
    finally:
        if count > 1:
            dist.destroy_process_group()


def keep_freed_memory() -> bool:
    """Let this process keep the memory that it frees; return whether the C library, glibc, supports it.

    By default glibc maps every large block anew and returns it to the system when it is freed. A training step
    allocates the same large tensors again and again, so the system would zero pages that are overwritten at once.

    The commands of `lgn` call this. It is a setting of the whole process, whose memory will not shrink after its
    largest moment.
    """
    # Windows has no such library, and macOS and musl have no such function in theirs.
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return mallopt is not None and bool(mallopt(M_MMAP_MAX, 0)) and bool(mallopt(M_TRIM_THRESHOLD, -1))
