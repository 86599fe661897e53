"""An answer about images that keep quarter turns, for tests."""

import torch

from lgn.answer import Answer, DataSummary, Evidence, LabelMap, Row, ToldApart
from lgn.groups import cyclic
from lgn.transforms import Transformation, find


def some_answer(permutation: tuple[int, ...] = ()) -> Answer:
    """Quarter turns are kept, flips are broken, and one map of the user is undecided."""
    effect = "permuted" if permutation else "survive"
    rows = []
    for name, word in (("turn 90", "r"), ("turn 180", "r^2"), ("turn 270", "r^3")):
        transformation = find(name)
        assert transformation is not None
        evidence = (
            Evidence("data", 0.5, (0.49, 0.51), 0.8, "kept", ToldApart(control=0.55, control_interval=(0.54, 0.56))),
            Evidence("labels", 0.0, (-0.01, 0.01), None, "kept", LabelMap(effect, 0.9, 0.9, permutation)),
        )
        rows.append(Row(transformation, "kept", evidence, word))
    flip = find("flip columns")
    assert flip is not None
    rows.append(Row(flip, "broken", (Evidence("data", 0.9, (0.88, 0.92), 0.0, "broken", ToldApart()),)))
    own = Transformation("own", matrix=torch.eye(64, dtype=torch.float64), space="images")
    rows.append(Row(own, "undecided", (Evidence("data", 0.5, (0.4, 0.6), 0.5, "undecided"),), needed=(4000, 8000)))
    classes = tuple("abcd")
    data = DataSummary("images", 40, (1, 8, 8), classes, examples=torch.rand(3, 1, 8, 8))
    return Answer("labels", data, tuple(rows), "Quarter turns are kept.", "C4", cyclic(4), settings={"effort": 1.0})
