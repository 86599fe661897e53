"""Files that appear whole or not at all."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

SCHEMA = 1
PART = ".part"  # how the name of a file ends that is still being written, or never was to its end


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the file, flush to disk, and rename: a reader sees the old content or the new."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_json(path: Path, value: dict[str, Any], indent: int | None = 2) -> None:
    """A JSON object with its schema number first; without an indent, which doubles large tables, on one line."""
    write_whole(path, (strict_json({"schema": SCHEMA, **value}, path, indent) + "\n").encode())


def strict_json(value: Any, path: Path, indent: int | None = None) -> str:
    """What every reader of JSON reads: it has no word for infinities or NaN."""
    try:
        return json.dumps(value, indent=indent, separators=None if indent else (",", ":"), allow_nan=False)
    except ValueError:
        raise ValueError(f"{path} must have finite numbers alone, got an infinity or NaN for it") from None


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a schema that this version knows."""
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:  # of the syntax, or of the bytes
        raise ValueError(f"{path} is not a JSON file: {error}") from None
    found = value.get("schema") if isinstance(value, dict) else None
    if type(found) is int and found > SCHEMA:
        raise ValueError(
            f"{path} was written by a newer version of lgn: it has schema {found}, and this version reads {SCHEMA}"
        )
    if found != SCHEMA:
        raise ValueError(f"{path} must have schema {SCHEMA}, got {found!r}")
    return value
