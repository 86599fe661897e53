"""A network that learns an affine map from labels: it turns towards the turn that images have."""

from pathlib import Path

import pytest
import torch

import lgn
from lgn.discovery.images import affine
from lgn.discovery.images.answer_table import control_lines
from lgn.discovery.images.fitting import fit
from lgn.discovery.images.words import geometry_words
from studies.recovery.labels import some_images


def test_starting_angles_keep_away_from_the_answer() -> None:
    for seed in range(5):
        angles = torch.tensor(affine.starting_angles(8, seed))
        to_quarter = (angles + 45).remainder(90) - 45
        assert float(to_quarter.abs().min()) >= 10


def test_training_on_turned_digits_turns_the_generator_towards_90_degrees() -> None:
    x, y = some_images("digits", "quarter turns", 0, 3000)
    model = affine.affine(65.0, 0)
    fit(model, x, y, 3, 0)
    assert float(affine.affine_generator(model).geometry().degrees) == pytest.approx(90, abs=8)


def test_a_map_is_said_by_what_it_does_to_a_picture() -> None:
    quarter = affine.AffineMap(90.4, 1.02, 0.01, 0.99, 5.1, 0.9, 0.001, True, 8)
    assert geometry_words(quarter) == "a turn by 90 degrees"
    other = affine.AffineMap(-30.0, 1.5, 0.2, -0.5, 0.1, 0.9, 0.4, False, 8)
    assert geometry_words(other) == (
        "a reflection and a turn by -30 degrees, a scaling by 1.50, a shear of 0.20 and a stretch by 0.50"
    )


def test_a_network_is_asked_in_colour_and_its_map_is_kept_with_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(affine, "VISITS", 200)
    images = torch.rand(200, 3, 12, 12, generator=torch.Generator().manual_seed(0))
    labels = torch.arange(200) % 3
    found = lgn.symmetries(images, labels, ("negative",), effort=0.01, evidence=("images", "affine"))
    assert found.learned is not None
    assert found.learned.starts == affine.STARTS
    assert found.learned.claimed == (found.learned.p_value <= 0.015)
    assert any("8 starts" in line for line in control_lines(found))
    path = tmp_path / "symmetries.json"
    found.save(path)
    assert lgn.discovery.images.Symmetries.load(path) == found


@pytest.mark.parametrize("word", ["network", "affine"])
def test_signals_are_not_asked_for_a_network_of_images(word: str) -> None:
    with pytest.raises(ValueError, match=f"for signals, got '{word}', which knows images alone"):
        lgn.symmetries(torch.rand(30, 1, 32), torch.arange(30) % 2, evidence=("images", word))
