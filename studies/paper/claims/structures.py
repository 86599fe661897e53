"""Claims on structure: which structures emerge, in which networks, and whether they are causal (1, 2, 13 and 15)."""

from collections import Counter
from dataclasses import replace
from functools import partial
from statistics import mean

from lgn.analysis.generator import WHOLE
from studies.paper.claims.comparison import Comparison, Measured, compare, of_best, table
from studies.paper.claims.shares import share_found, share_on_u, share_undecided
from studies.paper.claims.statement import Statement, all_of, estimate, graded, of_parts
from studies.paper.excerpt import GeneratorScores, Scores
from studies.truth import planted

EMERGING = tuple(planted.PARTS)
POWER = 0.8  # of generators that have a structure: where fewer of them show it, that it was not found says nothing


def emergence(number: int, runs: str, measured: Measured) -> Statement:
    """How many generators have each structure: more than controls, and more than may be false (claims 1 and 2)."""
    rate = measured.runs[0].false_discovery_rate
    whole, through = ([each[way] for each in measured.planted] for way in (planted.WHOLE, planted.THROUGH_FILTERS))
    shares = {
        name: compare(name, partial(share_found, structure=name), measured, rate, [each[name] for each in whole])
        for name in EMERGING
    }
    on_u = [
        compare(f"{name}, on U", partial(share_on_u, structure=name), measured, rate, [each[name] for each in through])
        for name in EMERGING
    ]
    undecided = {name: _undecided(measured, name) for name in EMERGING}
    seen = [None if undecided[name] > 0.5 else _seen(each, rate) for name, each in shares.items()]
    details = [f"by layer, over all runs: {_by_layer(measured.runs) or 'none'}"]
    if left_open := [name for name, each in shares.items() if _seen(each, rate) is None and each.beyond() is False]:
        words = f"in fewer than {POWER:g} of generators where it is planted, or this was not asked"
        details.append(f"not found and left open, for it would be found {words}: {', '.join(left_open)}")
    if any(undecided.values()):
        words = ", ".join(f"{name} {share:.2g}" for name, share in undecided.items())
        details.append(
            f"generators that too few different draws leave undecided, at most of runs and controls: {words}"
        )
    return Statement(
        number,
        runs,
        "share of generators with the structure: " + "; ".join(map(str, shares.values())),
        f"the shares of the controls, and {rate:g}, which may be false; on U: on what the data can say",
        of_parts(seen),
        tuple(details),
        tables=(table(f"Share of generators: {runs}", [*shares.values(), *on_u], "may be false"),),
    )


def in_a_plain_cnn(runs: str, measured: Measured) -> Statement:
    """Claim 15: the same count where layers are not unfolded, and how much of each layer's generators counts."""
    statement = emergence(15, runs, measured)
    dimensions: dict[str, set[int]] = {}
    for each in (each for scores in measured.runs for each in scores.generators):
        if (dimension := each.facts["dimension"]) is not None:
            dimensions.setdefault(_layer(each), set()).add(int(dimension))
    counted = ", ".join(f"{layer}: {'/'.join(map(str, sorted(some)))}" for layer, some in dimensions.items())
    more = (f"dimensions that the data speak to: {counted}", "the free networks beside it are unfolded ones")
    return replace(statement, details=(*statement.details, *more))


def causal_averaging(runs: str, measured: Measured) -> Statement:
    """Claim 13: the action that is most skew-symmetric has one sign on each side of its diagonal."""
    sign = compare("causal sign", of_best("skew-symmetric", lambda each: each.score("causal sign")), measured)
    skew = compare("skew-symmetric", of_best("skew-symmetric", lambda each: each.score("skew-symmetric")), measured)
    share = estimate([share_found(each, "skew-symmetric") for each in measured.runs])
    beyond = sign.beyond()
    return Statement(
        13,
        runs,
        f"of the most skew-symmetric generator of each run: {sign}",
        "the same of the controls; to hold, above 1/2 as well: 1 is one sign above the diagonal and one below it",
        graded(all_of([beyond, sign.runs.above(0.5)]), beyond),
        (
            "energy on one side alone is not asked for: a skew-symmetric matrix has as much of it on both",
            f"share of generators that are skew-symmetric beyond chance: {share}",
        ),
        tables=(table(f"The most skew-symmetric generator: {runs}", [sign, skew]),),
    )


def nearest_operators(title: str, runs: list[Scores]) -> str:
    """Which known operators the generators of a sample are nearest to."""
    families = Counter(
        nearest if (nearest := next(iter(each.matches[WHOLE])), WHOLE) in each.operators else "none beyond chance"
        for scores in runs
        for each in scores.generators
    )
    counts = ", ".join(f"{name} {count}" for name, count in families.most_common())
    return f"nearest operator on {title}, generators of {len(runs)} runs: {counts}"


def _seen(share: Comparison, may_be_false: float) -> bool | None:
    """Whether a structure emerges; open where it is not found, and would not be if it were there."""
    found = share.runs.mean > may_be_false
    would_be = share.planted is not None and share.planted.mean >= POWER
    return share.beyond() if found or would_be else None


def _undecided(measured: Measured, structure: str) -> float:
    """The largest share that is undecided, of the runs and of every control: what it says of one it says of all."""
    samples = [measured.runs, *(some for some in measured.controls.values() if some)]
    return max(mean(share_undecided(each, structure) for each in some) for some in samples)


def _by_layer(runs: list[Scores]) -> str:
    places = Counter(
        (name, _layer(each))
        for scores in runs
        for each in scores.generators
        for name in {name for name, _ in each.findings}
        if name in EMERGING
    )
    return ", ".join(f"{name} in {layer}: {count}" for (name, layer), count in sorted(places.items()))


def _layer(each: GeneratorScores) -> str:
    """The layer of an unfolded network, or the module."""
    return each.name.split(", ")[0]
