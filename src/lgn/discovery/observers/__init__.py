"""Observers: networks that try to tell transformed from original samples, and the conclusions from their accuracy."""

from lgn.discovery.observers.accuracy import correctness, mean_accuracy
from lgn.discovery.observers.observer import learn, logits, network, shrink
from lgn.discovery.observers.observing import observe
from lgn.discovery.observers.verdict import MARGIN, decide, needed_sizes

__all__ = [
    "MARGIN",
    "correctness",
    "decide",
    "learn",
    "logits",
    "mean_accuracy",
    "needed_sizes",
    "network",
    "observe",
    "shrink",
]
