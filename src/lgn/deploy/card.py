"""The model card of a run, with its analysis."""

from pathlib import Path

from lgn.analysis import Analysis
from lgn.analysis.tables import HEAD, row
from lgn.front import analyze
from lgn.nn import summary
from lgn.text import markdown_table
from lgn.training import Run
from lgn.training.presets import nearest_preset

# The YAML header has no text of the user: a name of a data set could change its meaning.
HEADER = """---
library_name: lgn
tags:
- lgn
- symmetry-discovery
- linear-groups
---
"""
USE = """## Use

```python
from lgn.deploy import from_pretrained

model = from_pretrained("THIS_REPOSITORY")  # or its directory
outputs = model(images)  # preprocessed by `lgn.training.Run(directory).prepare(images)`
```

Weights are safetensors and settings are JSON: loading them never runs code.
"""


def model_card(run: Run, analysis: Analysis | None = None) -> str:
    """The card of a run as Markdown; `analysis` is that of the run by default."""
    facts, network, group = run.facts, run.config.network, run.config.network.finite_group
    task = f"classifies into {len(facts.class_names)} classes" if facts.task == "classify" else "reconstructs"
    kind = "An unfolded network" if network.architecture == "unfolded" else "A plain convolutional network"
    free = network.family is None
    filters = "free filters" if free else f"orbits of {group.name} under a learned generator ({network.generator})"
    sections = [
        HEADER,
        f"# A linear group network on {escape(Path(run.config.data).name)}\n",
        f"{kind} of {network.num_layers} layers that {task}. Each layer has {network.num_sets} sets of {group.order} "
        f"filters of {network.kernel_size}x{network.kernel_size}: {filters}.\n",
        *_result(run),
        "",
    ]
    if not free:
        sections += [f"```\n{summary(run.network)}\n```\n", *_findings(analysis or analyze(run))]
    return "\n".join([*sections, USE])


def escape(text: str) -> str:
    """Text in one line that Markdown and HTML show as it is."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()#!|~" else letter for letter in text)


def _result(run: Run) -> list[str]:
    last = run.metrics[-1] if run.metrics else {}
    lines = [f"- epochs: {last.get('epoch', 0)}, seed {run.config.seed}, preset {nearest_preset(run.config)}"]
    if "test_accuracy" in last:
        lines.append(f"- test accuracy after the last epoch: {100 * last['test_accuracy']:.2f} %")
    if "test_error" in last:
        lines.append(f"- test error after the last epoch: {last['test_error']:.4g}")
    return lines


def _findings(analysis: Analysis) -> list[str]:
    found = sum(bool(generator.findings) for generator in analysis.generators)
    rows = [[escape(cell) for cell in row(generator, analysis)] for generator in analysis.generators]
    return [
        "## Generators\n",
        f"{found} of {len(analysis.generators)} have a structure beyond chance, at a false-discovery rate of "
        f"{analysis.false_discovery_rate:g} over {analysis.tests} tests.\n",
        f"{markdown_table(HEAD, rows)}\n",
    ]
