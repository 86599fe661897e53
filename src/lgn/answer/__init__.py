"""`Answer`: the result of every finder, its table, its page and its file."""

from lgn.answer.answer import Answer, DataSummary, Row
from lgn.answer.evidence import ByClass, Defect, Evidence, Gain, LabelMap, Orbit, ToldApart, Verdict

__all__ = [
    "Answer",
    "ByClass",
    "DataSummary",
    "Defect",
    "Evidence",
    "Gain",
    "LabelMap",
    "Orbit",
    "Row",
    "ToldApart",
    "Verdict",
]
