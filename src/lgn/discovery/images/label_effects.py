"""Evidence from labels: whether the classes survive a transformation, are permuted, or are lost."""

from dataclasses import replace

import torch
from torch import Tensor, nn

from lgn.answer import Evidence, LabelMap
from lgn.discovery.observers import network, shrink
from lgn.discovery.observers.observer import laid_out
from lgn.fitting import fit, seeded, shuffled_indices
from lgn.linalg import assignment
from lgn.stats import cluster_means, student_interval

#: Classes survive if less than this share of the accuracy beyond chance is lost.
LOSS = 0.1
#: The largest number of samples and of epochs that the classifier is shown, and the number of samples per step.
MOST_SHOWN, EPOCHS, BATCH = 64_000, 30, 64


def label_classifier(samples: Tensor, labels: Tensor, classes: int, seed: int) -> nn.Module:
    """A network like the observer, trained to predict classes.  samples (N, C, ...), labels (N,)"""
    samples = shrink(samples)
    labels = labels.to(samples.device)
    steps = max(min(MOST_SHOWN, EPOCHS * len(samples)) // BATCH, 2)
    with seeded("symmetry labels", seed) as random:
        model = network(samples.shape[1:], classes).to(samples.device)
        batches = shuffled_indices(len(samples), steps, BATCH, random)
        return fit(model, ((laid_out(samples[batch]), labels[batch]) for batch in batches), steps)


def label_effect(model: nn.Module, samples: Tensor, transformed: Tensor, labels: Tensor, draws: Tensor) -> Evidence:
    """The effect of a transformation on the labels, from test samples x and T x.

    One half of the samples chooses the permutation of the classes, and the other half tests it.

    draws: samples with equal numbers are one draw.

    Shapes: samples and transformed (N, C, ...), labels and draws (N,)
    """
    draws = draws.unique(return_inverse=True)[1]
    outputs = _outputs(model, samples)
    classes, moved = outputs.shape[1], _outputs(model, transformed).argmax(1)
    correct = (outputs.argmax(1) == labels).double()
    accuracy, chance = float(correct.mean()), float(torch.bincount(labels).max()) / len(labels)
    allowed = LOSS * max(accuracy - chance, 0.0)
    still_correct = (moved == labels).double()
    lost, low, high = student_interval(cluster_means(correct - still_correct, draws))
    detail = LabelMap("undecided", accuracy, float(still_correct.mean()))
    if student_interval(cluster_means(correct, draws))[1] <= chance:  # the classifier has learned nothing
        return Evidence("labels", lost, (low, high), None, "undecided", detail)
    if high < allowed:
        return Evidence("labels", lost, (low, high), None, "kept", replace(detail, effect="survive"))
    first = draws < (int(draws.max()) + 1) // 2
    permutation = _best_permutation(moved[first], labels[first], classes)
    matched = (moved[~first] == permutation[labels[~first]]).double()
    kept = cluster_means(correct[~first] - matched, draws[~first])
    permuted, permuted_low, permuted_high = student_interval(kept)
    if permuted_high < allowed and not torch.equal(permutation, torch.arange(classes)):
        detail = LabelMap("permuted", accuracy, float(matched.mean()), tuple(permutation.tolist()))
        return Evidence("labels", permuted, (permuted_low, permuted_high), None, "kept", detail)
    if low > allowed and permuted_low > allowed:
        return Evidence("labels", lost, (low, high), None, "broken", replace(detail, effect="lost"))
    return Evidence("labels", lost, (low, high), None, "undecided", detail)


@torch.no_grad()
def _outputs(model: nn.Module, samples: Tensor) -> Tensor:
    return torch.cat([model(laid_out(shrink(part))) for part in samples.split(500)]).cpu()


def _best_permutation(predicted: Tensor, labels: Tensor, classes: int) -> Tensor:
    """The permutation of the classes that agrees with most predictions.  (N,), (N,) -> (classes,)"""
    counts = torch.zeros(classes, classes)
    return assignment(counts.index_put((labels, predicted), torch.ones(len(labels)), accumulate=True))
