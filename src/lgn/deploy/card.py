"""The model card of a run, with its analysis."""

from pathlib import Path

from lgn.analysis import Analysis
from lgn.analysis.tables import HEAD, row
from lgn.front import analyze
from lgn.front.run_page import facts_of_run, result_of
from lgn.nn import summary
from lgn.text import markdown_table
from lgn.training import Run

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
    # The table of facts has texts of the user and a path of this machine: only these rows are shown.
    facts = {name: text for name, text in facts_of_run(run) if name in ("network", "generators", "training")}
    is_free = run.config.network.family is None
    sections = [
        HEADER,
        f"# A linear group network on {escape(Path(run.config.data).name)}\n",
        *(f"- {name}: {escape(text)}" for name, text in facts.items() if not (is_free and name == "generators")),
        f"- result: {result_of(run)}\n",
    ]
    if not is_free:
        sections += [f"```\n{summary(run.network)}\n```\n", *_findings(analysis or analyze(run))]
    return "\n".join([*sections, USE])


def escape(text: str) -> str:
    """Text in one line that Markdown and HTML show as it is."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()#!|~" else letter for letter in text)


def _findings(analysis: Analysis) -> list[str]:
    found = sum(bool(generator.findings) for generator in analysis.generators)
    rows = [[escape(cell) for cell in row(generator, analysis)] for generator in analysis.generators]
    return [
        "## Generators\n",
        f"{found} of {len(analysis.generators)} have a structure beyond chance, at a false-discovery rate of "
        f"{analysis.false_discovery_rate:g} over {analysis.tests} tests.\n",
        f"{markdown_table(HEAD, rows)}\n",
    ]
