"""What the stages before a run found, in words: what was lifted, and which start was chosen."""

from typing import Any

from lgn.training import Run
from lgn.whole_files import read_json


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
            f"  layer {number}: {100 * layer['residual']:.1f} % of the filters unexplained"
            f"{_beside_scalar(layer)}, {100 * layer['p_value']:.0f} % of shuffled banks fitted as well; {known}; "
            f"lifting moved the filters by {100 * layer['distance']:.1f} %"
        )
    return lines


def _beside_scalar(layer: dict[str, Any]) -> str:
    """Runs that were lifted before it was measured do not say."""
    if "scalar_residual" not in layer:
        return ""
    return f", {100 * layer['scalar_residual']:.1f} % by the best c I"


def _starts(facts: dict[str, Any]) -> list[str]:
    rows = facts["starts"]
    width = max(len(row["start"]) for row in rows)
    lines = [f"{'start':{width}}  validation  found"]
    for row in rows:
        angles = " ".join(f"{angle:.0f}" for angle in row.get("degrees", []))
        found = f"angles {angles}" if angles else "-"
        mark = "  (best)" if row["start"] == facts["best"] else ""
        lines.append(f"{row['start']:{width}}  {100 * row['validation_accuracy']:8.2f} %  {found}{mark}")
    claim = "a symmetry is claimed" if facts["claimed"] else "no symmetry is claimed"
    lines.append(
        f"{claim}: {facts['best']} trained anew has {100 * facts['retrained_accuracy']:.2f} % of the images that chose "
        f"nothing, free filters {100 * facts['free_accuracy']:.2f} %, {100 * facts['advantage']:+.2f} with a standard "
        f"error of {100 * facts['standard_error']:.2f}, p = {facts['p_value']:.2g}"
    )
    lines.append(f"(where there is no symmetry, at most {100 * facts['false_claim_rate']:.0f} % of searches claim one)")
    return lines
