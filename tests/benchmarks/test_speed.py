"""The speed benchmark: what it compares is equal, and its page is made from its results."""

from pathlib import Path

import pytest
import torch

from lgn.benchmarks import speed, speed_page, step_memory, steps
from lgn.benchmarks.straightforward import StraightforwardClassifier
from lgn.nn import Classifier, UnfoldedEncoder
from lgn.whole_files import read_json

ROOT = Path(__file__).parents[2]


def test_the_straightforward_network_is_the_same_network() -> None:
    torch.manual_seed(0)
    plain = StraightforwardClassifier(3, num_layers=3, num_sets=2, order=3, size=4, step=0.05)
    model = Classifier(UnfoldedEncoder(3, 3, 2, 3, 4, step=0.05), 10)
    with torch.no_grad():
        model.encoder.bank.basis.copy_(torch.stack([w for layer in plain.layers for w in layer.bases]))
        generators = torch.stack([a for layer in plain.layers for a in layer.generators])
        model.encoder.bank.generator.weight.copy_(generators.unsqueeze(1))
        model.head.load_state_dict(plain.head.state_dict())
    images = torch.randn(8, 3, 14, 14)
    assert torch.allclose(plain(images), model(images), atol=1e-4)


def test_multiplications_of_the_papers_network() -> None:
    # 128 images, 20 filters of 6x6 on one channel, 25x25 places; one layer of two products and three of six.
    assert speed.multiplications((1, 28, 28)) == 20 * 128 * 20 * 36 * 25 * 25


def test_every_way_makes_a_step() -> None:
    for path in steps.paths():
        loss = steps.paper_step((1, 28, 28), path=path, batch=4)()
        assert torch.isfinite(loss)


def test_the_page_says_what_freed_memory_costs() -> None:
    result = read_json(ROOT / "results" / "speed.json")
    freed = {
        "given back": {"milliseconds": 82.26, "page_faults": 12_064.0},
        "kept": {"milliseconds": 70, "page_faults": 0},
    }
    page = speed_page.page(result | {"freed_memory": {"cifar10": freed}})
    assert "| CIFAR-10 | given back | 82.3 | 12,064 |\n| CIFAR-10 | kept | 70.0 | 0 |" in page


def test_the_description_names_every_way() -> None:
    result = read_json(ROOT / "results" / "speed.json")
    text = speed.describe(result)
    for way in ("straightforward", *result["shapes"]["mnist"]["ratio_to_straightforward"]):
        assert f"| MNIST | {way} |" in text
    with pytest.raises(KeyError):
        speed.describe({})


@pytest.mark.slow
def test_the_memory_of_a_process_of_its_own() -> None:
    """In MB: more than the codes of four layers for 128 images, and nothing of what its parent has had."""
    mine = bytearray(b"x") * (1 << 30)
    assert 128 * 20 * 25 * 25 * 4 * 4 / 2**20 < step_memory.peak("mnist", "fast") < len(mine) / 2**20
