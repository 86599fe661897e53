"""Every example runs, and its claims are true."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.slow
def test_example(path: Path) -> None:
    source = path.read_text()
    assert source.count("# %%") >= 3
    assert f"python examples/{path.name}" in source
    runpy.run_path(str(path))["test"]()
