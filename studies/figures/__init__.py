"""Figures of studies (matplotlib), one function each."""
