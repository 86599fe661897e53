"""The settings of a training: frozen dataclasses that are checked when they are made."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from lgn.generators import FAMILIES, Generator, Share, StartName
from lgn.groups import Group, as_group
from lgn.penalties import PENALTIES
from lgn.training.checks import require_family, require_group, require_limits

Task = Literal["auto", "classify", "reconstruct"]
FREE = "free"  # in place of a generator family: filters without a group


@dataclass(frozen=True)
class NetworkConfig:
    """The settings of the network."""

    architecture: Literal["unfolded", "cnn", "net"] = "unfolded"
    """The paper's unfolded network, a plain CNN of group layers, or a network that is equivariant (`GroupNet`)."""
    num_layers: int = 4
    """Number of layers L: steps of sparse coding, or convolutions."""
    num_sets: int = 5
    """Number of filter sets per layer, K."""
    group: str = "C4"
    """The group of the filter sets. A set is the orbit of a filter, with one filter for each element of the group."""
    kernel_size: int = 6
    """Side of the filters, n."""
    algorithm: Literal["ista", "fista"] = "ista"
    """The algorithm that is unfolded. FISTA adds momentum to ISTA."""
    step: float | Literal["safe"] = 0.01
    """Step size of the algorithm. 'safe' is the largest step for which ISTA converges."""
    normalise: bool = True
    """Apply batch normalisation after every layer except the last."""
    padding: int | Literal["same"] = 1
    """Rows and columns of zeros on each side of the image."""
    generator: str = "dense"
    """The family of generators. 'free' trains free filters without a group, 'fixed' uses a known operator."""
    operator: tuple[str, ...] = ()
    """Known operators, one for each generator of the group, such as 'rotation 90': for 'fixed' and 'affine'."""
    share: Share = "set"
    """Which filters share a generator: those of a channel, a set, a layer or the network."""
    start: StartName | Literal["group"] = "orthogonal"
    """The matrix that training starts from. 'group', for a net, is the known action of the group."""
    norm: float | None = None
    """Project generators and basis filters to this Frobenius norm after every step."""
    decoder: Literal["tied", "free"] = "tied"
    """For reconstruction: decode with the filters of the last layer, or with a separate dictionary."""
    pool: int = 4
    """For classification: codes are averaged over a grid of this many cells per side."""
    parameters: int = 25_000
    """For a net: the largest number of parameters. The net has as many filter sets as fit."""
    dropout: float = 0.0
    """For a net: the fraction of codes that a training step leaves out."""
    gates: bool = False
    """For a net: learn which elements of the group to keep (`lgn.nn.Gates`)."""

    def __post_init__(self) -> None:
        operator: Any = self.operator
        object.__setattr__(self, "operator", (operator,) if isinstance(operator, str) else tuple(operator))

    @property
    def finite_group(self) -> Group:
        """The group that `group` names."""
        return as_group(self.group)

    @property
    def family(self) -> type[Generator] | None:
        """The family of the generators; None for free filters."""
        return None if self.generator == FREE else FAMILIES[self.generator]


@dataclass(frozen=True)
class Config:
    """All settings of a training. The defaults are those of the paper.

    The paper does not mention gradient clipping. Without it, training on MNIST diverged at the paper's learning rate
    (results/training.md), so the default is the norm at which the authors' released code clips.
    """

    data: str = "digits"
    """A named data set (digits, mnist, cifar10, ...), a folder of images, or an .npz file."""
    task: Task = "auto"
    """'auto' classifies images that have labels and reconstructs others."""
    data_dir: Path | None = None
    """Directory of the named data sets. By default LGN_DATA, then the cache, then a download."""
    image_size: int | None = None
    """Resize the images of a folder to this side."""
    preprocess: Literal["standardise", "zca", "none"] = "standardise"
    """Preprocessing of the pixels, with statistics of the training images only."""
    validation: float = 0.0
    """Fraction of the training images that is held out to choose the best epoch. With 0 the last epoch is kept."""
    train_images: int | None = None
    """Train on this number of images only, evenly over the classes."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """The settings of the network."""
    freeze_filters: bool = False
    """Do not train the filters: the control of a random network."""
    generator_rate: float | None = None
    """Learning rate of the generators divided by that of the network. None is the default of the family."""
    penalty: str = "inverse"
    """The penalty on the generators (appendix B): a name of `lgn.penalties.PENALTIES`, or 'none'."""
    penalty_weight: float = 1e-3
    """Weight mu of the penalty."""
    penalty_start: Literal["inverse", "gaussian"] = "inverse"
    """Initial value of the auxiliary inverses of the penalty 'inverse'."""
    epochs: int = 100
    """Number of passes over the training images."""
    batch_size: int = 128
    """Images per step, over all processes."""
    learning_rate: float = 0.01
    """Largest learning rate of Adam."""
    schedule: Literal["halved", "one-cycle"] = "halved"
    """Halve the learning rate after 50, 75 and 87.5 % of the training, or let it rise and fall once."""
    weight_decay: float = 0.0
    """Decoupled weight decay (AdamW) of the filters and the head."""
    augment: Literal["none", "turns"] = "none"
    """'turns' rotates every training image by a random angle in each step."""
    test: Literal["epochs", "end"] = "epochs"
    """Evaluate the test images after every epoch, or only after the last."""
    clip: float | None = 2.0
    """Largest norm of the gradient."""
    seed: int = 0
    """Seed of the training."""
    data_seed: int = 0
    """Seed of the data: splits, and angles of rotated sets. Trainings with several seeds share a test set."""
    device: str = "auto"
    """'cpu', 'cuda', 'mps' or 'auto', which takes the first of cuda, mps and cpu that is available."""
    checkpoint_seconds: float = 60.0
    """Seconds between two checkpoints within an epoch. There is one after every epoch too."""

    def __post_init__(self) -> None:
        require_limits(vars(self) | vars(self.network))
        require_group(self.network)
        require_family(self.network)
        if self.penalty not in (*PENALTIES, "none"):
            raise ValueError(f"penalty must be one of {', '.join(PENALTIES)} or none, got {self.penalty!r}")


def differences(stored: Config, wanted: Config) -> dict[str, tuple[Any, Any]]:
    """The settings that change the result and differ: name -> (stored value, wanted value)."""
    old, new = (vars(config) | vars(config.network) for config in (stored, wanted))
    ignored = ("network", "data_dir", "device", "checkpoint_seconds")  # the last three do not change the result
    names = [name for name in old if name not in ignored and old[name] != new[name]]
    return {name: (old[name], new[name]) for name in names}
