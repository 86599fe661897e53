"""Where a recipe works: it finds the runs that are there already, and makes those that are not."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file, save
from torch import Tensor

from lgn import data
from lgn.analysis import Analysis, analyze_matrices
from lgn.analysis.result import tensor
from lgn.front import analyze
from lgn.operators.study import SETTINGS, Setting, study
from lgn.report.figures import save as save_figures
from lgn.training import Config, Run, train
from lgn.training.config import PRESETS
from lgn.training.files import write_json, write_whole
from lgn.training.run import same_settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# In a quick reproduction every data set is the embedded one, and epochs are few: the same code path in minutes.
QUICK_DATA, QUICK_EPOCHS, QUICK_IMAGES, QUICK_DRAWS = "digits", 3, 2_000, 200
TITLES = {"cifar10": "CIFAR-10", "mnist": "MNIST", "digits": "digits (an extract of MNIST)"}


@dataclass(frozen=True)
class Context:
    """One reproduction: where it is written, and whether it is quick."""

    out: Path
    quick: bool = False
    data_dir: Path | None = None

    def configured(self, config: Config) -> Config:
        """The config as this reproduction runs it."""
        config = dataclasses.replace(config, data_dir=self.data_dir)
        if not self.quick:
            return config
        epochs = min(config.epochs, QUICK_EPOCHS)
        return dataclasses.replace(config, data=QUICK_DATA, epochs=epochs, train_images=QUICK_IMAGES)

    def distinct(self, *names: str) -> list[str]:
        """Data sets by name, without those that a quick reproduction would repeat."""
        return [names[0]] if self.quick else list(names)

    def train(self, config: Config) -> Run:
        """The run of a config: found where there is one with the same settings, continued or made otherwise."""
        config = self.configured(config)
        found = self.find(config)
        if found is not None and found.finished:
            return found
        return train(config, found.path if found else self.out / "runs" / run_name(config))

    def find(self, config: Config) -> Run | None:
        """A run with the settings of a config, whatever its directory is called."""
        for path in sorted(self.out.glob("runs/*/config.json")):
            run = Run(path.parent)
            if same_settings(run.config, config):
                return run
        return None

    def analysis(self, run: Run, change: bool = False) -> Analysis:
        """The analysis of a run, made once; or of what training changed, `A - A_0`."""
        path = run.path / ("analysis-change.json" if change else "analysis.json")
        if not path.is_file():
            options: dict[str, Any] = {"draws": QUICK_DRAWS} if self.quick else {}
            (self._analyze_change(run, options) if change else analyze(run, **options)).to_json(path)
        return Analysis.from_json(path)

    def _analyze_change(self, run: Run, options: dict[str, Any]) -> Analysis:
        whole = self.analysis(run)
        changes = [tensor(each.matrix) - tensor(each.start or each.matrix) for each in whole.generators]
        labels = [(each.layer, each.set, each.channel) for each in whole.generators]
        return analyze_matrices(torch.stack(changes), whole.patch, labels=labels, **options)

    def caption(self, run: Run) -> str:
        """What a run was trained on, for captions."""
        config, facts = run.config, run.facts
        task = {"classify": "classification", "reconstruct": "reconstruction"}[facts["task"]]
        name = TITLES.get(facts["data"]["name"], facts["data"]["name"])
        epochs = len(run.metrics)
        return (
            f"{name}, {task}, preset {config.preset}, {config.network.start} start, {epochs} epochs, seed {config.seed}"
        )

    def operators(self) -> tuple[dict[Setting, Tensor], tuple[int, int], str]:
        """The eleven learned operators of sec. 5.2, learned once, with their patch and the data's name."""
        name = QUICK_DATA if self.quick else "cifar10"
        path = self.out / "operators" / f"{name}.safetensors"
        count, epochs = (5_000, 20) if self.quick else (50_000, 100)
        if not path.is_file():
            images = data.load(name, self.data_dir).train.images
            patches = data.patches(images, 6, count, 0).flatten(0, 1)[:count].double() / 255
            learned = study(patches, epochs)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, save({"gradient": learned.gradient, "closed_form": learned.closed_form}))
        matrices = load_file(path)["gradient"]
        words = f"{TITLES[name]}, {count:,} patches of 6x6, {epochs} epochs of gradient descent"
        return dict(zip(SETTINGS, matrices, strict=True)), (6, 6), words

    def save_figure(self, figure: "Figure", name: str) -> list[Path]:
        """A figure as `figures/NAME.png`, `.svg` and `.pdf`."""
        (self.out / "figures").mkdir(parents=True, exist_ok=True)
        return list(save_figures(figure, self.out / "figures" / name))

    def write_json(self, name: str, value: dict[str, Any]) -> None:
        """A measurement of this reproduction."""
        self.out.mkdir(parents=True, exist_ok=True)
        write_json(self.out / name, value)


def run_name(config: Config) -> str:
    """A directory name that says what a run is: what differs from the preset comes last."""
    base = PRESETS[config.preset]
    parts = [Path(config.data).stem, config.task, config.preset, f"{config.epochs}-epochs", f"seed-{config.seed}"]
    for field in dataclasses.fields(config.network):
        value = getattr(config.network, field.name)
        if value != getattr(base.network, field.name) and field.name not in ("normalise", "decoder"):
            parts.append(f"{field.name}-{value}")
    for name in ("penalty", "freeze_filters", "train_images"):
        if getattr(config, name) != getattr(base, name):
            parts.append(f"{name}-{getattr(config, name)}")
    return "-".join(parts).lower().replace(" ", "-").replace("_", "-")
