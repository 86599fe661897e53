"""The page of a run or of matrices, and the paper's figures."""

from lgn.report.contents import Contents, Network
from lgn.report.page_file import render, write_page

__all__ = ["Contents", "Network", "render", "write_page"]
