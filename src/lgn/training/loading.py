"""The images of a training: loaded, split and preprocessed."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from lgn import data
from lgn.data.preprocess import Recipe
from lgn.data.splitting import choose_indices, split_indices
from lgn.training.config import Config


@dataclass(frozen=True, eq=False)
class Facts:
    """Facts about the data set of a run, which are stored in its config.json with the config."""

    task: Literal["classify", "reconstruct"]
    #: Channels, height and width.
    image_shape: tuple[int, int, int]
    class_names: tuple[str, ...]
    data_name: str
    #: Changes that reading the data made.
    data_notes: tuple[str, ...]
    data_checksum: str
    #: Number of images of each part: train, test and, if it is held out, validation.
    counts: dict[str, int]
    preprocessing: Recipe


@dataclass(frozen=True, eq=False)
class Images:
    """Images and labels by part: train, test and, if it is held out, validation."""

    parts: dict[str, tuple[Tensor, Tensor | None]]
    preprocessing: data.Preprocessing
    facts: Facts

    def batch(self, part: str, indices: Tensor, device: torch.device) -> tuple[Tensor, Tensor | None]:
        """Images as the network sees them, and their labels."""
        images, labels = self.parts[part]
        finished = self.preprocessing.apply(images[indices]).to(device, torch.get_default_dtype())
        return finished, None if labels is None else labels[indices].to(device)


def load_data(config: Config, *, download: bool = True, progress: bool = False) -> data.DataSet:
    """The data set of a config, not preprocessed."""
    return data.load(
        config.data,
        config.data_dir,
        image_size=config.image_size,
        seed=config.data_seed,
        download=download,
        progress=progress,
    )


def local_training_images(config: Config) -> Tensor | None:
    """The training images of a config, uint8 (N, C, H, W); None if they are not on this machine."""
    try:
        return load_data(config, download=False).train.samples
    except (data.DataError, OSError):
        return None


def load_images(config: Config, *, progress: bool = False) -> Images:
    """Load, split and preprocess the images of a config, with statistics of the training part only."""
    found = load_data(config, progress=progress)
    channels, height, width = found.image_shape  # refuses signals and volumes
    labelled = found.train.labels is not None
    if config.task == "classify" and not labelled:
        raise data.DataError(f"task must be reconstruct for images without labels, got classify for {config.data}")
    splits = _splits(config, found)
    preprocessing = data.fit_preprocessing(config.preprocess, splits["train"].samples)
    parts = {part: (preprocessing.prepare(split.samples), split.labels) for part, split in splits.items()}
    facts = Facts(
        task=config.task if config.task != "auto" else "classify" if labelled else "reconstruct",
        image_shape=(channels, height, width),
        class_names=tuple(found.class_names),
        data_name=found.name,
        data_notes=tuple(found.notes),
        data_checksum=found.checksum(),
        counts={part: len(images) for part, (images, _) in parts.items()},
        preprocessing=preprocessing.recipe,
    )
    return Images(parts, preprocessing, facts)


def fit_again(config: Config) -> data.Preprocessing:
    """The preprocessing of a config, fitted to its training images; no image is prepared."""
    return data.fit_preprocessing(config.preprocess, _splits(config, load_data(config))["train"].samples)


def _splits(config: Config, found: data.DataSet) -> dict[str, data.Split]:
    """The parts of a data set, not preprocessed."""
    images, labels = found.train.samples, found.train.labels
    classes = torch.zeros(len(images), dtype=torch.int64) if labels is None else labels
    indices = {"train": torch.arange(len(images))}
    if config.validation:
        indices["train"], indices["validation"] = split_indices(classes, config.validation, config.data_seed)
    if config.train_images is not None:
        kept = choose_indices(classes[indices["train"]], config.train_images, config.data_seed + 1)
        indices["train"] = indices["train"][kept]
    parts = {
        part: data.Split(images[index], None if labels is None else labels[index]) for part, index in indices.items()
    }
    return {**parts, "test": found.test}
