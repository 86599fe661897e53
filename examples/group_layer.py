"""A group layer in place of a convolution: train the network as usual, then merge the group away.

python examples/group_layer.py      # about 10 seconds, test accuracy near 0.9
"""

# %% A convolution with 16 filters, in 4 sets of 4. A set is the orbit of one filter under a learned map of 5x5 pixels.
import torch
from torch import nn
from torch.nn import functional as F

import lgn

torch.manual_seed(0)
model = nn.Sequential(
    lgn.nn.GroupConv2d(1, num_sets=4, group=4, kernel_size=5, padding=2, generator="kronecker"),
    nn.ReLU(),
    nn.AvgPool2d(4),
    nn.Flatten(),
    nn.Linear(16 * 7 * 7, 10),
)
print(model[0])

# %% An ordinary training loop. The penalty keeps the generators invertible (sec. 4.1).
digits = lgn.data.load("digits")
preprocessing = lgn.data.fit_preprocessing("standardise", digits.train.samples)
train, test_images = preprocessing.apply(digits.train.samples), preprocessing.apply(digits.test.samples)
penalty = lgn.penalties.AuxiliaryInverse(model, weight=1e-3)
optimizer = torch.optim.Adam([*model.parameters(), *penalty.parameters()], lr=5e-3)
for epoch in range(3):
    for batch in lgn.data.epoch_order(len(train), seed=0, epoch=epoch).split(100):
        loss = F.cross_entropy(model(train[batch]), digits.train.labels[batch]) + penalty()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
with torch.no_grad():
    accuracy = float((model(test_images).argmax(1) == digits.test.labels).double().mean())
print(f"test accuracy {accuracy:.3f}")
print(lgn.summary(model))

# %% The generator takes the first filter of a set to the second: one step along the orbit is `phi_A` (eq. 8).
generator = model[0].bank.generator.matrix().detach()[0, 0]  # (25, 25)
filters = model[0].filters().detach().unflatten(0, (4, 4))  # (sets, order, channels, 5, 5)
one_step = lgn.act(generator, filters[0, 0, 0])

# %% `merge` returns a plain network with equal outputs.
plain = lgn.merge(model)
with torch.no_grad():
    difference = float((plain(test_images) - model(test_images)).abs().max())
print(f"merged: {type(plain[0]).__name__}, outputs differ by {difference:.1e}")


# %%
def test() -> None:
    torch.testing.assert_close(one_step, filters[0, 1, 0])
    assert accuracy > 0.85
    assert type(plain[0]) is nn.Conv2d
    assert difference < 1e-4
    assert float(lgn.inverse_error(model[0].bank.generator.matrix().detach().double()).max()) < 1e-6  # invertible


if __name__ == "__main__":
    test()
