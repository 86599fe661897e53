"""Write the lowest versions that pyproject.toml allows as constraints for pip, torch apart.

python tools/lowest_versions.py > lowest.txt
pip install --constraint lowest.txt '.'

torch is the one of constraints.txt: another would be gigabytes. Extras are named as arguments (`onnx ray`); without
any, only what every installation has is in it.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*>=\s*([A-Za-z0-9.]+)")
APART = "torch"


def lowest_versions(pyproject: str, constraints: str, extras: list[str]) -> list[str]:
    """Lines `name==version`, one for each requirement that states a lower bound; torch as the constraints have it."""
    project = tomllib.loads(pyproject)["project"]
    optional = project.get("optional-dependencies", {})
    unknown = [extra for extra in extras if extra not in optional]
    if unknown:
        raise ValueError(f"extras must be among {', '.join(optional)}, got {unknown[0]!r}")
    stated = [*project["dependencies"], *(line for extra in extras for line in optional[extra])]
    bounds = [match.groups() for line in stated if (match := REQUIREMENT.match(line)) is not None]
    apart = [line for line in constraints.splitlines() if line.startswith(f"{APART}==")]
    return [*apart, *(f"{name}=={version}" for name, version in bounds if name != APART)]


def main() -> int:
    try:
        pyproject, constraints = ((ROOT / name).read_text() for name in ("pyproject.toml", "constraints.txt"))
        lines = lowest_versions(pyproject, constraints, sys.argv[1:])
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
