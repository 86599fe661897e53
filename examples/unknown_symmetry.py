"""Find the symmetries of a table without any candidates: a finite group, a continuous group, and nothing.

python examples/unknown_symmetry.py      # about 5 seconds
"""

# %% Three hidden columns with the same distribution and one with another distribution, in unknown coordinates.
from itertools import permutations

import torch

import lgn
from lgn.measures import total_error

random = torch.Generator().manual_seed(0)
mixing = torch.randn(4, 4, generator=random, dtype=torch.float64)
hidden = -torch.rand(20_000, 4, generator=random, dtype=torch.float64).log()
hidden[:, 3] = hidden[:, 3] ** 2
finite = lgn.discover(hidden @ mixing.T)
print(finite)

# %% The permutations of the first three hidden columns are the symmetries: as matrices on the table they are M P M^-1.
planted = [
    mixing @ torch.eye(4, dtype=torch.float64)[[*order, 3]] @ mixing.inverse()
    for order in permutations(range(3))
    if order != (0, 1, 2)
]

# %% A ring with a third column: the turns of the ring are a continuous symmetry.
angles = 2 * torch.pi * torch.rand(20_000, generator=random, dtype=torch.float64)
radius = 1 + 0.2 * torch.randn(20_000, generator=random, dtype=torch.float64)
ring = torch.stack([radius * angles.cos(), radius * angles.sin(), hidden[:, 0]], 1)
continuous = lgn.discover(ring)
print(continuous)
turns = torch.tensor([[0.0, -1, 0], [1, 0, 0], [0, 0, 0]], dtype=torch.float64) / 2**0.5

# %% Four columns with different distributions have no symmetry.
different = hidden ** torch.tensor([0.5, 1.0, 1.5, 1.0], dtype=torch.float64)
nothing = lgn.discover(different @ mixing.T)
print(nothing)


# %%
def test() -> None:
    assert finite.group.name == "S3"
    assert len(finite.kept) == len(planted) == 5
    for matrix in planted:
        assert min(float(total_error(row.transformation.matrix, matrix)) for row in finite.kept) < 0.1
    assert continuous.algebra.dimension == 1
    generator = continuous.algebra.basis[0]
    assert abs(float((generator * turns).sum() / generator.norm())) > 0.99
    assert nothing.kept == ()
    assert nothing.algebra is None


if __name__ == "__main__":
    test()
