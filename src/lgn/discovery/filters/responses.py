"""The filters behind responses: what a layer must hold to answer patches as it does."""

import torch
from torch import Tensor

# Note [Through a maximum]
# y = max_j <b_j, x> is linear in x wherever one filter wins: if the winners were known, each filter would follow by
# least squares from the patches that it wins, and if the filters were known, so would the winners be. Turns of the
# two reach the exact filters from a good start, and stop elsewhere from a bad one; so sets that have stopped elsewhere
# start anew, from random filters in whitened patches, until they are exact or the restarts are used up.


def bank_from_responses(x: Tensor, responses: Tensor) -> Tensor:
    """The filters B with `y = B x` in least squares.  (N, d), (N, filters) -> (filters, d)"""
    _require_pairs(x, responses)
    return torch.linalg.lstsq(x.double(), responses.double(), driver="gelsd").solution.T


def bank_from_maxima(
    x: Tensor, maxima: Tensor, order: int, *, restarts: int = 30, turns: int = 40, seed: int = 0
) -> tuple[Tensor, Tensor]:
    """The filters of which only the largest response was seen, `y_k = max_j <b_kj, x>`, in no order.

    Max-affine regression, for all sets at once (Note [Through a maximum]). A residual near zero says that a set was
    solved; the others are the best of their restarts.

    Shapes: (N, d), (N, sets) -> filters (sets, order, d), and `|y - max| / |y|` of each set (sets,)
    """
    _require_pairs(x, maxima)
    x, maxima = x.double(), maxima.double()
    values, directions = torch.linalg.eigh(x.T @ x / len(x))
    white = directions * values.clamp_min(1e-9 * values[-1]).rsqrt()  # (d, d): whitened patches are x @ white
    patches = x @ white
    products = (patches.unsqueeze(-1) * patches.unsqueeze(-2)).flatten(1)  # (N, d * d)
    random = torch.Generator().manual_seed(seed)
    sets, d = maxima.shape[1], x.shape[1]
    best = torch.zeros(sets, order, d, dtype=torch.float64)
    residuals = torch.full((sets,), torch.inf, dtype=torch.float64)
    linear = torch.linalg.lstsq(patches, maxima).solution.T  # what all filters of a set have in common
    for _ in range(restarts):
        open_sets = (residuals > 1e-8).nonzero().flatten()
        if not len(open_sets):
            break
        spread = (maxima[:, open_sets].std(0)).view(-1, 1, 1)
        noise = torch.randn(len(open_sets), order, d, generator=random, dtype=torch.float64)
        filters = linear[open_sets].unsqueeze(1) + spread * noise / d**0.5
        filters, left = _alternate(patches, products, maxima[:, open_sets], filters, turns)
        better = left < residuals[open_sets]
        best[open_sets[better]], residuals[open_sets[better]] = filters[better], left[better]
    return best @ white.T, residuals


def _alternate(patches: Tensor, products: Tensor, maxima: Tensor, filters: Tensor, turns: int) -> tuple[Tensor, Tensor]:
    """Turns of winners and least squares.  filters (sets, order, d) -> the same, and residuals (sets,)"""
    sets, order, d = filters.shape
    winners = torch.zeros(0)
    for _ in range(turns):
        responses = torch.einsum("nd,kpd->kpn", patches, filters)
        following = responses.argmax(1)
        if torch.equal(following, winners):
            break
        winners = following
        wins = torch.nn.functional.one_hot(winners, order).transpose(1, 2).double()  # (sets, order, N)
        gram = (wins.flatten(0, 1) @ products).view(sets, order, d, d)
        moment = (wins * maxima.T.unsqueeze(1)) @ patches
        ridge = 1e-10 * len(patches) * torch.eye(d, dtype=torch.float64)  # a filter that wins too little stays finite
        filters = torch.linalg.solve(gram + ridge, moment)
    largest = torch.einsum("nd,kpd->kpn", patches, filters).amax(1)
    return filters, (maxima.T - largest).norm(dim=1) / maxima.norm(dim=0)


def _require_pairs(x: Tensor, responses: Tensor) -> None:
    if x.ndim != 2 or responses.ndim != 2 or len(x) != len(responses) or len(x) < x.shape[1]:
        raise ValueError(
            f"x and responses must be (N, d) and (N, filters) with N at least d, got {tuple(x.shape)} and "
            f"{tuple(responses.shape)}"
        )
