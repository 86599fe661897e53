"""The command `python -m studies.speed`; `python -m studies` lists all studies."""

from studies.__main__ import main

main("speed")
