"""See what was learned: the interactive page of a run, and the paper's figures."""

from lgn.report.answer_page import write_answer
from lgn.report.contents import Answer, Contents, Network, Sample
from lgn.report.page import render, write_page

__all__ = ["Answer", "Contents", "Network", "Sample", "render", "write_answer", "write_page"]
