"""Runs on the Hugging Face Hub, through the mixin of huggingface_hub, with a model card."""

import functools
import shutil
from os import PathLike
from pathlib import Path
from typing import Any

from safetensors.torch import save_model
from torch import Tensor, nn

from lgn.analysis import Analysis
from lgn.analysis.result import HEAD, row
from lgn.data import NAMED_SETS
from lgn.files import read_json, write_json
from lgn.front import analyze
from lgn.front.run_page import facts_of_run, result_of
from lgn.nn import summary
from lgn.pretrained import find_run
from lgn.text import markdown_table
from lgn.training import Run

# The environment names paths of a machine, and the checkpoint is for training only: both are not uploaded.
REQUIRED = ("config.json", "model.safetensors")
OPTIONAL = ("metrics.jsonl", "initial.safetensors")
#: The options of huggingface_hub that a download takes.
DOWNLOAD = ("revision", "cache_dir", "force_download", "local_files_only", "token")
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


def hub_model(run: Run | str | PathLike[str]) -> Any:
    """The network of a run as a module with `save_pretrained` and `push_to_hub`.

    `hub_model(run).push_to_hub("name/repository")` uploads settings, weights and a model card, and
    `from_pretrained("name/repository")` loads the network again.
    """
    run = find_run(run)
    if not run.finished:
        raise ValueError(f"run must be finished to be shared, got {run.path}")
    return _class()(run)


def from_pretrained(name: str | PathLike[str], **options: Any) -> Any:
    """The network that `hub_model` saved, from a directory or from the Hub. Loading it never runs code.

    options: arguments of huggingface_hub, such as `revision`, `token` and `local_files_only`.
    """
    return _class().from_pretrained(str(name), **options)


@functools.cache
def _class() -> Any:
    """The class, which needs the extra `hub`."""
    try:
        from huggingface_hub import ModelCard, ModelHubMixin, snapshot_download
    except ImportError:
        raise ValueError("huggingface_hub must be installed for hub_model: pip install 'lgn[hub]'") from None

    class HubModel(nn.Module, ModelHubMixin, library_name="lgn"):
        """A trained network with its run."""

        def __init__(self, run: Run) -> None:
            super().__init__()
            self.run = run
            self.network = run.model()
            self.eval()

        def forward(self, images: Tensor) -> Tensor:
            return self.network(images)

        def generate_model_card(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG002
            return ModelCard(model_card(self.run))

        def _save_pretrained(self, save_directory: Path) -> None:
            write_json(save_directory / "config.json", public_settings(self.run))
            save_model(self.network, str(save_directory / "model.safetensors"))
            for name in OPTIONAL:
                if (self.run.path / name).is_file():
                    shutil.copyfile(self.run.path / name, save_directory / name)

        @classmethod
        def _from_pretrained(cls, *, model_id: str, **options: Any) -> "HubModel":
            if Path(model_id).is_dir():
                return cls(Run.open(model_id))
            known = {name: options[name] for name in DOWNLOAD if name in options}
            return cls(Run.open(snapshot_download(model_id, allow_patterns=[*REQUIRED, *OPTIONAL], **known)))

    return HubModel


def public_settings(run: Run) -> dict[str, Any]:
    """The content of config.json without the paths of this machine."""
    settings = read_json(run.path / "config.json")
    settings.pop("schema")
    config = settings["config"]
    if config["data"] not in NAMED_SETS:
        config["data"] = Path(config["data"]).name
    config["data_dir"] = None
    return settings


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
        analysis = analysis or analyze(run)
        found = sum(bool(generator.findings) for generator in analysis.generators)
        rows = [[escape(cell) for cell in row(generator, analysis)] for generator in analysis.generators]
        sections += [
            f"```\n{summary(run.network)}\n```\n",
            "## Generators\n",
            f"{found} of {len(analysis.generators)} have a structure beyond chance, at a false-discovery rate of "
            f"{analysis.false_discovery_rate:g} over {analysis.tests} tests.\n",
            f"{markdown_table(HEAD, rows)}\n",
        ]
    return "\n".join([*sections, USE])


def escape(text: str) -> str:
    """Text in one line that Markdown and HTML show as it is."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()#!|~" else letter for letter in text)
