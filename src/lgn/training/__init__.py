"""Training: configs and presets, the loop, and the run directory."""

from lgn.training.config import Config, NetworkConfig
from lgn.training.evaluation import evaluate
from lgn.training.loading import Facts, Images, load_data, load_images, local_training_images
from lgn.training.loop import Diverged, Interrupted
from lgn.training.model_building import build_model
from lgn.training.optimisation import build_penalty
from lgn.training.presets import PRESETS, preset
from lgn.training.run import Run, snapshot
from lgn.training.trainer import train

__all__ = [
    "PRESETS",
    "Config",
    "Diverged",
    "Facts",
    "Images",
    "Interrupted",
    "NetworkConfig",
    "Run",
    "build_model",
    "build_penalty",
    "evaluate",
    "load_data",
    "load_images",
    "local_training_images",
    "preset",
    "snapshot",
    "train",
]
