"""`Answer`: the result of every finder, its table, its page and its file."""

from lgn.answer.answer import Answer, DataSummary, Row
from lgn.answer.evidence import ByClass, Defect, Evidence, Filters, Gain, LabelMap, ToldApart, Verdict

__all__ = [
    "Answer",
    "ByClass",
    "DataSummary",
    "Defect",
    "Evidence",
    "Filters",
    "Gain",
    "LabelMap",
    "Row",
    "ToldApart",
    "Verdict",
]
