"""Matrices on patches of signals and volumes: their scores, operators and null models."""

import pytest
import torch

import lgn
from lgn.actions import Patch
from lgn.analysis import scores
from lgn.analysis.nulls import turned_places
from lgn.transforms import operator


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


CASES = [
    ((9,), "reversal", {}, "permutation"),
    ((9,), "shift", {"places": 2}, "circulant"),
    ((9,), "smoothing", {"sigma": 1.0}, "symmetric"),
    ((3, 3, 3), "mirror", {"axis": 2}, "permutation"),
    ((3, 3, 3), "turn", {"axis": 1, "degrees": 90}, "permutation"),
]


@pytest.mark.parametrize(("patch", "name", "keywords", "structure"), CASES, ids=[f"{c[1]}-{len(c[0])}" for c in CASES])
def test_a_known_operator_is_named(patch: Patch, name: str, keywords: dict[str, float], structure: str) -> None:
    matrix = operator(name, patch, **keywords)
    analysis = lgn.analyze(matrix + 1e-3 * torch.randn_like(matrix), patch=patch)
    (found,) = analysis.generators
    assert found.nearest[0].name == name
    assert {key: found.nearest[0].keywords[key] for key in keywords} == pytest.approx(keywords, rel=1e-2)
    assert found.nearest[0].adjusted_p_value <= 0.05
    assert next(score.score for score in found.scores if score.name == structure) > 0.9
    assert "Kronecker" not in {score.name for score in found.scores}
    assert "Kronecker" in str(analysis)  # as not tested


def test_scores_of_offsets_have_the_dimensions_of_their_space() -> None:
    """A share is 1 on the space, and r / d^2 on average for white matrices."""
    patch = (2, 3, 2)
    sizes = scores.dimensions(patch)
    assert sizes["block-Toeplitz"] == 3 * 5 * 3
    assert sizes["doubly block-circulant"] == 12
    white = scores.score(torch.randn(4000, 12, 12), patch, ["block-Toeplitz", "doubly block-circulant", "Toeplitz"])
    for name, values in white.items():
        assert float(values.mean()) == pytest.approx(sizes[name] / 144, rel=0.03)
    wrapped = operator("shift", patch, first=1, second=2)
    assert float(scores.score(wrapped, patch)["doubly block-circulant"]) == pytest.approx(1)
    filled = operator("shift", patch, first=1, second=-1, fill="zeros")
    found = scores.score(filled[None], patch)
    assert float(found["block-Toeplitz"]) > 0.9 / 3  # the rest of an offset is cut off by the border
    with pytest.raises(ValueError, match=r"names must be among .* got \['Kronecker'\]"):
        scores.score(filled, (12,), ["Kronecker"])


@pytest.mark.parametrize(("patch", "count"), [((5,), 2), ((3, 3, 3), 48), ((3, 3, 2), 16)])
def test_the_turns_that_a_patch_allows(patch: tuple[int, ...], count: int) -> None:
    turns = turned_places(patch)
    assert len({tuple(turn.tolist()) for turn in turns}) == len(turns) == count


def test_layers_of_signals_and_of_images_are_analysed_together() -> None:
    model = torch.nn.ModuleList([lgn.nn.GroupConv1d(1, 1, 7, group=4), lgn.nn.GroupConv2d(1, 1, 3, group=4)])
    analysis = lgn.analyze(model)
    assert analysis.patches == ((3, 3), (7,))
    assert [len(generator.scores) for generator in analysis.generators] == [10, len(scores.NAMES)]
    assert "7" in repr(analysis)
