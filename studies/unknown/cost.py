"""Time and memory, each in a process of its own."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from lgn.discovery.moments.finder import find_maps
from lgn.discovery.moments.prepare import prepare
from studies.runner import Cell
from studies.unknown import cases


def cells(quick: bool) -> Iterator[Cell]:
    for rank, count in ((12, 10_000),) if quick else ((12, 60_000), (20, 60_000), (40, 60_000)):
        yield Cell({"rank": rank, "samples": count, "starts": 300}, partial(measure, rank, count, 300))


def measure(rank: int, count: int, starts: int) -> dict[str, Any]:
    """Seconds and the most memory of a process that makes data and looks for symmetries once."""
    program = (
        "import json; from studies.unknown import cost; "
        f"print(json.dumps(cost.measure_here({rank}, {count}, {starts})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def measure_here(rank: int, count: int, starts: int) -> dict[str, Any]:
    case = cases.mixture(count, rank, 0)
    began, worked = time.perf_counter(), time.process_time()
    found = find_maps(prepare(case.x, None, "tables")[0], rank, starts)
    return {
        "wall_seconds": time.perf_counter() - began,
        "search_processor_seconds": time.process_time() - worked,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "claims": sum(element.verdict == "kept" for element in found.elements),
        "solutions": found.solutions,
    }
