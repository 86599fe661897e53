"""Write what was measured into README.md and the pages that tell of it, between their markers.

Only `results` and the networks that come with the package are read.

python tools/make_results.py
"""

import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import geometric_mean, mean, stdev
from typing import Any

from lgn.benchmarks import groups, inspection, recovery, signals, speed, symmetry, truth, unknown
from lgn.benchmarks import networks as built
from lgn.markdown import markdown_table
from lgn.pretrained import find_run, pretrained_names
from lgn.recipes.context import TITLES
from lgn.report.figures import save
from lgn.training import Run, preset
from lgn.training.stored_config import same_settings
from lgn.whole_files import read_json

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- generated -->", "<!-- end of generated -->"
HEADS = {
    "classify": ("## Classification", ("test accuracy",)),
    "reconstruct": (
        "## Reconstruction (mean squared error per prepared pixel)",
        ("test error", "non-zero codes"),
    ),
}
FOUND = 1e-3  # the relative error at which a planted generator counts as found, as in docs/recovery.md
#: Documents that are made of one measurement alone.
DOCUMENTS = {
    "truth": truth.page,
    "unknown": unknown.page,
    "recovery": recovery.page,
    "learned": recovery.learned_page,
    "groups": groups.page,
    "speed": speed.page,
    "symmetry": symmetry.page,
    "signals": signals.page,
    "networks": built.page,
}
#: The sets that README shows the answer of.
ANSWERED = {
    "MNIST": "mnist, upright",
    "MNIST, turned by quarters": "mnist, quarter turns",
    "CIFAR-10, as it is": "cifar10, upright",
}
Cells = list[dict[str, Any]]


def readme(results: Path) -> str:
    """The numbers that a visitor looks for first."""
    return "\n\n".join(
        [
            *_answers(results),
            *_networks(results),
            *_inspected(results),
            _longest(results),
            _counts(results),
            *_structures(results),
            *_truth(results),
            _speed(results),
            _recovery(results),
        ]
    )


def _answers(results: Path) -> list[str]:
    """What `lgn.symmetries` says of three sets, and how often it is right on all that were planted."""
    path = results / "symmetry.json"
    if not path.is_file():
        return []
    stored: Cells = read_json(path)["cells"]
    cells = [cell for cell in stored if cell["key"]["part"] == "images"]
    later = [row for cell in stored if cell["key"]["part"] == "later" for row in cell["rows"]]
    rows = []
    for title, name in ANSWERED.items():
        found = [row for cell in cells if cell["key"]["images"] == name for row in cell["rows"]]
        words = []
        for candidate in ("turn 90", "turn 180", "flip columns", "flip rows"):
            asked = [row for row in found if row["name"] == candidate]
            said = Counter(row["verdict"] for row in asked)
            verdicts = " and ".join(f"{verdict} {count} of {len(asked)}" for verdict, count in said.most_common())
            words.append(f"{mean(row['told_apart'] for row in asked):.3f}, {verdicts}" if asked else "")
        rows.append([title, *words])
    known = [row for cell in cells for row in cell["rows"] if row["truth"] in ("kept", "broken")]
    right = sum(row["verdict"] == row["truth"] for row in known)
    kept = sum(row["truth"] == "kept" for row in later)
    found = sum(row["verdict"] == row["truth"] == "kept" for row in later)
    words = (
        "**Which symmetries do images have?** 10,000 images, how often versions are told apart (0.5: never), and the "
        f"verdict over seeds. Of {len(known):,} verdicts on planted symmetries {right:,} are right, "
        f"{_wrong(known)} wrong, the others undecided. On two sets made after everything was fixed "
        f"{_wrong(later)} of {len(later)} are wrong, and of what is kept {found} of {kept} are found "
        "([all](docs/symmetry.md))."
    )
    return [words, markdown_table(["", "turn 90", "turn 180", "flip columns", "flip rows"], rows)]


def _wrong(rows: Cells) -> int:
    return sum(row["verdict"] not in (row["truth"], "undecided") for row in rows)


