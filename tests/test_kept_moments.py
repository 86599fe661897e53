"""`KeptMoments` and `PatchMoments`: values against plain loops, gradients, and exact symmetries."""

import pytest
import torch
from torch import Tensor, nn

import lgn
from lgn.actions import vec
from lgn.generators import Dense, make_generator
from lgn.nn import GroupConv2d
from lgn.penalties import KeptMoments, PatchMoments, kept_moments
from lgn.transforms import operator


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def turned_images(count: int = 12) -> tuple[Tensor, Tensor]:
    """Images with their four rotations, so that quarter turns are an exact symmetry of every class."""
    images = torch.rand(count, 1, 6, 6, dtype=torch.float64) ** 3
    images[:, :, :3] += 0.5  # no symmetry of single images
    labels = torch.arange(count) % 3
    return torch.cat([images.rot90(k, (2, 3)) for k in range(4)]), labels.repeat(4)


def plain_patches(images: Tensor, patch: tuple[int, int]) -> Tensor:
    n, m = patch
    rows, columns = images.shape[-2] - n + 1, images.shape[-1] - m + 1
    every = [images[:, 0, i : i + n, j : j + m] for i in range(rows) for j in range(columns)]
    return vec(torch.stack(every, 1))  # (N, places, d)


def test_moments_against_plain_loops() -> None:
    images, labels = turned_images()
    moments = PatchMoments(images, labels, (2, 3))
    x = plain_patches(images, (2, 3))
    z = (x - x.mean((0, 1))) @ torch.linalg.inv(torch.linalg.cholesky(torch.cov(x.flatten(0, 1).T, correction=0))).mT
    # Another root of the same covariance: equal but for an orthogonal matrix, so that inner products agree.
    for c in range(3):
        here = z[labels == c].flatten(0, 1)
        torch.testing.assert_close(moments.first[c].norm(), here.mean(0).norm())
        square = moments.second[c]
        torch.testing.assert_close(square.norm(), (here.T @ here / len(here)).norm())
        torch.testing.assert_close(square, square.mT)
    u = nn.functional.normalize(z.flatten(0, 1), dim=1)
    torch.testing.assert_close(moments.third.norm(), torch.einsum("ni,nj,nk->ijk", u, u, u).norm() / len(u))
    pooled = (moments.second * torch.tensor([1 / 3] * 3)[:, None, None].double()).sum(0)
    torch.testing.assert_close(pooled, torch.eye(6, dtype=torch.float64))


def test_an_exact_symmetry_is_kept_and_others_are_not() -> None:
    images, labels = turned_images()
    moments = PatchMoments(images, labels, (3, 3))
    quarter = operator("rotation", (3, 3), degrees=90).double()
    flip = operator("reflection", (3, 3)).double()
    matrices = torch.stack([torch.eye(9, dtype=torch.float64), quarter, quarter @ quarter, flip, 1.1 * quarter])
    missed = moments(matrices)
    assert missed.shape == (3, 5)
    assert float(missed[:, :3].max()) < 1e-20
    assert float(missed[1:, 3:].min()) > 1e-3


def test_without_labels_only_third_moments_count() -> None:
    images, _ = turned_images()
    missed = PatchMoments(images, None, (3, 3))(torch.randn(2, 9, 9, dtype=torch.float64))
    assert torch.equal(missed[:2], torch.zeros(2, 2, dtype=torch.float64))
    assert float(missed[2].min()) > 0.1


def test_the_difference_of_two_halves_is_the_violation_of_the_identity() -> None:
    images, labels = turned_images(40)
    one = PatchMoments(images[::2], labels[::2], (2, 2))
    other = PatchMoments(images[1::2], labels[1::2], (2, 2), frame=one)
    gap = (one.third - other.third).square().sum() / (2 * one.third.square().sum())
    torch.testing.assert_close(one.difference(other)[2], gap)
    assert float(one.difference(one).abs().max()) == 0


def test_colours_of_pixels_are_patches_of_a_generator_on_channels() -> None:
    images = torch.rand(20, 3, 4, 4, dtype=torch.float64) * torch.tensor([1.0, 0.6, 0.3])[:, None, None]
    every = torch.cat([images[:, list(order)] for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))])
    cycle = torch.eye(3, dtype=torch.float64)[[1, 2, 0]]
    swap = torch.eye(3, dtype=torch.float64)[[1, 0, 2]]
    missed = PatchMoments(every, None, (3, 1))(torch.stack([cycle, swap])).sum(0)
    assert float(missed[0]) < 1e-20
    assert float(missed[1]) > 1e-3


def test_a_limited_number_of_patches_is_a_sample_of_every_image(monkeypatch: pytest.MonkeyPatch) -> None:
    images, labels = turned_images(200)
    whole = PatchMoments(images, labels, (3, 3))
    monkeypatch.setattr(kept_moments, "PATCHES", 4 * len(images))
    sample, again = (PatchMoments(images, labels, (3, 3), frame=whole).second for _ in range(2))
    assert 0 < float((sample - whole.second).norm() / whole.second.norm()) < 0.3
    assert torch.equal(sample, again)


def test_the_gradient_against_finite_differences() -> None:
    images, labels = turned_images()
    generators = [
        Dense(torch.randn(2, 1, 4, 4).double(), (2, 2), 4),
        Dense(torch.randn(1, 1, 2, 2).double(), (1, 2), 2),
    ]
    term = KeptMoments(nn.ModuleList(generators), images, labels, weight=0.5)

    def value(*matrices: Tensor) -> Tensor:
        for generator, matrix in zip(generators, matrices, strict=True):
            del generator.weight
            generator.weight = matrix  # type: ignore[assignment]
        return term()

    starts = [generator.weight.detach().clone().requires_grad_() for generator in generators]
    assert torch.autograd.gradcheck(value, starts)


def test_the_contract_of_penalties() -> None:
    images, labels = turned_images()
    shared = make_generator("cyclic", (3, 3), 4, (1, 1))
    model = nn.Sequential(
        GroupConv2d(1, 2, 3, group=4, generator=shared), GroupConv2d(8, 2, 3, group=4, generator=shared)
    )
    model.append(GroupConv2d(8, 2, 2, group=4, share="set"))
    before = list(model.state_dict())
    term = KeptMoments(model, images.float(), labels, weight=2.0)
    assert list(model.state_dict()) == before
    assert not list(term.parameters())
    assert not term.state_dict()
    missed = term.violations()
    assert {key: tuple(value.shape) for key, value in missed.items()} == {"3x3": (1,), "2x2": (2,)}
    torch.testing.assert_close(term(), 2 * sum(value.sum() for value in missed.values()))
    term().backward()
    assert all(number.grad is not None for generator in term.generators for number in generator.parameters())


def test_bad_arguments_are_refused() -> None:
    images, labels = turned_images()
    layer = GroupConv2d(1, 2, 3, group=4)
    with pytest.raises(ValueError, match="labels"):
        KeptMoments(layer, images, labels[:5])
    with pytest.raises(ValueError, match="images"):
        KeptMoments(layer, (images * 255).byte(), labels)
    with pytest.raises(ValueError, match="3x3"):
        KeptMoments(layer, images[..., :2], labels)
    with pytest.raises(ValueError, match="vary"):
        KeptMoments(layer, torch.ones_like(images), labels)
    assert isinstance(lgn.penalties.KeptMoments(layer, images, labels), nn.Module)
