"""Samples: their kinds, and data that are refused."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import Dataset, IterableDataset, TensorDataset

import lgn.data
from lgn.data import DataError


class Frame:
    """The part of a data frame that lgn uses."""

    def __init__(self, **columns: list[Any]) -> None:
        self.columns = list(columns)
        self._values = columns

    def __getitem__(self, column: str) -> np.ndarray:
        return np.asarray(self._values[column])

    def to_numpy(self) -> np.ndarray:
        return np.stack([np.asarray(values) for values in self._values.values()], 1)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.to_numpy()


@pytest.mark.parametrize(
    ("shape", "kind", "expected"),
    [
        ((4, 3), None, "tables"),
        ((4, 1, 8, 8), None, "images"),
        ((4, 3, 8, 3), None, "images"),
        ((4, 1, 5, 5, 5), None, "volumes"),
        ((4, 2, 9), "signals", "signals"),
        ((4, 7, 3), "points", "points"),
    ],
)
def test_the_kind_follows_from_the_axes_or_is_given(shape: tuple[int, ...], kind: str | None, expected: str) -> None:
    values = torch.rand(shape)
    found = lgn.data.samples(values, kind)
    assert found.kind == expected
    assert found.values.equal(values)


@pytest.mark.parametrize(("shape", "kind"), [((4, 9), "signals"), ((4, 8, 8), "images"), ((4, 5, 5, 5), "volumes")])
def test_a_given_kind_may_leave_out_the_axis_of_channels(shape: tuple[int, ...], kind: str) -> None:
    assert lgn.data.samples(torch.rand(shape), kind).values.shape == (4, 1, *shape[1:])


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int64, torch.bool, torch.float16, torch.float64])
def test_a_tensor_keeps_its_dtype_and_leaves_its_graph(dtype: torch.dtype) -> None:
    values = torch.ones(4, 3, dtype=dtype, requires_grad=dtype.is_floating_point)
    found = lgn.data.samples(values).values
    assert found.dtype == dtype
    assert not found.requires_grad


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (np.ones((4, 3)), torch.float64),
        (np.ones((4, 3), ">f4"), torch.float32),
        (np.ones((4, 3), np.uint16), torch.int64),
        (np.ones((4, 3), np.longdouble), torch.float64),
        (np.ones((4, 3))[::-1], torch.float64),
        (np.broadcast_to(np.ones(3), (4, 3)), torch.float64),
        ([[1, 1, 1]] * 4, torch.int64),
        ([torch.ones(3)] * 4, torch.float32),
        ([np.ones(3)] * 4, torch.float64),
    ],
)
def test_arrays_and_lists_become_tensors(data: Any, dtype: torch.dtype) -> None:
    found = lgn.data.samples(data)
    assert found.values.dtype == dtype
    assert found.values.tolist() == [[1, 1, 1]] * 4


def test_a_data_frame_keeps_its_column_names() -> None:
    found = lgn.data.samples(Frame(mass=[1.0, 2.0], speed=[3, 4]))
    assert found.kind == "tables"
    assert found.columns == ("mass", "speed")
    assert found.values.tolist() == [[1, 3], [2, 4]]


class Stream(IterableDataset[torch.Tensor]):
    def __iter__(self) -> Any:
        yield from torch.eye(3)


def test_torch_data_sets() -> None:
    pairs = lgn.data.samples(TensorDataset(torch.rand(4, 1, 5, 5), torch.arange(4)))
    assert (pairs.kind, pairs.values.shape) == ("images", (4, 1, 5, 5))
    assert torch.stack(pairs.target or []).tolist() == [0, 1, 2, 3]
    alone = lgn.data.samples(TensorDataset(torch.rand(4, 6)))
    assert (alone.kind, alone.target) == ("tables", None)
    assert lgn.data.samples(Stream()).values.equal(torch.eye(3))


class Triples(Dataset[tuple[int, int, int]]):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> tuple[int, int, int]:
        return (index, index, index)


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (torch.rand(50, 28, 28), None, r"kind must.*\(50, 28, 28\).*x\[:, None\]"),
        (torch.rand(5), None, r"data .*\(5,\)"),
        (torch.rand(1, 1, 1, 1, 1, 1), None, "data .*axes"),
        (torch.rand(5, 8, 8, 3), None, r"data .*\(5, 8, 8, 3\).*permute\(0, 3, 1, 2\)"),
        (torch.rand(5, 8, 8, 8, 1), None, r"data .*permute\(0, 4, 1, 2, 3\)"),
        (torch.rand(5, 8), "images", r"data .*images.*\(5, 8\)"),
        (torch.rand(5, 8), "sounds", "kind .*'sounds'"),
        (torch.tensor([[1.0, float("nan")]]), None, "data .*1 NaN"),
        (torch.tensor([[1.0, float("inf")]]), None, "data .*infinite"),
        (torch.ones(2, 2, dtype=torch.complex64), None, "data .*complex64"),
        (np.ones((2, 2), complex), None, "data .*complex128"),
        (torch.eye(3).to_sparse(), None, "data .*sparse"),
        (torch.ones(2, 2, device="meta"), None, "data .*meta"),
        (torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged), None, "data .*jagged"),
        (torch.ones(0, 3), None, r"data .*\(0, 3\)"),
        ([[1, 2], [3]], None, "data .*lengths"),
        ([torch.ones(2), torch.ones(3)], None, r"data .*\(2,\) and \(3,\)"),
        ([["a", "b"]], None, "data .*list"),
        (None, None, "data .*NoneType"),
        (Frame(a=[1, 2], b=["x", "y"]), None, "data .*'b'"),
        (Triples(), None, "data .*3 values"),
    ],
)
def test_errors_name_the_argument_and_the_given_value(data: Any, kind: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        lgn.data.samples(data, kind)
