"""`Algebra`: the Lie algebra of a continuous group, by a basis of matrices."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, eq=False)
class Algebra:
    """A Lie algebra of matrices L: `exp(t L)` is a symmetry for every t and every L in the span of the basis.

    Shapes: basis (m, d, d)
    """

    basis: Tensor
    #: Such as "so(3)"; empty for an algebra without a name.
    name: str = ""

    @property
    def dimension(self) -> int:
        """The number m of basis elements."""
        return len(self.basis)

    def __repr__(self) -> str:
        return f"Algebra({self.name or 'no name'}, dimension {self.dimension})"
