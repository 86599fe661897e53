"""The data of a page as JSON values; arrays are the base64 of little-endian numbers."""

import base64
import math
from itertools import zip_longest
from typing import Any

import torch
from torch import Tensor

from lgn.analysis import GeneratorAnalysis
from lgn.analysis.generator import tensor
from lgn.files import encode
from lgn.report import sentences
from lgn.report.cayley_layout import cayley
from lgn.report.contents import Contents
from lgn.report.histograms import gaussian_histograms, smooth_histograms
from lgn.transforms import operator

#: The number of nearest operators whose matrices are part of the page.
OPERATORS = 3
#: The Fourier basis in which the ideal matrices of a score are diagonal.
CIRCULANT = {"circulant": "1-D", "doubly block-circulant": "2-D"}


def payload(contents: Contents) -> dict[str, Any]:
    """The data of one run for the scripts of the page."""
    analysis = contents.analysis
    smooth = smooth_histograms(analysis)
    return {
        "title": contents.title,
        "facts": [list(row) for row in contents.facts],
        "result": contents.result,
        # JSON has no infinity and no NaN.
        "metrics": [
            {name: value if value is not None and math.isfinite(value) else None for name, value in row.items()}
            for row in contents.metrics
        ],
        "classes": list(contents.class_names),
        "notes": [*contents.notes, *contents.missing()],
        "overview": list(sentences.overview(analysis)),
        "patch": list(analysis.patch),
        "order": analysis.order,
        "group": None if contents.group is None else encode(cayley(contents.group)),
        "rate": analysis.false_discovery_rate,
        "gaussian": gaussian_histograms(analysis),
        "crops": None if contents.crops is None else pack(contents.crops),
        "generators": [
            _generator(generator, contents, index) | {"smooth": smooth[index]}
            for index, generator in enumerate(analysis.generators)
        ],
    }


def pack(values: Tensor) -> dict[str, Any]:
    """A tensor as its shape and the base64 of its float32 numbers, row by row."""
    array = values.detach().cpu().to(torch.float32).contiguous().numpy().astype("<f4")
    return {"shape": list(values.shape), "data": base64.b64encode(array.tobytes()).decode()}


def pack_small(values: Tensor) -> dict[str, Any]:
    """A tensor as integers of 16 bits and their scale, for matrices that are only shown."""
    scale = max(float(values.abs().max()), 1e-30) / 32767
    array = (values.detach().cpu() / scale).round().to(torch.int16).contiguous().numpy().astype("<i2")
    return {"shape": list(values.shape), "scale": scale, "data": base64.b64encode(array.tobytes()).decode()}


def _generator(generator: GeneratorAnalysis, contents: Contents, index: int) -> dict[str, Any]:
    analysis, about, spectrum = contents.analysis, generator.identifiability, generator.spectrum
    shown = (operator(match.name, analysis.patch, **match.keywords) for match in generator.nearest[:OPERATORS])
    matrices = map(pack_small, shown)
    bases = None
    if contents.bases is not None and contents.base_names is not None:
        bases = {"names": list(contents.base_names[index]), "filters": pack(contents.bases[index])}
    return {
        "name": generator.name,
        "layer": generator.layer,
        "set": generator.set,
        "order": generator.order,
        "channel": generator.channel,
        "matrix": pack(tensor(generator.matrix)),
        "start": None if generator.start is None else pack(tensor(generator.start)),
        "span": None if about is None else pack(tensor(about.basis, columns=about.dimension)),
        "energyShare": None if about is None else about.energy_share,
        "changeShare": None if about is None else about.change_share,
        "bases": bases,
        "sentence": sentences.sentence(generator, analysis.false_discovery_rate),
        "findings": [encode(found) | {"sentence": sentences.finding_text(found)} for found in generator.findings],
        "scores": encode(generator.scores),
        "nearest": [
            encode(match) | {"text": sentences.operator_text(match), "matrix": matrix}
            for match, matrix in zip_longest(generator.nearest, matrices)
        ],
        "eigenvalues": [[round(real, 5), round(imaginary, 5)] for real, imaginary in spectrum.eigenvalues],
        "singularValues": [round(value, 5) for value in spectrum.singular_values],
        "rank": spectrum.rank,
        "condition": spectrum.condition_number if math.isfinite(spectrum.condition_number) else None,
        "period": spectrum.period,
        "periodError": spectrum.period_error,
        "closureError": spectrum.closure_error,
        "diagonalShares": {CIRCULANT[score.name]: score.score for score in generator.scores if score.name in CIRCULANT},
    }
