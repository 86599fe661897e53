"""Options that several commands have, and settings of a training: `--set NAME=VALUE`."""

import json
import typing
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import tyro

from lgn.files import decode
from lgn.training import Config, NetworkConfig

DataDir = Annotated[
    Path | None, tyro.conf.arg(help="First directory to look in for named data sets, before LGN_DATA and the cache.")
]
Device = Annotated[
    str, tyro.conf.arg(help="cpu, cuda, mps, or auto: the first of cuda, mps and cpu that is available.")
]
Epochs = Annotated[int | None, tyro.conf.arg(help="Number of passes over the training images.")]
ImageSize = Annotated[int | None, tyro.conf.arg(help="Resize the images of a folder to this side.")]


def run_directory(data: str, *names: str | int) -> Path:
    """The default directory of a command's results."""
    return Path("runs") / "-".join([Path(data).stem, *map(str, names)])


def names_of(option: str, text: str | None) -> tuple[str, ...]:
    """Names that are separated by commas; none if the option is not given."""
    if text is None:
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ValueError(f"{option} must be names separated by single commas, got {text!r}")
    return names


def with_settings(options: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """The settings of options, where None is an option that is not given, and of `--set`; none may come from both."""
    given, settings = {name: value for name, value in options.items() if value is not None}, parse_settings(texts)
    if twice := sorted(given.keys() & settings.keys()):
        raise ValueError(f"set must not name {twice[0]}, which has an option, got {twice[0]}={settings[twice[0]]}")
    return given | settings


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """`["num_layers=2", "clip=none"]` -> `{"num_layers": 2, "clip": None}`, by the types of the fields."""
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


def _parsed(hint: Any, name: str, text: str) -> Any:
    values: list[Any] = [text, text.split(",")]
    with suppress(ValueError):
        values.insert(0, json.loads("null" if text.lower() == "none" else text.lower()))
    for value in values:
        with suppress(ValueError):
            return decode(hint, value, name)
    return decode(hint, text, name)  # raises the error that names the type


def _text(value: Any) -> str:
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    return text.lower() if isinstance(value, bool | None) else text


_DEFAULTS = {**vars(Config()), **vars(NetworkConfig())}
#: The option `--set`.
Settings = Annotated[
    tuple[str, ...],
    tyro.conf.UseAppendAction,
    tyro.conf.arg(
        metavar="NAME=VALUE",
        help="Any setting, such as --set num_sets=8 --set penalty=none. The settings, with their values in the preset "
        f"paper: {', '.join(f'{name}={_text(value)}' for name, value in _DEFAULTS.items() if name != 'network')}.",
    ),
]
