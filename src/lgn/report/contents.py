"""All that a page shows, as plain data: whoever knows runs (or only matrices) fills it in."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from lgn.actions import Patch
from lgn.analysis import Analysis
from lgn.groups import Group


@dataclass(frozen=True)
class Network:
    """What an unfolded network is made of, as figure 9 draws it."""

    num_layers: int
    num_sets: int
    order: int
    patch: Patch
    algorithm: str
    in_channels: int
    #: What follows the codes: "10 classes", "reconstruction".
    head: str


@dataclass(frozen=True, eq=False)
class Sample:
    """A few images under one transformation, in [0, 1], and how often they are told from themselves.

    Grey ones are (count, n, m), those in colour (count, n, m, 3). Signals are (count, T) and volumes (count,
    D, H, W), of any numbers.
    """

    name: str
    told_apart: float
    images: Tensor


@dataclass(frozen=True, eq=False)
class Answer:
    """Which symmetries the images have: the sentence first, a table, and images to see it by."""

    sentence: str
    #: What was asked about, in a line.
    about: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    #: The images themselves, as in a sample, and their transformed versions, the most told apart first.
    originals: Tensor | None = None
    samples: tuple[Sample, ...] = ()
    #: For each family with a parameter its name, the parameters, and the shares told apart.
    profiles: tuple[tuple[str, tuple[float, ...], tuple[float, ...]], ...] = ()


@dataclass(frozen=True, eq=False)
class Contents:
    """What a page is about. Only the title and the analysis must be there: the page says what is not."""

    title: str
    analysis: Analysis
    #: Rows of a table of two columns: what was trained on what.
    facts: tuple[tuple[str, str], ...] = ()
    #: The outcome in a few words: "test accuracy 97.00 %".
    result: str | None = None
    #: One row an epoch; keys with "loss", "penalty", "accuracy" and "error" are drawn as curves over "epoch".
    metrics: tuple[Mapping[str, float | None], ...] = ()
    class_names: tuple[str, ...] = ()
    #: Sentences on the run itself, such as that it was interrupted.
    notes: tuple[str, ...] = ()
    #: For each generator the basis filters that it acts on, (bases, n, m), and a name for each of them.
    bases: tuple[Tensor, ...] | None = None
    base_names: tuple[tuple[str, ...], ...] | None = None
    #: Patches of training images in [0, 1], (count, n, m).
    crops: Tensor | None = None
    network: Network | None = None
    #: The group whose orbits the filter sets are, where it has a name.
    group: Group | None = None
    #: What the images themselves say, before any network of the paper's.
    answer: Answer | None = None

    def __post_init__(self) -> None:
        count = len(self.analysis.generators)
        for name in ("bases", "base_names"):
            given = getattr(self, name)
            if given is not None and len(given) != count:
                raise ValueError(f"{name} must have one item for each of {count} generators, got {len(given)}")
        if (self.bases is None) != (self.base_names is None):
            raise ValueError("bases and base_names must be given together, got one of them")
        if self.crops is not None and tuple(self.crops.shape[1:]) != self.analysis.patch:
            raise ValueError(f"crops must be patches of {self.analysis.patch}, got shape {tuple(self.crops.shape)}")

    def missing(self) -> tuple[str, ...]:
        """What the page cannot show, a sentence each."""
        generators = self.analysis.generators
        absent = {
            "No training curves: no epoch was recorded.": not self.metrics,
            "No change since the start: the matrices before training are not known.": any(
                each.start is None for each in generators
            ),
            "No filter sets: the basis filters are not known.": self.bases is None,
            "No identifiable part: what the generators were applied to is not known.": any(
                each.identifiability is None for each in generators
            ),
            "No order: closure and roots of unity are left out.": any(each.order is None for each in generators),
            "No crops: the training images were not found.": self.crops is None,
        }
        return tuple(sentence for sentence, is_absent in absent.items() if is_absent)
