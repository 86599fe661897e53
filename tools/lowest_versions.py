"""The lowest versions that pyproject.toml allows, torch apart: written as constraints for pip, or tried.

python tools/lowest_versions.py > lowest.txt   # pip install --constraint lowest.txt '.'
python tools/lowest_versions.py --try          # about a minute and a half

torch is the one of constraints.txt: another would be gigabytes. Extras are named as arguments (`onnx ray`); without
any, only what every installation has is in it. To try them they are installed into a directory of their own, which is
put before everything else of this Python; there a network is trained, analysed and shown, and the tests of what touches
these packages are run.
"""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*>=\s*([A-Za-z0-9.]+)")
APART = "torch"
#: What is run with the lowest versions: a command that goes through every room, and tests of what meets a package.
COMMAND = ["-m", "lgn", "discover", "--epochs", "1", "--train-images", "300", "--num-layers", "2", "--num-sets", "2"]
TESTS = [
    "tests/commands",
    "tests/report/test_page.py",
    "tests/report/test_figures.py",
    "tests/data/test_folder.py",
    "tests/data/test_download.py",
    "tests/analysis/test_nulls.py",
    "tests/training/test_run.py",
]


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


def try_them(lines: list[str]) -> int:
    """Install them beside this Python's packages and use them.  -> 0 if everything works"""
    wanted = [line for line in lines if not line.startswith(f"{APART}==")]
    with tempfile.TemporaryDirectory() as directory:
        # pip says that other packages of this environment want newer ones: these are not used.
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", directory, *wanted]
        done = subprocess.run(install, capture_output=True, text=True)
        if done.returncode:
            sys.stderr.write(done.stderr)
            return done.returncode
        before = [directory, str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, before))}
        # Old packages warn about new ones: that is theirs to mend.
        tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "default", "-m", "not slow", *TESTS]
        # Before 1.0 tyro remembers an unknown option when the same process parses again; a command parses once.
        tests += ["--deselect", "tests/commands/test_train.py::test_what_is_asked_wrongly_is_answered_by_name"]
        for words in ([*COMMAND, "--out", str(Path(directory, "run"))], tests):
            if status := subprocess.run([sys.executable, *words], cwd=ROOT, env=environment).returncode:
                return status
    sys.stdout.write(f"works with {', '.join(wanted)}\n")
    return 0


def main() -> int:
    extras = [word for word in sys.argv[1:] if word != "--try"]
    try:
        pyproject, constraints = ((ROOT / name).read_text() for name in ("pyproject.toml", "constraints.txt"))
        lines = lowest_versions(pyproject, constraints, extras)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if "--try" in sys.argv:
        return try_them(lines)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
