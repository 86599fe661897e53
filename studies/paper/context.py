"""The directory of a reproduction: finished runs are found by their settings, and missing runs are trained."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors.torch import load_file, save
from torch import Tensor

from lgn import data
from lgn.analysis import Analysis
from lgn.files import read_json, write_atomic, write_json
from lgn.front import analyze
from lgn.pretrained import find_run
from lgn.report.figures import save as save_figures
from lgn.training import Config, Run, train
from lgn.training.config import differences
from lgn.training.presets import changes_from_preset, nearest_preset
from studies.paper.figures import SETTINGS, Setting, learned_operators
from studies.training import TASKS, TITLES, with_task

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The data and sizes of a quick reproduction.
QUICK_DATA, QUICK_EPOCHS, QUICK_IMAGES, QUICK_DRAWS = "digits", 3, 2_000, 200
# A run that has one of these files may be stored without its weights.
SCORES, SINGULAR_VALUES = "scores.json.xz", "singular-values.json"


class NotRun(Exception):
    """A run or a measurement is missing, and nothing is to be trained."""


@dataclass(frozen=True)
class Context:
    """One reproduction.

    out: directory of runs, figures and claims
    quick: bundled data and few epochs
    existing: train nothing
    """

    out: Path
    quick: bool = False
    data_dir: Path | None = None
    existing: bool = False

    def configured(self, config: Config) -> Config:
        config = dataclasses.replace(config, data_dir=self.data_dir)
        if not self.quick:
            return config
        epochs = min(config.epochs, QUICK_EPOCHS)
        return dataclasses.replace(config, data=QUICK_DATA, epochs=epochs, train_images=QUICK_IMAGES)

    def distinct(self, *names: str) -> list[str]:
        return [names[0]] if self.quick else list(names)

    def train(self, config: Config) -> Run:
        if (finished := self.finished(config)) is not None:
            return finished
        config = self.configured(config)
        if self.existing:
            raise NotRun(f"no finished run of {caption(config)}")
        if (found := self.find(config)) is not None:
            return train(dataclasses.replace(found.config, data_dir=self.data_dir), found.path)
        return train(config, self.out / "runs" / run_name(config))

    def runs(self, configs: list[Config], accuracy: bool = False) -> list[Run]:
        """The runs of configs, without those that are not finished if nothing is to be trained.

        accuracy: only the accuracy is needed, which every trained run has in its metrics
        """
        found = [(config, self.finished(config, accuracy)) for config in configs]
        return [run or self.train(config) for config, run in found if run or not self.existing]

    def at_least_one(self, configs: Mapping[str, Config]) -> dict[str, Run]:
        if found := {name: run for name, config in configs.items() for run in self.runs([config])}:
            return found
        raise NotRun(f"no finished run of {caption(self.configured(next(iter(configs.values()))))}")

    def finished(self, config: Config, accuracy: bool = False) -> Run | None:
        """The run of a config if all its epochs were trained and its weights or scores are stored."""
        run = self.find(self.configured(config))
        if run is None or accuracy:
            return run if run and run.trained else None
        scored = run.trained and any((run.path / name).is_file() for name in (SCORES, SINGULAR_VALUES))
        return run if scored or find_run(run.path).finished else None

    def find(self, config: Config) -> Run | None:
        runs = (Run(path.parent) for path in sorted(self.out.glob("runs/*/config.json")))
        return next((run for run in runs if not differences(with_task(run), config)), None)

    def analysis(self, run: Run) -> Analysis:
        if run.finished and not self.options:
            return analyze(run)
        path = run.path / "analysis.json"
        if path.is_file():
            return Analysis.load(path)
        made = analyze(find_run(run.path), **self.options)
        made.save(path)
        return made

    @property
    def options(self) -> dict[str, Any]:
        return {"draws": QUICK_DRAWS} if self.quick else {}

    def operators(self) -> tuple[dict[Setting, Tensor], str]:
        """The learned operators of figures 3 to 5, and a description of their data."""
        path = self.out / "operators" / f"{self._operator_data[0]}.safetensors"
        if not path.is_file():
            learned = self.learn_operators(0)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, save({"gradient": learned}))
        name, count, epochs = self._operator_data
        text = f"{TITLES[name]}, {count:,} patches of 6x6, {epochs} epochs of gradient descent"
        return dict(zip(SETTINGS, load_file(path)["gradient"], strict=True)), text

    def learn_operators(self, seed: int) -> Tensor:
        if self.existing:
            raise NotRun("the operators of figures 3 to 5 have not been learned")
        name, count, epochs = self._operator_data
        images = data.load(name, self.data_dir).train.samples
        patches = data.patches(images, 6, count, seed).flatten(0, 1)[:count].double() / 255
        return learned_operators(patches, epochs, seed)

    @property
    def _operator_data(self) -> tuple[str, int, int]:
        return (QUICK_DATA, 5_000, 20) if self.quick else ("cifar10", 50_000, 100)

    def save_figures(
        self, draw: Callable[[Analysis, str], "Figure"], configs: Mapping[str, Config], name: str
    ) -> list[Path]:
        runs = self.at_least_one(configs).items()
        drawn = {ending: draw(self.analysis(run), caption(with_task(run))) for ending, run in runs}
        return [path for ending, figure in drawn.items() for path in self.save_figure(figure, f"{name}{ending}")]

    def save_figure(self, figure: "Figure", name: str) -> list[Path]:
        (self.out / "figures").mkdir(parents=True, exist_ok=True)
        return list(save_figures(figure, self.out / "figures" / name))

    def read_json(self, name: str) -> dict[str, Any]:
        if not (self.out / name).is_file():
            raise NotRun(f"{name} has not been measured")
        return read_json(self.out / name)

    def write_json(self, name: str, value: dict[str, Any]) -> None:
        self.out.mkdir(parents=True, exist_ok=True)
        write_json(self.out / name, value)


def caption(config: Config) -> str:
    network = {"unfolded": "", "cnn": ", a plain CNN", "net": ", a net"}[config.network.architecture]
    settings = f"preset {nearest_preset(config)}, {config.network.start} start, {config.epochs} epochs"
    task = TASKS.get(config.task, config.task)
    return f"{TITLES.get(config.data, config.data)}, {task}{network}, {settings}, seed {config.seed}"


def run_name(config: Config) -> str:
    """The name of a run's directory: the preset and the settings that differ from it."""
    settings = {"epochs": config.epochs, "seed": config.seed} | changes_from_preset(config)
    if config.train_images is not None:
        settings["train_images"] = config.train_images
    parts = [Path(config.data).stem, config.task, nearest_preset(config), *(f"{k}-{v}" for k, v in settings.items())]
    return "-".join(parts).lower().replace(" ", "-").replace("_", "-")
