"""Plant a symmetry and find it: filters that are quarter turns of one another, and nobody says so.

python examples/planted_symmetry.py      # about 15 seconds
"""

# %% Forty patches of real digits, and the three turns of each: a bank as a network might have learned it.
import torch

import lgn

digits = lgn.data.load("digits")
generator = torch.Generator().manual_seed(0)
pixels = digits.train.samples[:400, 0].double() / 255  # (400, 28, 28)
centres = pixels[:, 11:16, 11:16]  # where the strokes are
patches = centres[centres.flatten(1).std(1) > 0.2][:40]
rotation = lgn.transforms.operator("rotation", (5, 5), degrees=90)
bank = lgn.orbit(rotation, patches, 4).transpose(0, 1).reshape(-1, 1, 5, 5)  # (sets * order, channels, 5, 5)
bank = bank + 0.02 * bank.std() * torch.randn(bank.shape, generator=generator, dtype=bank.dtype)

# %% Fit the generator that takes each filter to the next, and ask whether shuffled filters would do as well.
fit = lgn.fit_generator(bank, group=4)
print(fit)

# %% What is it? The analysis compares it with every operator it knows, and with what chance would give.
analysis = lgn.analyze(fit.matrix, patch=(5, 5), draws=200)
match = analysis.generators[0].nearest[0]
print(f"nearest operator: {match.name} {match.parameter}, cosine {match.cosine:.4f}")

# %% The same filters in random places have no generator: the p-values of such banks are anywhere between 0 and 1.
shuffled = [
    lgn.fit_generator(bank[torch.randperm(len(bank), generator=generator)], group=4, shuffles=19) for _ in range(10)
]
print("shuffled: p =", ", ".join(f"{each.p_value:.2f}" for each in shuffled))


# %%
def test() -> None:
    assert len(patches) == 40
    assert fit.identifiable_dimension == 25  # the patches span all of the space
    assert fit.p_value == 0.01  # the smallest that 99 shuffles can give
    assert match.name == "rotation"
    assert abs(float(match.parameter) - 90) < 5  # angles near 90 turn this few pixels alike
    assert match.cosine > 0.99
    assert float(lgn.closure_error(fit.matrix, 4)) < 0.2
    assert min(each.residual for each in shuffled) > 10 * fit.residual
    assert 0.2 < sum(each.p_value for each in shuffled) / 10 < 0.8


if __name__ == "__main__":
    test()