def _networks(results: Path) -> list[str]:
    """The error of networks that are built on what was found, beside free filters."""
    path = results / "networks.json"
    if not path.is_file():
        return []
    rows = [row for row in read_json(path)["rows"] if (row["data"], row["augmented"]) == ("rotated-mnist", False)]
    by_method = {
        name: [100 * (1 - row["accuracy"]) for row in rows if row["method"] == name and row["images"] == 12_000]
        for name in ("found", "given", "free")
    }
    chosen = "found" if by_method["found"] else "given"
    if not (by_method[chosen] and by_method["free"]):
        return []
    errors = {name: built.spread(some) for name, some in by_method.items() if some}
    words = (
        f"rotated MNIST, 12,000 images, 25,000 parameters, no augmentation: a test error of {errors[chosen]} % with "
        f"the group {chosen}, {errors['free']} % with free filters ({len(by_method[chosen])} and "
        f"{len(by_method['free'])} seeds)"
    )
    return [f"**Is a network better for it?** `lgn build`: {words} ([all](docs/networks.md))."]


def _inspected(results: Path) -> list[str]:
    """What an inspection calls in banks that were made so, and in banks that were not."""
    path = results / "inspection.json"
    if not path.is_file():
        return []
    cells: Cells = read_json(path)["cells"]
    unrelated = [cell["rate"] for cell in cells if cell["key"]["part"] == "unrelated"]
    planted = [cell["rate"] for cell in cells if cell["key"]["part"] == "orbits" and "at_least" in cell]
    words = (
        f"a group is called in {sum(unrelated):.0f} of {len(unrelated)} unrelated banks of filters, the right one in "
        f"{sum(planted):.0f} of {len(planted)} with planted orbits"
    )
    return [f"**Which groups do trained networks have?** `lgn inspect`: {words} ([networks](docs/inspect.md))."]


def verdicts(results: Path) -> str:
    """The verdict on each claim."""
    path = results / "claims.json"
    if not path.is_file():
        return "## Verdicts\n\nNo claim has been measured on the full data yet."
    rows = [
        [str(each["number"]), each["claim"], f"**{each['verdict']}**", each["released"] or ""]
        for each in read_json(path)["claims"]
    ]
    words = "Numbers, intervals and what each was measured on are in [results/claims.md](../results/claims.md)."
    table = markdown_table(["", "claim", "`paper`", "`released`"], rows)
    return "\n\n".join(["## Verdicts", words, table, *differences(results), *stability(results)])


def differences(results: Path) -> list[str]:
    """What one setting at a time does between the presets, where it was measured."""
    path = results / "differences.json"
    if not path.is_file():
        return []
    measured = read_json(path)
    rows = []
    for each in measured["samples"]:
        last = [epochs[-1] for epochs in each["filters"]]
        rows.append(
            [
                each["name"],
                str(each["runs"]),
                _spread([100 * value for value in each["accuracy"]], ".2f"),
                f"{geometric_mean(epochs[-1] for epochs in each['conditions']):.2g}",
                _spread([max(facts["norms"]) for facts in last], ".3g"),
                _spread([facts["generator_norm"] for facts in last], ".3g"),
                _spread([facts["smoothness"] for facts in last], ".2f"),
                _spread(each["toeplitz_on_u"], ".2f"),
            ]
        )
    heads = ["", "runs", "test accuracy, %", "step times squared norm", "norm of bases", "of generators", "smoothness"]
    heads.append("Toeplitz on U, white nulls")
    words = (
        "MNIST, 10 epochs, means over seeds with the standard deviation: each preset, and with one setting of the "
        "other. *Step times squared norm* is that of the largest layer, `step * sigma_max(W^T W)`, which ISTA wants to "
        "be at most 1 (geometric mean); norms are those after the last epoch, of bases in the layer with the largest."
    )
    names = list(measured["samples"][0]["shares"])
    shares = [
        [each["name"], str(each["runs"]), *(_white_and_all(each["shares"][name]) for name in names)]
        for each in (*measured["samples"], *measured["controls"])
    ]
    shown = (
        "Shares of generators with each structure, under white nulls → under all; last, the filters of both presets "
        "without their pairing, and free networks:"
    )
    whole, on_u = (measured[f"smoothness_and_toeplitz{ending}"] for ending in ("", "_on_u"))
    smooth = (
        f"The smoother the filters, the more generators are Toeplitz under white nulls: over these {len(rows)} "
        f"settings Spearman's rank correlation is {whole:.2f}, and {on_u:.2f} on U alone, where the matrix has nothing "
        "but what its filters say."
    )
    figure = "![What each setting does](../results/figures/differences.png)"
    return [
        "## Which difference does it?",
        figure,
        words,
        markdown_table(heads, rows),
        smooth,
        shown,
        markdown_table(["", "runs", *names], shares),
    ]


