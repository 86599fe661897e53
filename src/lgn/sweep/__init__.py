"""Sweeps: many runs on one machine or many, and their statistics."""

from lgn.sweep.cluster import run_jobs
from lgn.sweep.comparison import write_comparison
from lgn.sweep.jobs import Job, plan
from lgn.sweep.outcome import Setting, Spread, spread_of, summarise, table, write_summary

__all__ = [
    "Job",
    "Setting",
    "Spread",
    "plan",
    "run_jobs",
    "spread_of",
    "summarise",
    "table",
    "write_comparison",
    "write_summary",
]
