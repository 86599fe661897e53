"""The Hugging Face Hub: a run without what only training needs, through huggingface_hub's own mixin."""

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

# With these a directory is a run that can be loaded and analysed again. The environment and the checkpoint stay at
# home: one names paths of a machine, the other only continues training.
NEEDED = ("config.json", "model.safetensors")
WELCOME = ("metrics.jsonl", "initial.safetensors")


def hub_model(run: Run | str | PathLike[str]) -> Any:
    """The network of a run as a module with `save_pretrained` and `push_to_hub`.

    `hub_model(run).push_to_hub("name/repository")` uploads settings, weights and a card made from the analysis;
    `from_pretrained("name/repository")` brings it back.
    """
    run = find_run(run)
    if not run.finished:
        raise ValueError(f"run must be finished to be shared, {run.path} is not")
    return _class()(run)


def from_pretrained(name: str | PathLike[str], **options: Any) -> Any:
    """The network that `hub_model` saved, from a directory or from the Hub. Nothing that is read can run code.

    `options` are those of huggingface_hub, such as `revision`, `token` and `local_files_only`.
    """
    return _class().from_pretrained(str(name), **options)


@functools.cache
def _class() -> Any:
    """The class, made when it is first needed: huggingface_hub is an extra."""
    try:
        from huggingface_hub import ModelCard, ModelHubMixin, hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError
    except ImportError:
        raise ValueError("huggingface_hub must be installed to share a network: pip install 'lgn[hub]'") from None

    class HubModel(nn.Module, ModelHubMixin, library_name="lgn"):
        """A trained network with its run.  (N, C, H, W) -> what the network gives"""

        def __init__(self, run: Run) -> None:
            super().__init__()
            self.run = run
            self.network = run.model()
            self.eval()  # as what is loaded, not as what is trained

        def forward(self, images: Tensor) -> Tensor:
            return self.network(images)

        def generate_model_card(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG002
            return ModelCard(model_card(self.run))

        def _save_pretrained(self, save_directory: Path) -> None:
            write_json(save_directory / "config.json", public_settings(self.run))
            save_model(self.network, str(save_directory / "model.safetensors"))
            for name in WELCOME:
                if (self.run.path / name).is_file():
                    shutil.copyfile(self.run.path / name, save_directory / name)

        @classmethod
        def _from_pretrained(cls, *, model_id: str, **options: Any) -> "HubModel":
            if Path(model_id).is_dir():
                return cls(Run.open(model_id))
            paths = [hf_hub_download(model_id, name, **options) for name in NEEDED]
            for name in WELCOME:
                try:
                    hf_hub_download(model_id, name, **options)
                except EntryNotFoundError:  # an older or a leaner repository
                    continue
            return cls(Run.open(Path(paths[0]).parent))

    return HubModel


def public_settings(run: Run) -> dict[str, Any]:
    """config.json without the paths of this machine: a folder or a file is called by its last name."""
    settings = read_json(run.path / "config.json")
    settings.pop("schema")
    config = settings["config"]
    if config["data"] not in NAMED_SETS:
        config["data"] = Path(config["data"]).name
    config["data_dir"] = None
    return settings