def stability(results: Path) -> list[str]:
    """`stable` beside `paper`, where both were trained: how well they classify, and how large filters get."""
    finished = [(run, replace(run.config, task=run.facts["task"], seed=0)) for run in _finished(results)]
    rows = []
    for data in ("mnist", "cifar10"):
        for epochs in (10, 100):
            beside = {name: preset(name, "classify", data=data, epochs=epochs) for name in ("paper", "stable")}
            found = {
                name: [run for run, config in finished if same_settings(config, usual)]
                for name, usual in beside.items()
            }
            if all(found.values()):
                rows += [[TITLES[data], str(epochs), f"`{name}`", *_stable_row(runs)] for name, runs in found.items()]
    if not rows:
        return []
    words = (
        "`stable` is `paper` with two settings of ours ([the presets](training.md#presets)), chosen on a tenth of the "
        "training images of MNIST. The largest layer's `step * sigma_max(W^T W)` says how large filters get (geometric "
        "mean); ISTA wants it to be at most 1."
    )
    heads = ["data", "epochs", "", "runs", "test accuracy, %", "step times squared norm, last epoch"]
    return ["## What bounds the filters?", words, markdown_table(heads, rows)]


def _stable_row(runs: list[Run]) -> list[str]:
    last = [run.metrics[-1] for run in runs]
    size = geometric_mean(max(each["step_conditions"]) for each in last)
    return [str(len(runs)), _spread([100 * each["test_accuracy"] for each in last], ".2f"), f"{size:.2g}"]


def _spread(values: list[float], form: str) -> str:
    return f"{mean(values):{form}}" + (f" ± {stdev(values):{form}}" if len(values) > 1 else "")


def structures(results: Path) -> str:
    """Shares of generators with each structure: the figure, a table for each data set, and what they come to."""
    path = results / "structures.json"
    if not path.is_file():
        return "Not measured on the full data yet."
    measured = read_json(path)
    keeping = [null for null in measured["nulls"] if null not in measured["white"]]
    words = (
        f"White nulls: {', '.join(measured['white'])}. Nulls that keep smoothness: {', '.join(keeping) or 'none yet'}."
    )
    figure = "![Shares of generators, under white nulls and under all](../results/figures/structures.png)"
    texts = [figure, words]
    for data, samples in _by_data(measured).items():
        names = list(samples[0]["shares"])
        rows = [
            [each["name"], str(each["runs"]), *(_white_and_all(each["shares"][name]) for name in names)]
            for each in samples
        ]
        head = f"**{data}**: share of generators, under white nulls → under all nulls, means over runs."
        texts.append(f"{head}\n\n{markdown_table(['', 'runs', *names], rows)}")
    return "\n\n".join([*texts, _what_is_left(measured), *_would_be_found(measured), *_repeated(measured)])


def _would_be_found(measured: dict[str, Any]) -> list[str]:
    """What is found of structures that were planted in the networks, by how they were."""
    planted = measured["planted"]
    if not planted:
        return []
    words = {"whole": "the matrix has it", "through filters": "the filters have it"}
    names = list(planted[0]["shares"][0]["whole"])
    rows = [
        [each["data"], each["name"], str(len(each["shares"])), said]
        + [f"{mean(shares[way][name] for shares in each['shares']):.2f}" for name in names]
        for each in planted
        for way, said in words.items()
    ]
    head = "**Would it be found?** Share of generators in which a structure that was planted is found, under all nulls."
    return [head, markdown_table(["data", "", "runs", "planted so that", *names], rows)]


