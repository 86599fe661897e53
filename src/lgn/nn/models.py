"""Networks with an encoder: a classifier and an autoencoder."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.nn.bank import FreeBank, filter_norms, require_choice
from lgn.nn.plain_cnn import PlainCNN
from lgn.nn.unfolded import UnfoldedEncoder


class Classifier(nn.Module):
    """Codes, averaged over a grid of `pool x pool` cells, and a linear head (app. C).

    Shapes: (N, C, H, W) -> (N, num_classes)
    """

    def __init__(self, encoder: UnfoldedEncoder | PlainCNN, num_classes: int, *, pool: int = 4) -> None:
        super().__init__()
        if num_classes < 2:
            raise ValueError(f"num_classes must be at least 2, got {num_classes}")
        self.encoder, self.pool = encoder, pool
        features = encoder.num_sets * encoder.order * pool * pool
        parameter = next(encoder.parameters())
        self.head = nn.Linear(features, num_classes, device=parameter.device, dtype=parameter.dtype)

    def forward(self, images: Tensor) -> Tensor:
        encoder = self.encoder
        # Hooks need the codes, which `encoder.pooled` may never store.
        hooked = encoder._forward_hooks or encoder._forward_pre_hooks or encoder._backward_hooks
        if hooked or encoder._backward_pre_hooks:
            codes = F.adaptive_avg_pool2d(encoder(images), self.pool)
        else:
            codes = encoder.pooled(images, self.pool)
        return self.head(codes.flatten(1))


class Autoencoder(nn.Module):
    """Codes, decoded by the filters of the encoder's last layer, or by a free dictionary (sec. 5.3).

    Shapes: (N, C, H, W) -> (N, C, H, W)
    """

    def __init__(self, encoder: UnfoldedEncoder, *, decoder: Literal["tied", "free"] = "tied") -> None:
        super().__init__()
        require_choice("decoder", decoder, ("tied", "free"))
        self.encoder = encoder
        self.dictionary: FreeBank | None = None
        if decoder == "free":
            filters = torch.randn_like(encoder.filters()[-1])
            self.dictionary = FreeBank(filters / filter_norms(filters))

    def forward(self, images: Tensor) -> Tensor:
        return self.decode(self.encoder(images))

    def decode(self, codes: Tensor) -> Tensor:
        """The images that codes represent."""
        return self.encoder.decode(codes, filters=None if self.dictionary is None else self.dictionary())
