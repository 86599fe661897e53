"""The command `python -m studies.symmetry`; `python -m studies` lists all studies."""

from studies.__main__ import main

main("symmetry")
