"""The front door: a run, a model or matrices in; a trained network or an analysis out."""

import warnings
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

import torch
from torch import Tensor, nn

from lgn.algebra import vec
from lgn.analysis import Analysis, analyze_matrices
from lgn.analysis.analyze import analyze_subjects
from lgn.analysis.subject import FreshStarts, Label, Subject
from lgn.generators import Generator, generators_of
from lgn.nn import OrbitBank, UnfoldedEncoder
from lgn.pretrained import find_run
from lgn.training import Run


def load(run: str | PathLike[str] | Run, device: str | None = None) -> nn.Module:
    """The network of a run directory, or of a name that comes with the package. No code is read from any file."""
    return find_run(run).model(device)


def analyze(
    source: str | PathLike[str] | Run | nn.Module | Tensor, patch: tuple[int, int] | None = None, **options: Any
) -> Analysis:
    """Say what generators do, in numbers and with what chance would give: of a run, a model, or any matrices.

    Matrices (G, d, d) need `patch`, the size (n, m) of the filters that they act on; of a model with kernels of several
    sizes it chooses one. `options` are those of `lgn.analysis.analyze_matrices`, such as `draws` and `seed`.
    """
    if isinstance(source, Tensor):
        if patch is None:
            raise ValueError("patch must be given for matrices: the size (n, m) of the filters that they act on")
        return analyze_matrices(source, patch, **options)
    if isinstance(source, nn.Module):
        return analyze_subjects(subjects_of(source, patch), **options)
    run = find_run(source)
    # What lifting snapped is what it was snapped to.
    laws = {"permutation"} if run.config.snap == "permutation" else set()
    return analyze_subjects(subjects_of(run.model(), patch, run.initial(), frozenset(laws)), **options)


def subjects_of(
    model: nn.Module,
    patch: tuple[int, int] | None = None,
    initial: Mapping[str, Tensor] | None = None,
    laws: frozenset[str] = frozenset(),
) -> list[Subject]:
    """What is analysed of a model: each matrix with its name, its family's law and starts, and the filters it acts on.

    initial: the matrices before training, by the name of their generator.
    """
    generators = generators_of(model)
    if not generators:
        raise ValueError(f"model must have a generator, got {type(model).__name__} with none")
    sizes = sorted({generator.patch for generator in generators.values()})
    if patch is not None and patch not in sizes:
        raise ValueError(f"patch must be one of {sizes}, got {patch}")
    draws: dict[tuple[Any, ...], FreshStarts | None] = {}  # one sample serves all generators that started alike
    subjects = []
    for name, generator in generators.items():
        if patch is not None and generator.patch != patch:
            continue
        kind = (type(generator), generator.patch, generator.order, generator.started_from, str(generator.options()))
        if kind not in draws:
            draws[kind] = _fresh_starts(generator)
        with torch.no_grad():
            matrices = generator.matrix().flatten(0, 1).cpu().double()
        begun = None if initial is None else initial[f"{name}.matrix"].flatten(0, 1).cpu().double()
        for place, (title, label, filters) in enumerate(_who(model, generator)):
            subjects.append(
                Subject(
                    matrix=_finite(matrices[place], title),
                    patch=generator.patch,
                    name=title,
                    label=label,
                    order=generator.order,
                    start=None if begun is None else begun[place],
                    filters=filters,
                    fresh_starts=draws[kind],
                    by_construction=laws.union(generator.structures),
                )
            )
    return subjects


def _finite(matrix: Tensor, name: str) -> Tensor:
    if not torch.isfinite(matrix).all():
        raise ValueError(f"matrices must be finite, got infinities or NaN in {name}")
    return matrix


def _who(model: nn.Module, generator: Generator) -> Iterator[tuple[str, Label, Tensor]]:
    """The name and place of each matrix of a generator, counted from 1, and the bases that it acts on, (d, N)."""
    banks = [(name, module) for name, module in model.named_modules() if isinstance(module, OrbitBank)]
    encoders = {id(m.bank) for m in model.modules() if isinstance(m, UnfoldedEncoder)}
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
            words = [f"{w} {i}" for w, i in zip(("layer", "set", "channel"), place, strict=True) if i is not None]
            title = ", ".join(([] if in_encoder else [name.removesuffix(".bank") or "layer"]) + words) or "all"
            filters = torch.cat([_columns(each, row, column, rows, columns) for _, each in served], dim=1)
            yield title, place, filters.cpu().double()


def _columns(bank: OrbitBank, row: int, column: int, rows: int, columns: int) -> Tensor:
    """The bases of a bank that one matrix acts on.  -> (d, N)"""
    per_row = len(bank.basis) // rows if len(bank.basis) % rows == 0 else len(bank.basis)
    bases = bank.basis.detach()[row * per_row : (row + 1) * per_row]
    bases = bases[:, column : column + 1] if columns > 1 else bases
    return vec(bases).flatten(0, 1).mT


def _fresh_starts(generator: Generator) -> FreshStarts | None:
    """New starts of the same family, for the null that asks what a start alone would show."""
    if generator.started_from is None:
        return None
    state = torch.Generator().manual_seed(0).get_state()

    def draw(count: int) -> Tensor:
        nonlocal state  # each call goes on where the last one stopped, apart from torch's own random numbers
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a family has to say about its start was said when it started
            torch.set_rng_state(state)
            matrices = generator.fresh(count)
            state = torch.get_rng_state()
        assert matrices is not None
        return matrices

    return draw
