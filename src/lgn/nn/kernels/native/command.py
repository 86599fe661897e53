"""The command that makes the kernels' library: plain Python, since wheels are built without torch."""

from pathlib import Path

SOURCE = Path(__file__).with_name("kernels.c")
FLAGS = ("-O3", "-shared", "-fPIC")  # not for one processor: the width of vectors is chosen when the kernels run


def build_command(compiler: list[str]) -> list[str]:
    """What makes the library of the source, but for `-o` and its name."""
    return [*compiler, *FLAGS, str(SOURCE), "-lm"]
