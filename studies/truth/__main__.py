"""The command `python -m studies.truth`; `python -m studies` lists all studies."""

from studies.__main__ import main

main("truth")
