"""The images of a run: loaded, split, and prepared for the network."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lgn import data
from lgn.data.split import choose_indices, split_indices
from lgn.training.config import Config


@dataclass(frozen=True, eq=False)
class Images:
    """Prepared images by part: train, test and, where one is held out, validation."""

    parts: dict[str, tuple[Tensor, Tensor | None]]
    preprocessing: data.Preprocessing
    facts: dict[str, Any]

    def batch(self, part: str, chosen: Tensor, place: torch.device) -> tuple[Tensor, Tensor | None]:
        """The chosen images as the network sees them, and their labels."""
        images, labels = self.parts[part]
        finished = self.preprocessing.apply(images[chosen]).to(place, torch.get_default_dtype())
        return finished, None if labels is None else labels[chosen].to(place)


def load_set(config: Config, download: bool = True, window: int | None = None) -> data.DataSet:
    """The images that a config names, as they are; window: of WAV files."""
    return data.load(
        config.data,
        config.data_dir,
        image_size=config.image_size,
        window=window,
        seed=config.data_seed,
        download=download,
    )


def images_here(config: Config) -> Tensor | None:
    """The training images that a config names, uint8 (N, C, H, W); None where they are not on this machine."""
    try:
        return load_set(config, download=False).train.samples
    except (data.DataError, OSError):
        return None


def load_images(config: Config) -> Images:
    """Load what a config names; statistics are those of the training part alone."""
    found = load_set(config)
    image_shape = found.image_shape  # refuses signals and volumes, before anything else is asked of them
    task = task_of(config, found)
    raw = parts_of(config, found)
    preprocessing = data.fit_preprocessing(config.preprocess, raw["train"].samples, grey=config.grey)
    prepared = {part: (preprocessing.prepare(split.samples), split.labels) for part, split in raw.items()}
    facts = {
        "task": task,
        "image_shape": list(image_shape),
        "class_names": list(found.class_names),
        "data": {"name": found.name, "notes": list(found.notes), "checksum": found.checksum()},
        "counts": {part: len(images) for part, (images, _) in prepared.items()},
        "preprocessing": preprocessing.to_json(),
    }
    return Images(prepared, preprocessing, facts)


def fitted_again(config: Config) -> data.Preprocessing:
    """The preprocessing of a config by itself: its images are needed, and none is prepared."""
    images = parts_of(config, load_set(config))["train"].samples
    return data.fit_preprocessing(config.preprocess, images, grey=config.grey)


def task_of(config: Config, found: data.DataSet) -> str:
    """The task of a config, which may leave it to the images."""
    labelled = found.train.labels is not None
    if config.task == "classify" and not labelled:
        raise data.DataError(f"task must be reconstruct for images without labels, got classify for {config.data}")
    return config.task if config.task != "auto" else ("classify" if labelled else "reconstruct")


def parts_of(config: Config, found: data.DataSet) -> dict[str, data.Split]:
    """The images of train, test and, where one is held out, validation, as they are."""
    train, labels = found.train.samples, found.train.labels
    classes = torch.zeros(len(train), dtype=torch.int64) if labels is None else labels
    chosen = {"train": torch.arange(len(train))}
    if config.validation:
        chosen["train"], chosen["validation"] = split_indices(classes, config.validation, config.data_seed)
    if config.train_images is not None:
        kept = choose_indices(classes[chosen["train"]], config.train_images, config.data_seed + 1)
        chosen["train"] = chosen["train"][kept]
    parts = {
        part: data.Split(train[index], None if labels is None else labels[index]) for part, index in chosen.items()
    }
    return {**parts, "test": found.test}
