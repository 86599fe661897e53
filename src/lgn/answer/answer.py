"""`Answer`: the result of every finder. `Row`: a transformation with its verdict and its evidence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from torch import Tensor, nn

from lgn import apply
from lgn.answer import answer_page, stored, text_table
from lgn.answer.evidence import Evidence, LabelMap, Verdict
from lgn.data.kinds import Kind
from lgn.groups import Algebra, Group
from lgn.stats import LEVEL
from lgn.transforms import Transformation
from lgn.version import __version__

Question = Literal["data", "labels", "law", "filters"]
Setting = str | int | float | bool | None | tuple[str, ...] | tuple[float, ...]


@dataclass(frozen=True)
class Row:
    """A transformation, the verdict on it, and the evidence for the verdict."""

    transformation: Transformation
    #: The answer to the question asked.
    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    #: The transformation as a word in the generators of `Answer.group`; None if it is not an element.
    element: str | None = None
    #: A range of sample sizes that would decide; None if the verdict is decided, or if no size would.
    needed: tuple[int, int] | None = None
    #: The layer of a network to which the row belongs; empty for other data.
    layer: str = ""

    @property
    def name(self) -> str:
        """The name of the transformation."""
        return self.transformation.name

    @property
    def permutation(self) -> tuple[int, ...]:
        """The image of every class if the transformation permutes the classes; otherwise empty."""
        labels = self.of("labels")
        return labels.detail.permutation if labels is not None and isinstance(labels.detail, LabelMap) else ()

    def of(self, kind: str) -> Evidence | None:
        """The evidence of a kind, or None."""
        return next((evidence for evidence in self.evidence if evidence.kind == kind), None)


@dataclass(frozen=True, eq=False)
class DataSummary:
    """A description of the data: their kind, size, classes and columns."""

    kind: Kind | Literal["network"]
    #: The number of samples, and the shape of a sample.
    count: int
    shape: tuple[int, ...]
    #: The names of the classes; empty without classes.
    classes: tuple[str, ...] = ()
    #: The names of the columns of a table.
    columns: tuple[str, ...] = ()
    checksum: str = ""
    #: A few samples for pictures.
    examples: Tensor | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """The symmetries that a finder found. `print(answer)` shows a table; `answer.sentence` states the result."""

    #: What the maps preserve: the distribution ("data"), the distribution and the labels ("labels"), a function ("law")
    #: or the filters of a network ("filters").
    question: Question
    data: DataSummary
    rows: tuple[Row, ...]
    sentence: str
    #: The name of the whole symmetry, such as "D4", "O(2)" or "so(1,3)".
    name: str = ""
    #: The group of the finite maps that are kept; None if no finite map was asked about, or if they are not closed.
    group: Group | None = None
    #: The Lie algebra of the continuous maps that are kept; None if no continuous map was asked about.
    algebra: Algebra | None = None
    notes: tuple[str, ...] = ()
    #: The significance level of all verdicts together.
    level: float = LEVEL
    seed: int = 0
    #: The arguments of the finder, as plain values.
    settings: dict[str, Setting] = field(default_factory=dict)
    version: str = __version__

    @property
    def kept(self) -> tuple[Row, ...]:
        """The rows of the transformations that are kept."""
        return tuple(row for row in self.rows if row.verdict == "kept")

    def __getitem__(self, name: str) -> Row:
        """The row of a transformation."""
        for row in self.rows:
            if row.name == name:
                return row
        raise ValueError(f"name must be one of {', '.join(row.name for row in self.rows)}, got {name!r}")

    @property
    def action(self) -> apply.Action:
        """The group that is kept, with its action on samples and classes.

        If the data have classes, the question of the answer must be "labels": a network with a symmetry of only the
        samples could not tell the classes apart.
        """
        if self.group is None:
            raise ValueError("group must be known to be applied, this answer has none")
        for row in self.kept if self.data.classes else ():
            if (labels := row.of("labels")) is None or labels.verdict != "kept":
                raise ValueError(f'question must be "labels" for data with classes, got {self.question!r}')
        rows = {row.element: row for row in self.kept if row.element is not None}
        return apply.action_of(self.group, {word: (row.transformation, row.permutation) for word, row in rows.items()})

    def augmentation(self, *, seed: int = 0) -> apply.Augmentation:
        """A module for training that applies a random element of the group to every sample."""
        return apply.Augmentation(self.action, seed=seed)

    def symmetrised(self, model: nn.Module) -> apply.Symmetrised:
        """The model averaged over the group: exactly equivariant, at the cost of one forward pass per element."""
        return apply.Symmetrised(model, self.action)

    def network(self, *, parameters: int = 25_000, **options: Any) -> nn.Module:
        """A classifier for the images and classes of this answer that respects the group; options of `GroupNet`."""
        kind, channels, classes = self.data.kind, self.data.shape[0], len(self.data.classes)
        return apply.network(self.action, kind, channels, classes, parameters=parameters, **options)

    def layers(self, kernel_size: int | None = None) -> dict[str, Any]:
        """Keyword arguments that make `GroupConv2d`, `GroupConv1d`, `GroupConv3d` or `GroupLinear` keep the group."""
        return apply.layer_options(self.action, self.data.kind, kernel_size)

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame."""
        return stored.to_frame(self)

    def save(self, path: str | Path, *, images: bool = True) -> None:
        """Write the answer as .json, or as an .html page; `images=False` leaves the samples out."""
        (answer_page.write if Path(path).suffix == ".html" else stored.write)(self, Path(path), images)

    @classmethod
    def load(cls, path: str | Path, *, transformations: Mapping[str, Any] | None = None) -> "Answer":
        """Read a .json file; functions of the user are passed by name in `transformations`."""
        return stored.read(cls, Path(path), transformations or {})

    def __str__(self) -> str:
        return text_table.text(self)

    def __repr__(self) -> str:
        return f"<Answer: {self.sentence}>"

    def _repr_html_(self) -> str:
        return answer_page.fragment(self)
