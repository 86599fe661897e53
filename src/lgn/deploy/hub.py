"""Runs on the Hugging Face Hub, through the mixin of huggingface_hub."""

import functools
import shutil
from os import PathLike
from pathlib import Path
from typing import Any

from safetensors.torch import save_model
from torch import Tensor, nn

from lgn.data import NAMED_SETS
from lgn.deploy.card import model_card
from lgn.files import read_json, write_json
from lgn.pretrained import find_run
from lgn.training import Run

# The environment names paths of a machine, and the checkpoint is for training only: both are not uploaded.
REQUIRED = ("config.json", "model.safetensors")
OPTIONAL = ("metrics.jsonl", "initial.safetensors")
#: The options of huggingface_hub that a download takes.
DOWNLOAD = ("revision", "cache_dir", "force_download", "local_files_only", "token")


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
