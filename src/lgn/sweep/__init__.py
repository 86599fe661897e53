"""Sweeps: many runs on one machine or many, and what they say together."""

from lgn.sweep.cluster import run_jobs
from lgn.sweep.comparison import write_comparison
from lgn.sweep.outcome import Setting, Spread, spread_of, summarise, table, write_summary
from lgn.sweep.plan import Job, plan

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
