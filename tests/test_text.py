"""Tables and pictures of results in HTML: well-formed, escaped, and without scripts."""

import ast
import base64
import io
import json
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import lgn
from lgn.analysis import Analysis, analyze_matrices
from lgn.analysis.result import columns
from lgn.discovery.filters import fit_generator
from lgn.text import DIVERGING, heat_map
from lgn.transforms import operator

TOUR = Path(__file__).parents[1] / "examples" / "tour.ipynb"


class Balanced(HTMLParser):
    """Every tag that is opened is closed, in order; the text between."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag not in ("script", "iframe")
        if tag != "img":
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def pictures(text: str) -> Iterator[np.ndarray]:
    from PIL import Image

    for source in re.findall(r'src="data:image/png;base64,([^"]+)"', text):
        yield np.asarray(Image.open(io.BytesIO(base64.b64decode(source)))).astype(int)


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    matrices = torch.stack([operator("rotation", (4, 4), degrees=90), operator("pooling", (4, 4), radius=2)])
    return analyze_matrices(matrices, patch=(4, 4), names=["a <b> & c", "second"], order=4, draws=50)


def test_a_picture_shows_sign_and_size() -> None:
    (pixels,) = pictures(heat_map(torch.tensor([[-2.0, 0.0, 2.0], [1.0, -1.0, 0.0]])))
    assert pixels.shape == (2, 3, 3)
    negative, zero, positive = (
        np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
        for colour in (DIVERGING[0], DIVERGING[3], DIVERGING[-1])
    )
    for place, colour in (((0, 0), negative), ((0, 1), zero), ((0, 2), positive), ((1, 2), zero)):
        assert (pixels[place] == colour).all()
    assert pixels[1, 0, 0] > pixels[1, 0, 2]  # orange
    assert pixels[1, 1, 0] < pixels[1, 1, 2]  # blue
    next(pictures(heat_map(torch.zeros(2, 2))))


def test_an_analysis_is_a_table_with_a_picture_of_each_generator(analysis: Analysis) -> None:
    text = analysis._repr_html_()
    shown = Balanced(text).texts
    assert "a <b> & c" in shown  # escaped in the source, whole to the reader
    assert {"rotation 90", "pooling 2"} <= set(shown)
    assert [each.shape for each in pictures(text)] == [(16, 16, 3)] * 2
    for cell in (cell for line in str(analysis).splitlines()[2:4] for cell in re.split(r"  +", line)):
        assert cell in shown  # the same cells as in print


def test_columns_hold_what_the_analysis_says(analysis: Analysis) -> None:
    found = columns(analysis)
    assert found["generator"] == ["a <b> & c", "second"]
    assert found["nearest operator"] == ["rotation 90", "pooling 2"]
    assert found["closure"] == [each.spectrum.closure_error for each in analysis.generators]
    for place, each in enumerate(analysis.generators):
        assert {score.name: found[score.name][place] for score in each.scores} == {s.name: s.score for s in each.scores}


def test_a_frame_where_pandas_is_there(analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "pandas", None)
        with pytest.raises(ValueError, match="pandas"):
            analysis.to_frame()
    pandas = pytest.importorskip("pandas")
    frame = analysis.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.index) == ["a <b> & c", "second"]
    assert frame.loc["second", "cosine"] == analysis.generators[1].nearest[0].cosine


@pytest.mark.parametrize("share", ["layer", "set"])
@pytest.mark.filterwarnings("ignore:the filters determine")
def test_a_fit_shows_its_matrices(share: Any) -> None:
    torch.manual_seed(0)
    fit = fit_generator(torch.randn(3 * 4, 2, 3, 3), group=4, share=share, shuffles=9)
    text = fit._repr_html_()
    assert f"{fit.identifiable_dimension} of 9 dimensions" in Balanced(text).texts
    assert len(list(pictures(text))) == (1 if share == "layer" else 3)


def test_a_summary_and_a_conversion_are_tables() -> None:
    plain = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 6, 1))
    model = lgn.convert(plain, group=4, from_filters=True)
    shown = Balanced(model.conversion._repr_html_()).texts  # type: ignore[union-attr, operator]
    assert {"0", "2", f"left alone: {model.conversion.left_alone['2']}"} <= set(shown)  # type: ignore[union-attr]
    summary = lgn.nn.summary(model)
    shown = Balanced(summary._repr_html_()).texts
    assert str(summary).splitlines()[0] in shown
    assert {f"{summary.banks[0].stored:,}", f"{summary.banks[0].free:,}"} <= set(shown)


@pytest.mark.slow
def test_the_tour_runs_and_holds_no_output() -> None:
    """Each cell in turn, in one namespace; what a cell ends with can be shown."""
    cells = json.loads(TOUR.read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    space: dict[str, Any] = {}
    shown = []
    for number, cell in enumerate(code):
        tree = ast.parse("".join(cell["source"]), f"cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), space)
        if last is not None:
            ended = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), space)
            shown.append(ended._repr_html_() if hasattr(ended, "_repr_html_") else repr(ended))
    assert sum("<table>" in text for text in shown) == 6
    space["test"]()
