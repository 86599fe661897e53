"""What several tests need: the real sets where they are to be had, and a machine without a network."""

import os
import socket
from pathlib import Path

import pytest

import lgn.data
from lgn.data.dataset import DataSet
from lgn.data.named import locate


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The directory of real sets that `LGN_DATA` names."""
    directory = os.environ.get("LGN_DATA")
    if not directory or not Path(directory).is_dir():
        pytest.skip("needs LGN_DATA, a directory of real sets")
    return Path(directory)


@pytest.fixture(scope="session")
def mnist(data_dir: Path) -> DataSet:
    return _real_set("mnist", data_dir)


@pytest.fixture(scope="session")
def cifar10(data_dir: Path) -> DataSet:
    return _real_set("cifar10", data_dir)


@pytest.fixture(scope="session")
def digits() -> DataSet:
    return lgn.data.load("digits")


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No network, no `LGN_DATA` and an empty cache, for this process and those it starts.  -> the cache's parent"""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed_port = probe.getsockname()[1]
    for variable in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(variable, f"http://127.0.0.1:{closed_port}")
    for variable in ("LGN_DATA", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _real_set(name: str, directory: Path) -> DataSet:
    if locate(lgn.data.NAMED_SETS[name], [directory]) is None:
        pytest.skip(f"needs LGN_DATA with {name}")
    return lgn.data.load(name, directory, download=False)
