"""Convert a residual network: its outputs stay, and its filters become orbits.

python examples/convert_resnet.py      # about 10 seconds
"""

# %% Any network with convolutions. The networks of torchvision are converted by the same line.
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import lgn


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.norm2 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x))))))


torch.manual_seed(0)
resnet = nn.Sequential(
    nn.Conv2d(1, 16, 3, stride=2, padding=1),
    nn.ReLU(),
    Block(16),
    Block(16),
    nn.AdaptiveAvgPool2d(4),
    nn.Flatten(),
    nn.Linear(16 * 16, 10),
)

# %% With one generator per set and channel, orbits can reproduce any filters: the converted network has equal outputs.
group_network = lgn.convert(resnet, group=4, share="channel", from_filters=True)
print(group_network.conversion)
images = torch.randn(8, 1, 28, 28)
with torch.no_grad():
    difference = float((resnet.eval()(images) - group_network.eval()(images)).abs().max())
print(f"outputs differ by {difference:.1e}")

# %% Here the group costs parameters. A smaller family with one generator for the whole network saves parameters.
print(lgn.summary(group_network))
small = lgn.convert(resnet, group=4, generator="kronecker", share="network")
print(lgn.summary(small))

# %% Train the small network as usual.
digits = lgn.data.load("digits")
preprocessing = lgn.data.fit_preprocessing("standardise", digits.train.samples)
train, test_images = preprocessing.apply(digits.train.samples), preprocessing.apply(digits.test.samples)
optimizer = torch.optim.Adam(small.parameters(), lr=5e-3)
small.train()
for epoch in range(2):
    for batch in lgn.data.epoch_order(len(train), seed=0, epoch=epoch).split(100):
        loss = F.cross_entropy(small(train[batch]), digits.train.labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
with torch.no_grad():
    accuracy = float((small.eval()(test_images).argmax(1) == digits.test.labels).double().mean())
print(f"test accuracy {accuracy:.3f}")


# %%
def test() -> None:
    assert difference < 1e-4
    assert len(group_network.conversion.converted) == 5
    assert lgn.summary(group_network).ratio > 1 > lgn.summary(small).ratio
    assert accuracy > 0.85
    assert len(lgn.generators.generators_of(small)) == 1  # all 3x3 layers share it


if __name__ == "__main__":
    test()
