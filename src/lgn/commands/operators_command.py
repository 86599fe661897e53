"""`lgn operators`: list the known operators (section 5.2)."""

from typing import Any

from lgn.analysis.spectrum import spectrum
from lgn.text import columns
from lgn.transforms import OPERATORS, operator

#: One member of each family that has parameters.
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


def run(patch: int = 6) -> None:
    """List the known operators: rank, condition number, and whether their powers return to the identity.

    Args:
        patch: Side of the patches that the operators act on.
    """
    rows = [("operator", "rank", "condition", "period", "closure")]
    for name in OPERATORS:
        keywords = EXAMPLES.get(name, {})
        title = " ".join([name, *(f"{key}={value}" for key, value in keywords.items())])
        found = spectrum(operator(name, (patch, patch), **keywords))
        period = str(found.period) if found.period_error < 1e-6 else f"none (near {found.period})"
        rows.append((title, str(found.rank), f"{found.condition_number:.3g}", period, f"{found.period_error:.2g}"))
    print("\n".join(columns(rows)))
