"""The command line as a whole: help, version, and errors that are one sentence."""

import importlib
import subprocess
import sys

import pytest

from lgn.cli import COMMANDS, main
from lgn.version import __version__


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--help"], ["-h"]):
        assert main(words) == 0
        out = capsys.readouterr().out
        assert all(f"\n  {name}" in out for name in COMMANDS)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"lgn {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there_and_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(importlib.import_module(f"lgn.commands.{name}_command").run)
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert f"usage: lgn {name}" in capsys.readouterr().out


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trian"]) == 2
    assert capsys.readouterr().err.startswith("lgn: error: command ")


def test_a_closed_pipe_is_not_a_traceback() -> None:
    """`lgn --help | head -0`: whoever reads has gone."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lgn", "data", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait() != 0
    assert "Traceback" not in said
