"""`lgn.discover`: which question is asked of which data, and which calls are refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import lgn
from lgn.data import DataSet, Split
from lgn.front import store_answer, stored_answer
from studies.unknown import cases


def turned(count: int, seed: int = 0, side: int = 8) -> tuple[Tensor, Tensor]:
    """Images of a corner, turned by random quarters, and the number of quarters."""
    random = torch.Generator().manual_seed(seed)
    images = 0.2 * torch.rand(count, 1, side, side, generator=random)
    images[..., :3, :2] += 0.5 + 0.5 * torch.rand(count, 1, 3, 2, generator=random)
    quarters = torch.randint(4, (count,), generator=random)
    return torch.stack([image.rot90(int(q), (1, 2)) for image, q in zip(images, quarters, strict=True)]), quarters


@pytest.fixture(scope="module")
def found() -> lgn.Answer:
    """The answer about images with their quarter turn as label."""
    return lgn.discover(*turned(6_000), candidates="turns")


def test_labels_that_turns_permute_stay_distinguishable(found: lgn.Answer) -> None:
    """A network that is invariant to the symmetries of the images alone could not tell these classes apart."""
    assert found.question == "labels"
    assert [row.permutation for row in found.kept] == [(1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)]
    model = found.network(parameters=2_000, kernel_size=3, num_layers=2).eval()
    image = turned(1)[0]
    outputs = model(image)
    assert float(outputs.detach().std()) > 1e-4
    torch.testing.assert_close(model(image.rot90(1, (2, 3))), outputs.roll(1, 1), rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="group"):
        found.layers(3)


def test_the_question_data_ignores_the_target() -> None:
    images, quarters = turned(600)
    found = lgn.discover(images, quarters, of="data", candidates="turns", effort=0.2)
    assert found.question == "data"
    assert lgn.discover(TABLE, TABLE[:, 0], of="data").question == "data"
    assert found.data.classes == ()
    with pytest.raises(ValueError, match="classes"):
        found.network()


TABLE = torch.randn(2_000, 3, generator=torch.Generator().manual_seed(0))
IMAGES = turned(100)[0]
REFUSED: dict[str, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "three axes": ((torch.rand(50, 8, 8),), {}, "kind"),
    "functions": ((IMAGES, torch.nn.Linear(2, 2)), {}, "target"),
    "files of networks": ((IMAGES, "network.onnx"), {}, "target"),
    "numbers for images": ((IMAGES, torch.rand(100)), {}, "target"),
    "numbers for tables": ((TABLE, torch.rand(2_000)), {}, "target"),
    "integers for tables": ((TABLE, torch.arange(2_000) % 2), {}, "target_kind"),
    "lengths": ((IMAGES, torch.arange(99) % 2), {}, "target"),
    "NaN": ((IMAGES * torch.nan,), {}, "data"),
    "complex numbers": ((IMAGES + 0j,), {}, "data"),
    "laws": ((IMAGES,), {"of": "law"}, "of"),
    "labels without a target": ((IMAGES,), {"of": "labels"}, "target"),
    "candidates of tables": ((TABLE,), {"candidates": "turns"}, "candidates"),
    "evidence of tables": ((TABLE,), {"evidence": "data"}, "evidence"),
    "rank of images": ((IMAGES,), {"rank": 3}, "rank"),
    "unknown names": ((IMAGES,), {"candidates": ["spirals"]}, "candidates"),
    "blocks": ((IMAGES,), {"blocks": [1, 2]}, "blocks"),
    "devices": ((IMAGES,), {"device": "abacus"}, "device"),
    "kinds": ((IMAGES,), {"kind": "tables"}, "data"),
    "names": (("no such set",), {}, "source"),
    "targets of files": (("digits", torch.arange(3)), {}, "target"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_calls_are_refused_by_the_name_of_an_argument(name: str) -> None:
    arguments, options, word = REFUSED[name]
    with pytest.raises(ValueError, match=rf"^{word} ") as error:
        lgn.discover(*arguments, **options)
    assert len(str(error.value).splitlines()) == 1


SOURCES: dict[str, Callable[[Tensor, Tensor], tuple[Any, ...]]] = {
    "arrays": lambda x, y: (x.numpy(), y.numpy()),
    "lists": lambda x, y: (x.tolist(), [f"class {label}" for label in y.tolist()]),
    "data set of pairs": lambda x, y: (torch.utils.data.TensorDataset(x, y),),
    "split": lambda x, y: (Split((x * 255).to(torch.uint8), y),),
}


@pytest.mark.parametrize("name", SOURCES)
def test_sources_in_memory(name: str) -> None:
    images, quarters = turned(200)
    found = lgn.discover(*SOURCES[name](images, quarters), candidates="turns", effort=0.1, device="cpu")
    assert (found.question, found.data.kind, found.data.count) == ("labels", "images", 200)
    assert len(found.data.classes) == 4


def test_frames_and_files_with_columns(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"a": TABLE[:, 0], "b": TABLE[:, 1], "c": TABLE[:, 2], "y": np.where(TABLE[:, 0] > 0, "p", "q")}
    )
    found = lgn.discover(frame, "y")
    assert found.data.columns == ("a", "b", "c")
    assert found.data.classes == ("p", "q")
    with pytest.raises(ValueError, match="target"):
        lgn.discover(frame, "z")
    frame.to_csv(tmp_path / "table.csv", index=False)
    read = lgn.discover(tmp_path / "table.csv", "y")
    assert read.data.columns == ("a", "b", "c")
    assert read.data.count == 1_600  # training samples only


def test_unknown_maps_and_named_transformations_are_rows_of_one_answer() -> None:
    images = turned(1_000)[0]
    found = lgn.discover(images, candidates=("turns", "unknown"), effort=0.1, starts=5)
    named = lgn.discover(images, candidates="turns", effort=0.1)
    assert [row.name for row in found.rows[:3]] == [row.name for row in named.rows]
    assert found.group == named.group
    assert all(row.element is None for row in found.rows[3:])


def test_observers_confirm_linear_maps_on_other_samples() -> None:
    x = cases.skewed(32_000, 4, 0).x
    x = x - x.mean(0)
    which = torch.rand(len(x), 1, generator=torch.Generator().manual_seed(0)) < 0.5
    found = lgn.discover(torch.where(which, x[:, [1, 0, 2, 3]], x), verify=True, effort=0.1, starts=10)
    (row,) = found.kept
    assert row.name == "exchange columns 1 and 2"
    assert row.of("data") is not None
    assert found.data.count == 32_000


def test_an_answer_is_stored_for_its_question_and_data(tmp_path: Path) -> None:
    images, quarters = turned(200)
    train, other = (Split((x * 255).to(torch.uint8), quarters) for x in (images, images.flip(0)))
    data = DataSet(name="corners", kind="images", train=train, test=train, class_names=tuple("abcd"))
    options: dict[str, Any] = {"candidates": ("turns",), "effort": 0.1}
    assert stored_answer(tmp_path, data, options) is None
    found = lgn.discover(data, **options)
    store_answer(found, tmp_path, data, options)
    assert str(stored_answer(tmp_path, data, options)) == str(found)
    assert stored_answer(tmp_path, data, options | {"seed": 1}) is None
    assert stored_answer(tmp_path, replace(data, train=other), options) is None


def test_samples_of_a_block_count_once() -> None:
    images = turned(60)[0]
    repeated = images.repeat(10, 1, 1, 1) + 0.05 * torch.rand(600, 1, 8, 8)
    one = lgn.discover(repeated, candidates="turns", effort=0.2, blocks=[f"block {i}" for i in range(60)] * 10)
    other = lgn.discover(repeated, candidates="turns", effort=0.2)
    widths = [found["turn 180"].of("data").interval for found in (one, other)]  # type: ignore[union-attr]
    assert widths[0][1] - widths[0][0] > widths[1][1] - widths[1][0]
