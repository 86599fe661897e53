"""Find the symmetries of images and of their labels, and train a network that respects them.

python examples/discover_and_use.py      # about 40 seconds
"""

# %% Digits that were turned by random multiples of 90 degrees. They come with the package.
import torch
from torch.nn import functional as F

import lgn

digits = lgn.data.load("digits-90")
found = lgn.discover(digits.train.samples, digits.train.labels)
print(found)

# %% A classifier that is invariant to the group by construction.
torch.manual_seed(0)
network = found.network(parameters=5_000)
train, test_images = digits.train.samples.float() / 255, digits.test.samples.float() / 255
optimizer = torch.optim.AdamW(network.parameters(), lr=1e-2)
for epoch in range(2):
    for batch in lgn.data.epoch_order(len(train), seed=0, epoch=epoch).split(100):
        loss = F.cross_entropy(network(train[batch]), digits.train.labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
network.eval()
with torch.no_grad():
    outputs, turned = network(test_images), network(test_images.rot90(1, (2, 3)))
accuracy = float((outputs.argmax(1) == digits.test.labels).double().mean())
difference = float((turned - outputs).abs().max())
print(f"test accuracy {accuracy:.3f}; outputs change by {difference:.1e} if the images are turned")

# %% Random elements of the group as augmentation, for a network of any kind.
augmented = found.augmentation(seed=0)(train[:1000])


# %%
def test() -> None:
    assert found.question == "labels"
    assert found.group.name == "C4"
    assert {row.name for row in found.kept} == {"turn 90", "turn 180", "turn 270"}
    assert found["flip columns"].verdict == "broken"
    assert accuracy > 0.8
    assert difference < 1e-3
    quarters = torch.stack([train[:1000].rot90(turns, (2, 3)) for turns in range(4)])
    equal = (augmented == quarters).flatten(2).all(2)  # (4, 1000)
    assert equal.any(0).all()
    assert (equal.sum(1) > 200).all()


if __name__ == "__main__":
    test()
