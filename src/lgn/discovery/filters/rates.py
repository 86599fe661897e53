"""Learning rates of their own for generators: fast while one is sought, slow or none after it was found."""

from typing import Any

from torch import nn

from lgn.generators import generators_of


def parameter_groups(model: nn.Module, learning_rate: float, generator_factor: float = 1.0) -> list[dict[str, Any]]:
    """An optimiser's parameter groups: generators at `generator_factor` times the rate, or frozen where it is 0.

    All that is trained at one rate is one group, in the model's order.
    """
    if generator_factor < 0:
        raise ValueError(f"generator_factor must not be negative, got {generator_factor}")
    own = [parameter for generator in generators_of(model).values() for parameter in generator.parameters()]
    for parameter in own:
        parameter.requires_grad_(generator_factor > 0)
    apart = {id(parameter) for parameter in own if generator_factor not in (0, 1)}
    others = [each for each in model.parameters() if each.requires_grad and id(each) not in apart]
    groups: list[dict[str, Any]] = [{"params": others, "lr": learning_rate}]
    if apart:
        groups.append({"params": own, "lr": learning_rate * generator_factor})
    return groups
