"""`Fixed`: a known operator, the control that learned generators are compared with."""

import torch
from torch import Tensor

from lgn.generators.base import Generator
from lgn.measures import relative_error


class Fixed(Generator):
    """A given matrix that is not trained. It takes no start by name: a control must be chosen on purpose."""

    name = "fixed"
    law = "A given"
    learning_rate = 0.0
    decided_by_few = True
    operator = "must"
    weight: Tensor
    given: Tensor

    def _start_from(self, start: Tensor) -> None:
        self.register_buffer("weight", start.clone())
        self.register_buffer("given", start.clone(), persistent=False)

    def matrix(self) -> Tensor:
        return self.weight

    @torch.no_grad()
    def law_error(self) -> Tensor:
        return relative_error(self.weight, self.given)
