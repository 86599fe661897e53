"""The p-value of randomisation: uniform for a symmetry, equal to that of enumeration, and small for a break."""

from itertools import product

import torch

from lgn.discovery.observers import network
from lgn.discovery.observers.accuracy import correctness
from lgn.discovery.observers.planted_break import symmetric_copy
from lgn.discovery.observers.randomisation import DRAWS, exact_p
from lgn.transforms import families_of

(FAMILY,) = families_of(("turns", "flips"), "images", torch.zeros(1, 1, 6, 6))
QUARTER = FAMILY.pairs(FAMILY["turn 90"])


def outputs(images: torch.Tensor, seed: int = 0) -> torch.Tensor:
    torch.manual_seed(seed)
    observer = network(images.shape[1:], 8).eval()
    with torch.no_grad():
        return torch.stack([observer(FAMILY.show(images, version)) for version in range(8)], 1)


def test_it_is_the_share_over_all_elements_of_all_orbits() -> None:
    x = torch.randn(4, 1, 6, 6, generator=torch.Generator().manual_seed(0))
    sure = torch.stack(
        [correctness(outputs(torch.rot90(x, k, (-2, -1))), QUARTER)[1] for k in range(4)]
    )  # (power, image)
    totals = [sum(float(sure[k, i]) for i, k in enumerate(powers)) for powers in product(range(4), repeat=4)]
    exact = float((torch.tensor(totals) >= float(sure[0].sum()) - 1e-6).double().mean())
    found = exact_p(outputs(x), QUARTER, torch.arange(4), seed=0)
    assert abs(found - exact) < 4 * (exact * (1 - exact) / DRAWS) ** 0.5 + 1 / DRAWS


def test_it_is_uniform_for_a_symmetry() -> None:
    x = torch.randn(30, 1, 6, 6, generator=torch.Generator().manual_seed(1)) + torch.linspace(-2, 2, 6)
    found = [exact_p(outputs(symmetric_copy(FAMILY, x, seed)), QUARTER, torch.arange(30), seed) for seed in range(60)]
    assert 0.35 < sum(found) / len(found) < 0.65
    assert sum(p <= 0.1 for p in found) <= 15


def test_it_is_small_for_a_break_that_an_observer_sees() -> None:
    right = torch.eye(8).expand(20, 8, 8) * 3
    assert exact_p(right, QUARTER, torch.arange(20), seed=0) == 1 / (1 + DRAWS)
    assert exact_p(right, QUARTER, torch.zeros(20, dtype=torch.long), seed=0) > 0.1  # copies are one image
