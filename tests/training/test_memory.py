"""`keep_freed_memory`: a large block that is allocated again needs no new pages."""

import subprocess
import sys

import pytest

COUNT, SIZE = 20, 64 << 20
PROGRAM = f"""
import resource
from lgn.training.processes import keep_freed_memory
kept = keep_freed_memory() if {{keep}} else None
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
b"x" * {SIZE}
before = faults()
for _ in range({COUNT}):
    b"x" * {SIZE}
print(kept, faults() - before)
"""


def faults(keep: bool) -> tuple[str, int]:
    program = PROGRAM.format(keep=keep)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    kept, count = done.stdout.split()
    return kept, int(count)


@pytest.mark.skipif(sys.platform != "linux", reason="no system asks for it but Linux with glibc")
def test_a_large_block_is_mapped_once() -> None:
    kept, count = faults(keep=True)
    if kept == "False":
        pytest.skip("this C library has no mallopt")
    assert count < COUNT < faults(keep=False)[1]
