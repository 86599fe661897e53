"""The model card: what a shared network is, in the words and numbers of its analysis."""

from pathlib import Path

from lgn.analysis import Analysis
from lgn.analysis.tables import HEAD as HEADS
from lgn.analysis.tables import row
from lgn.front import analyze
from lgn.nn import summary
from lgn.text import markdown_table
from lgn.training import Run
from lgn.training.presets import nearest_preset

# Nothing of the user's goes in here: what a data set is called must not be read as YAML.
HEAD = """---
library_name: lgn
tags:
- lgn
- symmetry-discovery
- linear-groups
---
"""

LAW = "a set is the orbit of one filter under a learned matrix, its generator (family: {})."

USE = """## Use

```python
from lgn.deploy import from_pretrained

model = from_pretrained("THIS_REPOSITORY")  # or a directory that it was copied to
outputs = model(images)  # prepared as in training: `lgn.training.Run(directory).prepare(images)`
```

Weights are safetensors and settings are JSON: nothing that is loaded can run code.
"""


def model_card(run: Run, analysis: Analysis | None = None) -> str:
    """The card of a run as Markdown: what was trained, how good it is, and what each generator does.

    The analysis is the one in the run's analysis.json where there is one, else it is made now.
    """
    facts, network = run.facts, run.config.network
    name = Path(run.config.data).name
    job = f"classifies into {len(facts.class_names)} classes" if facts.task == "classify" else "reconstructs"
    kind = "An unfolded network" if network.architecture == "unfolded" else "A plain convolutional network"
    group = network.finite_group
    sections = [
        HEAD,
        f"# A linear group network on {escape(name)}\n",
        f"{kind} of {network.num_layers} layers that {job}. Each layer has {network.num_sets} filter sets "
        f"of {group.order} filters, orbits of {group.name}, {network.kernel_size}x{network.kernel_size}; "
        + ("the filters are free." if network.generator == "free" else LAW.format(network.generator)),
        "",
        *_result(run),
        "",
    ]
    if network.generator != "free":
        sections += [f"```\n{summary(run.network)}\n```\n", *_learned(analysis or analyze(run))]
    return "\n".join([*sections, USE])


def escape(text: str) -> str:
    """Text that Markdown and HTML show as it is, on one line."""
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


def _learned(analysis: Analysis) -> list[str]:
    found = sum(bool(each.findings) for each in analysis.generators)
    rows = [[escape(cell) for cell in row(each, analysis)] for each in analysis.generators]
    return [
        "## What the generators do\n",
        f"{found} of {len(analysis.generators)} have a structure beyond chance, at a false-discovery rate of "
        f"{analysis.false_discovery_rate:g} over {analysis.tests} tests.\n",
        f"{markdown_table(HEADS, rows)}\n",
    ]
