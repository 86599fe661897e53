"""One process or several: the same loop under torchrun."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch import distributed as dist


@dataclass(frozen=True)
class Processes:
    """Which process this is, of how many. Rank 0 writes; all of them train."""

    rank: int
    count: int
    device: torch.device

    @property
    def writes(self) -> bool:
        return self.rank == 0

    def part(self, chosen: Tensor) -> Tensor:
        """This process's part of a global batch."""
        return chosen[self.rank :: self.count]

    def require_part(self, images: int, batch_size: int) -> None:
        """Refuse batches with fewer images than there are processes: each must have one of every batch."""
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

    def total(self, values: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.count > 1:
            dist.all_reduce(values)
        return values

    def wait(self) -> None:
        """Until all processes are here: what one of them wrote, the others may read."""
        if self.count > 1:
            dist.barrier()

    def any(self, flag: bool) -> bool:
        """Whether it is so in any process: they must stop together."""
        return bool(self.total(torch.tensor(float(flag), device=self.device)) > 0)


def is_first_process() -> bool:
    """Whether this process is alone or the one of torchrun's that writes and speaks."""
    return int(os.environ.get("RANK", "0")) == 0


@contextmanager
def processes(device: str) -> Iterator[Processes]:
    """Join the processes that torchrun started, or be alone."""
    count, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    place = choose_device(device)
    if place.type == "cuda" and count > 1:
        place = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    if count > 1:
        dist.init_process_group("nccl" if place.type == "cuda" else "gloo")
    try:
        yield Processes(rank, count, place)
    finally:
        if count > 1:
            dist.destroy_process_group()


def choose_device(device: str) -> torch.device:
    """The device by name, or for 'auto' a GPU where there is one."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        place = torch.device(device)
    except RuntimeError:
        raise ValueError(f"device must be auto, cpu, cuda or mps, got {device!r}") from None
    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not available.get(place.type, False):
        raise ValueError(f"device must be there, got {device!r}, which this machine or this torch does not have")
    return place
