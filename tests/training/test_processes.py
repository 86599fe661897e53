"""Training with two processes."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from forked import start
from safetensors.torch import load_file
from training.small import SMALL_WORDS, equal, small, weights

from lgn.devices import choose_device
from lgn.training import Run, train
from lgn.training.processes import Processes


def torchrun(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def both(module: str, words: list[str]) -> tuple[str, str]:
    """Run a module in two processes, as torchrun does.  -> their output, their messages"""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    shared = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    started = [start(module, words, {**shared, "RANK": rank, "LOCAL_RANK": rank}) for rank in "01"]
    ends = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0, 0], ends
    return ends[0][0] + ends[1][0], ends[0][1] + ends[1][1]


@pytest.fixture
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.usefixtures("double")
def test_two_processes_take_the_steps_of_one(tmp_path: Path) -> None:
    """20 steps in float64 without batch normalisation: equal weights in both, and to 1e-8 those of one process."""
    config = small(normalise=False, batch_size=20, epochs=2, clip=1.0, validation=0.1, train_images=197)
    alone = train(config, tmp_path / "alone")
    assert alone.checkpoint()["optimizer"]["state"][0]["step"] == 20
    both("training.each_rank", [str(alone.path), str(tmp_path / "both")])
    first, second = (load_file(f"{tmp_path}/both.{rank}.safetensors") for rank in (0, 1))
    assert equal(first, second)
    together = Run(tmp_path / "both")
    expected = weights(alone)
    for name, tensor in weights(together).items():
        assert torch.equal(tensor, first[name])
        torch.testing.assert_close(tensor, expected[name], rtol=0, atol=1e-8)
        assert not torch.equal(tensor, torch.zeros_like(tensor))
    assert equal(together.initial(), alone.initial())
    for mine, theirs in zip(together.metrics, alone.metrics, strict=True):
        for name in ("train_loss", "penalty", "train_accuracy", "validation_accuracy", "test_accuracy"):
            assert mine[name] == pytest.approx(theirs[name], abs=1e-8), name


@pytest.mark.slow
def test_one_process_of_torchrun_writes_and_prints(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["-m", "lgn", "train", "digits", *SMALL_WORDS, "--out", str(out)]
    result = torchrun(*words)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("test accuracy") == 1
    assert result.stdout.count(f"run: {out}") == 1
    assert result.stderr.count("epoch 2/2") == 1
    run = Run(out)
    assert run.finished
    assert len(run.metrics) == 2
    run.model()


def test_the_parts_of_processes_cover_a_batch_once() -> None:
    chosen = torch.arange(7)
    shares = [Processes(rank, 3, torch.device("cpu")).part(chosen).tolist() for rank in range(3)]
    assert sorted(index for share in shares for index in share) == list(range(7))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize(("images", "batch", "smallest"), [(257, 128, 1), (3, 128, 3), (300, 3, 3)])
def test_a_batch_too_small_to_share_is_refused(images: int, batch: int, smallest: int) -> None:
    with pytest.raises(ValueError, match="batch_size must"):
        Processes(0, 4, torch.device("cpu")).require_part(images, batch)
    Processes(0, smallest, torch.device("cpu")).require_part(images, batch)


def test_devices_are_chosen_by_name() -> None:
    assert choose_device("cpu") == torch.device("cpu")
    with pytest.raises(ValueError, match="device must"):
        choose_device("abacus")
    for name, available in (("cuda", torch.cuda.is_available()), ("mps", torch.backends.mps.is_available())):
        if available:
            assert choose_device(name).type == name
        else:
            with pytest.raises(ValueError, match="device must"):
                choose_device(name)
