"""Sharing: a run as a plain network for other programs, and on the Hugging Face Hub with a card."""

from lgn.sharing.card import model_card
from lgn.sharing.export import FORMATS, Exported, export
from lgn.sharing.hub import from_pretrained, hub_model

__all__ = ["FORMATS", "Exported", "export", "from_pretrained", "hub_model", "model_card"]
