"""The front door: a run, a model or matrices in; a trained network or an analysis out."""

from collections.abc import Callable
from os import PathLike
from typing import Any

import torch
from torch import Tensor, nn

from lgn.algebra import vec
from lgn.analysis import Analysis, analyze_matrices
from lgn.generators import FAMILIES, Generator, generators_of, make_generator
from lgn.nn import OrbitBank, UnfoldedEncoder
from lgn.pretrained import find_run
from lgn.training import Run

# What a family has by law is shown as such, and can never be a finding.
BY_CONSTRUCTION = {
    "Circulant": ("doubly block-circulant", "block-Toeplitz", "few 2-D Fourier lines"),
    "Kronecker": ("Kronecker",),
}


def load(run: str | PathLike[str] | Run, device: str | None = None) -> nn.Module:
    """The network of a run directory, or of a name that comes with the package. No code is read from any file."""
    return find_run(run).model(device)


def analyze(
    source: str | PathLike[str] | Run | nn.Module | Tensor, patch: tuple[int, int] | None = None, **options: Any
) -> Analysis:
    """Say what generators do, in numbers and with what chance would give: of a run, a model, or any matrices.

    Matrices (G, d, d) need `patch`, the size (n, m) of the filters that they act on; a model needs it only if it has
    kernels of several sizes. `options` are those of `lgn.analysis.analyze_matrices`, such as `draws` and `seed`.
    """
    if isinstance(source, Tensor):
        if patch is None:
            raise ValueError("patch must be given for matrices: the size (n, m) of the filters that they act on")
        return analyze_matrices(source, patch, **options)
    if isinstance(source, nn.Module):
        subject = _subject(source, patch)
        subject.pop("modules")
        return analyze_matrices(**subject, **options)
    run = find_run(source)
    subject = _subject(run.model(), patch)
    initial = run.initial()
    names = subject.pop("modules")
    start = torch.cat([initial[f"{name}.matrix"].flatten(0, 1) for name in names])
    if run.config.snap == "permutation":
        subject["by_construction"].append("permutation")  # lifting made it so
    network = run.config.network
    if network.generator != "fixed":
        subject["fresh_starts"] = _fresh_starts(network.generator, subject["patch"], network.order, network.start)
    return analyze_matrices(**subject, start=start, **options)


def _subject(model: nn.Module, patch: tuple[int, int] | None) -> dict[str, Any]:
    """What is analysed of a model: matrices, what they are called, and the filters that each acts on."""
    generators = generators_of(model)
    if not generators:
        raise ValueError(f"model must have a generator, got {type(model).__name__} with none")
    sizes = sorted({generator.patch for generator in generators.values()})
    if patch is None and len(sizes) > 1:
        raise ValueError(f"patch must be one of {sizes} for a model with kernels of several sizes, got none")
    patch = patch or sizes[0]
    chosen = {name: generator for name, generator in generators.items() if generator.patch == patch}
    if not chosen:
        raise ValueError(f"patch must be one of {sizes}, got {patch}")
    with torch.no_grad():
        matrices = torch.cat([generator.matrix().flatten(0, 1) for generator in chosen.values()])
    names, labels, filters = _who(model, chosen)
    families = {type(generator).__name__ for generator in chosen.values()}
    laws = set.intersection(*(set(BY_CONSTRUCTION.get(family, ())) for family in families))
    return {
        "modules": list(chosen),
        "matrices": matrices,
        "patch": patch,
        "names": names,
        "labels": labels,
        "filters": filters,
        "order": max(generator.order for generator in chosen.values()),
        "by_construction": sorted(laws),
    }


Label = tuple[int | None, int | None, int | None]


def _who(model: nn.Module, generators: dict[str, Generator]) -> tuple[list[str], list[Label], list[Tensor]]:
    """The name and place of each matrix, counted from 1, and the bases that it acts on as columns (d, N)."""
    banks = [(name, module) for name, module in model.named_modules() if isinstance(module, OrbitBank)]
    encoders = {id(m.bank) for m in model.modules() if isinstance(m, UnfoldedEncoder)}
    names: list[str] = []
    labels: list[Label] = []
    filters: list[Tensor] = []
    for generator in generators.values():
        served = [(name, bank) for name, bank in banks if bank.generator is generator]
        name, bank = served[0]
        rows, columns = generator.start_distance.shape
        in_encoder = id(bank) in encoders
        for row in range(rows):
            for column in range(columns):
                per_set = rows == bank.num_layers * bank.num_sets
                layer = (row // bank.num_sets if per_set else row) + 1 if rows > 1 or per_set else None
                place: Label = (
                    layer if in_encoder else None,
                    row % bank.num_sets + 1 if per_set else None,
                    column + 1 if columns > 1 else None,
                )
                labels.append(place)
                words = [f"{w} {i}" for w, i in zip(("layer", "set", "channel"), place, strict=True) if i is not None]
                names.append(
                    ", ".join(([] if in_encoder else [name.removesuffix(".bank") or "layer"]) + words) or "all"
                )
                filters.append(torch.cat([_columns(each, row, column, rows, columns) for _, each in served], dim=1))
    return names, labels, filters


def _columns(bank: OrbitBank, row: int, column: int, rows: int, columns: int) -> Tensor:
    """The bases of a bank that one matrix acts on.  -> (d, N)"""
    per_row = len(bank.basis) // rows if len(bank.basis) % rows == 0 else len(bank.basis)
    bases = bank.basis.detach()[row * per_row : (row + 1) * per_row]
    bases = bases[:, column : column + 1] if columns > 1 else bases
    return vec(bases).flatten(0, 1).mT


def _fresh_starts(family: str, patch: tuple[int, int], order: int, start: Any) -> Callable[[int], Tensor]:
    """New starts of the same family, for the null that asks what a start alone would show."""
    state = torch.Generator().manual_seed(0).get_state()

    def draw(count: int) -> Tensor:
        nonlocal state  # each call goes on where the last one stopped, apart from torch's own random numbers
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            torch.set_rng_state(state)
            matrices = make_generator(FAMILIES[family], patch, order, (count, 1), start).matrix()[:, 0]
            state = torch.get_rng_state()
        return matrices

    return draw
