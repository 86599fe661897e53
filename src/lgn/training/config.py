"""What a training is made of: one frozen dataclass, printable, with presets as values of it."""

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from lgn.generators import FAMILIES, Generator, Share, StartName
from lgn.groups import Group, as_group, chosen_group
from lgn.training.checks import require_family, require_group, require_numbers

Task = Literal["auto", "classify", "reconstruct"]
PenaltyName = Literal["inverse", "singular-values", "log-determinant", "orthogonality", "closure", "relations", "none"]
FREE = "free"  # filters without a group, in place of a family


@dataclass(frozen=True)
class NetworkConfig:
    """The network."""

    architecture: Literal["unfolded", "cnn", "net"] = "unfolded"
    """The paper's unfolded network, a plain CNN of group layers, or a network that keeps its group (`GroupNet`)."""
    num_layers: int = 4
    """Steps of sparse coding, or layers of a CNN or a net, L."""
    num_sets: int = 5
    """Filter sets per layer, K."""
    order: int = 4
    """Elements per filter set, p; of a group, as many as it has."""
    group: str | None = None
    """The group whose orbits filter sets are, such as 'D4'; None is the cyclic one of the order."""
    kernel_size: int = 6
    """Side of the filters, n."""
    algorithm: Literal["ista", "fista"] = "ista"
    """What is unfolded; fista adds momentum."""
    step: float | Literal["safe"] = 0.01
    """Step size: a number, or 'safe', the largest at which ISTA converges."""
    normalise: bool = True
    """Batch normalisation after every layer but the last."""
    padding: int | Literal["same"] = 1
    """Zeros around the image."""
    generator: Annotated[str, tyro.conf.arg(metavar=f"{{{','.join((*FAMILIES, FREE))}}}")] = "dense"
    """What a generator may be; 'free' has free filters instead of a group, 'fixed' a known operator."""
    operator: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """A fixed generator's known operator, or where an affine one starts: 'rotation 40 bilinear'; one a generator."""
    share: Share = "set"
    """Who has a generator of their own."""
    start: StartName | Literal["group"] = "orthogonal"
    """The matrix that training starts from; of a net, 'group' is the known action of its group."""
    norm: float | None = None
    """Frobenius norm to which dense generators and bases are projected after every step."""
    decoder: Literal["tied", "free"] = "tied"
    """For reconstruction: decode with the last layer's filters, or with a dictionary of its own."""
    pool: int = 4
    """For classification: codes are averaged over a grid of this many cells a side."""
    parameters: int = 25_000
    """Of a net: the most numbers that it may have; it gets as many sets as fit."""
    dropout: float = 0.0
    """Of a net: the share of codes that a training step leaves out."""
    gates: bool = False
    """Of a net: learn which elements of the group to keep (`lgn.nn.Gates`)."""

    def __post_init__(self) -> None:
        # One operator may be written as it is, and none as None, as older runs do.
        given: Any = self.operator
        object.__setattr__(self, "operator", (given,) if isinstance(given, str) else tuple(given or ()))

    @property
    def chosen_group(self) -> Group:
        """The group, that of the order where none is named."""
        return chosen_group(self.order, self.group)

    @property
    def family(self) -> type[Generator] | None:
        """What the generators are; None for free filters."""
        return None if self.generator == FREE else FAMILIES[self.generator]