def _repeated(measured: dict[str, Any]) -> list[str]:
    """How alike filters of a set are, beside those of two sets."""
    rows = [
        [each["data"], each["name"], str(len(each["in a set"][0]))]
        + [
            f"{_spread(own, '.2f')}; {_spread(other, '.2f')}"
            for own, other in zip(each["in a set"], each["between sets"], strict=True)
        ]
        for each in measured["repeated"]
    ]
    if not rows:
        return []
    steps = [f"{word} apart" for word in ("one", "two", "three", "four", "five")[: len(rows[0]) - 3]]
    head = "**What a set has in common**: the size of the cosine of filters, in a set; between two sets of a layer."
    return [head, markdown_table(["data", "", "runs", *steps], rows)]


def _by_data(measured: dict[str, Any]) -> dict[str, Cells]:
    samples: dict[str, Cells] = {}
    for each in measured["samples"]:
        samples.setdefault(each["data"], []).append(each)
    return samples


def _white_and_all(share: dict[str, list[float]]) -> str:
    return f"{mean(share['white nulls']):.2f} → {mean(share['all nulls']):.2f}"


def _what_is_left(measured: dict[str, Any]) -> str:
    """A sentence for each preset and data set, and one on what is open."""
    lines = []
    for data, samples in _by_data(measured).items():
        by_name = {each["name"]: each for each in samples}
        for name in ("`paper`", "`released`"):
            if name in by_name:
                shares = {key: mean(value["all nulls"]) for key, value in by_name[name]["shares"].items()}
                left = [f"{key} {share:.2f}" for key, share in shares.items() if share > 0.05]
                lines.append(f"{data}, {name}: {', '.join(left) if left else 'nothing'}")
    most = max(
        (mean(values), f"{name} in {each['name']} ({each['data']})")
        for each in measured["samples"]
        for name, values in each["undecided"].items()
    )
    words = f"Under all nulls, in more than 0.05 of generators, which may be false: {'; '.join(lines)}."
    return words + (f" Undecided: at most {most[0]:.2f}, {most[1]}." if most[0] > 0 else " Nothing is left undecided.")


def _finished(results: Path) -> list[Run]:
    return [run for path in sorted(results.glob("runs/*/config.json")) if (run := Run(path.parent)).trained]


def trainings(results: Path) -> str:
    """Every training that is finished, by task."""
    texts = []
    for task, (title, qualities) in HEADS.items():
        runs = [run for run in _finished(results) if run.facts["task"] == task]
        if not runs:
            continue
        rows = []
        for run in runs:
            last = run.metrics[-1]
            command = f"`{shlex.join(read_json(run.path / 'environment.json')['command'])}`"
            minutes = f"{last['seconds'] / 60:.0f}"
            rows.append([run.path.name, command, str(run.config.seed), str(last["epoch"]), *_quality(last), minutes])
        heads = ["run", "command", "seed", "epochs", *qualities, "minutes"]
        texts.append(f"{title}\n\n{markdown_table(heads, rows)}")
    return "\n\n".join([*texts, *_over_seeds(results)])


def _samples(results: Path) -> list[list[Run]]:
    """Finished runs that differ in their seed alone, together."""
    samples: list[list[Run]] = []
    for run in _finished(results):
        for sample in samples:
            if same_settings(replace(run.config, seed=sample[0].config.seed), sample[0].config):
                sample.append(run)
                break
        else:
            samples.append([run])
    return samples


def _over_seeds(results: Path) -> list[str]:
    """Mean and standard deviation where there are seeds to have them of."""
    rows = []
    for sample in _samples(results):
        if len(sample) > 1:
            name = min((run.path.name for run in sample), key=len)
            rows.append([name, str(len(sample)), str(sample[0].config.epochs), _mean_and_spread(sample)])
    if not rows:
        return []
    heads = ["runs", "seeds", "epochs", "test, mean and standard deviation"]
    return [f"## Over seeds\n\n{markdown_table(heads, rows)}"]


