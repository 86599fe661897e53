"""Find the symmetry of images that nobody named, and draw it.

CIFAR-10 where it is there: its left-right flip, which no one planted. Otherwise the digits of the package, flipped.

python examples/unknown_symmetry.py
"""

# %%
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch

import lgn
from lgn.discovery.moments import discover_moments

# %% Grey images; the digits have no flip of their own, so half of them are flipped.
try:
    images = lgn.data.load("cifar10", download=False).train.samples.float().mean(1, keepdim=True)
except lgn.data.DataError:
    images = lgn.data.load("digits").train.samples.float()
    flipped = torch.rand(len(images), generator=torch.Generator().manual_seed(0)) < 0.5
    images[flipped] = images[flipped].flip(-1)

# %% No candidates are given.
found = discover_moments(images, kind="images")
print(found)

# %% Draw images before and after the first map.
row = found.rows[0]  # with 5,000 digits it may be undecided
figure, axes = plt.subplots(2, 5, figsize=(7, 3))
for column in range(5):
    for line, versions in enumerate((images[:5], row.transformation(images[:5]))):
        axes[line, column].imshow(versions[column, 0].numpy(), cmap="gray")
        axes[line, column].axis("off")
figure.suptitle(f"{row.name}: {row.verdict}")
figure.savefig(Path(tempfile.gettempdir()) / "unknown_symmetry.png")


# %%
def test() -> None:
    assert row.name == "flip columns"
    assert set(found.kept) <= {row}


if __name__ == "__main__":
    test()
