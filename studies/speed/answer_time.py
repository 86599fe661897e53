"""How long the whole answer takes: what images, labels and a network say of the digits that come with the package."""

import time
from typing import Any

import torch

from lgn import data
from lgn.discovery.images import EVIDENCE, symmetries
from lgn.training.memory import keep_freed_memory
from studies.speed.step_memory import in_a_process


def answer_time(threads: int) -> dict[str, Any]:
    """Seconds of each stage and of all, in a process of its own."""
    found: dict[str, Any] = in_a_process("answer_time", "answer_here", threads)
    return found


def answer_here(threads: int) -> dict[str, Any]:
    """What `answer_time` asks of its process."""
    keep_freed_memory()
    torch.set_num_threads(threads)
    digits = data.load("digits")
    assert digits.train.labels is not None
    assert digits.test.labels is not None
    images = torch.cat([digits.train.samples, digits.test.samples])
    labels = torch.cat([digits.train.labels, digits.test.labels])
    began = time.perf_counter()
    stages: list[tuple[str, float]] = []
    symmetries(images, labels, evidence=EVIDENCE, progress=lambda name: stages.append((name, time.perf_counter())))
    ends = [*(at for _, at in stages[1:]), time.perf_counter()]
    seconds = {name: round(end - at, 2) for (name, at), end in zip(stages, ends, strict=True)}
    return {"images": len(images), "seconds": round(ends[-1] - began, 2), "stages": seconds}
