"""Evidence from labels: does a candidate that the images keep keep their labels, permute them, or lose them?"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.discovery.images.family import Candidate, Family
from lgn.discovery.images.images_evidence import Parts
from lgn.discovery.images.observer import RATE, drawn, laid_out, network, seeded, smaller
from lgn.linalg import assignment
from lgn.stats import student_interval

LabelWord = Literal["survive", "permuted", "lost", "undecided"]
#: Labels survive if less than this share of what a classifier knows beyond chance is lost.
LOSS = 0.1
VISITS, EPOCHS, BATCH = 64_000, 30, 64


@dataclass(frozen=True)
class LabelEvidence:
    """Accuracy on x and on T x, of one classifier on the same images, and what becomes of the labels.

    permutation: where label c becomes `permutation[c]`; empty where labels are not permuted.
    difference: accuracy on x minus that on T x (after the permutation), with its interval.
    """

    word: LabelWord
    accuracy: float
    transformed: float
    difference: float
    interval: tuple[float, float]
    permutation: tuple[int, ...] = ()


def classifier(parts: Parts, labels: Tensor, classes: int, seed: int) -> nn.Module:
    """The observer's network, trained to say the label."""
    images = smaller(parts.learns)
    with seeded("labels", seed) as generator:
        model = network(images.shape[1:], classes).train()
        steps = max(min(VISITS, EPOCHS * len(images)) // BATCH, 2)
        optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
        for batch in drawn(len(images), steps, BATCH, generator):
            loss = F.cross_entropy(model(laid_out(images[batch])), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return model.eval()


@torch.no_grad()
def ask_labels(model: nn.Module, family: Family, candidate: Candidate, images: Tensor, labels: Tensor) -> LabelEvidence:
    """One candidate, on images that judge. What is permuted is found on one half of them and tested on the other."""
    assert candidate.element is not None
    said, moved = (_said(model, each) for each in (images, family.act(images, candidate.element)))
    right = (said == labels).double()
    chance = float(torch.bincount(labels).max()) / len(labels)
    allowed = LOSS * max(float(right.mean()) - chance, 0.0)
    difference, low, high = student_interval(right - (moved == labels).double())
    found = LabelEvidence(
        "undecided", float(right.mean()), float((moved == labels).double().mean()), difference, (low, high)
    )
    knows = student_interval(right)[1] > chance  # a classifier that knows nothing has nothing to lose
    if not knows:
        return found
    if high < allowed:
        return _as(found, "survive")
    half = len(labels) // 2
    permutation = _assignment(moved[:half], labels[:half])
    expected = permutation[labels[half:]]
    matched = (moved[half:] == expected).double()
    permuted, p_low, p_high = student_interval(right[half:] - matched)
    if p_high < allowed and not torch.equal(permutation, torch.arange(len(permutation))):
        return LabelEvidence(
            "permuted",
            found.accuracy,
            float(matched.mean()),
            permuted,
            (p_low, p_high),
            tuple(permutation.tolist()),
        )
    return _as(found, "lost") if low > allowed and p_low > allowed else found


def _as(found: LabelEvidence, word: LabelWord) -> LabelEvidence:
    return LabelEvidence(word, found.accuracy, found.transformed, found.difference, found.interval)


def _said(model: nn.Module, images: Tensor) -> Tensor:
    return torch.cat([model(laid_out(smaller(some))).argmax(1) for some in images.split(500)])


def _assignment(said: Tensor, labels: Tensor) -> Tensor:
    """The permutation of labels that agrees with most answers.  (N,), (N,) -> (classes,)"""
    classes = int(max(said.max(), labels.max())) + 1
    counts = torch.zeros(classes, classes).index_put((labels, said), torch.ones(len(said)), accumulate=True)
    return assignment(counts)
