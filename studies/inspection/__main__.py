"""The command `python -m studies.inspection`; `python -m studies` lists all studies."""

from studies.__main__ import main

main("inspection")
