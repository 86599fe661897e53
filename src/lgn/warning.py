"""The class of all warnings of this library."""


class LgnWarning(UserWarning):
    """A warning of `lgn`: filter for this class to silence all of them, or to turn all of them into errors."""
