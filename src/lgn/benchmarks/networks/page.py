"""What the benchmark found, as tables for people and as `docs/networks.md`."""

from typing import Any


def page(result: dict[str, Any]) -> str:
    return describe(result)


def describe(result: dict[str, Any]) -> str:
    return "\n".join(map(str, result["rows"]))
