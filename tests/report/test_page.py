"""The page as a file: its size, what it may ask for, and text that would like to be more than text."""

import json
import re
from dataclasses import replace

import pytest
import torch

from lgn.analysis import Analysis, analyze_matrices
from lgn.report import Contents, render
from lgn.report.payload import pack, pack_small


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    """One generator of the paper's size, with all that is known about it."""
    generator = torch.Generator().manual_seed(0)
    matrix, start = torch.randn(2, 36, 36, generator=generator, dtype=torch.float64)
    filters = torch.randn(1, 36, 3, generator=generator, dtype=torch.float64)
    return analyze_matrices(matrix, patch=(6, 6), order=4, start=start, filters=filters, draws=10, names=["a"])


def data_of(html: str) -> str:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return found[1]


def test_sixty_generators_stay_below_eight_megabytes(analysis: Analysis) -> None:
    many = replace(analysis, generators=tuple(replace(analysis.generators[0], name=f"g {k}") for k in range(60)))
    bases = (torch.randn(3, 6, 6),) * 60
    html = render(Contents("sixty", many, bases=bases, base_names=(("a", "b", "c"),) * 60, crops=torch.rand(24, 6, 6)))
    assert len(html.encode()) < 8_000_000


def test_nothing_is_fetched(analysis: Analysis) -> None:
    html = render(Contents("title", analysis))
    own = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", own)
    assert "<link" not in own
    assert "@import" not in own
    assert "default-src 'none'" in own
    assert html.count("plotly.js v") == 1


def test_text_cannot_end_the_script(analysis: Analysis) -> None:
    evil = "</script><script>alert(1)</script><!-- \u2028"
    html = render(Contents(evil, analysis, class_names=(evil,), facts=((evil, evil),), notes=(evil,)))
    assert "</script><script>alert" not in html
    data = data_of(html)
    assert not set("<>&\u2028") & set(data)
    assert json.loads(data)["runs"][0]["classes"] == [evil]
    assert "<title>&lt;/script&gt;" in html


def test_a_diverged_training_has_gaps(analysis: Analysis) -> None:
    html = render(Contents("t", analysis, metrics=({"epoch": 1, "train_loss": float("nan")},)))
    assert json.loads(data_of(html))["runs"][0]["metrics"] == [{"epoch": 1, "train_loss": None}]


def test_packed_numbers_come_back() -> None:
    import base64

    values = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    packed = pack(values)
    back = torch.frombuffer(bytearray(base64.b64decode(packed["data"])), dtype=torch.float32).reshape(packed["shape"])
    assert torch.equal(back, values)
    small = pack_small(values)
    back = torch.frombuffer(bytearray(base64.b64decode(small["data"])), dtype=torch.int16).reshape(small["shape"])
    torch.testing.assert_close(back * small["scale"], values, atol=float(values.abs().max()) / 32767, rtol=0)
    assert json.loads(json.dumps(pack_small(torch.zeros(2, 2))))["scale"] > 0


def test_contents_list_the_absent_parts(analysis: Analysis) -> None:
    missing = Contents("t", analysis).missing()
    assert [sentence.split(":")[0] for sentence in missing] == ["No training curves", "No filter sets", "No crops"]
