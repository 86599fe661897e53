"""Data, runs, models and files by their names: find symmetries, load, analyse, and write pages."""

from lgn.front.ask import discover, store_answer, stored_answer
from lgn.front.report_pages import contents_of, write_report
from lgn.front.run_analysis import Source, analyze, load

__all__ = [
    "Source",
    "analyze",
    "contents_of",
    "discover",
    "load",
    "store_answer",
    "stored_answer",
    "write_report",
]
