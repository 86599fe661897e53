"""Settings of a training on the command line: `--set NAME=VALUE`."""

import textwrap
import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lgn.files import decode
from lgn.training import Config, NetworkConfig


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """`["num_layers=2", "clip=none"]` -> `{"num_layers": 2, "clip": None}`, by the types of the config's fields."""
    hints = typing.get_type_hints(Config) | typing.get_type_hints(NetworkConfig)
    del hints["network"]
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or name not in hints:
            raise ValueError(f"set must be NAME=VALUE, where NAME is one of {', '.join(hints)}, got {text!r}")
        if name in settings:
            raise ValueError(f"{name} must be set once, got {settings[name]!r} and {value!r}")
        settings[name] = _parsed(hints[name], name, value)
    return settings


def with_settings(options: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """Settings from flags, where None stands for no flag, and from `--set`. No setting may come from both."""
    given, settings = {name: value for name, value in options.items() if value is not None}, parse_settings(texts)
    if twice := sorted(given.keys() & settings.keys()):
        raise ValueError(f"set must not name {twice[0]}, which has a flag, got {twice[0]}={settings[twice[0]]}")
    return given | settings


def settings_help(flags: Iterable[str]) -> str:
    """All settings without a flag, with their defaults, for `--help`."""
    values = vars(Config()) | vars(NetworkConfig())
    listed = ", ".join(f"{name}={_text(value)}" for name, value in values.items() if name not in ("network", *flags))
    return textwrap.fill(f"Settings for --set, with their values in the preset paper: {listed}.", 100)


def _text(value: Any) -> str:
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    return text.lower() if isinstance(value, bool | None) else text


def _parsed(hint: Any, name: str, text: str) -> Any:
    """A text as a value of a type."""
    for candidate in _candidates(text):
        try:
            return decode(hint, candidate, name)
        except ValueError:
            continue
    return decode(hint, text, name)  # raises the error that names the type


def _candidates(text: str) -> Iterator[Any]:
    for convert in (int, float):
        try:
            yield convert(text)
        except ValueError:
            continue
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        yield words[text.lower()]
    yield text
    yield text.split(",")
