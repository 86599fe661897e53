"""The run directory: everything that one training made, and all that analysis and report need."""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, load_model, save, save_model
from torch import Tensor, nn

from lgn import data
from lgn.analysis import Analysis
from lgn.analysis.analyze import analyze_subjects
from lgn.files import PARTIAL, read_json, write_atomic, write_json
from lgn.training.build import build_model
from lgn.training.config import Config
from lgn.training.environment import PACKAGE, environment
from lgn.training.facts import believed_facts
from lgn.training.prepared import fitted_again
from lgn.training.snapshot import snapshot
from lgn.training.stored_config import config_from_json, config_to_json, differences
from lgn.training.subjects import subjects_of
from lgn.warning import LgnWarning

CHECKPOINT = ("model", "penalty", "optimizer", "random", "place", "sums", "history", "seconds")


class Run:
    """A run directory by its path. Reading never changes it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __repr__(self) -> str:
        state = "finished" if self.finished else "not finished"
        try:
            epochs = f"{len(self.metrics)} epochs"
        except ValueError:
            epochs = "damaged metrics"
        return f"Run({str(self.path)!r}, {epochs}, {state})"

    @classmethod
    def open(cls, path: str | Path) -> "Run":
        """A run that is there already."""
        run = cls(path)
        if not (run.path / "config.json").is_file():
            raise FileNotFoundError(f"run must be a directory with a config.json, got {run.path}")
        return run

    @contextmanager
    def reading(self, name: str, what: str) -> Iterator[None]:
        """Turn whatever a damaged or foreign file leads to into one sentence that names it."""
        try:
            yield
        except (FileNotFoundError, PermissionError):
            raise
        except Exception as error:
            reason = " ".join(str(error).split()) if isinstance(error, ValueError | RuntimeError) else repr(error)
            reason = reason.removeprefix(f"{self.path / name} ")[:300]
            raise ValueError(f"{self.path / name} is not {what}: {reason}") from None

    def _settings(self, part: str) -> Any:
        stored = read_json(self.path / "config.json")
        if part not in stored:
            raise ValueError(f"{self.path / 'config.json'} must have {part!r}, and does not")
        return stored[part]

    @property
    def config(self) -> Config:
        values = self._settings("config")
        with self.reading("config.json", "the config of a run"):
            return config_from_json(values)

    @property
    def facts(self) -> dict[str, Any]:
        """What the data decided: task, image shape, class names, checksum, preprocessing."""
        facts = self._settings("facts")
        with self.reading("config.json", "the config of a run"):
            return believed_facts(facts)

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """One line an epoch; empty before the first has ended."""
        path = self.path / "metrics.jsonl"
        if not path.is_file():
            return []
        with self.reading("metrics.jsonl", "the metrics of a run"):
            lines = [json.loads(line) for line in path.read_bytes().splitlines()]
            if not lines:
                raise ValueError("it is empty, and must have a line for every epoch")
            for number, line in enumerate(lines, 1):
                if not isinstance(line, dict) or "epoch" not in line:
                    raise ValueError(f"line {number} must be an object with an epoch")
            return lines

    @property
    def finished(self) -> bool:
        return (self.path / "model.safetensors").is_file()

    @property
    def trained(self) -> bool:
        """Whether all epochs were trained: so it is of a finished run, and of one that is kept without its weights."""
        return bool(self.metrics) and self.metrics[-1]["epoch"] >= self.config.epochs

    def model(self, device: str | None = None) -> nn.Module:
        """The trained network, in evaluation mode; of an interrupted run, the one of its checkpoint."""
        model = self._network()
        if self.finished:
            best = self.path / "best.safetensors"
            weights = best if best.is_file() else self.path / "model.safetensors"
            with self.reading(weights.name, "a safetensors file with the weights of this run"):
                load_model(model, weights)
        else:
            stored = self.checkpoint()
            with self.reading("checkpoint.pt", "a checkpoint of this run"):
                model.load_state_dict(stored["model"])
        return model.to(device or "cpu").eval()

    def _network(self) -> nn.Module:
        config, facts = self.config, self.facts
        with self.reading("config.json", "the config of a run"):
            return build_model(config, tuple(facts["image_shape"]), len(facts["class_names"]), facts["task"])

    def checkpoint(self) -> dict[str, Any]:
        """The state to continue from. Only tensors and numbers are read from it, never code."""
        path = self.path / "checkpoint.pt"
        if not path.is_file():
            raise FileNotFoundError(f"{self.path} has no checkpoint yet")
        with self.reading(path.name, "a checkpoint that can be read without running code"):
            stored = torch.load(path, map_location="cpu", weights_only=True)
        missing = [name for name in CHECKPOINT if not isinstance(stored, dict) or name not in stored]
        if missing:
            raise ValueError(f"{path} is not a checkpoint of a run: it has no {missing[0]!r}")
        return stored

    def initial(self) -> dict[str, Tensor]:
        """Generators and bases before the first step, by the names of `snapshot`.

        Where they are not stored, what the seed gives again: the same, up to the rounding of another machine.
        """
        path = self.path / "initial.safetensors"
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.config.seed)
            begun = snapshot(self._network())
        if not path.is_file():
            return begun
        with self.reading(path.name, "a safetensors file with the beginning of this run"):
            tensors = load_file(path)
            for name, tensor in begun.items():
                found = tuple(tensors[name].shape) if name in tensors else "none"
                if found != tuple(tensor.shape):
                    raise ValueError(f"{name} must be of shape {tuple(tensor.shape)}, got {found}")
            return tensors

    def analysis(self, **options: Any) -> Analysis:
        """What the generators do: the stored analysis where it is that of the network as it is now, else a new one.

        With `options`, those of `lgn.analysis.analyze_matrices`, it is always new. One without is stored in a finished
        run, unless the run came with the package.
        """
        stored = self.path / "analysis.json"
        subjects = subjects_of(self.model(), options.pop("patch", None), self.initial())
        if not options.keys() - {"progress"} and (kept := Analysis.stored(stored)) is not None:
            matrices = [torch.tensor(each.matrix, dtype=torch.float64) for each in kept.generators]
            now = [subject.matrix for subject in subjects]
            if len(matrices) == len(now) and all(torch.allclose(*pair) for pair in zip(matrices, now, strict=True)):
                return kept
        made = analyze_subjects(subjects, **options)
        if self.finished and not options.keys() - {"progress"} and not self.came_with_the_package:
            made.to_json(stored)
        return made

    @property
    def came_with_the_package(self) -> bool:
        """Whether the run is one of `lgn.pretrained`, which nothing is written to."""
        return PACKAGE in self.path.resolve().parents

    def prepare(self, images: Tensor) -> Tensor:
        """Images as the network of this run sees them, with the statistics of its training images.

        Whitening, which is stored as its recipe, needs those images to be found again.

        Shapes: uint8 (N, C, H, W), or float32 in 0..1 -> float32 (N, C or 1, H, W)
        """
        height, width = self.facts["image_shape"][1:]
        if images.ndim != 4 or tuple(images.shape[-2:]) != (height, width):
            raise ValueError(f"images must be (N, C, {height}, {width}), got shape {tuple(images.shape)}")
        if images.dtype != torch.uint8:
            if not images.is_floating_point() or not bool(((images >= 0) & (images <= 1)).all()):
                raise ValueError(f"images must be uint8 or floats from 0 to 1, got {images.dtype} beyond them")
            images = (images * 255).round().to(torch.uint8)
        return self.preprocessing().apply(images)

    def preprocessing(self) -> data.Preprocessing:
        """What was done to pixels before training."""
        recipe = self.facts["preprocessing"]
        if self.config.preprocess != "zca":
            with self.reading("config.json", "the config of a run"):
                return data.Preprocessing.from_json(recipe)
        found = fitted_again(self.config)
        # The images decide its statistics, up to the rounding of another machine.
        if (found.checksum, found.eps) != (recipe["checksum"], recipe["eps"]):
            raise ValueError(f"{self.config.data} must have the images that {self.path} was trained with, for zca")
        return found

    def save_initial(self, model: nn.Module) -> None:
        write_atomic(self.path / "initial.safetensors", save(snapshot(model)))

    def save_model(self, model: nn.Module, name: str = "model.safetensors") -> None:
        temporary = self.path / f".{name}{PARTIAL}"
        save_model(model, str(temporary))  # stores what layers share once
        write_atomic(self.path / name, temporary.read_bytes())
        temporary.unlink()

    def create(self, config: Config, facts: dict[str, Any], kernel: str | None = None) -> None:
        """Make the run, or find one with the same settings; `kernel` is what computes it."""
        stored = self.path / "config.json"
        if stored.is_file():
            different = differences(self.config, config)
            if different:
                raise ValueError(
                    f"out must be a new directory or a run with the same settings, {self.path} has {different}"
                )
            self._warn_of_another(kernel)
            return
        write_json(self.path / "environment.json", {**environment(config), "kernel": kernel})
        write_json(stored, {"config": config_to_json(config), "facts": facts})

    def _warn_of_another(self, kernel: str | None) -> None:
        """Kernels are equal up to rounding: a run that goes on with another is not continued bit for bit."""
        path = self.path / "environment.json"
        begun = read_json(path).get("kernel") if path.is_file() else None
        if kernel is not None and begun is not None and kernel != begun:
            warnings.warn(
                f"{self.path} was begun with the kernel {begun!r} and continues with {kernel!r}: "
                f"its numbers will differ by rounding from those that it would have had",
                LgnWarning,
                stacklevel=3,
            )
