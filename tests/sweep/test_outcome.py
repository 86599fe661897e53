"""The statistics of a sweep, and its page."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from lgn.analysis import scores
from lgn.generators import generators_of
from lgn.sweep import Setting, plan, spread_of, summarise, table, write_comparison, write_summary
from lgn.sweep.comparison import cell
from lgn.training import Config, Run, preset, train

TINY = preset("quick", num_layers=2, num_sets=2, group="C2", kernel_size=3, epochs=1, train_images=100)


def test_one_run_has_no_spread_and_none_no_mean() -> None:
    found = spread_of([0.5])
    assert (found.mean, found.deviation, found.interval) == (0.5, None, ())
    assert "-" in table([Setting("digits", ("digits-0",), {"test accuracy": found})])
    with pytest.raises(ValueError, match="values"):
        spread_of([])


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs, trained here: two seeds with generators, and one control with free filters."""
    out = tmp_path_factory.mktemp("sweep")
    for job in plan(configs(), out)[:3]:
        train(job.config, job.path)
    return out


def configs() -> list[Config]:
    free = replace(TINY, task="classify", network=replace(TINY.network, generator="free"))
    return [TINY, replace(TINY, seed=1), free, replace(TINY, seed=2)]


def test_the_run_is_the_unit(swept: Path) -> None:
    """A structure score of a setting is the mean over runs of the mean over each run's generators."""
    jobs = plan(configs(), swept)
    group, free = summarise(jobs)
    assert group.runs == ("digits-auto-paper-0", "digits-auto-paper-1")  # seed 2 is not finished
    by_hand = []
    for job in jobs[:2]:
        (generator,) = generators_of(Run(job.path).model()).values()
        matrices = generator.matrix().detach().flatten(0, 1).double()
        by_hand.append(float(scores.score(matrices, (3, 3))["symmetric"].mean()))
    assert group.quantities["symmetric"].values == pytest.approx(by_hand)
    assert set(scores.NAMES) <= set(group.quantities)
    assert list(free.quantities) == ["test accuracy"]


def test_the_kept_epoch_counts(tmp_path: Path) -> None:
    """Where validation chose an epoch, its accuracy is reported, not the last one's."""
    config = replace(TINY, epochs=2, validation=0.1)
    (job,) = plan([config], tmp_path)
    run = train(config, job.path)
    rows = run.metrics
    for first, last, expected in ((0.9, 0.8, 0.11), (0.8, 0.9, 0.22), (0.9, 0.9, 0.22)):
        rows[0] |= {"validation_accuracy": first, "test_accuracy": 0.11}
        rows[1] |= {"validation_accuracy": last, "test_accuracy": 0.22}
        (run.path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert summarise([job])[0].quantities["test accuracy"].mean == expected


def test_summary_holds_every_number_and_why_runs_failed(swept: Path, tmp_path: Path) -> None:
    settings = summarise(plan(configs(), swept))
    write_summary(tmp_path / "summary.json", settings, {"digits-auto-paper-2": "it was stopped"})
    stored = json.loads((tmp_path / "summary.json").read_text())
    assert stored["settings"] == json.loads(json.dumps([asdict(each) for each in settings]))
    assert stored["schema"] == 1
    assert stored["failures"] == {"digits-auto-paper-2": "it was stopped"}


def test_page_shows_every_number_and_escapes_names(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    settings = [
        Setting(hostile, ("a-0", "a-1"), {"test accuracy": spread_of([0.5, 0.7]), "symmetric": spread_of([0.1, 0.2])}),
        Setting("free", ("b-0",), {"test accuracy": spread_of([0.25])}),
    ]
    write_comparison(tmp_path / "summary.html", settings, {"b-1": hostile})
    page = (tmp_path / "summary.html").read_text()
    assert "0.6000" in page
    assert "0.2500" in page
    assert hostile not in page
    assert page.count("&lt;script&gt;") == 2
    assert page.count("<circle") == 5
    assert "http" not in page
    assert page.count("<li>") == 4  # three runs and a failure


def test_dots_of_a_row_share_a_scale() -> None:
    def places(value: float, scale: tuple[float, float]) -> list[float]:
        return [float(place) for place in re.findall(r'cx="([\d.]+)"', cell(spread_of([value]), scale))]

    (low,), (high,), (middle,) = places(0.0, (0, 1)), places(1.0, (0, 1)), places(0.3, (0.3, 0.3))
    assert 0 < low < middle < high
    assert middle == pytest.approx((low + high) / 2)
