"""`lgn operators`: the known operators as group elements (sec. 5.2)."""

from typing import Any

import tyro

from lgn.analysis.spectrum import spectrum
from lgn.text import columns
from lgn.transforms import OPERATORS, operator

#: Parameters of the operators in the table.
EXAMPLES: dict[str, dict[str, Any]] = {
    "reflection": {"axis": "columns"},
    "shift": {"columns": 1},
    "rotation": {"degrees": 60},
    "pooling": {"radius": 3},
    "blur": {"sigma": 1.0},
    "derivative": {"axis": "rows"},
    "scaling": {"factor": 1.5},
    "shear": {"amount": 0.5},
    "pooling then rotation": {"radius": 4, "degrees": 60},
}


def run(args: list[str]) -> int:
    tyro.cli(operators, prog="lgn operators", args=args)
    return 0


def operators(patch: int = 6) -> None:
    """Known operators as matrices: rank, condition number, and whether powers return to the identity.

    `python -m studies.paper fig3 fig4 fig5` learns the paper's eleven from pairs of patches.

    Args:
        patch: the side of a patch in pixels.
    """
    rows = []
    for name in OPERATORS:
        keywords = EXAMPLES.get(name, {})
        title = " ".join([name, *(f"{key}={value}" for key, value in keywords.items())])
        about = spectrum(operator(name, (patch, patch), **keywords))
        period = str(about.period) if about.period_error < 1e-6 else f"none (near {about.period})"
        rows.append((title, str(about.rank), f"{about.condition_number:.3g}", period, f"{about.period_error:.2g}"))
    print("\n".join(columns([("operator", "rank", "condition", "period", "closure"), *rows])))
