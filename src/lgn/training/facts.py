"""What the data decided of a run, believed after a look."""

from typing import Any

FACTS = ("task", "image_shape", "class_names", "data", "counts", "preprocessing")


def believed_facts(facts: Any) -> dict[str, Any]:
    """What the data decided, after a look at what a network is built from."""
    if not isinstance(facts, dict):
        raise ValueError(f"facts must be an object, got {facts!r}")
    if missing := [name for name in FACTS if name not in facts]:
        raise ValueError(f"facts must have {missing[0]!r}, and do not")
    task, shape, names = facts["task"], facts["image_shape"], facts["class_names"]
    if task not in ("classify", "reconstruct"):
        raise ValueError(f"task must be classify or reconstruct, got {task!r}")
    if not (isinstance(shape, list) and len(shape) == 3 and all(type(size) is int and size > 0 for size in shape)):
        raise ValueError(f"image_shape must be channels, height and width, got {shape!r}")
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"class_names must be a list of text, got {names!r}")
    return facts
