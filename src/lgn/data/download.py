"""Download a published data set from one of its mirrors: all files with the right checksums, or none."""

import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lgn.data.errors import DataError
from lgn.data.registry import NamedSet, SetFile

_TIMEOUT = 30  # seconds without a byte
_MEMBER_LIMIT = 2**28  # bytes of one file in an archive


def fetch(named: NamedSet, directory: Path, *, progress: bool = False) -> Path:
    """Download all files of a data set into its folder under `directory`, or none of them.  -> the folder"""
    layout = named.layouts[0]
    folder = directory / layout.folders[0]
    with _staging(directory) as staged:
        for file in named.downloads:
            _fetch_file(named, file, staged, progress)
            if file.name.endswith(".tar.gz"):
                _unpack(staged / file.name, {entry.name for entry in (*layout.train, *layout.test)})
        if folder.exists():
            for path in staged.iterdir():
                os.replace(path, folder / path.name)
        else:
            os.replace(staged, folder)
    return folder


def _fetch_file(named: NamedSet, file: SetFile, directory: Path, progress: bool) -> None:
    import pooch

    downloader = pooch.HTTPDownloader(progressbar=progress, timeout=_TIMEOUT)
    failures = []
    path = directory / file.name
    for mirror in named.mirrors:
        try:
            downloader(mirror + file.name, str(path), None)
        except OSError as error:  # and all errors of requests, such as ConnectionError
            failures.append(f"{mirror} ({type(error).__name__})")
        else:
            if pooch.file_hash(str(path), "md5") == file.md5:
                return
            failures.append(f"{mirror} (wrong checksum)")
    raise DataError(
        f"{file.name} could not be downloaded from {' or '.join(failures)}; connect to a network, or copy the files of "
        f"{named.name} and give their directory with --data-dir or LGN_DATA, or use 'digits', which needs no download"
    )


def _unpack(archive: Path, wanted: set[str]) -> None:
    """Extract the wanted files, and no others, next to a tar archive; then remove the archive."""
    try:
        with tarfile.open(archive, "r:gz") as members:
            for member in members:
                name = Path(member.name).name
                if name not in wanted or not member.isreg():
                    continue
                if member.size > _MEMBER_LIMIT:
                    raise DataError(f"{archive.name} holds {name} of {member.size} bytes, more than {_MEMBER_LIMIT}")
                member.name = name
                members.extract(member, archive.parent, filter="data")
                wanted = wanted - {name}
    except (tarfile.TarError, EOFError, OSError) as error:
        raise DataError(f"{archive.name} is not a readable archive: {error}") from error
    if wanted:
        raise DataError(f"{archive.name} lacks {', '.join(sorted(wanted))}")
    archive.unlink()


@contextmanager
def _staging(directory: Path) -> Iterator[Path]:
    """A temporary folder on the disk of the result. After a failure, new parent directories are removed too."""
    made = [path for path in (directory, *directory.parents) if not path.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.TemporaryDirectory(prefix=".lgn-", dir=directory)
    except OSError as error:
        raise DataError(f"{directory} cannot be written to: {error.strerror or error}") from error
    try:
        with temporary as name:
            staged = Path(name, "files")
            staged.mkdir()
            yield staged
    except BaseException:
        with suppress(OSError):  # a directory that is not empty stays
            for path in made:  # from the innermost outwards
                path.rmdir()
        raise
