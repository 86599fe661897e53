"""Limits on the size of the code, checked by `make check`: lines of trees, modules and functions, names, record types.

python tools/limits.py
"""

import ast
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: The largest number of lines of Python in a tree.
LINES = {"src": 29_000, "studies": 9_000, "tests": 21_000}
MODULE_LINES, FUNCTION_LINES, EQUAL_NAMES = 250, 60, 8
#: Packages that share a limit on the record types (dataclasses and named tuples) that they export.
RECORD_PACKAGES, RECORDS = ("answer", "apply", "discovery"), 12


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
    records = sorted(name for package in RECORD_PACKAGES for name in _exported_records(ROOT / "src/lgn" / package))
    if len(records) > RECORDS:
        found.append(
            f"{', '.join(RECORD_PACKAGES)} must export at most {RECORDS} record types, got {', '.join(records)}"
        )
    return found


def _exported_records(package: Path) -> set[str]:
    """The record types in `__all__` of a package, or of a package in it."""
    exported, records = set[str](), set[str]()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                exported |= set(ast.literal_eval(node.value))
            elif isinstance(node, ast.ClassDef):
                marks = [ast.unparse(mark) for mark in (*node.decorator_list, *node.bases)]
                if any(mark.startswith("dataclass") or mark == "NamedTuple" for mark in marks):
                    records.add(node.name)
    return exported & records


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
