"""Sharing: a run as a plain network for other programs, and on the Hugging Face Hub with a card."""

from lgn.deploy.card import model_card
from lgn.deploy.exporting import FORMATS, Exported, export
from lgn.deploy.hub import from_pretrained, hub_model

__all__ = ["FORMATS", "Exported", "export", "from_pretrained", "hub_model", "model_card"]
