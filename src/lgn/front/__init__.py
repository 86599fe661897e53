"""Runs, models and files of matrices by their names: load them, analyse them, make their pages."""

from lgn.front.pages import contents_of, write_report
from lgn.front.sources import Source, analyze, load
from lgn.front.unknown import discover_from_data

__all__ = ["Source", "analyze", "contents_of", "discover_from_data", "load", "write_report"]
