"""Files appear completely or not at all."""

import math
import os
from pathlib import Path

import pytest

from lgn.files import read_json, write_atomic, write_json


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")

    def full(_: int) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no space"):
            write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o644


def test_json_has_its_schema_first_and_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    write_json(path, {"a": [1, 2.5]})
    assert path.read_text().startswith('{\n  "schema": 1,')
    assert read_json(path) == {"schema": 1, "a": [1, 2.5]}
    for content, message in (
        ('{"schema": 2}', "newer.*schema 2"),
        ('{"schema": 0}', "schema 1, got 0"),
        ('{"schema": "2"}', "schema 1, got '2'"),
        ("[" * 100_000, "JSON"),
        ("[1]", "schema 1, got None"),
        ('{"schema": 1', "JSON"),
    ):
        path.write_text(content)
        with pytest.raises(ValueError, match=message):
            read_json(path)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_does_not_have_are_refused(number: float, tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    with pytest.raises(ValueError, match="finite"):
        write_json(path, {"a": [1.0, {"b": number}]})
    assert not list(tmp_path.iterdir())
