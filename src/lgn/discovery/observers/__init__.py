"""Observers: networks that try to tell transformed from original samples, and the conclusions from their accuracy."""

from lgn.discovery.observers.accuracy import mean_accuracy
from lgn.discovery.observers.observer import learn, network, shrink
from lgn.discovery.observers.observing import observe
from lgn.discovery.observers.verdict import MARGIN, decide, needed_sizes

__all__ = ["MARGIN", "decide", "learn", "mean_accuracy", "needed_sizes", "network", "observe", "shrink"]
