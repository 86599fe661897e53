"""Training: the loop, the run directory, and more than one process."""

from lgn.training.build import build_model, build_penalty
from lgn.training.config import PRESETS, Config, NetworkConfig, preset
from lgn.training.evaluation import evaluate
from lgn.training.loop import Interrupted
from lgn.training.objective import Diverged
from lgn.training.prepared import Images, images_here, load_images, load_set
from lgn.training.run import Run
from lgn.training.snapshot import snapshot
from lgn.training.train import require_trainable, train

__all__ = [
    "PRESETS",
    "Config",
    "Diverged",
    "Images",
    "Interrupted",
    "NetworkConfig",
    "Run",
    "build_model",
    "build_penalty",
    "evaluate",
    "images_here",
    "load_images",
    "load_set",
    "preset",
    "require_trainable",
    "snapshot",
    "train",
]
