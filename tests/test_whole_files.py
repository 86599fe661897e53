"""Files appear whole or not at all."""

import math
import os
from pathlib import Path

import pytest

from lgn.whole_files import read_json, write_json, write_whole


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")

    def full(_: int) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no space"):
            write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o644


def test_json_has_its_schema_first_and_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    write_json(path, {"a": [1, 2.5]})
    assert path.read_text().startswith('{\n  "schema": 1,')
    assert read_json(path) == {"schema": 1, "a": [1, 2.5]}
    for content, message in (
        ('{"schema": 2}', "was written by a newer version of lgn: it has schema 2, and this version reads 1"),
        ('{"schema": 0}', "must have schema 1, got 0"),
        ('{"schema": "2"}', "must have schema 1, got '2'"),
        ("[" * 100_000, "is not a JSON file"),
        ("[1]", "must have schema 1, got None"),
        ('{"schema": 1', "is not a JSON file"),
    ):
        path.write_text(content)
        with pytest.raises(ValueError, match=message):
            read_json(path)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_not_json_is_not_written(number: float, tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    with pytest.raises(ValueError, match=r"value.json must have finite numbers alone"):
        write_json(path, {"a": [1.0, {"b": number}]})
    assert not list(tmp_path.iterdir())
