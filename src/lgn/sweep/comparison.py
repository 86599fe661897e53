"""The comparison page of a sweep: all quantities of all settings, with one dot per run."""

from collections.abc import Sequence
from pathlib import Path

from lgn.files import write_atomic
from lgn.sweep.outcome import Setting, Spread
from lgn.text import Html, html_list, html_page, html_table, paragraphs

#: The width in pixels of the strip on which runs are dots.
WIDTH = 160


def write_comparison(path: Path, settings: Sequence[Setting], failures: dict[str, str]) -> None:
    """Write the page; it works offline."""
    rows = []
    for name in dict.fromkeys(name for setting in settings for name in setting.quantities):
        estimates = [setting.quantities.get(name) for setting in settings]
        ends = [end for estimate in estimates if estimate is not None for end in (*estimate.values, *estimate.interval)]
        scale = min(ends), max(ends)
        rows.append([name, *("none" if estimate is None else cell(estimate, scale) for estimate in estimates)])
    runs = [f"{name} failed: {reason}" for name, reason in failures.items()]
    runs += [run for setting in settings for run in setting.runs]
    text = (
        "A dot is a run, the upright line the mean over runs, and the bar its 95 % confidence interval. The structure "
        "score of a run is the mean over its generators. The strips of a row share one scale."
    )
    table = html_table(["quantity", *(f"{setting.name} ({len(setting.runs)})" for setting in settings)], rows)
    write_atomic(path, html_page("Sweep", paragraphs(text, table, html_list(runs))).encode())


def cell(estimate: Spread, scale: tuple[float, float]) -> Html:
    """The mean, half the interval, and the runs as dots on a strip from scale[0] to scale[1]."""
    low, high = scale

    def place(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(6 + share * (WIDTH - 12), 1)

    text, bar = f"{estimate.mean:.4f}", ""
    if estimate.interval:
        first, last = estimate.interval
        text += f" ± {last - estimate.mean:.4f}"
        bar = f'<line x1="{place(first)}" x2="{place(last)}" y1="8" y2="8"/>'
    dots = "".join(f'<circle cx="{place(value)}" cy="8" r="3.5"/>' for value in estimate.values)
    mean = f'<line x1="{place(estimate.mean)}" x2="{place(estimate.mean)}" y1="2" y2="14"/>'
    return Html(f'{text}<br><svg width="{WIDTH}" height="16" role="img" aria-label="runs">{dots}{bar}{mean}</svg>')
