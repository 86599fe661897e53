import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lgn.actions import act
from lgn.analysis.spectrum import spectrum
from lgn.measures import nearest_period
from lgn.transforms import OPERATORS, filters, operator, parse_operator, warps

#: Every family with a member, and the transformation that its matrix must equal.
MEMBERS = [
    ("identity", {}, lambda x: x),
    ("reflection", {"axis": "rows"}, lambda x: x.flip(-2)),
    ("transposition", {}, lambda x: x.mT),
    ("shift", {"rows": 1, "columns": -2}, lambda x: x.roll((1, -2), (-2, -1))),
    ("rotation", {"degrees": 33.0, "mode": "bicubic"}, lambda x: warps.rotate(x, 33.0, "bicubic")),
    ("pooling", {"radius": 4}, lambda x: filters.pool(x, 4)),
    ("blur", {"sigma": 0.8}, lambda x: filters.blur(x, 0.8)),
    ("derivative", {"axis": "columns"}, lambda x: filters.differentiate(x, "columns")),
    ("scaling", {"factor": 1.3}, lambda x: warps.scale(x, 1.3)),
    ("shear", {"amount": 0.4, "axis": "columns"}, lambda x: warps.shear(x, 0.4, "columns")),
    ("pooling then rotation", {"radius": 4, "degrees": 60.0}, lambda x: warps.rotate(filters.pool(x, 4), 60.0)),
]


def test_every_name_is_tested() -> None:
    assert [name for name, _, _ in MEMBERS] == list(OPERATORS)


@pytest.mark.parametrize(("name", "keywords", "transform"), MEMBERS)
def test_matrix_equals_the_transformation_on_real_patches(name, keywords, transform, digits) -> None:
    from lgn.data import patches

    x = patches(digits.train.samples, 6, 200, seed=0)[:, 0].double()
    expected = transform(x)
    assert expected.abs().max() > 0
    assert torch.allclose(act(operator(name, (6, 6), **keywords), x), expected, atol=1e-9)


@given(n=st.integers(2, 5), m=st.integers(2, 5), rows=st.integers(-6, 6), columns=st.integers(-6, 6))
@settings(max_examples=30, deadline=None)
def test_shifts(n: int, m: int, rows: int, columns: int) -> None:
    x = torch.arange(1.0, n * m + 1, dtype=torch.float64).reshape(n, m)
    cyclic = act(operator("shift", (n, m), rows=rows, columns=columns), x)
    zeros = act(operator("shift", (n, m), rows=rows, columns=columns, fill="zeros"), x)
    for i in range(n):
        for j in range(m):
            inside = 0 <= i - rows < n and 0 <= j - columns < m
            assert cyclic[i, j] == x[(i - rows) % n, (j - columns) % m]
            assert zeros[i, j] == (x[i - rows, j - columns] if inside else 0)


@pytest.mark.parametrize(
    ("name", "keywords", "rank"),
    [
        ("rotation", {"degrees": 60}, 24),
        ("pooling", {"radius": 6}, 25),
        ("pooling then rotation", {"radius": 6, "degrees": 60}, 20),
        ("rotation", {"degrees": 90}, 36),
    ],
)
def test_ranks(name: str, keywords: dict[str, int], rank: int) -> None:
    found = spectrum(operator(name, (6, 6), **keywords))
    assert found.rank == rank
    assert math.isinf(found.condition_number) == (rank < 36)
    assert (found.period_error < 1e-6) == (rank == 36)


def test_periods() -> None:
    assert nearest_period(operator("rotation", (5, 5), degrees=90))[0] == 4
    assert nearest_period(operator("shift", (4, 6), columns=1))[0] == 6
    assert nearest_period(operator("shift", (4, 6), rows=1, columns=1))[0] == 12
    assert nearest_period(operator("identity", (3, 4)))[0] == 1
    period, error = nearest_period(0.99 * operator("rotation", (6, 6), degrees=90))
    assert period == 4
    assert error == pytest.approx(1 - 0.99**4)


@pytest.mark.parametrize(
    ("name", "keywords", "argument"),
    [
        ("spin", {}, "name"),
        ("transposition", {}, "patch"),
        ("reflection", {"axis": "x"}, "axis"),
        ("derivative", {"axis": "x"}, "axis"),
        ("derivative", {"kind": "x"}, "kind"),
        ("shift", {"fill": "wrap"}, "fill"),
    ],
)
def test_wrong_arguments_of_operators_are_named(name: str, keywords: dict[str, str], argument: str) -> None:
    with pytest.raises(ValueError, match=f"{argument} must"):
        operator(name, (3, 4), **keywords)


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("rotation nan bilinear", "degrees"),
        ("rotation inf", "degrees"),
        ("shear nan", "amount"),
        ("rotation left", "degrees"),
        ("shift 0.5", "rows"),
        ("pooling 2.5", "radius"),
        ("pooling 2 then scaling 1e-310", "factor"),
        ("blur 1e-300", "sigma"),
        ("blur 1e308", "sigma"),
        ("rotation", "degrees"),
        ("", "name"),
    ],
)
def test_text_that_names_no_matrix_is_refused(text: str, argument: str) -> None:
    with pytest.raises(ValueError, match=argument):
        parse_operator(text, (6, 6))


def test_text_and_keywords_give_the_same_matrix() -> None:
    assert torch.equal(parse_operator("rotation 90", (6, 6)), operator("rotation", (6, 6), degrees=90.0))
    assert torch.equal(
        parse_operator("pooling 2 then shift 1 -1 zeros", (5, 5)),
        operator("shift", (5, 5), rows=1, columns=-1, fill="zeros") @ operator("pooling", (5, 5), radius=2),
    )
