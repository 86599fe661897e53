"""`lgn data`: the list, downloads and checksums."""

from pathlib import Path

import numpy as np
import pytest
from forked import start
from PIL import Image

from lgn.cli import main
from lgn.data import DataSet


def lgn_command(*arguments: str) -> tuple[int | None, str, str]:
    """The status, the output and the messages of a command."""
    process = start("lgn.cli", arguments)
    out, err = process.communicate()
    return process.returncode, out, err


def test_the_list_names_all_sets_with_their_directories_or_commands(
    offline: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "list", "--data-dir", str(tmp_path)]) == 0
    table = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert {"digits", "mnist", "fashion-mnist", "cifar10", "rotated-mnist", "rotated-mnist-90"} <= set(table)
    assert "in the package" in table["digits"]
    assert table["cifar10"].endswith("lgn data get cifar10 (170 MB)")
    assert "made from mnist" in table["rotated-mnist"]


def test_the_list_names_the_directory_of_a_set(
    mnist: DataSet, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "list", "--data-dir", str(data_dir)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("mnist ")]
    assert str(data_dir) in line


def test_get_digits_works_offline(offline: Path) -> None:
    status, printed, errors = lgn_command("data", "get", "digits")
    assert status == 0, errors
    assert "5,000 train and 1,000 test images of 1x28x28" in printed
    assert not offline.exists()


@pytest.mark.parametrize("name", ["cifar10", "mnist", "rotated-mnist"])
def test_a_failed_download_is_one_error_and_leaves_no_files(offline: Path, tmp_path: Path, name: str) -> None:
    status, printed, errors = lgn_command("data", "get", name, "--data-dir", str(tmp_path / "mine"))
    assert (status, printed) == (1, "")
    (line,) = errors.strip().splitlines()
    assert line.startswith("lgn: error: ")
    assert "LGN_DATA" in line
    assert not (tmp_path / "mine").exists()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_verify_prints_the_checksum_and_does_not_download(
    mnist: DataSet, data_dir: Path, offline: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "verify", "mnist", "--data-dir", str(data_dir)]) == 0
    assert mnist.checksum() in capsys.readouterr().out
    assert main(["data", "verify", "mnist"]) == 1
    assert "lgn data get mnist" in capsys.readouterr().err


def test_verify_takes_a_folder_of_the_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, size in enumerate((4, 6, 8, 10)):
        Image.fromarray(np.zeros((size, size), np.uint8)).save(tmp_path / f"{number}.png")
    assert main(["data", "verify", str(tmp_path), "--image-size", "5"]) == 0
    out = capsys.readouterr().out
    assert "note: 4 of 4 images were resized to 5x5" in out
    assert "3 train and 1 test images of 1x5x5" in out
