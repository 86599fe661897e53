"""`docs/learned.md`: how a generator is learned from moments, what was tried, and what came of it."""

from typing import Any

from lgn.text import markdown_table

PAGE = """# Learned groups: a generator from random starts, by backpropagation

As the paper trains it, a generator does not become a symmetry: from labels alone the quarter turn was found in none of
five seeds ([recovery](recovery.md), *paper*). The labels say too little about a matrix of hundreds of numbers. What
says more is that a symmetry keeps the patches of every class: their means, their covariances, their third moments. As
a penalty beside the task:

```python
import torch
from torch.nn import functional as F

import lgn

images, labels = torch.rand(64, 1, 14, 14), torch.arange(64) % 10
learned = learn_generator(images, labels, (5, 5), 4, starts=8, steps=10)  # 250 steps for real images
print(learned)  # kept, broken or undecided, by images that taught it nothing

layer = lgn.nn.GroupConv2d(1, 24, 5, group=4, generator="cyclic", share="layer", start=learned.matrices[0])
penalty = lgn.penalties.KeptMoments(layer, images, labels)
codes = lgn.nn.pool_sets(layer(images), group=4)
loss = F.cross_entropy(codes.mean((2, 3))[:, :10], labels) + penalty()
```

- `KeptMoments(model, images, labels)` is `sum_l |A . M_l - M_l|^2 / 2 |M_l|^2` for the moments M of whitened patches,
  degrees 1 and 2 class by class, degree 3 of all classes together. Give it training images alone.
- `learn_generator` has many random starts at once, each a generator of one batch. One half of the images learns and
  chooses; the other half says whether what was chosen is missed by more than halves differ by, at every degree.
  Few images are *undecided*.
- Of an exact group (`cyclic`, `representation`) the frame is learned; how often each irreducible representation is in
  it stays as it starts, so starts try several (`lgn.generators.permutation_like`).
- A generator that travels far needs the origin of its coordinates moved along: `lgn.generators.rebase(model)` every 20
  steps or so.

Over seeds, on images with the symmetry and without it, for quarter turns, flips, both, and permuted colours:
[recovery](recovery.md#learned), by

```console
$ lgn benchmark recovery --parts learned --out results/recovery.json
```

Groups that hold in part, and generators that begin with what images keep and go on learning, are measured in
[networks](networks.md).

## What was tried

First trials: {data}, while the settings were chosen, recorded by hand: no command makes this table again. Every row is
one run; nothing of it is a claim over seeds. *Found*
counts starts that end within 0.1 of an element of the group, by relative error; of `orthogonal`, the identity is one,
and all that upright digits have. *Error* is that of the start with the least loss, to the nearest element; *ratio* is
what it misses on the other half over what halves differ by, all degrees together.

{table}

What stands out:

- Whitening and an origin that moves along go with many more starts that arrive. They were not varied one at a time:
  rows of `cyclic` with a moving origin also stretch slowly or not at all, and rates differ.
- An exact group is found where its traces are right; larger patches say more, and more of their starts arrive.
- The sum over degrees does not tell a sign that is wrong in one direction from a symmetry (error 0.4 of 5x5). Third
  moments do, so `learn_generator` judges degree by degree. Weighing third moments more while learning finds less.
- `dense` was not seen to arrive, at three learning rates. Both generators of D4 at once were not found; flips were,
  rarely.
"""


def page(result: dict[str, Any]) -> str:
    """The document of the trials."""
    rows = [
        [
            cell["images"],
            f"{cell['patch']}x{cell['patch']}",
            cell["family"],
            cell["setting"],
            f"{cell['found']} of {cell['starts']}",
            f"{cell['error']:.3f}",
            "" if cell["ratio"] is None else f"{cell['ratio']:.2f}",
        ]
        for cell in result["cells"]
    ]
    heads = ["images", "patch", "family", "setting", "found", "error", "ratio"]
    return PAGE.format(data=result["data"], table=markdown_table(heads, rows))
