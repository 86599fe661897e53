from typing import Any

import pytest
import torch

from lgn.analysis.dictionary import dictionary
from lgn.analysis.identifiability import span
from lgn.analysis.matching import nearest, order_by_excess, parameter_of
from lgn.transforms import OPERATORS, operator

PATCH = (5, 5)


@pytest.mark.parametrize("patch", [(5, 5), (3, 6), (4, 1)])
def test_the_dictionary_holds_the_operators_it_names(patch: tuple[int, int]) -> None:
    known = dictionary(patch)
    start = 0
    for name, places in known.families.items():
        assert places.start == start
        for index in {start, (start + places.stop) // 2, places.stop - 1}:
            assert torch.allclose(known.matrices[index], operator(name, patch, **known.members[index]).flatten())
        start = places.stop
    assert start == len(known.matrices) == len(known.members)
    assert ("transposition" in known.families) == (patch[0] == patch[1])


def test_cosines_on_u_are_those_of_restricted_matrices() -> None:
    known = dictionary(PATCH)
    a = torch.randn(25, 25, dtype=torch.float64)
    basis = span(torch.randn(25, 4))
    projector = basis @ basis.T
    cosines = known.cosines(a @ projector, projector)
    for index in range(0, len(known.members), 50):
        b = known.matrices[index].reshape(25, 25) @ projector
        expected = float((a @ projector * b).sum() / ((a @ projector).norm() * b.norm())) if b.norm() > 1e-9 else 0
        assert float(cosines[index]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "keywords", "parameter", "tolerance"),
    [
        ("rotation", {"degrees": 33.3, "mode": "bilinear"}, 33.3, 0.1),
        ("scaling", {"factor": 1.37}, 1.37, 0.01),
        ("shear", {"amount": -0.234, "axis": "columns"}, -0.234, 0.01),
        ("blur", {"sigma": 0.93}, 0.93, 0.01),
        ("pooling then rotation", {"radius": 3, "degrees": 71.0, "mode": "bilinear"}, (3, 71.0), 0.1),
    ],
)
def test_continuous_parameters_are_found_between_points_of_the_grid(
    name: str, keywords: dict[str, Any], parameter: Any, tolerance: float
) -> None:
    found, cosine = nearest(operator(name, PATCH, **keywords), PATCH)[name]
    assert cosine > 0.9999
    assert parameter_of(name, found) == pytest.approx(parameter, abs=tolerance)


def test_a_negative_multiple_has_a_negative_cosine() -> None:
    _, cosine = nearest(-3 * operator("pooling", PATCH, radius=3), PATCH)["pooling"]
    assert cosine == pytest.approx(-1)


def test_equal_members_are_named_by_the_round_angle() -> None:
    found, cosine = nearest(operator("rotation", PATCH, degrees=90), PATCH)["rotation"]
    assert (found["degrees"], cosine) == (90, pytest.approx(1))
    found, cosine = nearest(operator("rotation", PATCH, degrees=60), PATCH)["rotation"]
    assert (found["degrees"], found["mode"], cosine) == (60, "nearest", pytest.approx(1))


def test_the_nearest_operator_on_u_ignores_the_complement() -> None:
    basis = span(torch.randn(25, 6, generator=torch.Generator().manual_seed(0)))
    off = torch.eye(25, dtype=torch.float64) - basis @ basis.T
    a = operator("rotation", PATCH, degrees=90) + 5 * torch.randn(25, 25, dtype=torch.float64) @ off
    assert nearest(a, PATCH)["rotation"][1] < 0.5
    found, cosine = nearest(a, PATCH, basis)["rotation"]
    assert (found["degrees"], cosine) == (90, pytest.approx(1))


def test_ties_go_to_the_simpler_name() -> None:
    assert order_by_excess({"pooling then rotation": 0.9, "rotation": 0.89999, "blur": 0.5}) == [
        "rotation",
        "pooling then rotation",
        "blur",
    ]
    assert order_by_excess({"pooling then rotation": 0.95, "rotation": 0.9})[0] == "pooling then rotation"
    assert order_by_excess(dict.fromkeys(OPERATORS, 1.0)) == list(OPERATORS)
