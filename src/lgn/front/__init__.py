"""Runs, models and files of matrices by their names: load them, analyse them, make their pages."""

from lgn.front.pages import contents_of, write_report
from lgn.front.sources import Source, analyze, load

__all__ = ["Source", "analyze", "contents_of", "load", "write_report"]
