"""How long a training step takes, beside the straightforward one and beside what the machine allows.

`lgn benchmark speed`: expected, on two threads with the inverse penalty, at least 5 times the straightforward step on
MNIST's shape and 4 times on CIFAR-10's; about ten minutes (`--quick`: one). `--authors DIR` times the authors' own code
among the steps, `--against DIR` another version of this library, `--escnn DIR` escnn, all in turn. `--parts` measures
some parts alone and keeps the others of the file.
"""

from studies.speed.measure import measure, multiplications
from studies.speed.page import describe, page, plot

__all__ = ["describe", "measure", "multiplications", "page", "plot"]
