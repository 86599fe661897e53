"""The one error of this room."""


class DataError(ValueError):
    """A data set cannot be had, read or believed. The message names the file or argument and what is wrong."""
