"""Observers: networks that try to tell transformed from original samples, and what their accuracy proves."""

from lgn.discovery.observers.observer import learn, logits, network, shrink
from lgn.discovery.observers.observing import observe
from lgn.discovery.observers.reading import answers, read
from lgn.discovery.observers.verdict import MARGIN, decide

__all__ = ["MARGIN", "answers", "decide", "learn", "logits", "network", "observe", "read", "shrink"]
