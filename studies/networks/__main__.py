"""The command `python -m studies.networks`; `python -m studies` lists all studies."""

from studies.__main__ import main

main("networks")
