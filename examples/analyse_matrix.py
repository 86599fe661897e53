"""Analyse a matrix: no network and no training, one call.

python examples/analyse_matrix.py      # about 10 seconds
"""

# %% Linear maps of 6x6 patches are 36x36 matrices: a blur followed by a quarter turn with some noise, and noise alone.
import tempfile

import torch

import lgn

patch = (6, 6)
random = torch.Generator().manual_seed(0)
blur = lgn.transforms.operator("blur", patch, sigma=0.6)
turn = lgn.transforms.operator("rotation", patch, degrees=90)
noise = torch.randn(2, 36, 36, generator=random, dtype=torch.float64) / 6
matrices = torch.stack([turn @ blur + 0.05 * noise[0], noise[1]])

# %% Every linear function of patches has a matrix (Prop. 2).
from_function = lgn.actions.matrix_of(lambda x: torch.rot90(x, 1, (-2, -1)), patch)
print("equal to the operator of the catalogue:", torch.equal(from_function, turn))

# %% Scores, nearest operators and the spectrum. P-values compare with chance and are corrected for all tests.
analysis = lgn.analyze(matrices, patch=patch, names=["blurred turn", "noise"], draws=200)
for generator in analysis.generators:
    best = generator.nearest[0]
    print(f"{generator.name}: nearest operator {best.name} {best.parameter}, cosine {best.cosine:.2f}")
    print(f"  beyond chance: {', '.join(finding.name for finding in generator.findings) or 'nothing'}")
    print(f"  period {generator.spectrum.period}, condition number {generator.spectrum.condition_number:.3g}")

# %% An analysis is stored as JSON.
with tempfile.TemporaryDirectory() as folder:
    analysis.save(f"{folder}/analysis.json")
    loaded = lgn.Analysis.load(f"{folder}/analysis.json")


# %%
def test() -> None:
    turned, noisy = analysis.generators
    assert turned.nearest[0].name == "rotation"
    assert abs(float(turned.nearest[0].parameter) - 90) < 10  # angles near 90 have the same matrix on 6x6 pixels
    assert turned.nearest[0].cosine > 0.7
    assert turned.spectrum.period == 4
    assert "permutation" in {finding.name for finding in turned.findings}
    assert noisy.findings == ()
    assert noisy.nearest[0].cosine < 0.3
    assert loaded == analysis
    assert torch.equal(from_function, turn)


if __name__ == "__main__":
    test()
