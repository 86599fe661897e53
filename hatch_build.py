"""A wheel with the kernels inside: `LGN_BUILD_KERNEL=1 python -m build --wheel`, for machines without a compiler.

Without it the wheel is for any machine, and the kernels are compiled where it is used.
"""

import os
import runpy
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from sysconfig import get_platform
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NATIVE = Path("src/lgn/nn/kernels/native")


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the kernels for the wheel if asked to."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if os.environ.get("LGN_BUILD_KERNEL") != "1" or version == "editable":
            return
        if not get_platform().startswith("linux-x86_64"):
            sys.exit(f"LGN_BUILD_KERNEL must not be 1 on {get_platform()}: the kernels are for Linux on x86-64")
        self.made = tempfile.TemporaryDirectory()
        library, root = Path(self.made.name) / "kernels.so", Path(self.root)
        command = runpy.run_path(str(root / NATIVE / "command.py"))["build_command"]  # lgn itself needs torch
        subprocess.run([*command(shlex.split(os.environ.get("CC", "cc"))), "-o", str(library)], check=True)
        build_data["force_include"][str(library)] = str(NATIVE.relative_to("src") / "kernels.so")
        build_data["tag"] = f"py3-none-{get_platform().replace('-', '_').replace('.', '_')}"
        build_data["pure_python"] = False

    def finalize(self, *_: Any) -> None:
        if hasattr(self, "made"):
            self.made.cleanup()
