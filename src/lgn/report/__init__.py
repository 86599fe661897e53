"""See what was learned: the interactive page of a run, and the paper's figures."""

from lgn.report.contents import Contents, Network
from lgn.report.page import render, write_page

__all__ = ["Contents", "Network", "render", "write_page"]
