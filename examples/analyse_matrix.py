"""Analyse a matrix of your own: no network, no training, one call.

python examples/analyse_matrix.py      # about 10 seconds
"""

# %% A linear map on 6x6 patches as a 36x36 matrix: here a blur followed by a quarter turn, with noise, and pure noise.
import tempfile

import torch

import lgn

patch = (6, 6)
generator = torch.Generator().manual_seed(0)
blur = lgn.transforms.operator("blur", patch, sigma=0.6)
turn = lgn.transforms.operator("rotation", patch, degrees=90)
noise = torch.randn(2, 36, 36, generator=generator, dtype=torch.float64) / 6
matrices = torch.stack([turn @ blur + 0.05 * noise[0], noise[1]])

# %% Any function on patches becomes a matrix the same way: it is given every basis patch (Prop. 2).
by_hand = lgn.actions.matrix_of(lambda x: torch.rot90(x, 1, (-2, -1)), patch)
print("the catalogue's quarter turn is ours:", torch.equal(by_hand, turn))

# %% Scores, nearest operators, spectrum: with a p-value against chance, corrected for all that was tested.
analysis = lgn.analyze(matrices, patch, names=["blurred turn", "noise"], draws=200)
for each in analysis.generators:
    best = each.nearest[0]
    print(f"{each.name}: nearest is {best.name} {best.parameter}, cosine {best.cosine:.2f}")
    print(f"  beyond chance: {', '.join(finding.name for finding in each.findings) or 'nothing'}")
    print(f"  period {each.spectrum.period}, condition number {each.spectrum.condition_number:.3g}")

# %% An analysis is stored as JSON.
with tempfile.TemporaryDirectory() as folder:
    analysis.save(f"{folder}/analysis.json")
    again = lgn.Analysis.load(f"{folder}/analysis.json")


# %%
def test() -> None:
    turned, random = analysis.generators
    assert turned.nearest[0].name == "rotation"
    assert abs(float(turned.nearest[0].parameter) - 90) < 10  # angles near 90 turn this few pixels alike
    assert turned.nearest[0].cosine > 0.7
    assert turned.spectrum.period == 4
    assert "permutation" in {finding.name for finding in turned.findings}  # a turn moves pixels; the blur mixes some
    assert random.findings == ()
    assert random.nearest[0].cosine < 0.3
    assert again == analysis
    assert torch.equal(by_hand, turn)


if __name__ == "__main__":
    test()