def _mean_and_spread(sample: list[Run]) -> str:
    last = [run.metrics[-1] for run in sample]
    if "test_accuracy" in last[0]:
        values = [100 * each["test_accuracy"] for each in last]
        return f"{mean(values):.2f} ± {stdev(values):.2f} %"
    values = [each["test_error"] for each in last]
    return f"error {mean(values):.3g} ± {stdev(values):.2g}"


def _quality(last: dict[str, Any]) -> list[str]:
    if "test_accuracy" in last:
        return [f"{100 * last['test_accuracy']:.2f} %"]
    return [f"{last['test_error']:.3g}", f"{100 * last['test_active']:.0f} %"]


def _longest(results: Path) -> str:
    """Of each preset, as it is, on each data set and for each task: the longest training."""
    chosen: dict[tuple[str, ...], Run] = {}
    for run in _finished(results):
        config, task = run.config, run.facts["task"]
        usual = preset(config.preset, task, data=config.data)
        if not same_settings(replace(config, task=task, epochs=usual.epochs, seed=usual.seed), usual):
            continue
        key = (config.data, task, config.preset)
        best = chosen.get(key)
        if best is None or (config.epochs, -config.seed) > (best.config.epochs, -best.config.seed):
            chosen[key] = run
    rows = []
    for (data, task, name), run in sorted(chosen.items()):
        result = ("error ", "")[task == "classify"] + ", ".join(_quality(run.metrics[-1])[:1])
        words = "classification" if task == "classify" else "reconstruction"
        rows.append([TITLES.get(data, data), words, name, str(run.metrics[-1]["epoch"]), result])
    if not rows:
        return "No training of a preset is finished yet."
    heads = ["data", "task", "preset", "epochs", "test"]
    note = "The last epoch of one run each; all runs, with their commands and their spread over seeds, are in"
    return f"{markdown_table(heads, rows)}\n\n{note} [results/training.md](results/training.md)."


def networks(_: Path) -> str:
    """The networks that come with the package."""
    rows = []
    for name in pretrained_names():
        run = find_run(name)
        last = run.metrics[-1]
        result = ("error ", "")["test_accuracy" in last] + _quality(last)[0]
        rows.append([f"`{name}`", run.config.preset, str(run.config.seed), str(last["epoch"]), result])
    return markdown_table(["name", "preset", "seed", "epochs", "test"], rows)


def inspected(results: Path) -> str:
    """What inspected networks have, and how far the inspection can be trusted."""
    study = results / "inspect.json"
    return inspection.page(read_json(results / "inspection.json"), read_json(study) if study.is_file() else None)


def _counts(results: Path) -> str:
    path = results / "claims.json"
    if not path.is_file():
        return "**The paper's claims**: not measured on the full data yet."
    claims = read_json(path)["claims"]
    released = [each["released"] for each in claims if each["released"]]
    words = f"{len(claims)} of them: {_count([each['verdict'] for each in claims])}"
    if released:
        words += f"; with the settings of the authors' code, for {len(released)} of them: {_count(released)}"
    return f"**The paper's claims**, {words} ([each by itself](docs/reproduction.md#verdicts))."


def _structures(results: Path) -> list[str]:
    """One structure in one sentence, where it has been measured; the others are on their page."""
    path = results / "structures.json"
    if not path.is_file():
        return []
    words = "; ".join(
        f"{each['data']}, {each['name']} {_white_and_all(each['shares']['Toeplitz'])}"
        for each in read_json(path)["samples"]
        if each["name"] in ("`paper`", "`released`", "free networks")
    )
    return [
        "**The paper's structures**: share of generators that are Toeplitz, under nulls without smoothness → under "
        f"those that keep it too: {words} ([what of them is real](docs/structures.md))."
    ]


def _truth(results: Path) -> list[str]:
    """The largest share of false claims, and the smallest of true ones, where they have been measured."""
    path = results / "truth.json"
    if not path.is_file():
        return []
    cells: Cells = read_json(path)["cells"]

    def rates(part: str, kind: str) -> list[float]:
        return [
            row.rate for row in truth.rows([each for each in cells if each["key"]["part"] == part]) if kind in row.bound
        ]

    words = (
        f"of generators without an operator at most {max(rates('matrices', 'limit')):.3f} in any family have a finding "
        f"that depends on place, of untrained networks {mean(rates('models', 'limit')):.3f} have any; of planted "
        f"structures and operators under as much noise at least {min(rates('power', 'at_least')):.3f} are found"
    )
    return [f"**Truth**: {words} ([all](docs/truth.md))."]


