"""The command `python -m studies.signals`; `python -m studies` lists all studies."""

from studies.__main__ import main

main("signals")
