"""Starts, sharing, `make_generator`, and the generators of a model."""

from functools import partial
from typing import Any

import pytest
import torch
from torch import nn

from lgn.generators import (
    FAMILIES,
    Cyclic,
    Dense,
    Fixed,
    generators_of,
    leading_shape,
    make_generator,
    matrices_by_size,
    parameter_groups,
    start_matrices,
)
from lgn.nn import GroupConv2d


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def test_leading_shapes() -> None:
    shapes = {share: leading_shape(share, 5, 3, 4) for share in ("channel", "set", "layer", "network")}
    assert shapes == {"channel": (20, 3), "set": (20, 1), "layer": (4, 1), "network": (1, 1)}


def test_an_orthogonal_start_is_uniform() -> None:
    """Orthogonal, of both signs, and with the moments of the uniform distribution: mean 0, variance 1 / d."""
    q = start_matrices("orthogonal", (2000, 1), 4, dtype=torch.float64)[:, 0]
    torch.testing.assert_close(q.mT @ q, torch.eye(4, dtype=torch.float64).expand_as(q))
    assert 0.45 < float((torch.linalg.det(q) > 0).double().mean()) < 0.55
    assert float(q.mean(0).abs().max()) < 0.05
    assert float((q.square().mean(0) - 0.25).abs().max()) < 0.03


def test_a_gaussian_start_has_unit_norm() -> None:
    norms = start_matrices("gaussian", (3, 2), 9).norm(dim=(-2, -1))
    torch.testing.assert_close(norms, torch.ones(3, 2))


def test_an_identity_start_has_its_noise() -> None:
    noise = start_matrices("identity", (50, 1), 9) - torch.eye(9)
    assert 0.009 < float(noise.std()) < 0.011


def test_a_given_start_is_repeated() -> None:
    given = torch.randn(6, 6)
    matrices = start_matrices(given, (3, 2), 6)
    assert matrices.shape == (3, 2, 6, 6)
    assert all(torch.equal(matrices[k, c], given) for k in range(3) for c in range(2))
    matrices[0, 0] = 0
    assert not torch.equal(given, torch.zeros(6, 6))


def test_a_given_start_takes_the_type_of_its_layer() -> None:
    """Operators are made in float64 and permutations may be integers; layers are in torch's default type."""
    for given in (torch.eye(6, dtype=torch.float64), torch.eye(6, dtype=torch.int64)):
        assert start_matrices(given, (1, 1), 6).dtype == torch.get_default_dtype()
        assert start_matrices(given, (1, 1), 6, dtype=torch.float64).dtype == torch.float64


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_by_name(family: str) -> None:
    start: Any = torch.randn(6, 6) if family == "fixed" else "orthogonal"
    generator = make_generator(family, (2, 3), 4, (2, 1), start)
    assert type(generator) is FAMILIES[family]
    assert generator.matrix().shape == (2, 1, 6, 6)


def test_a_family_by_class_and_with_options() -> None:
    assert isinstance(make_generator(Cyclic, (2, 3), 3, (1, 1)), Cyclic)
    generator = make_generator(partial(Dense, norm=2.0), (2, 3), 4, (1, 1))
    assert float(generator.matrix().detach().norm()) == pytest.approx(2)


def test_a_given_generator_is_used_as_it_is() -> None:
    generator = make_generator("dense", (2, 3), 4, (1, 1))
    assert make_generator(generator, (2, 3), 4, (5, 3)) is generator


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: make_generator("free", (2, 3), 4, (1, 1)), "generator.*'free'"),
        (lambda: make_generator("dense", (2, 3), 4, (1, 1), torch.eye(5)), "start.*5, 5"),
        (lambda: make_generator("dense", (2, 3), 4, (1, 1), torch.zeros(6, 5)), r"start.*\(6, 5\)"),
        (lambda: make_generator("dense", (2, 3), 4, (3, 1), torch.zeros(2, 1, 6, 6)), r"start.*\(2, 1, 6, 6\)"),
        (lambda: make_generator("dense", (2, 3), 4, (1, 1), "random"), "start.*'random'"),  # type: ignore[arg-type]
        (lambda: leading_shape("filter", 5, 3), "share.*'filter'"),  # type: ignore[arg-type]
        (lambda: make_generator(make_generator("dense", (2, 3), 4, (1, 1)), (3, 3), 4, (1, 1)), "generator.*2x3"),
        (
            lambda: make_generator(make_generator("dense", (2, 3), 4, (2, 1)), (2, 3), 4, (5, 1)),
            r"generator.*\(2, 1\)",
        ),
    ],
)
def test_bad_arguments_are_refused(call: Any, argument: str) -> None:
    with pytest.raises(ValueError, match=argument):
        call()


def test_generators_of_a_model_come_once_and_in_batches() -> None:
    shared = make_generator("dense", (2, 3), 4, (2, 1))
    model = nn.ModuleDict(
        {
            "one": shared,
            "two": nn.Sequential(shared),
            "fixed": Fixed(torch.eye(6)[None, None], (2, 3)),
            "other": make_generator("dense", (2, 3), 3, (1, 2)),
            "small": make_generator("dense", (2, 2), 4, (1, 1)),
        }
    )
    generators = generators_of(model)
    assert list(generators) == ["one", "fixed", "other", "small"]
    batches = matrices_by_size(generators.values())
    assert {key: tuple(batch.shape) for key, batch in batches.items()} == {
        (6, 4): (3, 6, 6),
        (6, 3): (2, 6, 6),
        (4, 4): (1, 4, 4),
    }
    assert torch.equal(batches[6, 4], torch.cat([shared.matrix()[:, 0], torch.eye(6)[None]]))


def test_generators_learn_at_their_own_rate_or_not_at_all() -> None:
    model = nn.Sequential(GroupConv2d(1, 2, 3, group=4), nn.Conv2d(8, 2, 3))
    generator = model[0].bank.generator.weight
    groups = parameter_groups(model, 0.01, 30.0)
    assert [group["lr"] for group in groups] == pytest.approx([0.01, 0.3])
    assert [p is generator for p in groups[1]["params"]] == [True]
    assert sum(len(group["params"]) for group in groups) == len(list(model.parameters()))
    frozen = parameter_groups(model, 0.01, 0.0)
    assert len(frozen) == 1
    assert not generator.requires_grad
    assert all(p is not generator for p in frozen[0]["params"])
    with pytest.raises(ValueError, match="generator_factor"):
        parameter_groups(model, 0.01, -1)
