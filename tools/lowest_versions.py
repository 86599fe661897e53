"""The lowest versions that pyproject.toml allows, as constraints for pip, or tried out.

python tools/lowest_versions.py > lowest.txt   # pip install --constraint lowest.txt '.'
python tools/lowest_versions.py --try          # about a minute and a half

torch has the version of constraints.txt: another one would be gigabytes. Extras are named as arguments (`onnx ray`). To
try the versions, they are installed into a temporary directory that comes first on the path of this Python. There a
network is trained, data are asked, and the tests of code that meets these packages are run.
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
PINNED = "torch"
#: Commands with `--out` still to come, and tests of code that meets a package.
COMMANDS = (
    ["train", "digits", "--epochs", "1", "--set=train_images=300", "--set=num_layers=2", "--set=num_sets=2"],
    ["discover", "digits", "--candidates", "turns"],
)
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
    """Lines `name==version`, one per requirement with a lower bound; torch as in the constraints."""
    project = tomllib.loads(pyproject)["project"]
    optional = project.get("optional-dependencies", {})
    unknown = [extra for extra in extras if extra not in optional]
    if unknown:
        raise ValueError(f"extras must be among {', '.join(optional)}, got {unknown[0]!r}")
    stated = [*project["dependencies"], *(line for extra in extras for line in optional[extra])]
    bounds = [match.groups() for line in stated if (match := REQUIREMENT.match(line)) is not None]
    pinned = [line for line in constraints.splitlines() if line.startswith(f"{PINNED}==")]
    return [*pinned, *(f"{name}=={version}" for name, version in bounds if name != PINNED)]


def try_versions(lines: list[str]) -> int:
    """Install the versions into a temporary directory and use them.  -> 0 if everything works"""
    wanted = [line for line in lines if not line.startswith(f"{PINNED}==")]
    with tempfile.TemporaryDirectory() as directory:
        # pip complains that other packages of this environment need newer versions. They are not used.
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", directory, *wanted]
        done = subprocess.run(install, capture_output=True, text=True)
        if done.returncode:
            sys.stderr.write(done.stderr)
            return done.returncode
        path = [directory, str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
        commands = [["-m", "lgn", *words, "--out", str(Path(directory, words[0]))] for words in COMMANDS]
        # Warnings of old packages about new ones are no errors here.
        tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "default", "-m", "not slow", *TESTS]
        # Before 1.0 tyro remembers an unknown option when the same process parses again; a command parses once.
        tests += ["--deselect", "tests/commands/test_train.py::test_wrong_flags_are_explained"]
        for words in (*commands, tests):
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
        return try_versions(lines)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
