"""The one error of this room, and what strangers' words look like in it."""


def printable(text: str) -> str:
    """Text with its control characters spelled out: a name from a file must not steer the terminal that shows it."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


class DataError(ValueError):
    """A data set cannot be had, read or believed. The message names the file or argument and what is wrong."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))
