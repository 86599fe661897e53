"""The command `python -m studies.groups`; `python -m studies` lists all studies."""

from studies.__main__ import main

main("groups")
