"""A network that learns an affine map from labels: it turns towards the turn that images have."""

import pytest
import torch

from lgn.discovery.images import discover_images, learned_affine
from lgn.discovery.images.learned_affine import affine_classifier, affine_generator, starting_angles, train
from lgn.discovery.images.wording import affine_note
from lgn.generators.affine import Geometry
from studies.recovery.labels import turned_digits


def test_starting_angles_are_far_from_multiples_of_90() -> None:
    for seed in range(5):
        angles = torch.tensor(starting_angles(8, seed))
        to_quarter = (angles + 45).remainder(90) - 45
        assert float(to_quarter.abs().min()) >= 10


def test_training_on_turned_digits_turns_the_generator_towards_90_degrees() -> None:
    x, y = turned_digits("digits", "quarter turns", 0, 3000)
    model = affine_classifier(65.0, 0)
    train(model, x, y, 3, 0)
    assert float(affine_generator(model).geometry().degrees) == pytest.approx(90, abs=8)


def geometry(*numbers: float) -> Geometry:
    return Geometry(*torch.tensor(numbers), torch.zeros(2))


def test_the_note_leaves_out_identities() -> None:
    quarter = affine_note(geometry(90.4, 1.02, 0.01, 0.99), 0.051, 0.009, 0.001)
    assert "90 degrees" in quarter
    assert "+5.1 +- 0.9" in quarter
    assert not any(word in quarter for word in ("scaling", "shear", "stretch", "reflection"))
    other = affine_note(geometry(-30.0, 1.5, 0.2, -0.5), 0.001, 0.009, 0.4)
    assert all(text in other for text in ("reflection", "-30 degrees", "1.50", "0.20", "0.50"))


def test_the_affine_map_of_colour_images_becomes_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_affine, "SHOWN", 200)
    images = torch.rand(200, 3, 12, 12, generator=torch.Generator().manual_seed(0))
    options = {"candidates": ("negative",), "evidence": ("data", "affine"), "effort": 0.01}
    found = discover_images(images, torch.arange(200) % 3, kind="images", **options)  # type: ignore[arg-type]
    assert found.question == "data"
    assert "points over free filters" in found.notes[-1]
