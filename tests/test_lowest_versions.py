"""The lowest versions that are allowed, as constraints to test with."""

from pathlib import Path

import pytest
from tool import load_tool

ROOT = Path(__file__).parents[1]
tool = load_tool("lowest_versions")

PYPROJECT = """
[project]
dependencies = ["torch>=2.6", "numpy>=1.26", "tyro >= 0.9.2", "unbound", "capped>=1.0,<2"]
[project.optional-dependencies]
ray = ["ray[tune]>=2.40"]
"""


def test_every_lower_bound_and_torch_as_it_is_pinned() -> None:
    constraints = "numpy==2.4\ntorch==2.13.0\n"
    core = ["torch==2.13.0", "numpy==1.26", "tyro==0.9.2", "capped==1.0"]
    assert tool.lowest_versions(PYPROJECT, constraints, []) == core
    assert tool.lowest_versions(PYPROJECT, constraints, ["ray"]) == [*core, "ray==2.40"]
    with pytest.raises(ValueError, match="extras must be among ray, got 'onnx'"):
        tool.lowest_versions(PYPROJECT, constraints, ["onnx"])


def test_each_dependency_of_the_package_states_one(capsys: pytest.CaptureFixture[str]) -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = tool.lowest_versions((ROOT / "pyproject.toml").read_text(), (ROOT / "constraints.txt").read_text(), [])
    assert len(lines) == len(project["dependencies"])
    assert "tyro==0.9.2" in lines  # 0.9.0 has no package in it
