"""`Fit`: the result of estimating generators from filters, from pairs or from views."""

import math
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from lgn.groups import Group, relation_error
from lgn.text import Html, heat_map, html_table, paragraphs

Method = Literal["least-squares", "procrustes", "relations", "unordered"]
SIGNIFICANCE = 0.05  # the smallest p-value of 19 shuffles, with which the finders were calibrated
EFFECT = 0.05  # the smallest share of the trivial residual that a map must explain
PICTURES = 20  # the largest number of matrices shown in a notebook


@dataclass(frozen=True, eq=False)
class Fit:
    """A linear map, or the generators of a group, estimated from filters, pairs or views.

    A number that was not estimated is NaN, and any other value is None.

    Shapes: matrices (generators, d, d), or (generators, sets, d, d) with one generator per set
    """

    method: Method | Literal["pairs", "views"]
    matrices: Tensor
    #: The group with these generators; None if it is not known.
    group: Group | None
    #: The number of dimensions on which the data determine A; elsewhere A is arbitrary.
    identifiable_dimension: int
    #: The share that the map leaves unexplained, `|Y - A X|_F / |Y|_F`: of all filters, or of held-out pairs.
    residual: float = math.nan
    #: The same for the best trivial map: `c I` for filters, see Note [Trivial maps] for pairs.
    trivial_residual: float = math.nan
    #: The share of shuffled data that are fitted as well; 1 if any data can be fitted.
    p_value: float = math.nan
    #: The noise that the residual implies, as a share of the size of the filters.
    noise: float = math.nan
    #: The standard error of each entry in least squares, shaped as `matrices`; infinite without a residual.
    standard_errors: Tensor | None = None
    #: The number of the filter at every position of the orbit of a set, (sets, order).
    arrangement: Tensor | None = None
    #: The dimension of the group algebra of the views, which is the order of the group; 1 if there is no symmetry.
    algebra_dimension: int | None = None
    #: The factor by which the eigenvalues jump after the algebra; a symmetry needs a factor of 10.
    eigengap: float = math.nan

    @property
    def matrix(self) -> Tensor:
        """The matrix of the only generator: (d, d), or (sets, d, d)."""
        if len(self.matrices) != 1:
            raise ValueError(f"matrix must be the only one, got {len(self.matrices)}: use matrices")
        return self.matrices[0]

    @property
    def relation_error(self) -> float:
        """The largest `||w(A) - I||_F / ||I||_F` over the relations w of the group."""
        if self.group is None or not len(self.matrices):
            raise ValueError("group must be known to have relations, got none")
        return float(relation_error(self.group, self.matrices).max())

    @property
    def effect(self) -> float:
        """The share of the trivial residual that A explains, `1 - (residual / trivial_residual)^2`."""
        return 0.0 if self.trivial_residual < 1e-6 else 1 - (self.residual / self.trivial_residual) ** 2

    @property
    def found(self) -> bool:
        """Whether the fit is better than chance and than trivial maps; for views, whether there is an algebra."""
        if self.algebra_dimension is not None:
            return self.algebra_dimension > 1
        return self.p_value <= SIGNIFICANCE and self.effect >= EFFECT

    @property
    def name(self) -> str:
        """The name of the group; "none" for views without a symmetry, "unknown" for a group that is not known."""
        if self.algebra_dimension == 1:
            return "none"
        return "unknown" if self.group is None else self.group.name

    def _facts(self) -> dict[str, str]:
        """The estimates as text, by name."""
        facts: dict[str, str] = {"method": self.method}
        if self.method != "pairs":
            facts["group"] = self.name
        if self.algebra_dimension is not None:
            return facts | {"dimension of the algebra": f"{self.algebra_dimension}", "eigengap": f"{self.eigengap:.3g}"}
        facts["residual"] = f"{self.residual:.3g} (trivial map {self.trivial_residual:.3g})"
        facts["p"] = f"{self.p_value:.2g}"
        facts["determined on"] = f"{self.identifiable_dimension} of {self.matrices.shape[-1]} dimensions"
        if not math.isnan(self.noise):
            facts["noise"] = f"{self.noise:.2g} of the filters"
        return facts

    def __repr__(self) -> str:
        return f"Fit({', '.join(f'{name} {value}' for name, value in self._facts().items())})"

    def _repr_html_(self) -> str:
        shown = self.matrices.reshape(-1, *self.matrices.shape[-2:])[:PICTURES]
        pictures = Html("".join(heat_map(matrix) for matrix in shown))
        return paragraphs(pictures, html_table((), self._facts().items()))
