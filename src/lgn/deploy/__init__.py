"""Networks for use: build, predict, export, and share on the Hugging Face Hub."""

from lgn.deploy.building import Built, Trained, build
from lgn.deploy.exporting import Exported, export
from lgn.deploy.hub import from_pretrained, hub_model, model_card
from lgn.deploy.predicting import Prediction, predict

__all__ = [
    "Built",
    "Exported",
    "Prediction",
    "Trained",
    "build",
    "export",
    "from_pretrained",
    "hub_model",
    "model_card",
    "predict",
]
