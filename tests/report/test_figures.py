"""The figures: what is drawn is what was given, chosen by the stated rule, with the data named under it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from lgn.actions import act, orbit
from lgn.analysis import Analysis, analyze_matrices
from lgn.analysis.generator import tensor
from lgn.report import Contents, Network, figures
from lgn.report.figures.structures import highest
from lgn.transforms import operator

PATCH = (4, 4)
NETWORK = Network(3, 2, 4, PATCH, "ista", 1, "10 classes")


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    generator = torch.Generator().manual_seed(0)
    matrices = torch.randn(5, 16, 16, generator=generator, dtype=torch.float64)
    matrices[3] = operator("shift", PATCH, rows=1) + 0.05 * matrices[3]
    matrices[1] = matrices[1] - 0.9 * matrices[1].T
    return analyze_matrices(matrices, patch=PATCH, order=4, names=[f"g{k}" for k in range(5)], draws=200)


def images(figure: Figure) -> list[np.ndarray]:
    """All heat maps of a figure, those of its sub-figures too."""
    return [np.ma.filled(image.get_array(), np.nan) for axes in figure.axes for image in axes.images]


def words(figure: Figure) -> str:
    return figure._supxlabel.get_text().replace("\n", " ")  # type: ignore[attr-defined]


def shows(figure: Figure, matrix: torch.Tensor) -> bool:
    return any(image.shape == tuple(matrix.shape) and np.allclose(image, matrix.numpy()) for image in images(figure))


def test_the_highest_scores_are_chosen_and_marked(analysis: Analysis) -> None:
    best = highest(analysis, "skew-symmetric", 2)
    assert best[0].generator.name == "g1"
    assert best[0].found
    assert best[0].text.startswith("g1\n")
    assert best[0].score.score > best[1].score.score
    assert not best[1].found
    assert best[1].text.splitlines()[1].startswith("○ ")
    with pytest.raises(ValueError, match="structure"):
        highest(analysis, "round", 1)


def test_group_actions_and_their_effect(analysis: Analysis) -> None:
    figure = figures.group_actions(analysis, "some data")
    drawn = images(figure)
    assert len(drawn) == 3 * 2 + 5  # two a structure, and all beside them
    assert np.allclose(drawn[0], tensor(highest(analysis, "skew-symmetric", 1)[0].generator.matrix))
    assert "Data: some data" in words(figure)
    assert len(images(figures.group_actions(analysis, "MNIST", rows=1))) == 3 + 5
    effect = figures.effect_on_identity(analysis, "some data")
    best = tensor(highest(analysis, "skew-symmetric", 1)[0].generator.matrix)
    assert shows(effect, act(best, torch.eye(4, dtype=torch.float64)))


def test_reconstruction_and_all(analysis: Analysis) -> None:
    one = replace(analysis, generators=analysis.generators[:1])
    assert len(images(figures.group_actions(one, "d"))) == 3 + 1
    figure = figures.reconstruction_actions({"one": one, "two": analysis})
    assert len(images(figure)) == 1 + 1 + 2 + 5
    assert "one; two" in words(figure)
    every = figures.all_generators(analysis, "these")
    assert [tuple(image.shape) for image in images(every)] == [(16, 16)] * 5
    assert "Data: these" in words(every)


@pytest.mark.parametrize("layers", [1, 3, 9])
def test_the_architecture_is_that_of_the_model(layers: int) -> None:
    figure = figures.architecture(replace(NETWORK, num_layers=layers, algorithm="fista"))
    text = " ".join(each.get_text() for each in figure.axes[0].texts)
    assert f"$z^{{({layers})}}$" in text
    assert f"W_{{{layers + 1}}}" not in text
    assert ("…" in text) == (layers == 9)
    assert f"{layers} layers of FISTA" in words(figure)


def test_fourier_figures(analysis: Analysis) -> None:
    circulant, diagonal = images(figures.circulant_and_diagonal(12))
    assert np.allclose(circulant, np.roll(circulant, (1, 1), (0, 1)))
    assert np.allclose(diagonal, np.diag(np.diag(diagonal)))
    shift = operator("shift", PATCH, rows=4)  # the identity: diagonal in every basis
    drawn = images(figures.diagonalisation(shift, PATCH, "shift", "none"))
    assert np.allclose(drawn[3], np.eye(16))
    assert not np.allclose(drawn[1], np.diag(np.diag(drawn[1])))


def test_filter_sets_are_orbits(analysis: Analysis) -> None:
    bases = tuple(torch.randn(2, 4, 4, generator=torch.Generator().manual_seed(k)) for k in range(5))
    drawn = images(figures.filter_sets(analysis, bases, "d"))
    assert len(drawn) == 5
    element = orbit(tensor(analysis.generators[0].matrix), bases[0].double(), 4)[2, 1]
    expected = element / element.abs().max()
    assert np.allclose(drawn[0][5:9, 10:14], expected)  # second basis, third element, one pixel between
    with pytest.raises(ValueError, match="order"):
        figures.filter_sets(
            replace(analysis, generators=tuple(replace(g, order=None) for g in analysis.generators)), bases, "d"
        )


def test_equal_figures_give_equal_files(analysis: Analysis, tmp_path: Path) -> None:
    def write(folder: str) -> list[bytes]:
        figure = figures.group_actions(analysis, "data with $ and_")
        return [path.read_bytes() for path in figures.save(figure, tmp_path / folder / "figure")]

    png, svg, pdf = write("one")
    assert (png[:4], pdf[:4]) == (b"\x89PNG", b"%PDF")
    assert b"data with $ and_" in svg
    assert write("two") == [png, svg, pdf]
    assert {each.suffix for each in (tmp_path / "one").iterdir()} == {".png", ".svg", ".pdf"}
    with pytest.raises(ValueError, match="formats"):
        figures.save(figures.all_generators(analysis, "d"), tmp_path / "x", ("gif",))


def test_a_run_gives_these_figures(analysis: Analysis, tmp_path: Path) -> None:
    bases = (torch.ones(1, 4, 4),) * 5
    contents = Contents("digits", analysis, bases=bases, base_names=(("w",),) * 5, network=NETWORK)
    written = figures.write_figures(contents, tmp_path, ("svg",))
    assert {path.stem for path in written} == {
        "group-actions", "effect-on-identity", "concentrated-blocks", "generators", "circulant-and-diagonal",
        "diagonalisation", "filter-sets", "architecture",
    }  # fmt: skip
