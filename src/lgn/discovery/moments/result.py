"""What was found: the elements, the generators of the Lie algebra, the group, and a sentence about it."""

import html
from dataclasses import dataclass, replace

from torch import Tensor

from lgn.discovery.filters.snap import snap
from lgn.discovery.moments.judge import Verdict
from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.warp import Warp, fit_warp
from lgn.discovery.moments.whitening import Frame


@dataclass(frozen=True)
class Verified:
    """What a network says that must tell `A x` from x: its verdict, its share of right answers with an interval."""

    verdict: Verdict
    told_apart: float
    interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Element:
    """A linear map that the data keep, or may keep."""

    #: On the coordinates of the data less their mean, (d, d): what was found on r directions, the identity off them.
    matrix: Tensor
    #: On the r whitened directions, where it is orthogonal, (r, r).
    inner: Tensor
    #: A name where it has one, and its cosine on the r directions with what is called so.
    name: str | None
    cosine: float | None
    #: The exact matrix of that name, (d, d).
    exact: Tensor | None
    #: `|O . T - T|^2 / (4 |T|^2)` on samples that did not find it, unbiased, and its standard error.
    violation: float
    noise: float
    #: The violation over that of a map with the same eigenvalues placed at random; the largest of any direction.
    share: float
    worst_direction: float
    #: The smallest q with `A^q` near I; None where there is none up to 24.
    period: int | None
    #: Relative error on the r directions, from what the two halves of the data find.
    error: float
    verdict: Verdict
    #: How many samples would decide, where this many did not.
    needed: int | None
    #: Where class c goes, with labels.
    classes: tuple[int, ...] | None = None
    #: With `verify=True`, where it was asked.
    verified: Verified | None = None

    def left_open(self) -> "Element":
        """The same, undecided."""
        return replace(self, verdict="undecided")

    @property
    def called(self) -> str:
        """Its name with the cosine, or what it is without one."""
        if self.name is not None:
            return f"{self.name} (cosine {self.cosine:.3f})"
        return f"a map without a name{f' of period {self.period}' if self.period else ''}"


@dataclass(frozen=True, eq=False)
class LieGenerator:
    """A skew L on the whitened directions with `L . T = 0`: `exp(t L)` is kept for every t."""

    matrix: Tensor
    inner: Tensor
    #: Its eigenvalue over the first that is no symmetry's: how clear the zero is (0 at best, 1 for none).
    ratio: float
    #: What is left of the terms of `L . T` on samples that did not find it, with its standard error.
    share: float
    noise: float
    name: str | None
    cosine: float | None
    verdict: Verdict
    needed: int | None

    @property
    def called(self) -> str:
        return f"{self.name} (|cosine| {abs(self.cosine or 0):.3f})" if self.name is not None else "without a name"


@dataclass(frozen=True)
class GroupFound:
    """The group of what is kept, by name; its order, None where it has none or the elements do not close."""

    name: str
    order: int | None


