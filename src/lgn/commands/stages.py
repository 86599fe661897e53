"""What the stages before a run found, in words: what was lifted, and which start was chosen."""

from typing import Any

from lgn.training import Run
from lgn.training.files import read_json


def stage_lines(run: Run) -> list[str]:
    """Nothing for a run that had no stages."""
    lines: list[str] = []
    if (run.path / "lift.json").is_file():
        lines += _lifted(read_json(run.path / "lift.json"))
    if (run.path / "starts.json").is_file():
        lines += _starts(read_json(run.path / "starts.json"))
    return lines


def _lifted(facts: dict[str, Any]) -> list[str]:
    rate = facts["generator_rate"]
    after = "frozen" if not rate else f"trained on at {rate:g} times the learning rate"
    snapped = "" if facts["snap"] == "none" else f", snapped ({facts['snap']})"
    lines = [f"lifted from free filters: a generator for each layer by {facts['method']}{snapped}, then {after}"]
    for number, layer in enumerate(facts["layers"], 1):
        known = f"known on {layer['identifiable_dimension']} of {layer['dimensions']} dimensions"
        lines.append(
            f"  layer {number}: {100 * layer['residual']:.1f} % of the filters unexplained, "
            f"{100 * layer['p_value']:.0f} % of shuffled banks fitted as well; {known}; "
            f"lifting moved the filters by {100 * layer['distance']:.1f} %"
        )
    return lines


def _starts(facts: dict[str, Any]) -> list[str]:
    rows = [*facts["starts"], {"start": "free filters", "validation_accuracy": facts["free_validation_accuracy"]}]
    width = max(len(row["start"]) for row in rows)
    lines = [f"{'start':{width}}  validation  found"]
    for row in rows:
        angles = " ".join(f"{angle:.0f}" for angle in row.get("degrees", []))
        found = f"angles {angles}" if angles else "-"
        mark = "  (best)" if row["start"] == facts["best"] else ""
        lines.append(f"{row['start']:{width}}  {100 * row['validation_accuracy']:8.2f} %  {found}{mark}")
    difference = (
        f"{100 * facts['advantage']:+.2f} % on held-out images, standard error {100 * facts['standard_error']:.2f} %"
    )
    if facts["claimed"]:
        lines.append(f"a symmetry is claimed: {facts['best']} against free filters, {difference}")
    else:
        lines.append(
            f"no symmetry is claimed: {facts['best']} against free filters, {difference}, and two of these are needed"
        )
    return lines
