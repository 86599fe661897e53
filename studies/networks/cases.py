"""What is trained: data, methods, numbers of images, seeds, and the settings of each."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from lgn.training import Config, preset
from lgn.training.networks import trained_on, with_free_filters, with_gates, with_group

#: The group that was planted in each set; in upright digits there is none, and the group does harm.
GIVEN = {
    "rotated-mnist": "C8",
    "rotated-mnist-90": "C4",
    "rotated-mnist-45": "C8",
    "flipped-cifar10": "D1",
    "mnist": "C8",
    "digits": "C4",
}
#: All images that a set has to train with.
WHOLE = {"rotated-mnist": 12_000, "rotated-mnist-90": 12_000, "rotated-mnist-45": 12_000, "digits": 5000}
FULL, SHORT, QUICK = 24, 16, 3
#: Of fewer images a training sees so many in all: 16 epochs of 300 would be 75 steps.
VISITS = 60_000
#: Half the side, and half the parameters: for questions that many trainings answer, gates and generators that learn.
SIDE, PARAMETERS = 14, 12_000
#: Images and epochs of those.
IN_PART, TRAINED_ON = (4000, 8), ((1000, 30), (12_000, 4))


@dataclass(frozen=True)
class Case:
    """One training: rows of the table are these."""

    data: str
    method: str  # of `page.METHODS`
    images: int
    seed: int
    augmented: bool = False
    epochs: int = SHORT
    small: bool = False

    @property
    def name(self) -> str:
        """The directory of its run."""
        turned = "-augmented" if self.augmented else ""
        return f"{self.data}-{self.images}-{self.method}-{self.seed}{turned}{'-small' if self.small else ''}"

    @property
    def key(self) -> dict[str, Any]:
        """What tells its row from the others."""
        return {name: value for name, value in asdict(self).items() if name != "epochs"}

    def base(self) -> Config:
        """The settings that all methods share; each seed has images of its own."""
        count = None if WHOLE.get(self.data) == self.images else self.images
        return preset(
            "net",
            "classify",
            data=self.data,
            train_images=count,
            seed=self.seed,
            data_seed=self.seed,
            epochs=self.epochs,
            augment="turns" if self.augmented else "none",
            **({"parameters": PARAMETERS, "image_size": SIDE} if self.small else {}),
            device="cpu",
        )

    def config(self) -> Config:
        """The settings of a method that needs no question; what is found, `rows` asks."""
        base = self.base()
        if self.method == "free":
            return with_free_filters(base)
        if self.method == "gated":
            return with_gates(base, GIVEN[self.data])
        given = with_group(base, GIVEN[self.data])
        if self.method == "trained":
            return trained_on(given)
        if self.method == "paper":
            return replace(given, network=replace(given.network, generator="dense"), penalty="inverse")
        return given


def _full() -> Iterator[Case]:
    for seed in range(5):
        for method in ("given", "free") if seed < 3 else ("given",):
            yield Case("rotated-mnist", method, 12_000, seed, epochs=FULL)


def _found() -> Iterator[Case]:
    for seed in range(5):
        yield Case("rotated-mnist", "found", 12_000, seed, epochs=FULL)


def _few() -> Iterator[Case]:
    for seed in range(3):
        for images in (300, 1000):
            for method in ("free", "given", "found"):
                yield Case("rotated-mnist", method, images, seed, epochs=VISITS // images)


def _others() -> Iterator[Case]:
    for data, images in (("flipped-cifar10", 5000), ("rotated-mnist-90", 12_000), ("mnist", 12_000)):
        for seed in range(3):
            for method in ("free", "given", "found"):
                yield Case(data, method, images, seed)


def _paper() -> Iterator[Case]:
    for seed in range(3):
        for images in (300, 1000):
            yield Case("rotated-mnist", "paper", images, seed, epochs=VISITS // images)
        for data, images in (("flipped-cifar10", 5000), ("rotated-mnist-90", 12_000), ("rotated-mnist", 12_000)):
            yield Case(data, "paper", images, seed)


def _augmented() -> Iterator[Case]:
    for method in ("free", "given"):
        yield Case("rotated-mnist", method, 12_000, 0, augmented=True, epochs=FULL)


def _partial() -> Iterator[Case]:
    images, epochs = IN_PART
    for seed in range(1, 6):  # seed 0 showed that a price of gates does harm
        for data in ("rotated-mnist-45", "mnist", "rotated-mnist"):
            yield Case(data, "gated", images, seed, epochs=epochs, small=True)
        for method in ("given", "free"):
            yield Case("rotated-mnist-45", method, images, seed, epochs=epochs, small=True)


def _trained() -> Iterator[Case]:
    for seed in range(3):
        for images, epochs in TRAINED_ON:
            for method in ("given", "trained"):
                yield Case("rotated-mnist", method, images, seed, epochs=epochs, small=True)


PARTS = {
    "full": _full,
    "found": _found,
    "few": _few,
    "others": _others,
    "paper": _paper,
    "augmented": _augmented,
    "partial": _partial,
    "trained": _trained,
}


def cases(parts: tuple[str, ...], quick: bool) -> list[Case]:
    """The trainings of some parts, of all where none are named; quick, two of the digits in the package."""
    if unknown := [part for part in parts if part not in PARTS]:
        raise ValueError(f"parts must be of {', '.join(PARTS)}, got {unknown[0]!r}")
    if quick:
        return [Case("digits", method, 5000, 0, epochs=QUICK) for method in ("free", "given", "found")]
    return [case for part in parts or PARTS for case in PARTS[part]()]
