"""The run directory: everything that one training made, and all that analysis and report need."""

import dataclasses
import fcntl
import json
import pickle
import platform
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, load_model, save, save_model
from torch import Tensor, nn

from lgn.generators import generators_of
from lgn.nn import OrbitBank
from lgn.training.build import build_model
from lgn.training.config import INCIDENTAL, Config, NetworkConfig
from lgn.training.files import PART, read_json, write_json, write_whole
from lgn.version import __version__


class Run:
    """A run directory by its path. Reading never changes it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __repr__(self) -> str:
        state = "finished" if self.finished else "not finished"
        return f"Run({str(self.path)!r}, {len(self.metrics)} epochs, {state})"

    @classmethod
    def open(cls, path: str | Path) -> "Run":
        """A run that is there already."""
        run = cls(path)
        if not (run.path / "config.json").is_file():
            raise FileNotFoundError(f"run must be a directory with a config.json, got {run.path}")
        return run

    @property
    def config(self) -> Config:
        return config_from_json(read_json(self.path / "config.json")["config"])

    @property
    def facts(self) -> dict[str, Any]:
        """What the data decided: task, image shape, class names, checksum, preprocessing."""
        return read_json(self.path / "config.json")["facts"]

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """One line an epoch; empty before the first has ended."""
        path = self.path / "metrics.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []

    @property
    def finished(self) -> bool:
        return (self.path / "model.safetensors").is_file()

    def model(self, device: str | None = None) -> nn.Module:
        """The trained network, in evaluation mode; of an interrupted run, the one of its checkpoint."""
        config, facts = self.config, self.facts
        model = build_model(config, tuple(facts["image_shape"]), len(facts["class_names"]), facts["task"])
        if self.finished:
            best = self.path / "best.safetensors"
            weights = best if best.is_file() else self.path / "model.safetensors"
            try:
                load_model(model, weights)
            except SafetensorError as error:
                raise ValueError(f"{weights} is not a safetensors file: {error}") from None
        else:
            model.load_state_dict(self.checkpoint()["model"])
        return model.to(device or "cpu").eval()

    def checkpoint(self) -> dict[str, Any]:
        """The state to continue from. Only tensors and numbers are read from it, never code."""
        path = self.path / "checkpoint.pt"
        if not path.is_file():
            raise FileNotFoundError(f"{self.path} has no checkpoint yet")
        try:
            return torch.load(path, map_location="cpu", weights_only=True)
        except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
            reason = str(error).split("\n")[0]
            raise ValueError(f"{path} is not a checkpoint that can be read without running code: {reason}") from None

    def initial(self) -> dict[str, Tensor]:
        """Generators and bases before the first step, by the names of `snapshot`."""
        return load_file(self.path / "initial.safetensors")

    def save_initial(self, model: nn.Module) -> None:
        write_whole(self.path / "initial.safetensors", save(snapshot(model)))

    def save_model(self, model: nn.Module, name: str = "model.safetensors") -> None:
        temporary = self.path / f".{name}{PART}"
        save_model(model, str(temporary))  # stores what layers share once
        write_whole(self.path / name, temporary.read_bytes())
        temporary.unlink()

    def create(self, config: Config, facts: dict[str, Any], kernel: str | None = None) -> None:
        """Make the run, or find one with the same settings; `kernel` is what computes it."""
        stored = self.path / "config.json"
        if stored.is_file():
            different = _differences(self.config, config)
            if different:
                raise ValueError(
                    f"out must be a new directory or a run with the same settings, {self.path} has {different}"
                )
            self._warn_of_another(kernel)
            return
        write_json(self.path / "environment.json", {**_environment(config), "kernel": kernel})
        write_json(stored, {"config": config_to_json(config), "facts": facts})

    def _warn_of_another(self, kernel: str | None) -> None:
        """Kernels are equal up to rounding: a run that goes on with another is not continued bit for bit."""
        path = self.path / "environment.json"
        begun = read_json(path).get("kernel") if path.is_file() else None
        if kernel is not None and begun is not None and kernel != begun:
            warnings.warn(
                f"{self.path} was begun with the kernel {begun!r} and continues with {kernel!r}: "
                f"its numbers will differ by rounding from those that it would have had",
                stacklevel=3,
            )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Refuse a second process; the lock goes with the process that holds it."""
        self._require_own_directory()
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / ".lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError(f"out must not be in use, {self.path} is being trained by another process") from None
            for unfinished in self.path.glob(f".*{PART}"):  # of a process that was killed while it wrote
                unfinished.unlink()
            yield

    def _require_own_directory(self) -> None:
        """Refuse a directory that holds something else, before anything is written to it."""
        if (self.path / "config.json").is_file() or not self.path.exists():
            return
        if not self.path.is_dir():
            raise ValueError(f"out must be a directory, {self.path} is a file")
        # A process that was killed as it began may have left the first of its files.
        ours = ("environment.json",)
        foreign = sorted(e.name for e in self.path.iterdir() if not e.name.startswith(".") and e.name not in ours)
        if foreign:
            raise ValueError(f"out must be empty or a run directory, {self.path} has {foreign[0]}")


def snapshot(model: nn.Module) -> dict[str, Tensor]:
    """Generators as matrices, and bases: what analysis compares before and after."""
    with torch.no_grad():
        tensors = {
            f"{name}.matrix": g.matrix().detach().clone().contiguous() for name, g in generators_of(model).items()
        }
        banks = {name: module for name, module in model.named_modules() if isinstance(module, OrbitBank)}
        return tensors | {f"{name}.basis": bank.basis.detach().clone().contiguous() for name, bank in banks.items()}


def config_to_json(config: Config) -> dict[str, Any]:
    values = dataclasses.asdict(config)
    return values | {"data_dir": None if config.data_dir is None else str(config.data_dir)}


def config_from_json(values: dict[str, Any]) -> Config:
    values = dict(values)
    network = NetworkConfig(**values.pop("network"))
    data_dir = values.pop("data_dir")
    return Config(**values, network=network, data_dir=None if data_dir is None else Path(data_dir))


def same_settings(one: Config, other: Config) -> bool:
    """Whether two configs give the same result; where data lie and what trains does not matter."""
    return not _differences(one, other)


def _differences(stored: Config, wanted: Config) -> str:
    old, new = config_to_json(stored), config_to_json(wanted)
    old, new = old | old.pop("network"), new | new.pop("network")
    return ", ".join(f"{k} {old[k]!r} instead of {new[k]!r}" for k in old if k not in INCIDENTAL and old[k] != new[k])


def _environment(config: Config) -> dict[str, Any]:
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    return {
        "lgn": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "threads": torch.get_num_threads(),
        "device": config.device,
        "seed": config.seed,
        "commit": commit.stdout.strip() or None,
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
    }
