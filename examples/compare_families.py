"""Compare families of generators on one task: guarantee, number of parameters, accuracy.

python examples/compare_families.py      # about 20 seconds
"""

# %% Families of generators; `free` has no group and is the control.
import math
import tempfile
from pathlib import Path

import torch

import lgn
from lgn.generators import generators_of
from lgn.training import preset, train

FAMILIES = ("free", "dense", "orthogonal", "cyclic", "kronecker", "low-rank", "circulant")
SMALL = {"num_layers": 2, "num_sets": 4, "group": "C4", "kernel_size": 5, "epochs": 2, "train_images": 2000}

# %% Train the same small unfolded network with every family.
results: dict[str, dict[str, float]] = {}
print(f"{'family':<12}{'accuracy':>10}{'filter parameters':>20}{'closure error':>16}{'guarantee error':>18}")
for family in FAMILIES:
    config = preset("quick", generator=family, batch_size=50, **SMALL)
    with tempfile.TemporaryDirectory() as directory:
        run = train(config, Path(directory) / "run")
        model, accuracy = lgn.load(run), run.metrics[-1]["test_accuracy"]
    stored = sum(parameter.numel() for parameter in model.encoder.bank.parameters())
    result = {"accuracy": accuracy, "parameters": stored, "closure": math.nan, "guarantee": math.nan}
    for generator in generators_of(model).values():
        with torch.no_grad():
            result["closure"] = float(lgn.closure_error(generator.matrix().double(), 4).max())
            result["guarantee"] = float(generator.guarantee_error().max())
    results[family] = result
    print(f"{family:<12}{accuracy:>10.3f}{stored:>20,}{result['closure']:>16.2g}{result['guarantee']:>18.1e}")


# %% Training keeps what a family guarantees. Other properties are only encouraged by penalties.
def test() -> None:
    assert all(result["accuracy"] > 0.7 for result in results.values())
    assert results["cyclic"]["closure"] < 1e-4 < 0.1 < results["dense"]["closure"]
    for family in ("orthogonal", "cyclic", "kronecker", "low-rank", "circulant"):
        assert results[family]["guarantee"] < 1e-4, family
    # A matrix on 25 pixels has 625 entries; two matrices on 5 rows and 5 columns have 50.
    assert results["kronecker"]["parameters"] < results["free"]["parameters"] < results["dense"]["parameters"]


if __name__ == "__main__":
    test()
