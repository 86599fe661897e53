"""Evidence from labels: do the classes survive a transformation, are they permuted, or are they lost?"""

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor, nn

from lgn.answer import Evidence, LabelMap
from lgn.discovery.observers import network, shrink
from lgn.discovery.observers.observer import laid_out
from lgn.fitting import drawn, fit, seeded
from lgn.linalg import assignment
from lgn.stats import student_interval

#: Classes survive if less than this share of the accuracy beyond chance is lost.
LOSS = 0.1
#: The most samples that the classifier is shown, the most epochs, and the samples per step.
VISITS, EPOCHS, BATCH = 64_000, 30, 64


def label_classifier(samples: Tensor, labels: Tensor, classes: int, seed: int) -> nn.Module:
    """The network of the observer, trained to predict the class.  (N, C, ...), (N,)"""
    samples = shrink(samples)
    labels = labels.to(samples.device)
    steps = max(min(VISITS, EPOCHS * len(samples)) // BATCH, 2)
    with seeded("symmetry labels", seed) as random:
        model = network(samples.shape[1:], classes).to(samples.device)

        def batches() -> Iterator[tuple[Tensor, Tensor]]:
            for batch in drawn(len(samples), steps, BATCH, random):
                yield laid_out(samples[batch]), labels[batch]

        return fit(model, batches(), steps)


def label_effect(
    model: nn.Module,
    samples: Tensor,
    transformed: Tensor,
    labels: Tensor,
    *,
    classes: int,
    draws: Tensor | None = None,
) -> Evidence:
    """The effect of a transformation on the labels, from test samples x and T x.

    A permutation of the classes is found on one half of the samples and tested on the other half.

    draws: the number of the independent draw of every sample; None if all samples are independent.

    Shapes: (N, C, ...), (N, C, ...), (N,)
    """
    draws = torch.arange(len(labels)) if draws is None else draws.unique(return_inverse=True)[1]
    original, moved = _predicted(model, samples), _predicted(model, transformed)
    right = (original == labels).double()
    accuracy, chance = float(right.mean()), float(torch.bincount(labels).max()) / len(labels)
    allowed = LOSS * max(accuracy - chance, 0.0)
    survives = (moved == labels).double()
    lost, low, high = _interval(right - survives, draws)
    detail = LabelMap("undecided", accuracy, float(survives.mean()))
    if _interval(right, draws)[1] <= chance:  # a classifier that knows nothing has nothing to lose
        return Evidence("labels", lost, (low, high), None, "undecided", detail)
    if high < allowed:
        return Evidence("labels", lost, (low, high), None, "kept", replace(detail, effect="survive"))
    first = draws < (int(draws.max()) + 1) // 2
    permutation = _assignment(moved[first], labels[first], classes)
    matched = (moved[~first] == permutation[labels[~first]]).double()
    permuted, permuted_low, permuted_high = _interval(right[~first] - matched, draws[~first])
    if permuted_high < allowed and not torch.equal(permutation, torch.arange(classes)):
        detail = LabelMap("permuted", accuracy, float(matched.mean()), tuple(permutation.tolist()))
        return Evidence("labels", permuted, (permuted_low, permuted_high), None, "kept", detail)
    if low > allowed and permuted_low > allowed:
        return Evidence("labels", lost, (low, high), None, "broken", replace(detail, effect="lost"))
    return Evidence("labels", lost, (low, high), None, "undecided", detail)


def _interval(values: Tensor, draws: Tensor) -> tuple[float, float, float]:
    """The mean of independent draws and its interval; a draw is the mean of its samples."""
    _, place, counts = draws.unique(return_inverse=True, return_counts=True)
    means = torch.zeros(len(counts), dtype=torch.float64).index_add(0, place, values) / counts
    return student_interval(means)


@torch.no_grad()
def _predicted(model: nn.Module, samples: Tensor) -> Tensor:
    return torch.cat([model(laid_out(shrink(part))).argmax(1) for part in samples.split(500)]).cpu()


def _assignment(predicted: Tensor, labels: Tensor, classes: int) -> Tensor:
    """The permutation of the classes that agrees with most predictions.  (N,), (N,) -> (classes,)"""
    counts = torch.zeros(classes, classes)
    return assignment(counts.index_put((labels, predicted), torch.ones(len(labels)), accumulate=True))
