import pytest

from lgn.cli import main


def test_the_list_says_what_is_no_group_element(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operators"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rotation = next(line for line in lines if line.startswith("rotation"))
    assert rotation.split()[2:4] == ["24", "inf"]
    assert "none" in rotation
    assert len(lines) == 12
