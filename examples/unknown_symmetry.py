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

# %% Grey images; the digits have no flip of their own, so half of them are flipped.
try:
    images = lgn.data.load("cifar10", download=False).train.samples.float().mean(1, keepdim=True)
except lgn.data.DataError:
    images = lgn.data.load("digits").train.samples.float()
    flipped = torch.rand(len(images), generator=torch.Generator().manual_seed(0)) < 0.5
    images[flipped] = images[flipped].flip(-1)

# %% No candidates are given.
found = lgn.discover_from_data(images)
print(found.sentence)

# %% Draw what the map does to the leading directions of the images.
element = found.elements[0]  # of 5,000 digits it may be undecided
side = round(len(found.frame.mean) ** 0.5)
before = found.frame.back[:, :5].T
after = (element.matrix @ found.frame.back[:, :5]).T
figure, axes = plt.subplots(2, 5, figsize=(7, 3))
for column in range(5):
    for row, vectors in enumerate((before, after)):
        axes[row, column].imshow(lgn.unvec(vectors[column], (side, side)).numpy(), cmap="gray")
        axes[row, column].axis("off")
figure.suptitle(f"{element.called}: directions of the images, before and after")
figure.savefig(Path(tempfile.gettempdir()) / "unknown_symmetry.png")


# %%
def test() -> None:
    assert element.name == "flip columns"
    assert all(each is element for each in found.kept)
    assert float((element.matrix @ element.matrix - torch.eye(side**2)).norm()) < 0.2 * side


if __name__ == "__main__":
    test()
