"""The comparison page of a sweep: every quantity of every setting, each run a dot."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lgn.files import write_atomic
from lgn.sweep.outcome import Setting, Spread

WIDTH = 160  # of the strip on which runs are dots, in pixels


@dataclass(frozen=True)
class Strip:
    """The runs of one setting on a line: places of the dots, of the mean and of its interval, in pixels."""

    dots: tuple[float, ...]
    mean: float
    low: float | None
    high: float | None


def write_comparison(path: Path, settings: Sequence[Setting], failures: dict[str, str] | None = None) -> None:
    """Write the page, whole or not at all. It needs no network, and runs no script."""
    write_atomic(path, render(settings, failures or {}).encode())


def render(settings: Sequence[Setting], failures: dict[str, str]) -> str:
    """The page as text; names and messages are escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    quantities = list(dict.fromkeys(name for setting in settings for name in setting.quantities))
    rows = []
    for name in quantities:
        estimates = [setting.quantities.get(name) for setting in settings]
        rows.append((name, list(zip(estimates, strips(estimates), strict=True))))
    environment = Environment(
        loader=PackageLoader("lgn.sweep"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("summary.html.jinja").render(
        settings=settings, rows=rows, failures=failures, width=WIDTH
    )


def strips(estimates: Sequence[Spread | None]) -> list[Strip | None]:
    """A strip for each setting, on one scale, so that settings can be compared by eye."""
    known = [each for each in estimates if each is not None]
    ends = [end for each in known for end in (*each.values, each.low, each.high) if end is not None]
    smallest, largest = min(ends), max(ends)

    def place(value: float) -> float:
        share = (value - smallest) / (largest - smallest) if largest > smallest else 0.5
        return round(6 + share * (WIDTH - 12), 1)

    def strip(each: Spread) -> Strip:
        low, high = (None if end is None else place(end) for end in (each.low, each.high))
        return Strip(tuple(map(place, each.values)), place(each.mean), low, high)

    return [None if each is None else strip(each) for each in estimates]
