"""Targets: classes and numbers."""

from typing import Any

import numpy as np
import pytest
import torch

import lgn.data
from lgn.data import DataError
from lgn.data.kinds import Kind


@pytest.mark.parametrize(
    ("y", "kind", "classes", "names"),
    [
        (torch.tensor([7, 3, 7]), "images", [1, 0, 1], ("3", "7")),
        (np.array([0, 1, 1], np.uint8), "signals", [0, 1, 1], ("0", "1")),
        ([True, False, True], "tables", [1, 0, 1], ("False", "True")),
        (["b", "a", "b"], "points", [1, 0, 1], ("a", "b")),
        (np.array(["b", "a", "b"], object), "tables", [1, 0, 1], ("a", "b")),
        (torch.tensor([[2], [0], [2]]), "volumes", [1, 0, 1], ("0", "2")),
    ],
)
def test_booleans_text_and_integers_of_images_are_classes(
    y: Any, kind: Kind, classes: list[int], names: tuple[str, ...]
) -> None:
    found = lgn.data.target(y, kind, count=3)
    assert (found.kind, found.values.tolist(), found.names) == ("classes", classes, names)
    assert found.values.dtype == torch.int64


@pytest.mark.parametrize("y", [torch.rand(3), np.random.default_rng(0).random((3, 2)), [0.5, 1.5, 2.5]])
@pytest.mark.parametrize("kind", ["tables", "images"])
def test_floating_point_numbers_are_numbers(y: Any, kind: Kind) -> None:
    found = lgn.data.target(y, kind)
    assert found.kind == "numbers"
    assert found.values.tolist() == torch.as_tensor(y).tolist()


def test_integers_of_a_table_need_a_target_kind() -> None:
    y = [0, 1, 2]
    with pytest.raises(DataError, match=r"target_kind .*tables"):
        lgn.data.target(y, "tables")
    assert lgn.data.target(y, "tables", target_kind="classes").values.dtype == torch.int64
    numbers = lgn.data.target(y, "tables", target_kind="numbers")
    assert (numbers.kind, numbers.values.dtype) == ("numbers", torch.float32)
    assert lgn.data.target([0.0, 1.0], "tables", target_kind="classes").names == ("0", "1")


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        ([0.5, 1.0], {"target_kind": "text"}, "target_kind .*'text'"),
        (["a", "b"], {"target_kind": "numbers"}, "target .*text"),
        ([0.5, 1.0], {"target_kind": "classes"}, "target .*float"),
        ([True, True], {}, "target .*2 classes"),
        (["a", "a"], {}, "target .*2 classes.*'a'"),
        (torch.zeros(2, 2, dtype=torch.bool), {}, r"target .*\(2, 2\)"),
        (torch.rand(2, 2, 2), {}, r"target .*\(2, 2, 2\)"),
        ([0.5, float("nan")], {}, "target .*NaN"),
        ([[0.5], [0.5, 1.0]], {}, "target .*lengths"),
        ([0.5, 1.0], {"count": 3}, "target .*3 samples, got 2"),
    ],
)
def test_errors_name_the_argument_and_the_given_value(y: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        lgn.data.target(y, "tables", **options)


def test_labels_of_two_parts_share_their_classes() -> None:
    (train, test), names = lgn.data.targets.class_numbers([np.array(["b", "c"]), np.array(["a", "b"])])
    assert (train.tolist(), test.tolist(), names) == ([1, 2], [0, 1], ("a", "b", "c"))
