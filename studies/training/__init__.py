"""Training runs that are stored in results/runs."""
