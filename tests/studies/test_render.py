"""The renderer: columns of groups of records, tables between markers, and pages that are up to date."""

import json
import math
from pathlib import Path

import pytest

from studies import render
from studies.tables import Columns, among, rates, table, text_of

RECORDS = [
    {"method": "a", "seed": 0, "error": 0.5, "found": True},
    {"method": "b", "seed": 0, "error": 0.25, "found": False},
    {"method": "a", "seed": 1, "error": 0.7, "found": False},
]


def test_a_row_for_each_group_in_the_order_of_the_first_record() -> None:
    columns: Columns = {
        "method": "{method}",
        "mean": "{mean error:.1f}",
        "worst": "{most error:.2f}, {number seed}",
        "range": "{range error:.2f}",
        "found": "{true found}",
        "seed 1": among("{most error:.1f}", seed=1),
        "all": "{sd error:.2f}",
    }
    made = table(RECORDS, "method", columns)
    deviation = 0.1 * math.sqrt(2)
    assert made.rows == [
        ["a", "0.6", "0.70, 2", "0.50 to 0.70", "1 of 2", "0.7", f"0.60 ± {deviation:.2f}"],
        ["b", "0.2", "0.25, 1", "0.25 to 0.25", "0 of 1", "", "0.25"],
    ]
    assert str(made).splitlines()[1] == "| " + " | ".join(["---"] * 7) + " |"


def test_missing_values_are_left_out() -> None:
    records = [{"x": None}, {"x": 3, "pair": [1, 2], "share": 0.5}, {}]
    assert text_of("{mean x:.0f}", records) == "3"
    assert text_of("{x} of {pair[1]}, {share:.1p}", records) == "3 of 2, 50.0"
    assert text_of("{x}", records[:1]) == ""
    assert text_of("{y:.2f}||-", records) == "-"
    assert text_of("{counts x}", [{"x": "kept"}, {"x": "broken"}, {"x": "kept"}]) == "kept 2, broken 1"


def test_rates_are_weighted_and_a_missed_bound_is_marked() -> None:
    records = [{"key": 1, "rate": 0.0, "count": 3, "limit": 0.2}, {"key": 1, "rate": 1.0, "count": 1, "limit": 0.2}]
    assert rates(records, "key").rows == [["1", "4", "0.250", "at most 0.2", "missed"]]
    assert rates([{**record, "limit": 0.25} for record in records], "key").rows[0][-1] == ""


def test_only_the_text_between_markers_changes(tmp_path: Path) -> None:
    cell = {"key": {"part": "models", "input": "x"}, "rate": 0.5, "count": 2, "limit": 1.0}
    (tmp_path / "truth.json").write_text(json.dumps({"cells": [cell]}))
    text = "before\n<!-- table: truth/models -->\nold\n<!-- end -->\nafter\n<!-- table: truth/fits -->\n<!-- end -->\n"
    once = render.filled(text, tmp_path)
    assert "| x | 2 | 0.500 | at most 1 |  |" in once
    assert "old" not in once
    assert f"{render.MISSING}: fits" in once
    assert once.startswith("before\n")
    assert "\nafter\n" in once
    assert render.filled(once, tmp_path) == once
    with pytest.raises(ValueError, match="table"):
        render.filled(text.replace("truth/fits", "truth/magic"), tmp_path)


def test_columns_of_a_page_tabulate_cells(tmp_path: Path) -> None:
    cells = [{"key": {"part": "cost", "group": group}, "ratio": ratio} for group, ratio in (("C4", 1.0), ("C4", 2.0))]
    (tmp_path / "groups.json").write_text(json.dumps({"cells": cells}))
    text = "<!-- table: groups/cost by group\n| group | ratio |\n| {group} | {mean ratio:.1f} |\n-->\n<!-- end -->\n"
    once = render.filled(text, tmp_path)
    assert "| group | ratio |\n| --- | --- |\n| C4 | 1.5 |" in once
    assert render.filled(once, tmp_path) == once


def test_every_page_is_up_to_date() -> None:
    for page, text in render.pages().items():
        assert page.read_text() == text, f"{page.name} is out of date: python -m studies.render"


def test_every_table_is_on_a_page() -> None:
    shown = {match[0] for page in render.pages() for match in render.TABLE.findall(page.read_text())}
    made = {f"{study}/{name}" for study, module in render.modules().items() for name in module.TABLES}
    assert made <= shown
