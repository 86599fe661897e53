"""Finders: each module takes data and returns what was found."""
