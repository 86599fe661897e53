"""Hold the lock of a run directory until killed; a file next to the directory appears when it is held."""

import time
from pathlib import Path

from lgn.training.lock import locked


def main(arguments: list[str]) -> int:
    with locked(Path(arguments[0])):
        Path(f"{arguments[0]}.held").touch()
        time.sleep(600)
    return 0
