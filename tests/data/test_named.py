"""The data sets with names: the bundled digits, and published sets if they are on this machine."""

import gzip
import shutil
from pathlib import Path

import pytest
import torch

import lgn.data
from lgn.data import NAMED_SETS, DataError, DataSet
from lgn.data.named import DIGITS_DIRECTORY, locate
from lgn.data.rotated import MAKERS


def test_digits_are_embedded_balanced_and_small(offline: Path, digits: DataSet) -> None:
    assert digits.train.samples.shape == (5_000, 1, 28, 28)
    assert digits.test.samples.shape == (1_000, 1, 28, 28)
    assert digits.train.labels.bincount().tolist() == [500] * 10
    assert digits.test.labels.bincount().tolist() == [100] * 10
    assert sum(path.stat().st_size for path in DIGITS_DIRECTORY.iterdir()) < 2_000_000
    assert "Attribution-Share Alike 3.0" in " ".join((DIGITS_DIRECTORY / "LICENSE.md").read_text().split())


def test_the_default_is_digits(digits: DataSet) -> None:
    assert lgn.data.load().checksum() == digits.checksum()


@pytest.mark.parametrize("folder", ["MNIST/raw", "mnist", "."])
def test_mnist_is_found_in_the_folders_of_other_libraries(
    mnist: DataSet, data_dir: Path, tmp_path: Path, offline: Path, folder: str
) -> None:
    original = locate(NAMED_SETS["mnist"], [data_dir])
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    for path in (*original.train, *original.test):
        content = path.read_bytes()
        raw = gzip.decompress(content) if path.suffix == ".gz" else content
        (tmp_path / folder / path.name.removesuffix(".gz")).write_bytes(raw)
    assert lgn.data.load("mnist", tmp_path, download=False).checksum() == mnist.checksum()


def test_a_damaged_file_of_a_named_set_is_refused(
    tmp_path: Path, offline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytearray(gzip.decompress((DIGITS_DIRECTORY / "train-images-idx3-ubyte.gz").read_bytes()))
    content[5000] ^= 1
    for path in DIGITS_DIRECTORY.glob("*.gz"):
        shutil.copy(path, tmp_path)
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(bytes(content), 1))
    monkeypatch.setattr("lgn.data.named.DIGITS_DIRECTORY", tmp_path)
    with pytest.raises(DataError, match=r"train-images-idx3-ubyte.gz .*checksum"):
        lgn.data.load("digits")
    with pytest.raises(DataError, match="checksum"):  # another set with the same names of files
        lgn.data.load("fashion-mnist", tmp_path)


def test_missing_files_of_a_set_are_named(tmp_path: Path, offline: Path) -> None:
    (tmp_path / "cifar-10-batches-bin").mkdir()
    (tmp_path / "cifar-10-batches-bin" / "data_batch_1.bin").write_bytes(b"")
    with pytest.raises(DataError, match=r"incomplete: data_batch_2.bin.* missing"):
        lgn.data.load("cifar10", tmp_path, download=False)


def test_the_checksum_of_a_pickle_is_checked_before_it_is_read(tmp_path: Path, offline: Path) -> None:
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    for name in (*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"):
        (folder / name).write_bytes(b"cposix\nsystem\n(S'true'\ntR.")
    with pytest.raises(DataError, match=r"data_batch_1 .*checksum"):
        lgn.data.load("cifar10", tmp_path, download=False)


def test_lgn_data_and_the_cache_are_searched(
    offline: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mnist: DataSet, data_dir: Path
) -> None:
    source = locate(NAMED_SETS["mnist"], [data_dir]).directory
    cached = offline / "lgn" / "mnist"
    shutil.copytree(source, cached)
    assert str(cached) in lgn.data.load("mnist").source
    monkeypatch.setenv("LGN_DATA", str(data_dir))
    assert str(source) in lgn.data.load("mnist").source


def test_the_error_for_a_missing_set_names_the_searched_directories(offline: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"mnist is not in {tmp_path}, {offline / 'lgn'}: get it with"):
        lgn.data.load("mnist", tmp_path, download=False)
    with pytest.raises(DataError, match=r"rotated-mnist .*mnist is not in"):
        lgn.data.load("rotated-mnist", tmp_path, download=False)


def test_a_misspelt_name_gets_a_hint() -> None:
    with pytest.raises(DataError, match="cifar10"):
        lgn.data.load("cifra10")


def test_a_named_set_can_be_resized(digits: DataSet) -> None:
    small = lgn.data.load("digits", image_size=14)
    assert small.image_shape == (1, 14, 14)
    assert small.notes == ("all images were resized from 28x28 to 14x14",)
    # Halving with an antialiasing filter keeps the mean of each image, up to rounding.
    means = [images.float().mean((1, 2, 3)) for images in (small.train.samples, digits.train.samples)]
    assert torch.allclose(means[0], means[1], atol=1.0)
    with pytest.raises(DataError, match="image_size must"):
        lgn.data.load("digits", image_size=0)


def test_the_registry_is_consistent() -> None:
    for name, named in NAMED_SETS.items():
        assert name == named.name
        assert (named.made_from is not None) == (not named.layouts) == (name in MAKERS)
        if named.downloads:
            assert len(named.mirrors) >= 2
            assert all(mirror.endswith("/") for mirror in named.mirrors)
