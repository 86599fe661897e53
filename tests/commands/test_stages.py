"""`lgn train` with stages, as a user meets it: one warning, all starts, and what was lifted in words."""

import signal
import time
from pathlib import Path

import pytest
from forked import start
from training.small import SMALL_WORDS

from lgn.commands.options import parse_config
from lgn.commands.stages import stage_lines
from lgn.commands.train import run
from lgn.training import Run
from lgn.whole_files import read_json


def lgn_train(*words: str) -> tuple[int | None, str, str]:
    process = start("lgn.cli", ["train", "digits", *SMALL_WORDS, *words])
    out, err = process.communicate()
    return process.returncode, out, err


def test_a_lifted_training_warns_once_and_says_what_was_lifted(tmp_path: Path) -> None:
    status, printed, errors = lgn_train("--train", "lifted", "--epochs", "1", "--out", str(tmp_path / "run"))
    assert status == 0, errors
    warned = [line for line in errors.splitlines() if "determine" in line]
    assert len(warned) == 1  # neither the free run nor the fit says it again
    assert warned[0].startswith("lgn: warning: the filters determine the generator on 6 of 25 dimensions, ")
    assert "any 6 pairs in 25 dimensions are fitted exactly, so that nothing can be found" in warned[0]
    assert "Warning" not in errors  # no category, no line of source
    said = errors.splitlines()
    assert said.index("free filters, 1 epoch") < said.index("orbits of the fitted generators, 1 epoch")
    lines = printed.splitlines()
    assert lines[0] == "lifted from free filters: a generator for each layer by least-squares, then frozen"
    # Six pairs are met by any filters, and lifting them moves nothing.
    assert lines[2].startswith("  layer 2: 0.0 % of the filters unexplained, ")
    assert lines[2].endswith(
        " % by the best c I, 100 % of shuffled banks fitted as well; known on 6 of 25 dimensions; "
        "lifting moved the filters by 0.0 %"
    )
    again = lgn_train("--train", "lifted", "--epochs", "1", "--out", str(tmp_path / "run"))
    assert again == (0, printed, "")  # a finished run is not trained


@pytest.mark.slow
def test_all_starts_are_shown_and_a_claim_is_stated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "digits",
        *SMALL_WORDS,
        "--generator",
        "affine",
        "--share",
        "layer",
        "--starts",
        "2",
        "--start-epochs",
        "1",
    ]
    assert run([*words, "--validation", "0.1", "--epochs", "1", "--out", str(tmp_path / "run")]) == 0
    printed = capsys.readouterr().out.splitlines()
    report = read_json(tmp_path / "run" / "starts.json")
    assert printed[0] == "start         validation  found"
    for line, row in zip(printed[1:3], report["starts"], strict=True):
        assert line.startswith(f"{row['start']:12}  {100 * row['validation_accuracy']:8.2f} %  angles ")
        assert line.endswith("(best)") == (row["start"] == report["best"])
    assert printed[3].startswith("a symmetry is claimed: " if report["claimed"] else "no symmetry is claimed: ")
    assert f"free filters {100 * report['free_accuracy']:.2f} %" in printed[3]
    assert "at most 2 % of searches claim one" in printed[4]
    assert stage_lines(Run(tmp_path / "run")) == printed[:5]


def test_a_stage_that_is_stopped_is_continued_by_the_run_it_belongs_to(tmp_path: Path) -> None:
    out = tmp_path / "run"
    options = ["--train", "lifted", "--lift-epochs", "50", "--batch-size", "8", "--checkpoint-seconds", "0"]
    process = start("lgn.cli", ["train", "digits", *SMALL_WORDS, *options, "--out", str(out)])
    while not (out / "free" / "checkpoint.pt").is_file():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate()
    assert (process.returncode, printed) == (130, "")
    assert said.splitlines()[-1].endswith(f"; continue with: lgn train --resume {out}")
    assert Run.open(out).config.train == "lifted"


def test_what_other_options_are_by_default_where_one_is_lifted_or_affine() -> None:
    assert parse_config(["--train", "lifted"], "lgn train", "").network.share == "layer"
    assert parse_config(["--train=lifted", "--preset", "released"], "lgn train", "").network.norm is None
    assert parse_config(["--generator", "affine"], "lgn train", "").penalty == "none"
    assert parse_config(["--generator", "affine", "--penalty", "closure"], "lgn train", "").penalty == "closure"
    assert parse_config([], "lgn train", "").penalty == "inverse"