@dataclass(frozen=True)
class Config:
    """A training, wholly described. The defaults are those of the paper.

    Of clipping its text says nothing; without it, training on MNIST diverged at the paper's learning rate
    (results/training.md), so the norm that the released code clips at is taken.
    """

    data: Annotated[str, tyro.conf.Positional] = "digits"
    """A named set (digits, mnist, fashion-mnist, cifar10, rotated-mnist), a folder of images, or an .npz file."""
    task: Task = "auto"
    """auto: classify where there are labels, else reconstruct."""
    data_dir: Path | None = None
    """Where named sets lie (or LGN_DATA); without it they are looked for in the cache, then downloaded."""
    image_size: int | None = None
    """Side to which images of a folder are resized."""
    preprocess: Literal["standardise", "zca", "none"] = "standardise"
    """What is done to pixels, with statistics of the training images alone."""
    grey: bool = False
    """Turn colour images grey."""
    validation: float = 0.0
    """Share of the training images held out to choose by; without it nothing is chosen."""
    train_images: int | None = None
    """Use only this many training images, evenly over the classes."""
    network: tyro.conf.OmitArgPrefixes[NetworkConfig] = field(default_factory=NetworkConfig)
    freeze_filters: bool = False
    """Leave the filters as they start: the control of a random network."""
    generator_rate: float | None = None
    """Learning rate of generators over that of the rest; 0 freezes. None: as the family asks."""
    penalty: PenaltyName = "inverse"
    """What generators are encouraged to be; those without an inverse, such as affine, to nothing unless asked."""
    penalty_weight: float = 1e-3
    """The weight mu of the penalty."""
    penalty_start: Literal["inverse", "gaussian"] = "inverse"
    """Where auxiliary inverses start."""
    epochs: int = 100
    """Passes over the training images."""
    batch_size: int = 128
    """Images per step, over all processes."""
    learning_rate: float = 0.01
    """Adam's largest step."""
    schedule: Literal["halved", "one-cycle"] = "halved"
    """The step is halved when 50, 75 and 87.5 % of training are done, or rises and falls once."""
    weight_decay: float = 0.0
    """How much of each filter and of the head is taken off in a step, times the step (AdamW)."""
    augment: Literal["none", "turns"] = "none"
    """Turn each image by an angle of its own before a step shows it."""
    test: Literal["epochs", "end"] = "epochs"
    """Classify the test images after every epoch, or once, after the last."""
    clip: float | None = 2.0
    """Largest norm of the gradient."""
    seed: int = 0
    """Everything random in training comes from it."""
    data_seed: int = 0
    """Everything random in the data: splits, and the angles of rotated sets. Apart, so that seeds share a test set."""
    device: str = "auto"
    """cpu, cuda, mps, or auto: the first of cuda and cpu that is there."""
    checkpoint_seconds: float = 60.0
    """A checkpoint is written this often, and after every epoch."""

    def __post_init__(self) -> None:
        require_numbers(self)
        require_group(self.network)
        require_family(self.network)

    @classmethod
    def paper(cls, **changes: Any) -> "Config":
        """What the paper's text says. `changes` may name fields of the network too."""
        return preset("paper", **changes)

    @classmethod
    def released(cls, **changes: Any) -> "Config":
        """What the authors' released code is known to do."""
        return preset("released", **changes)

    @classmethod
    def stable(cls, **changes: Any) -> "Config":
        """The paper's settings, and what bounds its filters in long trainings: ours."""
        return preset("stable", **changes)

    @classmethod
    def quick(cls, **changes: Any) -> "Config":
        """The paper's settings, for minutes instead of hours."""
        return preset("quick", **changes)

    @property
    def preset(self) -> str:
        """The preset that this config is nearest to: of those that differ in as few settings, the first."""
        return min(PRESETS, key=lambda name: len(changes_between(preset(name, self.task), self)))

    def differences(self) -> dict[str, Any]:
        """The settings in which a config differs from its preset."""
        return changes_between(preset(self.preset, self.task), self)


# What decides the result of a run; the rest may differ when it is continued elsewhere.
INCIDENTAL = ("data_dir", "device", "checkpoint_seconds")

# Its whitening adds 1e-8 to the variances, which blows up pixels that are constant in train; ours is safe.
RELEASED = Config(
    preprocess="zca",
    network=NetworkConfig(algorithm="fista", share="channel", start="gaussian", norm=1.0),
    penalty_weight=1e-4,
    penalty_start="gaussian",
)

# Adam moves all entries of a matrix at once: a step of 0.01 can change the norm of a 36x36 generator by 0.36, and its
# third power makes filters of it. A tenth of that, and a decay of what batch normalisation lets grow, bound both.
# A step that falls to zero lets training come to rest.
STABLE = Config(generator_rate=0.1, weight_decay=0.1, schedule="one-cycle")

# A network that keeps its group. Pixels stay from 0 to 1: a black margin and the zeros around it are then the same.
NET = Config(
    task="classify",
    preprocess="none",
    network=NetworkConfig(architecture="net", num_layers=5, kernel_size=5, generator="fixed", dropout=0.1),
    penalty="none",
    epochs=30,
    batch_size=64,
    schedule="one-cycle",
    weight_decay=1e-2,
    test="end",
)

PRESETS: dict[str, Config] = {
    "paper": Config(),
    "released": RELEASED,
    "stable": STABLE,
    "quick": Config(epochs=12),
    "net": NET,
}

# What every training chooses for itself, whatever its preset.
CHOSEN = ("data", "task", "train_images", "seed", "data_seed", *INCIDENTAL)


def changes_between(base: Config, config: Config) -> dict[str, Any]:
    """What differs of two configs, fields of the network among the others."""
    return {
        each.name: new
        for one, other in ((base, config), (base.network, config.network))
        for each in fields(one)
        if each.name not in ("network", *CHOSEN) and (new := getattr(other, each.name)) != getattr(one, each.name)
    }


def preset(name: str, task: Task = "auto", **changes: Any) -> Config:
    """A preset, as it is for a task. `changes` may name fields of the network too.

    The released code reconstructs without batch normalisation, with a free dictionary and an inverse weight of 1e-2.
    A family has the penalty that it asks for, and a group its order.
    """
    if name not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {name!r}")
    config = PRESETS[name]
    if name == "released" and task == "reconstruct":
        network = replace(config.network, normalise=False, decoder="free")
        config = replace(config, network=network, penalty_weight=1e-2)
    if (family := FAMILIES.get(changes.get("generator", ""))) is not None:
        changes = {"penalty": family.penalty, **changes}
    if changes.get("group") is not None:
        changes = {"order": as_group(changes["group"]).order, **changes}
    of_network = {key: changes.pop(key) for key in list(changes) if key in NetworkConfig.__dataclass_fields__}
    return replace(config, task=task, network=replace(config.network, **of_network), **changes)
