"""The run directory: everything that a training produced."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors.torch import load_file, load_model, save, save_model
from torch import Tensor, nn

from lgn import data
from lgn.devices import choose_device
from lgn.files import PARTIAL, decode, encode, read_json, write_atomic, write_json
from lgn.generators import generators_of
from lgn.nn import OrbitBank
from lgn.training.config import Config, differences
from lgn.training.environment import environment
from lgn.training.loading import Facts, fit_again
from lgn.training.model_building import build_model

T = TypeVar("T")


class Run:
    """A run directory. Every file is read when it is first needed, and again only if it has changed."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._cache: dict[str, tuple[tuple[int, ...], Any]] = {}

    def __repr__(self) -> str:
        state = "finished" if self.finished else "not finished"
        try:
            epochs = f"{len(self.metrics)} epochs"
        except ValueError:
            epochs = "damaged metrics"
        return f"Run({str(self.path)!r}, {epochs}, {state})"

    @classmethod
    def open(cls, path: str | PathLike[str]) -> "Run":
        """A run that exists."""
        run = cls(path)
        if not (run.path / "config.json").is_file():
            raise FileNotFoundError(f"run must be a directory with a config.json, got {run.path}")
        return run

    @contextmanager
    def reading(self, name: str, what: str) -> Iterator[None]:
        """Turn the errors of a damaged or foreign file into a ValueError that names it."""
        try:
            yield
        except (FileNotFoundError, PermissionError):
            raise
        except Exception as error:
            reason = " ".join(str(error).split()) if isinstance(error, ValueError | RuntimeError) else repr(error)
            reason = reason.removeprefix(f"{self.path / name} ")[:300]
            raise ValueError(f"{self.path / name} is not {what}: {reason}") from None

    @property
    def config(self) -> Config:
        """The settings of the training."""
        return self._cached("config.json", self._read_settings)[0]

    @property
    def facts(self) -> Facts:
        """Facts about the data set: task, image shape, class names, preprocessing."""
        return self._cached("config.json", self._read_settings)[1]

    @property
    def environment(self) -> dict[str, Any]:
        """Versions, machine and command; empty if they were not stored."""
        return self._cached("environment.json", read_json) if (self.path / "environment.json").is_file() else {}

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """A line per epoch; empty before the end of the first epoch."""
        return self._cached("metrics.jsonl", self._read_metrics) if (self.path / "metrics.jsonl").is_file() else []

    @property
    def finished(self) -> bool:
        """Whether the weights after the last epoch are in the directory."""
        return (self.path / "model.safetensors").is_file()

    @property
    def trained(self) -> bool:
        """Whether all epochs were trained, also if the weights were deleted afterwards."""
        return bool(self.metrics) and self.metrics[-1]["epoch"] >= self.config.epochs

    @property
    def network(self) -> nn.Module:
        """The trained network on the CPU, in evaluation mode. It is loaded once: do not change it; see `model`."""
        return self._cached(self._weights, lambda _: self.model())

    def model(self, device: str | torch.device = "cpu") -> nn.Module:
        """A new copy of the trained network, in evaluation mode. An unfinished run has the one of its checkpoint."""
        place = choose_device(device)
        with torch.random.fork_rng(devices=[]):
            model = self._untrained()
        if self.finished:
            with self.reading(self._weights, "a safetensors file with the weights of this run"):
                load_model(model, self.path / self._weights)
        else:
            stored = self.checkpoint()
            with self.reading("checkpoint.pt", "a checkpoint of this run"):
                model.load_state_dict(stored["model"])
        return model.to(place).eval()

    def checkpoint(self) -> dict[str, Any]:
        """The state from which the training continues. Only tensors, numbers and text are read, never code."""
        path = self.path / "checkpoint.pt"
        if not path.is_file():
            raise FileNotFoundError(f"{self.path} has no checkpoint yet")
        with self.reading(path.name, "a checkpoint that can be read without running code"):
            return torch.load(path, map_location="cpu", weights_only=True)

    def initial(self) -> dict[str, Tensor]:
        """Generators and bases before the first step, named as in `snapshot`.

        If they are not stored, the seed gives them again, up to the rounding errors of another machine.
        """
        path = self.path / "initial.safetensors"
        if not path.is_file():
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(self.config.seed)
                return snapshot(self._untrained())
        with self.reading(path.name, "a safetensors file with the initial generators of this run"):
            tensors = load_file(path)
            for name, tensor in snapshot(self.network).items():
                found = tuple(tensors[name].shape) if name in tensors else "none"
                if found != tuple(tensor.shape):
                    raise ValueError(f"{name} must be of shape {tuple(tensor.shape)}, got {found}")
            return tensors

    def prepare(self, images: Tensor) -> Tensor:
        """Preprocess images as in the training.

        The whitening matrix of 'zca' is not stored: it is fitted again, and needs the training images.

        Shapes: uint8 (N, C, H, W), or floats from 0 to 1 -> float32 (N, C, H, W)
        """
        _, height, width = self.facts.image_shape
        if images.ndim != 4 or tuple(images.shape[-2:]) != (height, width):
            raise ValueError(f"images must be (N, C, {height}, {width}), got shape {tuple(images.shape)}")
        if images.dtype != torch.uint8:
            if not images.is_floating_point() or not bool(((images >= 0) & (images <= 1)).all()):
                raise ValueError(f"images must be uint8 or floats from 0 to 1, got {images.dtype} outside that range")
            images = (images * 255).round().to(torch.uint8)
        return self.preprocessing().apply(images)

    def preprocessing(self) -> data.Preprocessing:
        """The preprocessing of the training."""
        recipe = self.facts.preprocessing
        if recipe.kind != "zca":
            return data.Preprocessing(recipe)
        fitted = fit_again(self.config)
        # The images determine the statistics up to the rounding errors of another machine.
        if (fitted.recipe.checksum, fitted.recipe.eps) != (recipe.checksum, recipe.eps):
            raise ValueError(f"{self.config.data} must have the images that {self.path} was trained with, for zca")
        return fitted

    def create(self, config: Config, facts: Facts, kernel: str) -> None:
        """Write the settings of a new run."""
        write_json(self.path / "environment.json", environment(config, kernel))
        write_json(self.path / "config.json", {"config": encode(config), "facts": encode(facts)})

    def require_settings(self, config: Config) -> None:
        """Refuse a config with which the run would have another result."""
        if different := differences(self.config, config):
            listed = ", ".join(f"{name} {old!r} instead of {new!r}" for name, (old, new) in different.items())
            raise ValueError(f"out must be a new directory or a run with the same settings, {self.path} has {listed}")

    def save_initial(self, model: nn.Module) -> None:
        """Store the generators and bases of a network before its first step."""
        write_atomic(self.path / "initial.safetensors", save(snapshot(model)))

    def save_model(self, model: nn.Module, name: str = "model.safetensors") -> None:
        """Store the weights of a network."""
        temporary = self.path / f".{name}{PARTIAL}"
        save_model(model, str(temporary))  # stores shared weights once
        write_atomic(self.path / name, temporary.read_bytes())
        temporary.unlink()

    @property
    def _weights(self) -> str:
        """The file with the weights of the network."""
        if not self.finished:
            return "checkpoint.pt"
        return "best.safetensors" if (self.path / "best.safetensors").is_file() else "model.safetensors"

    def _untrained(self) -> nn.Module:
        """A new network with the settings of the run."""
        config, facts = self.config, self.facts
        with self.reading("config.json", "the config of a run"):
            return build_model(config, facts.image_shape, len(facts.class_names), facts.task)

    def _read_settings(self, path: Path) -> tuple[Config, Facts]:
        stored = read_json(path)
        for part in ("config", "facts"):
            if part not in stored:
                raise ValueError(f"{path} must have {part!r}, and does not")
        with self.reading(path.name, "the config of a run"):
            return decode(Config, stored["config"], "config"), decode(Facts, stored["facts"], "facts")

    def _read_metrics(self, path: Path) -> list[dict[str, Any]]:
        with self.reading(path.name, "the metrics of a run"):
            lines = [json.loads(line) for line in path.read_bytes().splitlines()]
            if not lines:
                raise ValueError("it is empty, and must have a line for every epoch")
            for number, line in enumerate(lines, 1):
                if not isinstance(line, dict) or "epoch" not in line:
                    raise ValueError(f"line {number} must be an object with an epoch")
            return lines

    def _cached(self, name: str, read: Callable[[Path], T]) -> T:
        """The contents of a file, which is read again only if it has changed."""
        path = self.path / name
        status = path.stat()
        stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
        if name not in self._cache or self._cache[name][0] != stamp:
            self._cache[name] = (stamp, read(path))
        return self._cache[name][1]


def snapshot(model: nn.Module) -> dict[str, Tensor]:
    """The matrices of all generators and the bases of all banks of a model, as copies."""
    with torch.no_grad():
        matrices = {f"{name}.matrix": generator.matrix() for name, generator in generators_of(model).items()}
        banks = {name: module for name, module in model.named_modules() if isinstance(module, OrbitBank)}
        tensors = matrices | {f"{name}.basis": bank.basis for name, bank in banks.items()}
        return {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}
