"""What is kept of runs beside them."""

from pathlib import Path

from training.small import small

from lgn.training import Run, train
from studies.paper.claims.samples import Sample
from studies.paper.context import Context
from studies.paper.summaries import planted_of
from studies.truth.controls import PARTS


def test_planted_structures_are_asked_once_and_only_where_there_are_weights(tmp_path: Path) -> None:
    run = train(small(num_sets=3, epochs=1), tmp_path / "run")
    context = Context(tmp_path, quick=True)
    free = train(small(num_sets=3, epochs=1, generator="free"), tmp_path / "free")
    (found,) = Sample(context, "", (run,), (free,)).measured.planted
    assert list(found) == ["whole", "through filters"]
    assert all(list(shares) == list(PARTS) for shares in found.values())
    assert all(0 <= share <= 1 for shares in found.values() for share in shares.values())
    (run.path / "model.safetensors").unlink()
    assert planted_of(context, Run(run.path)) == found
    (run.path / "planted.json").unlink()
    assert planted_of(context, Run(run.path)) is None
