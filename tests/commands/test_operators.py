import json
from pathlib import Path

import pytest
from safetensors.torch import load_file

from lgn.commands.operators import run
from lgn.measures import relative_error
from lgn.operators import operator


def test_the_list_says_what_is_no_group_element(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    lines = capsys.readouterr().out.splitlines()
    rotation = next(line for line in lines if line.startswith("rotation"))
    assert rotation.split()[2:4] == ["24", "inf"]
    assert "none" in rotation
    assert len(lines) == 12


def test_all_settings_are_printed_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "operators"
    assert run(["--all", "--data", "digits", "--out", str(out), "--count", "2000", "--epochs", "2"]) == 0
    printed = capsys.readouterr().out
    report = json.loads((out / "operators.json").read_text())
    settings = report["sets"]["digits"]["settings"]
    assert report["schema"] == 1
    assert len(settings) == 11
    assert all(each["name"] in printed for each in settings)
    assert all(each["closed_form_error"] <= 1e-5 < each["gradient_error"] for each in settings)
    matrices = load_file(out / "digits.safetensors")
    exact = operator("pooling then rotation", (6, 6), radius=4, degrees=60)
    assert relative_error(matrices["closed form/pooling 4 then rotation 60"], exact) <= 1e-5
    assert len(matrices) == 22
    assert sorted(path.name for path in out.iterdir()) == ["digits.safetensors", "operators.json"]


def test_an_unknown_set_is_an_error(tmp_path: Path) -> None:
    with pytest.raises((ValueError, OSError), match="no-such-set"):
        run(["--all", "--data", "no-such-set", "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()
