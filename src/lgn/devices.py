"""The device that a computation runs on."""

import torch


def choose_device(device: str | torch.device) -> torch.device:
    """The device of a name; `"auto"` is the first of cuda, mps and cpu that is available."""
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device == "auto":
        return torch.device(next(name for name, is_available in available.items() if is_available))
    try:
        chosen = torch.device(device)
    except RuntimeError:
        raise ValueError(f"device must be auto, cpu, cuda or mps, got {device!r}") from None
    if not available.get(chosen.type, False):
        raise ValueError(f"device must be available on this machine, got {str(device)!r}")
    return chosen