@dataclass(frozen=True, eq=False)
class DataSymmetry:
    """The linear symmetries of data, by their moments."""

    #: Kept first, then undecided; the identity is not among them.
    elements: tuple[Element, ...]
    lie: tuple[LieGenerator, ...]
    group: GroupFound
    samples: int
    #: The whitened directions that were looked at.
    frame: Frame
    #: The order of the moments that decided; 0 where none could be seen.
    degree: int
    #: Signal over noise of those moments, and of the direction that they say least about.
    clarity: float
    weakest: float
    #: How many solutions the search had, how many of them were judged, and from how many starts.
    solutions: int
    judged: int
    starts: int
    #: Things to know: what was not searched, what could not be seen.
    notes: tuple[str, ...] = ()
    #: The pixels behind the coordinates; None for rows.
    grid: Grid | None = None

    def warp(self, element: Element) -> Warp | None:
        """An element as a warp of images of any size, fitted, and exact where it is near a turn or flip by quarters.

        None where it is no warp: of rows, of channels, and of maps without a geometry.
        """
        return None if self.grid is None else fit_warp(element.inner, self.frame, self.grid)

    def start(self, element: Element, kernel_size: int | None = None) -> Tensor:
        """An element A for layers: `generator="fixed", start=found.start(element), order=element.period`.

        Its transpose B, of exact period p: filters `B^j w` give `<B^j w, A x> = <B^(j+1) w, x>`, so that a layer's
        outputs at A x are those at x, one place on in each set. Without a kernel size it acts on the coordinates of
        the data less their mean, for `GroupLinear`; with one on the kernels of `GroupConv2d`, as a warp.

        Shapes: -> (d, d), or (kernel_size^2, kernel_size^2)
        """
        if element.period is None:
            raise ValueError(f"element must have a period up to 24 to make a layer of, and {element.called} has none")
        if kernel_size is not None:
            warp = self.warp(element)
            if warp is not None:
                return warp.matrix((kernel_size, kernel_size)).T.contiguous()
            if self.grid is None or self.grid != Grid(1, (kernel_size, kernel_size)):
                raise ValueError(f"element must be a warp of pixels to act on kernels, and {element.called} is none")
        if element.exact is not None:
            return element.exact.T.contiguous()
        return self.frame.lift(snap(element.inner, "roots", element.period)).T.contiguous()

    @property
    def rank(self) -> int:
        """How many directions were looked at."""
        return self.frame.rank

    @property
    def kept(self) -> tuple[Element, ...]:
        return tuple(each for each in self.elements if each.verdict == "kept")

    @property
    def sentence(self) -> str:
        """What was found, in one sentence."""
        where = f"{self.samples:,} samples, {self.rank} of {len(self.frame.mean)} directions"
        if self.degree == 0:
            return f"Nothing can be seen ({where}): {self.notes[0] if self.notes else 'no moments'}."
        said = []
        if self.lie and any(each.verdict == "kept" for each in self.lie):
            kept = [each.called for each in self.lie if each.verdict == "kept"]
            said.append(f"a continuous symmetry of dimension {len(kept)}: {', '.join(kept)}")
        if self.kept:
            said.append(f"kept by {self.group.name}: {', '.join(each.called for each in self.kept)}")
        asked = [each for each in self.kept if each.verified is not None]
        if asked:
            sure = sum(each.verified is not None and each.verified.verdict == "kept" for each in asked)
            said.append(f"a network that must tell them apart confirms {sure} of {len(asked)}")
        needed = [each.needed for each in self.elements if each.verdict == "undecided"]
        needed += [each.needed for each in self.lie if each.verdict == "undecided"]
        if needed:
            known = [each for each in needed if each is not None]
            said.append(f"{len(needed)} undecided{f', {min(known):,} samples may decide' if known else ''}")
        if not said:
            said = ["No symmetry found"]
        return f"{'; '.join(said)} ({where})."

    def __repr__(self) -> str:
        return f"DataSymmetry({self.sentence})"

    def _repr_html_(self) -> str:
        heads = ("", "verdict", "violation", "share of chance", "worst direction", "period", "error", "told apart")
        rows = [
            (
                each.called,
                each.verdict,
                f"{each.violation:.4f} ± {each.noise:.4f}",
                f"{each.share:.3f}",
                f"{each.worst_direction:.3f}",
                str(each.period or ""),
                f"{each.error:.3f}",
                "" if each.verified is None else f"{each.verified.told_apart:.3f}, {each.verified.verdict}",
            )
            for each in self.elements
        ]
        rows += [
            (f"generator: {each.called}", each.verdict, f"{each.share:.4f} ± {each.noise:.4f}", "", "", "", "", "")
            for each in self.lie
        ]
        table = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in (heads, *rows)
        )
        notes = "".join(f"<p>{html.escape(note)}.</p>" for note in self.notes)
        return f"<p>{html.escape(self.sentence)}</p><table>{table}</table>{notes}"
