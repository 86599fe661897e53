"""The command `python -m studies.recovery`; `python -m studies` lists all studies."""

from studies.__main__ import main

main("recovery")