def _count(verdicts: list[str]) -> str:
    counts = Counter(verdicts)
    return ", ".join(f"{name} {counts[name]}" for name in ("holds", "holds in part", "not seen", "not tested"))


def _speed(results: Path) -> str:
    ratios = {
        name: shape["ratio_to_straightforward"] for name, shape in read_json(results / "speed.json")["shapes"].items()
    }
    ways = {"native": "with the compiled kernel", "fast": "in PyTorch alone"}
    words = "; ".join(
        f"{way}, " + " and ".join(f"{ratio[name]:.1f} ({TITLES[data]})" for data, ratio in ratios.items())
        for name, way in ways.items()
        if all(name in ratio for ratio in ratios.values())
    )
    return f"**Speed**, a training step against a straightforward one, times as fast: {words} ([all](docs/speed.md))."


def _recovery(results: Path) -> str:
    cells: Cells = read_json(results / "recovery.json")["cells"]

    def share(good: str, **wanted: Any) -> str:
        chosen = [cell for cell in cells if all(cell["key"].get(name) == value for name, value in wanted.items())]
        hits = sum(cell["error"] <= FOUND if good == "error" else cell[good] for cell in chosen)
        return f"{hits} of {len(chosen)}"

    rows = [
        [
            "a generator planted in filters, no noise: found",
            share("error", part="planted", noise=0.0, method="least-squares"),
            share("error", part="planted", noise=0.0, method="paper"),
        ],
        [
            "the same, seen through a maximum: found",
            share("error", part="maximum", method="max-affine"),
            share("error", part="maximum", method="paper"),
        ],
        ["views of images: the right group, or none", share("right_dimension", part="views", method="commutators"), ""],
        [
            "labels, turned images: a symmetry is claimed",
            share("claimed", part="labels", method="affine", task="quarter turns"),
            "",
        ],
        [
            "labels, upright images: a symmetry is claimed",
            share("claimed", part="labels", method="affine", task="upright"),
            "",
        ],
        [
            "images with labels, turned: the quarter turn is learned from random matrices, and claimed",
            share("claimed", part="learned", method="cyclic", starts=6, task="quarter turns"),
            "",
        ],
        [
            "the same, upright: any map is claimed",
            share("claimed", part="learned", method="cyclic", starts=6, task="upright"),
            "",
        ],
    ]
    table = markdown_table(["recovery", "`lgn.discovery`", "the paper's training"], rows)
    return f"{table}\n\nTasks, errors and the cases with noise are in [docs/recovery.md](docs/recovery.md)."


def between_markers(text: str, generated: str) -> str:
    """The page with what stands between its markers replaced."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{generated}\n\n{END}{rest.split(END)[1]}"


def pages(root: Path = ROOT) -> dict[Path, str]:
    """Every page with its new content."""
    makers = {
        root / "README.md": readme,
        root / "docs" / "reproduction.md": verdicts,
        root / "docs" / "structures.md": structures,
        root / "docs" / "sharing.md": networks,
        root / "docs" / "inspect.md": inspected,
        root / "results" / "training.md": trainings,
    }
    made = {page: between_markers(page.read_text(), make(root / "results")) for page, make in makers.items()}
    measured = {name: root / "results" / f"{name}.json" for name in DOCUMENTS}
    return made | {
        root / "docs" / f"{name}.md": DOCUMENTS[name](read_json(path))
        for name, path in measured.items()
        if path.is_file()
    }


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text)
    images = ROOT / "docs" / "images"
    if (measured := ROOT / "results" / "networks.json").is_file():
        built.write_curve(read_json(measured)["rows"], images / "networks.png")
    if (measured := ROOT / "results" / "speed.json").is_file():
        save(speed.plot(read_json(measured)), images / "speed", ["svg"])
