"""What the data set decides about a run."""

from dataclasses import dataclass
from typing import Any, Literal

from lgn.data.preprocess import Recipe
from lgn.files import decode, encode


@dataclass(frozen=True, eq=False)
class Facts:
    """What the data set decides about a run. It is stored in the config.json of the run, beside the config."""

    task: Literal["classify", "reconstruct"]
    #: Channels, height and width.
    image_shape: tuple[int, int, int]
    class_names: tuple[str, ...]
    data_name: str
    #: What was noticed while the data were read.
    data_notes: tuple[str, ...]
    data_checksum: str
    #: Number of images of each part: train, test and, if it is held out, validation.
    counts: dict[str, int]
    preprocessing: Recipe

    def __post_init__(self) -> None:
        if min(self.image_shape) < 1:
            raise ValueError(f"image_shape must be positive, got {self.image_shape}")

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return dict(encode(self))

    @staticmethod
    def from_json(values: Any) -> "Facts":
        """Read what `to_json` wrote."""
        return decode(Facts, values, "facts")
