"""The error of this package."""

from collections.abc import Iterator
from contextlib import contextmanager


class DataError(ValueError):
    """Data cannot be found, read or used. The message names the file or argument, and the reason."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


def printable(text: str) -> str:
    """Text with control characters escaped, so that a name from a file cannot change the terminal."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


@contextmanager
def naming(source: object, problem: str = "cannot be used") -> Iterator[None]:
    """Put the name of a source in front of every `DataError` that is raised inside."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{source} {problem}: {error}") from error
