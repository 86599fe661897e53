"""`Fixed`: a known operator that is not trained, the control for learned generators."""

import torch
from torch import Tensor

from lgn.generators.base import Generator
from lgn.measures import relative_error


class Fixed(Generator):
    """A given matrix that is not trained. It has no start by name, because a control must be chosen on purpose."""

    name = "fixed"
    guarantee = "A given"
    learning_rate = 0.0
    few_parameters = True
    operator = "must"
    weight: Tensor
    given: Tensor

    def _project(self, start: Tensor) -> None:
        self.register_buffer("weight", start.clone())
        self.register_buffer("given", start.clone(), persistent=False)

    def matrix(self) -> Tensor:
        return self.weight

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        return relative_error(self.weight, self.given)
