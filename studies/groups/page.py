"""What the benchmark found, as tables for people and as `docs/groups.md`."""

from pathlib import Path
from typing import Any

from lgn.files import read_json, write_atomic
from lgn.text import markdown_table
from studies.tables import Cells, by_part, values, where

PAGE = """# Groups: several generators, any finite group

```python
group = lgn.groups.dihedral(4)  # or lgn.groups.as_group("D4"); from_matrices, from_table; g * h is the direct product
group.generators, group.relations  # ('r', 's'), ('r^4', 's^2', 's r s r')
layer = lgn.nn.GroupConv2d(3, 8, kernel_size=5, group=group, generator="representation")
further = lgn.nn.GroupStackConv2d(8, 8, kernel_size=3, group=group)
print(lgn.equivariance_table(model, images))
```

A set is `{{ rho(g) W : g in G }}`, in the order of the group's elements, the identity first. There is one matrix for
each generator of the group: learned with all relations (`generator="representation"`), free and encouraged to them
(`lgn.penalties.Relations`), or given (`generator="fixed", start=[r, s]`). Every other element is a word in the
generators, and costs one matrix-vector product. An int is a cyclic group: `group=4` has four elements. With
`channel_generator` the group acts on the channels as well, by `B (x) A`.

What follows was made by `lgn benchmark groups` from `results/groups.json`.

{tables}
"""

PLANTED = """## Generators from filters

32 sets of orbits of random bases under a planted group, on 6x6 pixels (S3: on 3 channels, 9 pixels each): relative
errors of the generators, the worst of the seeds, from each generator's pairs alone (*least-squares*), with the
relations (*relations*), and with the filters of each set in any order (*unordered*, up to relabelling). The last column
is the smallest p-value of filters that are no orbits."""

VIEWS = """## Groups from views

300 images, each seen 24 times under unknown elements, with noise as a share of the image: how often the group is named
rightly, and how often rightly or not at all. What moves every image alike, shifts, and permutations of channels, are
not seen by this method."""

DEPTH = """## In depth

Four layers of D4: lifting, a strided one, a 1x1 one and another, with normalisation of sets. The largest relative
error over the seven elements and the seeds, measured by `lgn.equivariance_table`; *perturbed* has noise of .1 on the
entries of the reflection. And what 200 steps of training leave of the relations of a `Representation`, in float32."""

COST = """## Cost

A training step of a layer of 5 sets on 3 channels, 6x6, batch 128 of 32x32, over that of a plain convolution with as
many filters, one thread: medians of ratios within rounds, and ratios of minima."""


def write_page(results: Path, out: Path) -> None:
    """Make `docs/groups.md` from `results/groups.json`."""
    write_atomic(out, page(read_json(results)).encode())


def page(result: dict[str, Any]) -> str:
    """The document of a measurement."""
    return PAGE.format(tables=describe(result))


def describe(result: dict[str, Any]) -> str:
    """The tables of all parts that were measured."""
    return by_part(result, {"planted": _planted, "views": _views, "depth": _depth, "cost": _cost})


def _planted(cells: Cells) -> str:
    methods, noises = values(cells, "method"), [n for n in values(cells, "noise") if n != "unrelated"]
    rows = []
    for task in values(cells, "task"):
        row = [task]
        for noise in noises:
            for method in methods:
                errors = [cell["error"] for cell in where(cells, task=task, noise=noise, method=method)]
                row.append(f"{max(errors):.1e}" if errors else "")
        unrelated = where(cells, task=task, noise="unrelated")
        row.append(f"{min(cell['p_value'] for cell in unrelated):.2f}" if unrelated else "")
        rows.append(row)
    heads = [f"{method}, {noise:.0%} noise" for noise in noises for method in methods]
    noisy = [cell for cell in cells if cell["key"]["noise"] not in (0.0, "unrelated")]
    pairs = [
        (cell["error"], where(noisy, **{**cell["key"], "method": "relations"})[0]["error"])
        for cell in where(noisy, method="least-squares")
    ]
    better = sum(joint < alone for alone, joint in pairs)
    words = f"With noise, the error is smaller with the relations than without in {better} of {len(pairs)}."
    return f"{PLANTED}\n\n{markdown_table(['group', *heads, 'unrelated, p'], rows)}\n\n{words}"


def _views(cells: Cells) -> str:
    rows = []
    for data in values(cells, "data"):
        for task in values(cells, "task"):
            row = [task, data]
            for noise in values(cells, "noise"):
                here = where(cells, data=data, task=task, noise=noise)
                right, either = (sum(cell[name] for cell in here) for name in ("right", "right_or_none"))
                row.append(f"{right}, {either} of {len(here)}")
            rows.append(row)
    heads = [f"{noise:.0%} noise" for noise in values(cells, "noise")]
    return f"{VIEWS}\n\n{markdown_table(['group', 'images', *heads], rows)}"


def _depth(cells: Cells) -> str:
    rows = []
    for kind in values(cells, "kind"):
        here = where(cells, kind=kind)
        if "error" in here[0]:
            rows.append([kind, f"{max(c['error'] for c in here):.1e}", f"{min(c['error'] for c in here):.1e}", ""])
        else:
            rows.append([kind, "", "", f"{max(c['relation_error'] for c in here):.1e}"])
    return f"{DEPTH}\n\n{markdown_table(['network', 'error, worst seed', 'error, best seed', 'relations'], rows)}"


def _cost(cells: Cells) -> str:
    rows = [
        [cell["key"]["group"], cell["key"]["family"], f"{cell['ratio']:.3f}", f"{cell['of_minima']:.3f}"]
        for cell in cells
    ]
    return f"{COST}\n\n{markdown_table(['group', 'family', 'median ratio', 'ratio of minima'], rows)}"
