"""The command `python -m studies.unknown`; `python -m studies` lists all studies."""

from studies.__main__ import main

main("unknown")
