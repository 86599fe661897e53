"""`Contents`: everything that the page of a run, or of matrices, shows."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from lgn.actions import Patch
from lgn.analysis import Analysis
from lgn.groups import Group


@dataclass(frozen=True)
class Network:
    """An unfolded network, as figure 9 draws it."""

    num_layers: int
    num_sets: int
    order: int
    patch: Patch
    algorithm: str
    in_channels: int
    #: The output: "10 classes" or "reconstruction".
    head: str


@dataclass(frozen=True, eq=False)
class Contents:
    """The contents of a page. Only the title and the analysis are required."""

    title: str
    analysis: Analysis
    #: Settings of the run: names and values.
    facts: tuple[tuple[str, str], ...] = ()
    #: The measurements of the last epoch in one sentence.
    result: str | None = None
    #: One row per epoch; keys with "loss", "penalty", "accuracy" and "error" are drawn as curves.
    metrics: tuple[Mapping[str, float | None], ...] = ()
    class_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    #: The basis filters of each generator, (bases, n, m), and their names.
    bases: tuple[Tensor, ...] | None = None
    base_names: tuple[tuple[str, ...], ...] | None = None
    #: Patches of training images in [0, 1], (count, n, m).
    crops: Tensor | None = None
    network: Network | None = None
    #: The group whose orbits the filter sets are.
    group: Group | None = None

    def missing(self) -> tuple[str, ...]:
        """One sentence for everything that the page cannot show."""
        generators = self.analysis.generators
        absent = {
            "No training curves: no epoch was recorded.": not self.metrics,
            "No change since the start: the initial matrices are not known.": any(g.start is None for g in generators),
            "No filter sets: the basis filters are not known.": self.bases is None,
            "No identifiable part: the basis filters are not known.": any(
                g.identifiability is None for g in generators
            ),
            "No closure and no roots of unity: the order is not known.": any(g.order is None for g in generators),
            "No crops: the training images are not on this machine.": self.crops is None,
        }
        return tuple(sentence for sentence, is_absent in absent.items() if is_absent)
