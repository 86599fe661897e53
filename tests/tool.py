"""The programs in `tools`, as modules: they are no package."""

import importlib.util
from pathlib import Path
from types import ModuleType


def load_tool(name: str) -> ModuleType:
    path = Path(__file__).parents[1] / "tools" / f"{name}.py"
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
