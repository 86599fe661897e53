"""Tables in CSV and Parquet files."""

from pathlib import Path
from typing import Any

import pytest
import torch

import lgn.data
from lgn.data import DataError, DataSet


def written(directory: Path, text: str) -> Path:
    path = directory / "rows.csv"
    path.write_text(text)
    return path


def both_parts(found: DataSet) -> torch.Tensor:
    return torch.cat([found.train.samples, found.test.samples])


ROWS = [(i, i + 0.5, -i) for i in range(10)]
TEXT = "\n".join(",".join(map(str, row)) for row in ROWS)


def test_rows_are_the_samples_of_a_table(tmp_path: Path) -> None:
    found = lgn.data.load(written(tmp_path, TEXT))
    assert found.kind == "tables"
    assert found.columns == ("column 1", "column 2", "column 3")
    assert sorted(map(tuple, both_parts(found).tolist())) == ROWS


def test_rows_are_signals_if_the_kind_is_given(tmp_path: Path) -> None:
    found = lgn.data.load(written(tmp_path, TEXT), kind="signals")
    assert (found.kind, both_parts(found).shape) == ("signals", (10, 1, 3))
    assert both_parts(found).dtype == torch.float32


def test_columns_have_names_without_the_byte_order_mark(tmp_path: Path) -> None:
    found = lgn.data.load(written(tmp_path, "\ufeffmass,,x 2\n" + TEXT))
    assert found.columns == ("mass", "column 2", "x 2")
    assert len(both_parts(found)) == 10


def test_row_numbers_of_pandas_are_left_out(tmp_path: Path) -> None:
    text = ",a,b\n" + "\n".join(f"{i},{i / 2},{i}" for i in range(10))
    found = lgn.data.load(written(tmp_path, text))
    assert found.columns == ("a", "b")
    assert len(found.notes) == 1


def test_a_column_called_label_holds_classes(tmp_path: Path) -> None:
    text = "label,x1,x2\n" + "\n".join(f"{'ab'[i % 2]},{i},{-i}" for i in range(10))
    found = lgn.data.load(written(tmp_path, text))
    assert (found.class_names, found.columns) == (("a", "b"), ("x1", "x2"))
    assert found.train.labels is not None
    assert [int(row[0]) % 2 for row in found.train.samples] == found.train.labels.tolist()


NAMED = "a,b,n,word,y\n" + "\n".join(f"{i},{i * i},{i % 3},{'uv'[i % 2]},{i / 4}" for i in range(12))


@pytest.mark.parametrize(
    ("target", "target_kind", "classes"),
    [("y", None, ()), ("n", "classes", ("0", "1", "2")), ("n", "numbers", ()), ("word", None, ("u", "v"))],
)
def test_a_target_is_a_column(tmp_path: Path, target: str, target_kind: str | None, classes: tuple[str, ...]) -> None:
    text = NAMED if target == "word" else NAMED.replace("u,", "0,").replace("v,", "1,")
    found = lgn.data.load(written(tmp_path, text), target=target, target_kind=target_kind)
    assert target not in found.columns
    assert found.class_names == classes
    assert (found.train.numbers is None) == bool(classes)
    values = found.train.labels if classes else found.train.numbers
    assert values is not None
    a = found.train.samples[:, 0]
    expected = {"y": a / 4, "n": a % 3, "word": a % 2}[target]
    assert values.tolist() == expected.tolist()


def test_several_targets(tmp_path: Path) -> None:
    text = NAMED.replace("u,", "0,").replace("v,", "1,")
    found = lgn.data.load(written(tmp_path, text), target=("y", "b"))
    assert found.columns == ("a", "n", "word")
    assert found.train.numbers is not None
    assert found.train.numbers[:, 0].tolist() == (found.train.samples[:, 0] / 4).tolist()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("1,2,3\n1,2\n", {}, "3 values in every row, row 2 has 2"),
        ("1,2,3\n1,x,3\n", {}, "'column 2' .*row 2 has 'x'"),
        ("1,2,3\n1,inf,3\n", {}, "'column 2' .*row 2 has 'inf'"),
        ("1,2,3\n1,,3\n", {}, "'column 2' .*row 2 has ''"),
        ("", {}, "empty"),
        ("a,b\n", {}, "empty"),
        ("a,a\n1,2\n", {}, "names, got a, a"),
        ("label\na\nb\n", {}, "target"),
        ("1,2\n", {}, "2 samples"),
        (NAMED, {"target": "z"}, "target .*got z"),
        (NAMED, {}, "'word'"),
        (NAMED.replace("u", "0").replace("v", "1"), {"target": "n"}, "target_kind"),
        (TEXT, {"kind": "points"}, "kind .*'points'"),
    ],
)
def test_errors_name_the_file_and_the_reason(tmp_path: Path, text: str, options: dict[str, Any], message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(DataError, match=message) as caught:
        lgn.data.load(path, **options)
    assert str(path) in str(caught.value)


def test_parquet(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": range(10), "b": [i / 3 for i in range(10)], "word": list("uv" * 5)})
    frame.to_parquet(tmp_path / "rows.parquet")
    found = lgn.data.load(tmp_path / "rows.parquet", target="word")
    assert (found.columns, found.class_names) == (("a", "b"), ("u", "v"))
    direct = lgn.data.samples(frame[["a", "b"]])
    assert direct.columns == ("a", "b")
    assert lgn.data.target(frame["word"], "tables").names == ("u", "v")
