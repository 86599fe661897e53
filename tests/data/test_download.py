"""Downloads from a real server on this machine."""

import dataclasses
import functools
import gzip
import hashlib
import http.server
import io
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from lgn.data import DataError
from lgn.data.download import fetch
from lgn.data.idx import encode_idx
from lgn.data.named import locate
from lgn.data.registry import NAMED_SETS, Layout, NamedSet, SetFile

MNIST = NAMED_SETS["mnist"]


def md5(content: bytes) -> str:
    return hashlib.md5(content).hexdigest()


CONTENTS = {
    file.name: encode_idx(torch.arange(6, dtype=torch.uint8) if "labels" in file.name else torch.ones(6, 2, 2))
    for file in (*MNIST.layouts[0].train, *MNIST.layouts[0].test)
}
PACKED = {f"{name}.gz": gzip.compress(content, mtime=0) for name, content in CONTENTS.items()}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def mirror(tmp_path, monkeypatch) -> Iterator[tuple[str, Path]]:
    """A web server on this machine.  -> its address, the directory that it serves"""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    served = tmp_path / "served"
    served.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(served)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/", served
    server.shutdown()
    thread.join()
    server.server_close()


def small_mnist(*mirrors: str) -> NamedSet:
    layout = dataclasses.replace(
        MNIST.layouts[0],
        train=tuple(SetFile(file.name, md5(CONTENTS[file.name])) for file in MNIST.layouts[0].train),
        test=tuple(SetFile(file.name, md5(CONTENTS[file.name])) for file in MNIST.layouts[0].test),
    )
    downloads = tuple(SetFile(name, md5(content)) for name, content in PACKED.items())
    return dataclasses.replace(MNIST, layouts=(layout,), downloads=downloads, mirrors=mirrors)


def serve(directory: Path, files: dict[str, bytes]) -> None:
    directory.mkdir(exist_ok=True)
    for name, content in files.items():
        (directory / name).write_bytes(content)


def test_all_files_are_downloaded_unchanged(mirror: tuple[str, Path], tmp_path: Path) -> None:
    address, served = mirror
    serve(served, PACKED)
    folder = fetch(small_mnist(address), tmp_path / "new" / "data")
    assert folder == tmp_path / "new" / "data" / "mnist"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == PACKED
    assert [path.name for path in folder.parent.iterdir()] == ["mnist"]
    assert locate(small_mnist(), [tmp_path / "new" / "data"]).directory == folder


def test_the_second_mirror_is_used_if_the_first_fails(mirror: tuple[str, Path], tmp_path: Path) -> None:
    address, served = mirror
    serve(served / "good", PACKED)
    serve(served / "rubbish", dict.fromkeys(PACKED, b"<html>sorry</html>"))
    for first in (f"{address}nothing/", f"{address}rubbish/", "http://127.0.0.1:9/"):
        target = tmp_path / first.replace("/", "_")
        folder = fetch(small_mnist(first, f"{address}good/"), target)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == PACKED


def test_a_failed_download_names_the_mirrors_and_leaves_no_files(mirror: tuple[str, Path], tmp_path: Path) -> None:
    address, served = mirror
    almost = dict(PACKED)
    almost["t10k-labels-idx1-ubyte.gz"] = b"not what was published"  # the last of the four
    serve(served / "almost", almost)
    target = tmp_path / "new" / "data"
    named = small_mnist(f"{address}almost/", f"{address}nothing/")
    with pytest.raises(DataError) as caught:
        fetch(named, target)
    message = str(caught.value)
    assert "almost/" in message
    assert "nothing/" in message
    assert "LGN_DATA" in message
    assert "\n" not in message
    assert not (tmp_path / "new").exists()


def test_a_failed_download_keeps_older_files(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.txt").write_text("mine")
    with pytest.raises(DataError, match="127.0.0.1"):
        fetch(small_mnist("http://127.0.0.1:9/"), tmp_path / "data")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["mine.txt"]


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError, match="file/data"):
        fetch(small_mnist("http://127.0.0.1:9/"), tmp_path / "file" / "data")


def archive(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def archived_set(content: bytes, address: str) -> NamedSet:
    layout = Layout("cifar-binary", (SetFile("a.bin", md5(b"aa")),), (SetFile("b.bin", md5(b"bb")),), ("batches",))
    return dataclasses.replace(
        MNIST, layouts=(layout,), downloads=(SetFile("set.tar.gz", md5(content)),), mirrors=(address,)
    )


def test_only_the_files_of_the_set_are_extracted_from_an_archive(mirror: tuple[str, Path], tmp_path: Path) -> None:
    address, served = mirror
    content = archive({"batches/a.bin": b"aa", "../../evil": b"x", "batches/readme": b"y", "batches/b.bin": b"bb"})
    serve(served, {"set.tar.gz": content})
    folder = fetch(archived_set(content, address), tmp_path / "data")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"a.bin": b"aa", "b.bin": b"bb"}
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize(
    ("content", "message"),
    [(archive({"batches/a.bin": b"aa"}), "b.bin"), (b"no archive", "archive")],
)
def test_an_archive_without_the_files_of_the_set_is_refused(
    mirror: tuple[str, Path], tmp_path: Path, content: bytes, message: str
) -> None:
    address, served = mirror
    serve(served, {"set.tar.gz": content})
    with pytest.raises(DataError, match=message):
        fetch(archived_set(content, address), tmp_path / "data")
    assert not (tmp_path / "data").exists()
