"""Every example runs, and what it claims is so."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def test_there_are_six() -> None:
    assert len(EXAMPLES) == 6


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.slow
def test_example(path: Path) -> None:
    source = path.read_text()
    assert source.count("# %%") >= 3
    assert f"python examples/{path.name}" in source
    cells = runpy.run_path(str(path))  # the cells run as they would in an editor
    cells["test"]()
