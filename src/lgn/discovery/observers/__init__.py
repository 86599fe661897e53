"""Observers: networks that try to tell transformed from original samples, and what their accuracy proves."""

from lgn.discovery.observers.observer import learn, logits, network, shrink
from lgn.discovery.observers.observing import FamilyEvidence, Sides, observe
from lgn.discovery.observers.reading import Reading, answers, read
from lgn.discovery.observers.verdict import MARGIN, Decision, decide

__all__ = [
    "MARGIN",
    "Decision",
    "FamilyEvidence",
    "Reading",
    "Sides",
    "answers",
    "decide",
    "learn",
    "logits",
    "network",
    "observe",
    "read",
    "shrink",
]
