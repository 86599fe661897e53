"""Data, runs, models and files by their names: find symmetries, load, analyse, and write pages."""

from lgn.front.ask import discover, store_answer, stored_answer
from lgn.front.run_analysis import Source, analyze, load
from lgn.front.run_page import contents_of, write_report

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
