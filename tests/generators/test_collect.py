"""The generators of a model: their learning rates."""

import pytest
from torch import nn

from lgn.generators import parameter_groups
from lgn.nn import GroupConv2d


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
