"""Sweeps: many runs on one machine or many, and what they say together."""

from lgn.sweep.cluster import run_jobs
from lgn.sweep.page import write_page
from lgn.sweep.plan import Job, plan
from lgn.sweep.summary import Estimate, Setting, estimate, read_summary, summarise, table, write_summary

__all__ = [
    "Estimate",
    "Job",
    "Setting",
    "estimate",
    "plan",
    "read_summary",
    "run_jobs",
    "summarise",
    "table",
    "write_page",
    "write_summary",
]
