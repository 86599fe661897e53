"""Data, runs, models and files by their names: find symmetries, load, analyse, and write pages."""

from lgn.front.ask import discover, discover_or_load
from lgn.front.report_pages import contents_of, write_report
from lgn.front.run_analysis import Source, analyze, load

__all__ = ["Source", "analyze", "contents_of", "discover", "discover_or_load", "load", "write_report"]
