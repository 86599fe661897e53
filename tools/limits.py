"""Limits on the size of the code, checked by `make check`: lines per tree, module, function, and module names.

python tools/limits.py
"""

import ast
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: The largest number of lines of Python in a tree.
LINES = {"src": 25_000, "studies": 7_500, "tests": 19_000}
MODULE_LINES, FUNCTION_LINES, EQUAL_NAMES = 250, 60, 8


def problems() -> list[str]:
    """One line for every limit that is exceeded."""
    found = []
    for tree, limit in LINES.items():
        total = sum(len(path.read_text().splitlines()) for path in (ROOT / tree).rglob("*.py"))
        if total > limit:
            found.append(f"{tree} must have at most {limit:,} lines, got {total:,}")
    for tree in ("src", "studies"):
        for path in sorted((ROOT / tree).rglob("*.py")):
            found += [f"{path.relative_to(ROOT)}: {text}" for text in _too_long(path.read_text())]
    names = Counter(path.stem for path in (ROOT / "src").rglob("*.py") if not path.stem.startswith("__"))
    repeated = sorted(name for name, count in names.items() if count > 1)
    if len(repeated) > EQUAL_NAMES:
        found.append(f"src must have at most {EQUAL_NAMES} repeated module names, got {', '.join(repeated)}")
    return found


def _too_long(source: str) -> list[str]:
    lines = len(source.splitlines())
    found = [] if lines <= MODULE_LINES else [f"a module must have at most {MODULE_LINES} lines, got {lines}"]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                found.append(f"{node.name} must have at most {FUNCTION_LINES} lines, got {length}")
    return found


if __name__ == "__main__":
    exceeded = problems()
    print("\n".join(exceeded) or "all limits are kept")
    sys.exit(bool(exceeded))
