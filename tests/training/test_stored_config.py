"""Configs of older runs: read where they mean what they meant, refused in a sentence where they cannot."""

from pathlib import Path
from typing import Any

import pytest
from training.small import small

from lgn.training import Run
from lgn.training.stored_config import config_from_json, config_to_json

RUNS = sorted((Path(__file__).parents[2] / "results" / "runs").glob("*/config.json"))


def test_all_runs_of_the_results_are_read() -> None:
    assert len(RUNS) > 60
    assert {Run(path.parent).config.preset for path in RUNS} == {"paper", "released", "stable"}


def older(**settings: Any) -> dict[str, Any]:
    stored = config_to_json(small())
    return {**stored, "tensorboard": True, "network": {**stored["network"], **settings}}


def test_a_choice_that_is_gone_must_have_been_the_one_that_is_left() -> None:
    assert config_from_json(older(tied=False, threshold="filter")) == small()
    with pytest.raises(ValueError, match="tied must be False, the only choice that is left, got True"):
        config_from_json(older(tied=True))
