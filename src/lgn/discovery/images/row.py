"""What is said of one candidate: by images, by their labels, by a network; and the controls of its family."""

from dataclasses import dataclass

from lgn.discovery.images.gain import Gain
from lgn.discovery.images.labels import LabelEvidence, LabelWord
from lgn.discovery.images.verdict import Word


@dataclass(frozen=True)
class ClassReading:
    """The images of one class: how often they are told apart."""

    name: str
    told_apart: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Row:
    """One candidate, and what images, labels and a network say about it."""

    name: str
    family: str
    #: The verdict of the images.
    images: Word
    #: The share of right answers of an observer, and its interval of 95 % over images.
    told_apart: float
    interval: tuple[float, float]
    #: Against chance, after Holm's correction over all candidates.
    p_value: float
    #: Where it was kept, the largest share that the best observer could reach: the interval corrected for power.
    at_most: float | None
    #: Whether it is kept and told apart more often than chance all the same.
    trace: bool
    #: About how many images would decide; 0 where it is decided.
    needed: int
    element: int | None = None
    parameter: float | None = None
    classes: tuple[ClassReading, ...] = ()
    label_evidence: LabelEvidence | None = None
    gain: Gain | None = None
    #: Where images are few: an exact p-value of a first observer against chance, not corrected; else None.
    exact_p: float | None = None

    @property
    def labels(self) -> LabelWord | None:
        """What becomes of the labels: "survive", "permuted", "lost", "undecided"; None where it was not asked."""
        return None if self.label_evidence is None else self.label_evidence.word

    @property
    def network(self) -> str | None:
        """Whether a network gains: "gains", "no gain"; None where it was not asked."""
        return None if self.gain is None else ("gains" if self.gain.claimed else "no gain")


@dataclass(frozen=True)
class FamilyFacts:
    """What holds for all candidates of a family: its group, and the controls."""

    name: str
    group: str | None
    #: A break of just the margin as it was read, with its interval: what "kept" is measured by.
    control: float | None = None
    control_interval: tuple[float, float] | None = None
    #: Images with the exact symmetry, resampled: what resampling gives away.
    twin: float | None = None
    #: On a line: over how wide a range images seem to be spread, in the family's unit.
    spread: float | None = None
