"""The command that compiles the kernels. It does not need torch, because wheels are built without torch."""

from pathlib import Path

SOURCE = Path(__file__).with_name("kernels.c")
FLAGS = ("-O3", "-shared", "-fPIC")  # no flags for one processor: the width of vectors is chosen when the kernels run


def build_command(compiler: list[str]) -> list[str]:
    """The command that compiles the library, without `-o` and the name of the library."""
    return [*compiler, *FLAGS, str(SOURCE), "-lm"]
