"""Plant a symmetry in filters and find it: the filters are quarter turns of each other.

python examples/planted_symmetry.py      # about 15 seconds
"""

# %% Forty patches of digits with their three turns, and some noise, as a network might have learned them.
import torch

import lgn

digits = lgn.data.load("digits")
random = torch.Generator().manual_seed(0)
pixels = digits.train.samples[:400, 0].double() / 255  # (400, 28, 28)
centres = pixels[:, 11:16, 11:16]
patches = centres[centres.flatten(1).std(1) > 0.2][:40]  # patches with strokes
rotation = lgn.transforms.operator("rotation", (5, 5), degrees=90)
bank = lgn.orbit(rotation, patches, 4).transpose(0, 1).reshape(-1, 1, 5, 5)  # (sets * order, channels, 5, 5)
bank = bank + 0.02 * bank.std() * torch.randn(bank.shape, generator=random, dtype=bank.dtype)

# %% Fit the generator that takes every filter of a set to the next. The p-value compares with shuffled filters.
fit = lgn.fit_generator(bank, group=4)
print(fit)

# %% What is this matrix? The analysis compares it with known operators and with chance.
analysis = lgn.analyze(fit.matrix, patch=(5, 5), draws=200)
match = analysis.generators[0].nearest[0]
print(f"nearest operator: {match.name} {match.parameter}, cosine {match.cosine:.4f}")

# %% Shuffled filters have no generator: their p-values are anywhere between 0 and 1.
shuffled = [
    lgn.fit_generator(bank[torch.randperm(len(bank), generator=random)], group=4, shuffles=19) for _ in range(10)
]
print("p-values of shuffled filters:", ", ".join(f"{control.p_value:.2f}" for control in shuffled))


# %%
def test() -> None:
    assert len(patches) == 40
    assert fit.identifiable_dimension == 25  # the patches span the whole space
    assert fit.p_value == 0.01  # the smallest value for 99 shuffles
    assert match.name == "rotation"
    assert abs(float(match.parameter) - 90) < 5  # angles near 90 have the same matrix on 5x5 pixels
    assert match.cosine > 0.99
    assert float(lgn.closure_error(fit.matrix, 4)) < 0.2
    assert min(control.residual for control in shuffled) > 10 * fit.residual
    assert 0.2 < sum(control.p_value for control in shuffled) / 10 < 0.8


if __name__ == "__main__":
    test()
